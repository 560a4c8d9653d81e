package check_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/netsim"
)

func TestCleanLab(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		t.Run(fmt.Sprintf("relayed=%v", relayed), func(t *testing.T) {
			l := newLab(t, labSetup{relayed: relayed, limits: base.Limits{ChunkBytes: 16}})
			l.get()
			answers := 0
			for i := range 300 { // revisions beyond the eight bits that travel
				l.add("token")
				if i%50 == 10 {
					l.down().held = true
					l.do(l.tab, func() {
						l.view.Call("echo", "an argument over sixteen bytes", func(_ delta.Value, err error) {
							if err == nil {
								answers++
							}
						})
					})
				}
				if i%50 == 40 {
					l.down().free()
				}
			}
			l.call("written")
			l.settle()
			l.wantNone(true)
			if answers != 6 {
				t.Errorf("%d answers, want 6", answers)
			}
		})
	}
}

// TestReleasedIsNoRelay lets go of a view behind a relay: the tab parsed, and is no relay for it.
func TestReleasedIsNoRelay(t *testing.T) {
	l := newLab(t, labSetup{relayed: true})
	l.get()
	l.add("x")
	l.do(l.tab, l.view.Release)
	l.add("y")
	l.settle()
	l.wantNone(false)
	l.get()
	l.add("z")
	l.call("written")
	l.settle()
	l.wantNone(true)
}

// TestOriginComesBack has a tab go while its window is full, and another one come under the same origin.
func TestOriginComesBack(t *testing.T) {
	l := newLab(t, labSetup{relayed: true})
	l.get()
	l.down().held = true
	for range 10 {
		l.add("x")
	}
	first := l.worker.Consumers()[0]
	l.wire.dialer.conn.Close()
	l.run()
	if n := len(l.worker.Consumers()); n != 0 {
		t.Fatalf("the worker has %d consumers, want none", n)
	}
	l.wantNone(false)
	l.tab = l.host("tab2", base.Limits{})
	l.wire = l.connect(l.tab, l.route.acceptor.conn.Host())
	l.run()
	l.get()
	if again := l.worker.Consumers()[0]; again != first {
		t.Fatalf("the second tab is %v, want the first one's origin %v", again, first)
	}
	for range 10 {
		l.add("y")
	}
	l.call("written")
	l.settle()
	l.wantNone(true)
	if got, _ := l.view.Revision("notes"); got.Number != 21 {
		t.Errorf("the tab is at revision %d, want 21", got.Number)
	}
}

// TestBusyProvider has credit wait for the provider's CPU behind commits: the window has room once the provider took it.
func TestBusyProvider(t *testing.T) {
	w := sim.New(sim.Config{Seed: 3})
	worker, tab := w.Host("worker"), w.Host("tab")
	worker.SetCost(sim.Cost{PerTurn: 3 * base.Millisecond, PerMessage: 2 * base.Millisecond})
	doc := core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("")}))
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": doc}})
	slow := linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond}
	if _, err := w.Connect(tab, worker, netsim.Config{Up: slow, Down: slow}); err != nil {
		t.Fatal(err)
	}
	step := func(d base.Duration) {
		if err := w.RunFor(d); err != nil {
			t.Fatal(err)
		}
	}
	step(base.Second)
	tab.Do(func() { tab.Core().Get("View") })
	step(base.Second)
	for i := range 200 {
		worker.Do(func() {
			if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At("text").Append("x") }); err != nil {
				t.Error(err)
			}
		})
		step(base.Duration(1+i%7) * base.Millisecond)
	}
	if err := w.Settle(base.Minute); err != nil {
		t.Error(err)
	}
	for _, c := range w.Checks().Counts() {
		if c.Violations != 0 {
			t.Errorf("%s: %d violations", c.ID, c.Violations)
		}
	}
}

func TestViolationsAreBounded(t *testing.T) {
	l := newLab(t, labSetup{})
	if l.set.Err() != nil {
		t.Fatal(l.set.Err())
	}
	for i := range check.MaxViolations + 50 {
		l.now = base.Time(i) * base.Time(base.Second)
		l.set.Wrote(l.worker, l.wire.acceptor.conn.Link(), []byte{0})
	}
	if got := len(l.set.Violations()); got != check.MaxViolations {
		t.Errorf("%d violations are kept, want %d", got, check.MaxViolations)
	}
	for _, c := range l.set.Counts() {
		want := int64(0)
		if c.ID == "C9" {
			want = check.MaxViolations + 50
		}
		if c.Violations != want || c.Checks < want {
			t.Errorf("%s: %d violations in %d looks, want %d", c.ID, c.Violations, c.Checks, want)
		}
	}
	var first check.Violation
	if !errors.As(l.set.Err(), &first) || first.ID != "C9" || first.Where != "worker" || first.At != 0 {
		t.Errorf("the first violation is %+v", first)
	}
	if got, want := l.set.Violations()[99].Error(), "C9 violated at 99s at worker: an unreadable chunk was written: "; !strings.HasPrefix(got, want) {
		t.Errorf("violation %q, want %q at its beginning", got, want)
	}
}

// TestCountsAreCopies wants nobody to be able to change what was counted.
func TestCountsAreCopies(t *testing.T) {
	l := newLab(t, labSetup{})
	l.set.Counts()[0].Violations = 7
	for i, c := range l.set.Counts() {
		if c.Violations != 0 || c.ID != check.IDs[i] {
			t.Errorf("count %d is %+v", i, c)
		}
	}
}

// TestUnknownChunksAreNotCounted wants what is no message of a hold to be let through in silence.
func TestUnknownChunksAreNotCounted(t *testing.T) {
	l := newLab(t, labSetup{})
	link := l.wire.acceptor.conn.Link()
	l.set.Unreliable(link)
	for _, chunk := range [][]byte{nil, {0}, wire.Header{Type: wire.TypePing}.Append(wire.Binary, nil), wire.Header{Type: wire.TypeCredit}.Append(wire.Binary, nil)} {
		l.set.Arrived(l.worker, link, chunk)
	}
	l.wantNone(false)
}

// TestACallerLeavesARelay has a tab go while a call of it waits at the relay for a route that stalls, and another one come that makes
// an equal call under the same origin: the first one is not owed any more, and is not what is forwarded then.
func TestACallerLeavesARelay(t *testing.T) {
	w := sim.New(sim.Config{})
	worker, server := w.Host("worker"), w.Host("server")
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": core.NewDocument(delta.Int(1))}})
	connect := func(a, b *sim.Host, link netsim.Config) *sim.Connection {
		c, err := w.Connect(a, b, link)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	run := func() {
		t.Helper()
		if err := w.RunFor(base.Second); err != nil {
			t.Fatal(err)
		}
	}
	route := connect(server, worker, netsim.Config{Buffer: 1})
	server.Core().Route("Session", func(q *relay.Request) { q.To(route.Dialed().Link()) })
	var codes []base.Code
	visit := func(name string) *sim.Connection {
		tab := w.Host(name)
		way := connect(tab, server, netsim.Memory)
		run()
		var view, other *core.Reference
		tab.Do(func() { view, other = tab.Core().Get("Session/42/View"), tab.Core().Get("Session/42/View") })
		run()
		if name == "first" {
			route.Link.Acceptor().Stall()
		}
		tab.Do(func() {
			other.Call("none", nil, nil) // all that a route takes that stalls
			view.Call("none", strings.Repeat("x", 20_000), func(_ delta.Value, err error) { codes = append(codes, base.CodeOf(err)) })
		})
		run()
		return way
	}
	visit("first").Dialed().Close()
	run()
	route.Link.Acceptor().Resume()
	run()
	visit("second")
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	if err := w.Checks().Err(); err != nil {
		t.Error(err)
	}
	if want := []base.Code{base.CodeUnknown, base.CodeNotFound}; !slices.Equal(codes, want) {
		t.Errorf("the calls settled as %v, want %v", codes, want)
	}
}
