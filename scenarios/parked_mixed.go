package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
)

// partMixed is all kinds of calls in one: some of them before the way is lost, some as it is back, with deadlines around both.
const partMixed = "mixed"

// mixedBefore is for how long calls are made before the way is lost.
const mixedBefore = 50 * base.Millisecond

// mixedPlan is what happens in a mixed part. Times are from its beginning.
type mixedPlan struct {
	loss       string // what becomes of the session; near: that is found out
	gone       base.Duration
	references int
	shared     bool
	handlers   base.Duration // what each costs the worker
	calls      []mixedCall
	commits    []mixedCommit
}

// mixedCommit is a commit of the worker.
type mixedCommit struct {
	at    base.Duration
	bytes int
}

// mixedCall is a call, and what became of it.
type mixedCall struct {
	ref    int
	what   string
	at     base.Duration
	bytes  int           // of its argument
	within base.Duration // its deadline, from when it is made; Forever: it has none
	cancel base.Duration // after which it is cancelled; Forever: it is not
	takes  base.Duration // until it is answered, if it is not at once

	made    base.Time
	settled int
	when    base.Time
	code    base.Code
	ran     int
}

// mixedPart is the state of a mixed part.
type mixedPart struct {
	refs  []*core.Reference
	calls []*mixedCall
	ran   [][]int // the calls that the worker ran, by reference, in order
	lost  base.Time
	back  base.Time
	limit base.Duration // from when the way is back until all has settled
}

// mix is the worker's method: the argument begins with the number of the call.
func (w *parkedWorld) mix(c *core.Call) (delta.Value, error) {
	number, _, _ := strings.Cut(c.Arg.Text().String(), " ")
	n, err := strconv.Atoi(number)
	if err != nil || n >= len(w.mixed.calls) {
		w.wrong("a call came that nobody made: %.20q", c.Arg.Text().String())
		return delta.Null(), nil
	}
	call := w.mixed.calls[n]
	call.ran++
	w.mixed.ran[call.ref] = append(w.mixed.ran[call.ref], n)
	switch call.what {
	case "later":
		c.Defer()
		w.worker.NewTimer(func() { w.worker.Do(func() { c.Settle(delta.Null(), nil) }) }).Set(w.world.Now().Add(call.takes))
	case "commit":
		_, err = w.doc.Change(c, func(d *delta.Draft) error { return d.At("call").Set(n) })
	}
	return delta.Null(), err
}

// wrong notes something that is not as it should be.
func (w *parkedWorld) wrong(format string, args ...any) {
	if len(w.found.wrong) < maxWrong {
		w.found.wrong = append(w.found.wrong, fmt.Sprintf(format, args...))
	}
}

// after has something happen in a turn of a host.
func (w *parkedWorld) after(begin base.Time, d base.Duration, h *sim.Host, fn func()) {
	w.world.At(begin.Add(d), func() { h.Do(fn) })
}

// playMixed plays a mixed part, and looks at each call.
func (w *parkedWorld) playMixed() {
	p := w.plan.mixed
	m := &w.mixed
	m.ran = make([][]int, p.references)
	w.worker.SetCost(sim.Cost{PerHandler: p.handlers})
	if !w.until(10*base.Millisecond, connectWithin, func() bool { return w.view != nil && w.view.State() == core.StateLive }) {
		w.stop("the object is not live within %v", connectWithin)
		return
	}
	w.tab.Do(func() {
		m.refs = []*core.Reference{w.view}
		for range p.references - 1 {
			var options []core.GetOption
			if !p.shared {
				options = append(options, core.Unshared())
			}
			m.refs = append(m.refs, w.tab.Core().Get(w.prefix+"Desk", options...))
		}
	})
	w.until(10*base.Millisecond, connectWithin, w.mixedLive)
	begin := w.world.Now()
	m.lost, m.back = begin.Add(mixedBefore), begin.Add(mixedBefore+p.gone)
	bytes := w.schedule(begin)
	if !w.run(mixedBefore) {
		w.stop("")
		return
	}
	session := w.tabWay.Uplink().Link().Session()
	w.drop()
	if !w.run(p.gone) {
		w.stop("")
		return
	}
	w.back()
	m.limit = w.mixedLimit(bytes)
	w.found.limit, w.found.liveLimit = m.limit, m.limit
	if !w.until(base.Millisecond, crossingWithin, w.mixedLive) {
		w.stop("not live within %v", crossingWithin)
		return
	}
	w.found.live = w.world.Now().Sub(m.back)
	if !w.until(base.Millisecond, crossingWithin, func() bool { return len(m.calls) == len(p.calls) && w.found.settled >= w.found.made }) {
		w.stop("%d calls of %d settled within %v", w.found.settled, w.found.made, crossingWithin)
		return
	}
	w.run(base.Second) // for what should not come any more
	w.look(w.tabWay.Uplink().Link().Session() == session)
}

// schedule has all calls and commits made when it is time. It returns how many bytes they have.
func (w *parkedWorld) schedule(begin base.Time) (bytes int64) {
	p := w.plan.mixed
	for i := range p.calls {
		c := &p.calls[i]
		bytes += int64(c.bytes) + 2*callBytes
		w.after(begin, c.at, w.tab, func() { w.make(c) })
	}
	for i, c := range p.commits {
		bytes += int64(c.bytes) + 2*callBytes
		w.after(begin, c.at, w.worker, func() {
			if _, err := w.doc.Change(nil, func(d *delta.Draft) error {
				return d.At("text").Set(strings.Repeat(string(rune('a'+i)), c.bytes))
			}); err != nil {
				w.wrong("a commit: %v", err)
			}
		})
	}
	return bytes
}

// make makes a call, within a turn of the tab.
func (w *parkedWorld) make(c *mixedCall) {
	n := len(w.mixed.calls)
	w.mixed.calls = append(w.mixed.calls, c)
	c.made = w.world.Now()
	w.found.made++
	var options []core.CallOption
	if c.within < base.Forever {
		options = append(options, core.Deadline(c.made.Add(c.within)))
	}
	pc := w.mixed.refs[c.ref].Call("mixed", itoa(int64(n))+" "+strings.Repeat("x", c.bytes), func(_ delta.Value, err error) {
		if c.settled++; c.settled == 1 {
			w.found.settled++
		}
		c.when, c.code = w.world.Now(), base.CodeOf(err)
		w.found.last = max(w.found.last, c.when.Sub(max(c.made, w.mixed.back)))
	}, options...)
	if c.cancel < base.Forever {
		w.after(c.made, c.cancel, w.tab, pc.Cancel)
	}
}

// mixedLive reports whether every reference is live and shows the newest.
func (w *parkedWorld) mixedLive() bool {
	for _, ref := range w.mixed.refs {
		if rev, ok := ref.Revision("notes"); ref.State() != core.StateLive || !ok || rev != w.doc.Revision() {
			return false
		}
	}
	return len(w.mixed.refs) > 0
}
