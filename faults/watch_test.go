package faults_test

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
)

func watch(t *testing.T, trigger string) *faults.Watch {
	t.Helper()
	f, err := faults.ParseFault(trigger + " stall tab for 1s")
	if err != nil {
		if f, err = faults.ParseFault(trigger + " stall tab"); err != nil {
			t.Fatal(err)
		}
	}
	return f.When.Watch()
}

func TestTimesCome(t *testing.T) {
	for trigger, want := range map[string][]base.Time{
		"at 2s":                      {2e9},
		"at 0s":                      {0},
		"from 3ns":                   {3},
		"every 500ms count 3":        {5e8, 1e9, 15e8},
		"every 10ns from 1s count 2": {1e9 + 10, 1e9 + 20},
		"every 9223372036s count 3":  {9223372036e9, base.Never, base.Never},
		"when event count 3":         nil,
		"when message any count 2":   nil,
		"when violation C11":         nil,
	} {
		w := watch(t, trigger)
		var got []base.Time
		for at, ok := w.Next(); ok && len(got) < 10; at, ok = w.Next() {
			if w.Reached(at - 1) {
				t.Errorf("%s came before %v", trigger, at)
			}
			if !w.Reached(at) {
				t.Errorf("%s did not come at %v", trigger, at)
			}
			got = append(got, at)
			if w.Fired() != int64(len(got)) {
				t.Errorf("%s came %d times, counts %d", trigger, len(got), w.Fired())
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s came at %v, want %v", trigger, got, want)
		}
		if w.Reached(base.Never) || w.Done() != (want != nil) {
			t.Errorf("%s: done %v at the end", trigger, w.Done())
		}
	}
	late := watch(t, "every 1s count 5")
	for n := range 3 {
		if !late.Reached(base.Time(3 * base.Second)) {
			t.Errorf("of three times that passed, number %d did not come", n+1)
		}
	}
	if late.Reached(base.Time(3*base.Second)) || late.Fired() != 3 {
		t.Errorf("%d times came of three that passed", late.Fired())
	}
}

func TestMessagesCome(t *testing.T) {
	sent := [][3]string{
		{"state", "worker", "server"}, {"call", "tab", "server"}, {"state", "server", "tab"}, {"state", "worker", "server"},
		{"call", "tab", "server"}, {"state", "worker", "tab"}, {"any", "x", "y"},
	}
	for trigger, want := range map[string]int{ // the number of the message, from 1
		"when message state count 1": 1, "when message state count 2": 3, "when message state count 4": 6, "when message state count 5": 0,
		"when message state from worker count 2": 4, "when message state to tab count 2": 6, "when message state from worker to tab": 6,
		"when message any count 5": 5, "when message any from tab count 2": 5, "when message any from nobody": 0, "when message any from x": 7,
		"at 0s": 0, "when event count 1": 0, "when violation state": 0,
	} {
		w, came := watch(t, trigger), 0
		for i, m := range sent {
			if w.Message(m[0], m[1], m[2]) {
				if came != 0 {
					t.Errorf("%s came twice", trigger)
				}
				came = i + 1
			}
		}
		if came != want || w.Done() != (want != 0) || w.Fired() != int64(min(want, 1)) {
			t.Errorf("%s came at message %d, want %d (fired %d)", trigger, came, want, w.Fired())
		}
	}
}

func TestEventsAndViolationsCome(t *testing.T) {
	w := watch(t, "when event count 1000")
	if w.Events(999) || !w.Events(1000) || w.Events(1001) {
		t.Error("the event came at another number, or twice")
	}
	if w = watch(t, "when event count 1000"); !w.Events(2000) {
		t.Error("the event did not come after its number passed")
	}
	if w = watch(t, "at 0s"); w.Events(1) || w.Violation("") || w.Message("", "", "") {
		t.Error("a time came by something else")
	}
	w = watch(t, "when violation C11")
	if w.Violation("C1") || w.Reached(base.Never) || w.Events(1<<40) || !w.Violation("C11") || w.Violation("C11") {
		t.Error("the violation came by something else, or twice")
	}
	for _, trigger := range []string{"at 0s", "every 1s count 3", "when message any", "when event count 1", "when violation C1"} {
		w = watch(t, trigger)
		w.Stop()
		if w.Reached(base.Never) || w.Message("state", "a", "b") || w.Events(5) || w.Violation("C1") || !w.Done() || w.Fired() != 0 {
			t.Errorf("%s came after its end", trigger)
		}
	}
}
