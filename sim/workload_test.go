package sim

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/trace"
	"chordsim/sim/workload"
)

// posts makes a workload of ten items, after passing over some draws of its stream.
func posts(skip int) func(base.Rand) workload.List {
	return func(rand base.Rand) workload.List {
		draws := rand.Stream("posts", "at")
		for range skip {
			draws.Next()
		}
		var list workload.List
		for range 10 {
			list = append(list, workload.Item{At: base.Time(draws.Below(1_000_000_000)), Host: "tab", Verb: "post"})
		}
		return list
	}
}

// played plays a workload in a world of its own.
func played(t *testing.T, cfg Config, skip int) *World {
	t.Helper()
	w := New(cfg)
	h := w.Host("tab")
	for _, it := range w.Workload("posts", posts(skip)) {
		w.At(it.At, func() { h.Do(func() {}) })
	}
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestOpenraft2092InAWorld wants a recorded workload to play the same run when the generator draws one value more from a stream
// that it has, and another run without the record.
func TestOpenraft2092InAWorld(t *testing.T) {
	recorded := played(t, Config{Seed: 7}, 0)
	set, err := workload.Parse(recorded.Workloads().String())
	if err != nil {
		t.Fatal(err)
	}
	if again := played(t, Config{Seed: 7, Workload: set}, 1); again.Hash() != recorded.Hash() || again.Workloads().String() != recorded.Workloads().String() {
		t.Errorf("hash %016x, want %016x", again.Hash(), recorded.Hash())
	}
	if other := played(t, Config{Seed: 7}, 1); other.Hash() == recorded.Hash() {
		t.Error("without the record, the draw did not matter: this test tests nothing")
	}
}

// TestWorkload wants lists in order, generated only for names that are not given, from draws that are no decisions.
func TestWorkload(t *testing.T) {
	var decisions trace.Decisions
	given := workload.Set{{Name: "posts", List: workload.List{{At: 3, Host: "tab", Verb: "x"}}}}
	w := New(Config{Seed: 1, Decisions: &decisions, Workload: given})
	if list := w.Workload("posts", posts(0)); len(list) != 1 {
		t.Errorf("%d items, want the one that was given", len(list))
	}
	list := w.Workload("more", posts(0))
	for i := 1; i < len(list); i++ {
		if list[i].At < list[i-1].At {
			t.Errorf("item %d is at %v, the one before it at %v", i, list[i].At, list[i-1].At)
		}
	}
	if len(list) != 10 || len(decisions.Labels()) != 0 {
		t.Errorf("%d items, decisions %v", len(list), decisions.Labels())
	}
	if text := w.Workloads().String(); !strings.HasPrefix(text, "workload posts\ntab 3ns x\nworkload more\ntab ") {
		t.Errorf("%s", text)
	}
	var report Report
	report.Add(w)
	if report.Workload != w.Workloads().String() {
		t.Errorf("the report has %q", report.Workload)
	}
}

// TestWorkloadIsValid wants what cannot be recorded to be refused at once.
func TestWorkloadIsValid(t *testing.T) {
	list := func(it workload.Item) func(base.Rand) workload.List {
		return func(base.Rand) workload.List { return workload.List{it} }
	}
	for _, c := range []struct {
		name string
		it   workload.Item
		want string
	}{
		{"a b", workload.Item{Host: "tab", Verb: "x"}, `sim: workload: the name "a b"`},
		{"first", workload.Item{Host: "tab", Verb: "x"}, "sim: workload: two of the name first"},
		{"a", workload.Item{Host: "tab", Verb: "x", At: -1}, "sim: workload a: item 0: the time -1ns"},
	} {
		w := New(Config{})
		w.Workload("first", posts(0))
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, c.want) {
					t.Errorf("%s, want %s", got, c.want)
				}
			}()
			w.Workload(c.name, list(c.it))
		}()
	}
}
