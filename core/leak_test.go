package core_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// kept is all that can be reached from a host: without the program's functions and what belongs to the world.
type kept struct {
	objects, entries, bytes int // pieces of memory that something points to; entries of maps; bytes of all
	byType                  map[string]int
	at                      map[place]bool
}

// place is a piece of memory as one type.
type place struct {
	at uintptr
	of reflect.Type
}

func keptBy(h *core.Host) *kept {
	k := &kept{at: map[place]bool{}, byType: map[string]int{}}
	k.walk(reflect.ValueOf(h))
	return k
}

// new reports whether a piece of memory was not counted yet, and counts it.
func (k *kept) new(at uintptr, of reflect.Type, bytes int) bool {
	p := place{at, of}
	if at == 0 || k.at[p] {
		return false
	}
	k.at[p] = true
	k.objects++
	k.bytes += bytes
	k.byType[of.String()]++
	return true
}

func (k *kept) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if t := v.Type().Elem(); !strings.HasPrefix(t.PkgPath(), "chordsim/sim") && k.new(v.Pointer(), v.Type(), int(t.Size())) {
			k.walk(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			k.walk(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			k.walk(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			k.walk(v.Index(i))
		}
	case reflect.Slice:
		if k.new(v.Pointer(), v.Type(), v.Cap()*int(v.Type().Elem().Size())) && v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				k.walk(v.Index(i))
			}
		}
	case reflect.Map:
		if k.new(v.Pointer(), v.Type(), 0) {
			for it := v.MapRange(); it.Next(); {
				k.entries++
				k.bytes += int(v.Type().Key().Size() + v.Type().Elem().Size())
				k.walk(it.Key())
				k.walk(it.Value())
			}
		}
	case reflect.String:
		k.bytes += v.Len()
	}
}

// more lists of which types there are more than before.
func (k *kept) more(before *kept) (list []string) {
	for name, n := range k.byType {
		if d := n - before.byType[name]; d > 0 {
			list = append(list, fmt.Sprint(d, " ", name))
		}
	}
	slices.Sort(list)
	return list
}

// leakLab is a worker behind a server, and a tab that comes and goes.
type leakLab struct {
	t                   *testing.T
	world               *sim.World
	worker, server, tab *sim.Host
	route               *sim.Connection
	doc                 *core.Document
	open                []*core.Call
	settled, unknown    int // calls
}

func newLeakLab(t *testing.T, cfg sim.Config) *leakLab {
	l := &leakLab{t: t, world: sim.New(cfg), doc: core.NewDocument(delta.Object(delta.Field{Key: "n", Value: delta.Int(0)}))}
	l.worker, l.server, l.tab = l.world.Host("worker"), l.world.Host("server"), l.world.Host("tab")
	for _, h := range []*sim.Host{l.worker, l.server} {
		h.Core().Expose("View", core.Object{Methods: core.Methods{"echo": echo, "later": l.later}, State: core.Members{"m": core.NewDocument(delta.Int(1))}})
	}
	l.worker.Core().Expose("Notes", core.Object{State: core.Members{"m": l.doc}, Methods: core.Methods{"set": l.set}})
	l.server.Core().Route("W", func(q *relay.Request) {
		if c := l.route.Accepted(); c == nil || c.Link().Closed() {
			q.Fail(base.Errorf(base.CodeDown, "the worker is not there"))
		} else {
			q.To(c.Link())
		}
	})
	if _, err := l.world.Dial(l.worker, l.server, netsim.Memory, func(c *sim.Connection) { l.route = c }); err != nil {
		t.Fatal(err)
	}
	l.run(base.Second)
	return l
}

func (l *leakLab) later(c *core.Call) (delta.Value, error) {
	c.Defer()
	l.open = append(l.open, c)
	return delta.Null(), nil
}

func (l *leakLab) set(c *core.Call) (delta.Value, error) {
	_, err := l.doc.Change(c, func(d *delta.Draft) error { return d.At("n").Set(c.Arg) })
	return c.Arg, err
}

func (l *leakLab) run(d base.Duration) {
	l.t.Helper()
	if err := l.world.RunFor(d); err != nil {
		l.t.Fatal(err)
	}
}

func (l *leakLab) do(h *sim.Host, fn func()) {
	h.Do(fn)
	l.run(0)
}

// visit is a tab that connects, holds ten objects, calls twenty times, gives up on some calls, loses a connection on the way, goes on
// with its session, lets go of all and closes. What differs from one to the next is what is under way as the connection breaks.
func (l *leakLab) visit(i int) {
	link := netsim.Config{Up: linkmodel.Config{Latency: base.Millisecond}, Down: linkmodel.Config{Latency: base.Millisecond}}
	way, err := l.world.Dial(l.tab, l.server, link, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	var refs []*core.Reference
	l.do(l.tab, func() {
		for n := range 10 {
			address := []string{"View", "W/w/View", "W/w/Notes", "W/w/Nothing", "View"}[n%5]
			options := []core.GetOption{core.Unshared()}
			refs = append(refs, l.tab.Core().Get(address, options[:n%2]...))
		}
	})
	l.run(base.Duration(i%9) * base.Millisecond)
	var given []*core.PendingCall // up on
	l.do(l.tab, func() {
		for n := range 20 {
			r, method, arg := refs[n%10], "echo", any(n)
			switch {
			case r.Address() == "W/w/Notes":
				method = "set"
			case n%7 == 1:
				method = "later"
			case n == 15 && i%8 == 0:
				arg = text(10_000)
			}
			var options []core.CallOption
			if n%6 == 2 {
				most := base.Duration(i%50)*base.Millisecond + 1
				if n == 14 {
					most = base.Hour
				}
				options = append(options, core.Deadline(l.world.Now().Add(most)))
			}
			pc := r.Call(method, arg, func(_ delta.Value, err error) {
				l.settled++
				if base.CodeOf(err) == base.CodeUnknown {
					l.unknown++
				}
			}, options...)
			if n%5 == i%5 {
				given = append(given, pc)
			}
		}
		given[0].Cancel() // before anything of it is sent
	})
	l.run(base.Duration(i%3) * base.Millisecond)
	l.do(l.tab, func() {
		for _, pc := range given {
			pc.Cancel()
		}
	})
	l.run(base.Duration(i%7) * base.Millisecond)
	l.lose(way, i)
	l.run(base.Second)
	l.settleAll()
	l.run(100 * base.Millisecond)
	l.do(l.tab, func() {
		for n, r := range refs {
			if n%3 > 0 || i%2 == 0 { // others go with the way
				r.Release()
			}
		}
	})
	l.run(base.Duration(i%5) * base.Millisecond)
	way.Uplink().Close()
	l.settleAll() // what was started by calls that came again
	l.run(100 * base.Millisecond)
}

// lose loses a connection: the tab's, or the worker's as well, and now and then the session with it.
func (l *leakLab) lose(way *sim.Way, i int) {
	switch {
	case i%100 == 99: // nobody is told, and both find out
		way.Connection().Link.Dialer().Vanish()
		way.Connection().Link.Acceptor().Vanish()
		l.run(25 * base.Second)
	case i%25 == 12 && way.Connection().Accepted() != nil: // a goodbye: the next session is another one
		way.Connection().Accepted().Close()
	case i%25 == 13:
		l.route.Accepted().Close()
	case i%10 == 3:
		l.route.Link.Reset()
		way.Connection().Link.Reset()
	case i%10 == 7:
		l.route.Link.Reset()
	default:
		way.Connection().Link.Reset()
	}
}

func (l *leakLab) settleAll() {
	open := l.open
	l.open = nil
	for _, c := range open {
		l.do(l.host(c), func() { c.Settle(delta.Null(), nil) })
	}
}

func (l *leakLab) host(c *core.Call) *sim.Host {
	if c.Host() == l.worker.Core() {
		return l.worker
	}
	return l.server
}

// TestADialerThatNeverGreets is not kept for ever: nor is what it was greeted by, or the timer that waited for it.
func TestADialerThatNeverGreets(t *testing.T) {
	h := newRawHost(t, "worker", base.Limits{})
	p := &rawPeer{host: h}
	p.conn = h.Accept(p)
	before := keptBy(h.Host)
	h.sched.advance(base.Minute - 1)
	if p.closed {
		t.Error("it is given up on too early")
	}
	h.sched.advance(1)
	if !p.closed || p.bye() != base.CodeDown {
		t.Errorf("closed: %v, with code %v; want it closed as down", p.closed, p.bye())
	}
	after := keptBy(h.Host)
	if after.byType["*core.peer"] != before.byType["*core.peer"]-1 {
		t.Errorf("%d peers are kept", after.byType["*core.peer"])
	}
	wantInt(t, "timers", h.sched.set(), 0)
}

// leakSlack is by how many objects a host may differ: what it keeps room for depends on what came last.
const leakSlack = 32

// TestNothingIsLeftOfVisits: after 10,000 of them each host keeps what it kept after the first few.
func TestNothingIsLeftOfVisits(t *testing.T) {
	visits, warm := 10_000, 200
	if testing.Short() {
		visits = 1_000
	}
	goroutines := runtime.NumGoroutine()
	l := newLeakLab(t, sim.Config{Unchecked: true, Reconnect: core.Reconnect{Grace: 30 * base.Second}})
	hosts := []*sim.Host{l.worker, l.server, l.tab}
	measure := func() (list []*kept) {
		l.run(2 * base.Minute) // whatever waits for a grace or a deadline
		for _, h := range hosts {
			list = append(list, keptBy(h.Core()))
		}
		return list
	}
	first := measure()
	for i := range warm {
		l.visit(i)
	}
	before := measure()
	for i := warm; i < visits; i++ {
		l.visit(i)
	}
	after := measure()
	for i, h := range hosts {
		b, a := before[i], after[i]
		if a.objects > b.objects+leakSlack || a.entries > b.entries || a.bytes > b.bytes+leakSlack*64 {
			t.Errorf("%s keeps %d objects, %d entries, %d bytes; after %d visits %d, %d, %d; more are %v",
				h.Name(), a.objects, a.entries, a.bytes, warm, b.objects, b.entries, b.bytes, a.more(b))
		}
		t.Logf("%s: %d objects, %d entries, %d bytes; before the first visit %d, %d, %d", h.Name(), a.objects, a.entries, a.bytes, first[i].objects, first[i].entries, first[i].bytes)
		provider, caller := core.CallCount(h.Core())
		wantInt(t, h.Name()+": calls", provider+caller, 0)
		wantInt(t, h.Name()+": holds", core.HoldCount(h.Core()), 0)
	}
	wantInt(t, "calls that settled", l.settled, 20*visits)
	wantInt(t, "holds of the document", core.SubscriptionCount(l.doc), 0)
	l.visit(0)
	for i, want := range []int64{1, 1, 0} { // the heartbeat of the session between worker and server, and nothing of the visit
		wantInt(t, hosts[i].Name()+": timers", l.world.Crash(hosts[i], 100).Timers, want)
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		t.Errorf("%d goroutines, %d before", now, goroutines)
	}
	t.Logf("%d calls of %d have no known outcome", l.unknown, l.settled)
}
