package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// packBombs is what one world found of parts that inflate to what their owner allows, and to a byte more.
type packBombs struct {
	way           string
	bombs         []packBomb
	calm, late    base.Duration // the longest of the other tab's calls, without bombs and beside them
	pings         int
	failed        int // of these
	relay         [3]int
	stuck, broken string
}

// packBomb is one of them: a tab of its own takes it.
type packBomb struct {
	what     string
	id       string // as in ids
	size     int    // that it inflates to
	over     bool
	bytes    int64 // delivered to the tab meanwhile
	inflated int64 // parts that the tab inflated
	code     base.Code
	taken    bool // all of it, as it was at the worker
}

func (b *packBomb) good() bool {
	if b.over {
		return !b.taken && b.inflated == 0 && b.code == base.CodeLimit
	}
	return b.taken && b.code == base.CodeNone
}

// bombWorld is a worker that deflates more than its peers inflate, a tab that calls it all the time, and for a relayed case
// a server in between. Each bomb gets a tab of its own.
type bombWorld struct {
	plan   packPlan
	world  *sim.World
	worker *sim.Host
	server *sim.Host // nil if there is none
	other  *sim.Host
	quiet  *core.Reference
	prefix string
	calm   bool // no bomb was seen yet
	found  *packBombs
	failed error
}

// pingEvery is between two calls of the other tab, and nearby the latency of its link.
const (
	pingEvery = 10 * base.Millisecond
	nearby    = base.Millisecond
)

func newBombWorld(r *sim.Run, p packPlan, label string, relayed bool) (*bombWorld, error) {
	cfg := r.Config(label)
	cfg.Codec, cfg.Limits.InflatedBytes = p.codec, p.limit
	w := &bombWorld{plan: p, world: sim.New(cfg), calm: true}
	w.worker = w.world.HostWith("worker", func(c *core.Config) {
		c.Deflate = true
		c.Limits.InflatedBytes = 2 * p.limit
	})
	w.worker.Core().Expose("Quiet", core.Object{Methods: core.Methods{
		"ping": func(c *core.Call) (delta.Value, error) { return c.Arg, nil },
	}})
	if relayed {
		w.server, w.prefix = w.world.Host("server"), "Session/42/"
		route, err := w.world.Connect(w.worker, w.server, netsim.Memory)
		if err != nil {
			return nil, err
		}
		w.server.Core().Route("Session", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	}
	w.other = w.world.Host("other")
	w.world.Note("case " + label)
	link := linkmodel.Config{Rate: 1_000_000, Latency: nearby}
	if _, err := w.connect(w.other, netsim.Config{Up: link, Down: link}); err != nil {
		return nil, err
	}
	if err := w.world.RunFor(4 * nearby); err != nil {
		return nil, err
	}
	w.other.Do(func() { w.quiet = w.other.Core().Get(w.prefix + "Quiet") })
	return w, w.world.RunFor(pingEvery)
}

// connect has a tab dial what is next to it.
func (w *bombWorld) connect(tab *sim.Host, cfg netsim.Config) (*netsim.End, error) {
	near := w.worker
	if w.server != nil {
		near = w.server
	}
	conn, err := w.world.Connect(tab, near, cfg)
	if err != nil {
		return nil, err
	}
	return conn.Link.Dialer(), nil
}

// bombKinds are the places of a message where what is too large may be.
var bombKinds = []struct{ what, id string }{
	{"snapshot", "snapshot"}, {"change", "change"}, {"result", "result"}, {"two parts of a result", "bytes"},
}

// play has tabs take all bombs, one after another, while the other tab goes on calling.
func (w *bombWorld) play(found *packBombs) {
	w.found = found
	w.run(20 * pingEvery)
	w.calm = false
	for _, kind := range bombKinds {
		for _, over := range []bool{false, true} {
			b := packBomb{what: kind.what, id: kind.id, over: over, size: w.plan.limit}
			if over {
				b.size++
			}
			if w.failed != nil {
				break
			}
			w.failed = w.throw(&b)
			found.bombs = append(found.bombs, b)
		}
	}
	if w.failed == nil {
		w.failed = w.world.Settle(settleWithin)
	}
	if w.failed != nil {
		found.stuck = w.failed.Error()
	}
	if err := w.quiet.Err(); err != nil {
		found.broken = fmt.Sprintf("C14: the other tab's reference is %v: %v", w.quiet.State(), err)
	}
	if w.server != nil {
		s := w.server.Core().Stats()
		found.relay = [3]int{int(s.Inflated), int(s.Deflated), int(s.PartsParsed)}
	}
}

// throw has a tab of its own take one bomb.
func (w *bombWorld) throw(b *packBomb) error {
	name := fmt.Sprintf("%s-%d", b.id, b.size)
	o := w.object(b)
	w.worker.Core().Expose(name, o.object)
	tab := w.world.Host(name)
	link := linkmodel.Config{Latency: w.plan.latency}
	end, err := w.connect(tab, netsim.Config{Up: link, Down: link})
	if err != nil {
		return err
	}
	w.run(4*w.plan.latency + pingEvery)
	var ref *core.Reference
	tab.Do(func() { ref = tab.Core().Get(w.prefix + name) })
	within := 8*w.plan.latency + 10*pingEvery
	if o.throw != nil {
		w.run(within)
	}
	_, before := end.Received()
	inflated := tab.Core().Stats().Inflated
	if o.throw != nil && w.failed == nil {
		o.throw(tab, ref)
	}
	w.run(within)
	if w.failed != nil {
		return w.failed
	}
	_, after := end.Received()
	b.bytes, b.inflated = after-before, tab.Core().Stats().Inflated-inflated
	b.taken, b.code = o.taken(ref), base.CodeOf(ref.Err())
	return w.world.Violation()
}

// bombObject is what a tab holds to take a bomb.
type bombObject struct {
	object core.Object
	throw  func(tab *sim.Host, ref *core.Reference) // once it is held; nil: the snapshot is the bomb
	taken  func(ref *core.Reference) bool
}

func (w *bombWorld) object(b *packBomb) bombObject {
	zeros, codec := strings.Repeat("0", b.size), w.plan.codec
	following := func(d *core.Document) func(*core.Reference) bool {
		return func(ref *core.Reference) bool {
			value, ok := ref.Value("notes")
			return ok && ref.State() == core.StateLive && value.Equal(d.Value())
		}
	}
	switch b.id {
	case "snapshot":
		doc := core.NewDocument(delta.String(textOf(zeros, b.size, asSnapshot(codec))))
		return bombObject{object: core.Object{State: core.Members{"notes": doc}}, taken: following(doc)}
	case "change":
		doc := core.NewDocument(changing(""))
		text := textOf(zeros, b.size, asChange(codec, doc.Value()))
		return bombObject{
			object: core.Object{State: core.Members{"notes": doc}}, taken: following(doc),
			throw: func(*sim.Host, *core.Reference) {
				w.worker.Do(func() {
					if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At("text").Set(text) }); err != nil {
						w.failed = err
					}
				})
			},
		}
	}
	// A result: as a value, or as two parts of bytes that are over the limit together.
	var text, half1, half2 string
	if b.id == "result" {
		text = textOf(zeros, b.size, asValue(codec))
	} else {
		half1, half2 = zeros[:b.size/2], zeros[b.size/2:]
	}
	method := func(c *core.Call) (delta.Value, error) {
		if text == "" {
			c.Attach([]byte(half1), []byte(half2))
		}
		return delta.String(text), nil
	}
	taken := false
	return bombObject{
		object: core.Object{Methods: core.Methods{"throw": method}},
		throw: func(tab *sim.Host, ref *core.Reference) {
			tab.Do(func() {
				var pc *core.PendingCall
				pc = ref.Call("throw", nil, func(v delta.Value, err error) {
					parts := pc.Bytes()
					if taken = err == nil && v.Text().String() == text; text == "" {
						taken = taken && len(parts) == 2 && string(parts[0]) == half1 && string(parts[1]) == half2
					}
				})
			})
		},
		taken: func(*core.Reference) bool { return taken },
	}
}

// run lets time pass, in which the other tab calls.
func (w *bombWorld) run(d base.Duration) {
	for end := w.world.Now().Add(d); w.world.Now() < end && w.failed == nil; {
		w.other.Do(w.ping)
		w.failed = w.world.RunFor(pingEvery)
	}
}

func (w *bombWorld) ping() {
	asked, calm := w.world.Now(), w.calm
	w.found.pings++
	w.quiet.Call("ping", nil, func(_ delta.Value, err error) {
		took := w.world.Now().Sub(asked)
		switch {
		case err != nil:
			w.found.failed++
		case calm:
			w.found.calm = max(w.found.calm, took)
		default:
			w.found.late = max(w.found.late, took)
		}
	})
}
