package sim_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
)

func TestEvery(t *testing.T) {
	w := sim.New(sim.Config{})
	var at []base.Time
	var r *sim.Repeat
	r = w.Every(10*base.Millisecond, func() {
		if at = append(at, w.Now()); len(at) == 3 {
			r.Stop()
			r.Stop()
		}
	})
	mustRun(t, w, base.Second)
	if want := []base.Time{10 * ms, 20 * ms, 30 * ms}; !slices.Equal(at, want) {
		t.Errorf("at %v, want %v", at, want)
	}
	if err := w.Settle(0); err != nil {
		t.Error(err)
	}
	other := w.Every(base.Second, func() { t.Error("stopped before its time") })
	other.Stop()
	if err := w.Settle(base.Minute); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("every 0 s")
		}
	}()
	w.Every(0, func() {})
}

func TestSettleNamesWhatGoesOn(t *testing.T) {
	w := sim.New(sim.Config{})
	w.Every(base.Second, func() {})
	err := w.Settle(10*base.Second + 1)
	want := "sim: C13: not settled within 10.000000001s: an event is due at 11s; something that World.Every began was not stopped"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAt(t *testing.T) {
	w := sim.New(sim.Config{})
	var at []base.Time
	note := func() { at = append(at, w.Now()) }
	w.At(2*sec, note)
	w.At(sec, func() { note(); w.At(0, note) })
	mustRun(t, w, base.Minute)
	if want := []base.Time{sec, sec, 2 * sec}; !slices.Equal(at, want) {
		t.Errorf("at %v, want %v", at, want)
	}
}

func TestEventually(t *testing.T) {
	for _, c := range []struct {
		name   string
		step   base.Duration
		holds  base.Time // from then on
		within base.Duration
		until  base.Time
		failed bool
	}{
		{"already", 0, 0, 0, 0, false},
		{"at an event", 0, 3 * sec, 10 * base.Second, 3 * sec, false},
		{"at the last instant", 0, 10 * sec, 10 * base.Second, 10 * sec, false},
		{"without an event", 0, 95 * sec, 2 * base.Minute, 120 * sec, false},
		{"too late", 0, 11 * sec, 10 * base.Second, 10 * sec, true},
		{"between two events", 0, 11 * sec, 10*base.Second + base.Millisecond, 10*sec + ms, true},
		{"in steps", 4 * base.Second, 5 * sec, base.Minute, 8 * sec, false},
		{"in steps, the last one shorter", 4 * base.Second, 9 * sec, 10 * base.Second, 10 * sec, false},
		{"in steps, too late", 4 * base.Second, 11 * sec, 10 * base.Second, 10 * sec, true},
	} {
		w := sim.New(sim.Config{})
		events := 0
		for i := range base.Time(90) {
			w.At(i*sec, func() { events++ })
		}
		mustRunUntil(t, w, -1)
		looks := 0
		err := w.EventuallyEach(c.step, "it holds", c.within, func() bool { looks++; return w.Now() >= c.holds })
		if w.Now() != c.until || (err != nil) != c.failed {
			t.Errorf("%s: until %v, %v; want %v", c.name, w.Now(), err, c.until)
		}
		want := fmt.Sprintf("sim: C13: it holds: not within %v, from 0s to %v", c.within, c.until)
		if err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", c.name, err, want)
		}
		if c.failed != (w.Err() != nil) || c.failed != (w.RunFor(0) != nil) {
			t.Errorf("%s: afterwards the world says %v", c.name, w.Err())
		}
		if c.step > 0 && looks > 5 {
			t.Errorf("%s: %d looks", c.name, looks)
		}
	}
}

func TestFailStopsTheWorld(t *testing.T) {
	w := sim.New(sim.Config{})
	first := errors.New("first")
	w.At(sec, func() { w.Fail(first); w.Fail(errors.New("second")) })
	w.At(2*sec, func() { t.Error("it goes on") })
	if err := w.RunFor(base.Minute); err != first || w.Err() != first {
		t.Errorf("%v, then %v", err, w.Err())
	}
	if err := w.Eventually("never", base.Minute, func() bool { return false }); err != first {
		t.Errorf("%v, want what was first", err)
	}
}
