package sim_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

const (
	ms  = base.Time(base.Millisecond)
	sec = base.Time(base.Second)
)

// play is what a run of the notes world depends on.
type play struct {
	seed     uint64
	strategy events.Strategy
	jitter   base.Duration
	cost     sim.Cost
	sink     trace.Sink
}

// notes runs a worker whose notes two tabs follow over slow links, with commits, calls, a stall and a good end: enough for
// every kind of event, many of them ties.
func notes(t testing.TB, p play) *sim.World {
	t.Helper()
	w := sim.New(sim.Config{Seed: p.seed, Strategy: p.strategy, Trace: p.sink})
	worker := w.Host("worker")
	worker.SetCost(p.cost)
	doc := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
	add := func(c *core.Call, token string) (delta.Value, error) {
		_, err := doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append(token) })
		return delta.Null(), err
	}
	worker.Core().Expose("View", core.Object{
		State:   core.Members{"notes": doc},
		Methods: core.Methods{"add": func(c *core.Call) (delta.Value, error) { return add(c, " call") }},
	})
	slow := linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond, Jitter: p.jitter}
	var links []*sim.Connection
	for _, name := range []string{"tab1", "tab2"} {
		tab := w.Host(name)
		c, err := w.Connect(tab, worker, netsim.Config{Up: slow, Down: slow})
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, c)
		mustRun(t, w, 100*base.Millisecond)
		tab.Do(func() {
			view := tab.Core().Get("View")
			view.Watch("notes", func(core.Frame) {})
			for range 3 {
				view.Call("add", nil, func(delta.Value, error) {})
			}
		})
	}
	tick := 0
	var timer base.Timer
	timer = worker.NewTimer(func() {
		worker.Do(func() {
			if _, err := add(nil, " token"); err != nil {
				t.Error(err)
			}
		})
		if tick++; tick < 50 {
			timer.Set(w.Now().Add(10 * base.Millisecond))
		}
	})
	timer.Set(w.Now())
	mustRun(t, w, 100*base.Millisecond)
	w.StallFor(links[0].Link.Dialer(), base.Second)
	w.Note("stalled")
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	return w
}

func mustRun(t testing.TB, w *sim.World, d base.Duration) {
	t.Helper()
	if err := w.RunFor(d); err != nil {
		t.Fatal(err)
	}
}

// outcome is what must be equal between two runs of the same.
type outcome struct {
	hash  uint64
	stats events.Stats
	now   base.Time
}

func outcomeOf(w *sim.World) outcome { return outcome{w.Hash(), w.Stats(), w.Now()} }

var jittered = play{seed: 7, strategy: events.Random, jitter: 3 * base.Millisecond}

func TestD1SameSeedSameRun(t *testing.T) {
	for _, p := range []play{{}, {seed: 7}, jittered, {seed: 7, cost: sim.Cost{PerMessage: base.Millisecond, PerByte: 100}}} {
		want := outcomeOf(notes(t, p))
		for range 3 {
			if got := outcomeOf(notes(t, p)); got != want {
				t.Fatalf("%+v: %+v, then %+v", p, want, got)
			}
		}
	}
}

// A world takes nothing from an earlier one, nor from one beside it.
func TestD1OtherWorldsMakeNoDifference(t *testing.T) {
	want := outcomeOf(notes(t, jittered))
	for seed := range uint64(10) {
		notes(t, play{seed: seed, strategy: events.Random, jitter: base.Duration(seed) * base.Millisecond})
	}
	halfway := sim.New(sim.Config{Seed: 7})
	halfway.Host("worker").Do(func() {})
	if got := outcomeOf(notes(t, jittered)); got != want {
		t.Errorf("after others: %+v, want %+v", got, want)
	}
	var got [4]outcome
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = outcomeOf(notes(t, jittered)) })
	}
	all.Wait()
	for _, o := range got {
		if o != want {
			t.Errorf("beside others: %+v, want %+v", o, want)
		}
	}
}

func TestD1ProcessorsMakeNoDifference(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var got []outcome
	for _, n := range []int{1, 2} {
		runtime.GOMAXPROCS(n)
		got = append(got, outcomeOf(notes(t, jittered)))
	}
	if got[0] != got[1] {
		t.Errorf("%+v with one, %+v with two", got[0], got[1])
	}
}

// sinkFunc is a function as a sink.
type sinkFunc func(trace.Event)

func (f sinkFunc) Event(e trace.Event) { f(e) }

// To look at a run does not change it.
func TestD1TraceMakesNoDifference(t *testing.T) {
	lines := 0
	traced := jittered
	traced.sink = sinkFunc(func(trace.Event) { lines++ })
	if got, want := outcomeOf(notes(t, traced)), outcomeOf(notes(t, jittered)); got != want {
		t.Errorf("%+v with a trace, %+v without", got, want)
	}
	if lines < 100 {
		t.Errorf("%d events in the trace", lines)
	}
}

// Whatever a run depends on is in its hash, and what it does not depend on is not.
func TestHashTellsRunsApart(t *testing.T) {
	hash := func(p play) uint64 { return notes(t, p).Hash() }
	plain := hash(play{seed: 1})
	if hash(play{seed: 2}) != plain {
		t.Error("the seed changes a run that draws nothing")
	}
	seen := map[uint64]string{plain: "plain"}
	for name, p := range map[string]play{
		"random":                   {seed: 3, strategy: events.Random},
		"random, another seed":     {seed: 2, strategy: events.Random},
		"jitter":                   {seed: 1, jitter: base.Millisecond},
		"jitter, another seed":     {seed: 2, jitter: base.Millisecond},
		"cost":                     {seed: 1, cost: sim.Cost{PerMessage: 1}},
		"jitter of a ns more each": {seed: 1, jitter: base.Millisecond + 1000},
	} {
		h := hash(p)
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[h] = name
	}
}

// Which direction is stalled is in the hash at once, before anything follows from it.
func TestHashTellsFaultsApart(t *testing.T) {
	seen := map[uint64]bool{}
	for _, fault := range []func(*sim.World, *sim.Connection){
		func(*sim.World, *sim.Connection) {},
		func(w *sim.World, c *sim.Connection) { w.StallFor(c.Link.Dialer(), base.Second) },
		func(w *sim.World, c *sim.Connection) { w.StallFor(c.Link.Acceptor(), base.Second) },
		func(w *sim.World, c *sim.Connection) { w.StallFor(c.Link.Dialer(), 2*base.Second) },
		func(w *sim.World, c *sim.Connection) { w.Note("a") },
		func(w *sim.World, c *sim.Connection) { w.Note("b") },
	} {
		w := sim.New(sim.Config{})
		c, err := w.Connect(w.Host("a"), w.Host("b"), netsim.Memory)
		if err != nil {
			t.Fatal(err)
		}
		fault(w, c)
		seen[w.Hash()] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d hashes of 6 worlds", len(seen))
	}
}

// The notes world is a check on itself: it would be no use if it had no ties or lost a message.
func TestNotesWorld(t *testing.T) {
	w := notes(t, jittered)
	if w.Stats().Ties < 50 {
		t.Errorf("%d ties", w.Stats().Ties)
	}
	if err := w.Violation(); err != nil {
		t.Error(err)
	}
	for _, h := range w.Hosts() {
		if s := h.Core().Stats(); h.Name() != "worker" && s.Frames < 10 {
			t.Errorf("%s saw %d frames", h.Name(), s.Frames)
		} else if h.Name() == "worker" && s.Commits != 56 {
			t.Errorf("%d commits, want 50 and 6 by calls", s.Commits)
		}
	}
}

// A loop that never lets the time pass is stopped and named, and stays so.
func TestC13EndlessLoop(t *testing.T) {
	w := sim.New(sim.Config{MaxEvents: 1000})
	h := w.Host("h")
	var again func()
	again = func() { h.Do(again) }
	mustRun(t, w, base.Second)
	h.Do(again)
	const want = "sim: C13: 1000 events and no end, at 1s: a loop in virtual time"
	for range 2 {
		if err := w.Settle(base.Hour); err == nil || err.Error() != want {
			t.Errorf("Settle: %v", err)
		}
		if err := w.RunFor(base.Hour); err == nil || err.Error() != want {
			t.Errorf("RunFor: %v", err)
		}
	}
	if n := w.Stats().Events; n != 1000 {
		t.Errorf("%d events", n)
	}
}

// The bound is on what a world may do, and it may do that much.
func TestC13AsManyEventsAsAllowed(t *testing.T) {
	w := sim.New(sim.Config{MaxEvents: 10})
	h := w.Host("h")
	for range 10 {
		h.Do(func() {})
	}
	if err := w.Settle(base.Second); err != nil {
		t.Error(err)
	}
	h.Do(func() {})
	if err := w.Settle(base.Second); err == nil || !strings.Contains(err.Error(), "C13") {
		t.Errorf("after one more: %v", err)
	}
}

func TestC13SettleHasABound(t *testing.T) {
	w := sim.New(sim.Config{})
	var timer base.Timer
	timer = w.Host("h").NewTimer(func() { timer.Set(w.Now().Add(base.Second)) })
	timer.Set(0)
	err := w.Settle(10*base.Second + 1)
	if want := "sim: C13: not settled within 10.000000001s: an event is due at 11s"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if w.Now() != 10*sec {
		t.Errorf("the time is %v, want that of the last event", w.Now())
	}
	timer.Stop()
	if err := w.Settle(base.Second); err != nil {
		t.Errorf("after the loop: %v", err)
	}
}

func TestRunUntilLeavesTheTimeThere(t *testing.T) {
	w := sim.New(sim.Config{})
	h := w.Host("h")
	var fired []base.Time
	for _, at := range []base.Time{5, 10, 11} {
		h.NewTimer(func() { fired = append(fired, w.Now()) }).Set(at)
	}
	want := func(now base.Time, events int) {
		t.Helper()
		if w.Now() != now || len(fired) != events {
			t.Errorf("at %v after %v, want %v after %d events", w.Now(), fired, now, events)
		}
	}
	run := func(until base.Time) {
		t.Helper()
		if err := w.RunUntil(until); err != nil {
			t.Fatal(err)
		}
	}
	run(4)
	want(4, 0)
	run(10) // up to and at it
	want(10, 2)
	run(7) // the time never goes back
	want(10, 2)
	mustRun(t, w, base.Second)
	want(sec+10, 3)
	mustRun(t, w, 0)
	want(sec+10, 3)
}

func TestHostNamesAreTheirOwn(t *testing.T) {
	w := sim.New(sim.Config{})
	w.Host("h")
	defer func() {
		if got := recover(); got != "sim: there is a host h already" {
			t.Errorf("recovered %v", got)
		}
	}()
	w.Host("h")
}
