package sim_test

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/netsim"
)

func Follow() *sim.Scenario {
	return &sim.Scenario{
		Name: "follow", Summary: "a tab follows a worker's text", Invariants: check.IDs, Run: runFollow,
		Params: []sim.Param{{Name: "tokens", Kind: sim.ParamInt, Default: "1000", Min: 1, Max: 100_000, Help: "one every 10ms"}},
	}
}

func runFollow(r *sim.Run) (*sim.Report, error) {
	plan, err := faults.Parse(r.Plan)
	cfg := r.Config("follow")
	if err == nil {
		err = cfg.Apply(plan) // the knobs
	}
	if err != nil {
		return nil, err // bad input; what goes wrong in the run is in the report
	}
	w := sim.New(cfg)
	if _, err = follow(w, r.Values.Int("tokens")); err == nil {
		err = w.Inject(plan) // the faults
	}
	if err != nil {
		return nil, err
	}
	report := &sim.Report{Headline: fmt.Sprintf("follow · seed %d", r.Seed)}
	switch err := w.Settle(10 * base.Minute); {
	case w.Violation() != nil: // Add takes it in
	case w.Err() != nil:
		report.Failures = append(report.Failures, w.Err().Error())
	case err != nil:
		report.Stuck = append(report.Stuck, err.Error())
	}
	report.Add(w)
	report.AddEffects(w, true) // D3
	return report, nil
}

// follow makes the hosts, their link and the workload: a worker appends tokens, a tab watches.
func follow(w *sim.World, tokens int64) (*sim.Connection, error) {
	worker, tab := w.Host("worker"), w.Host("tab")
	notes := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": notes}})
	link, err := w.Connect(tab, worker, netsim.Config{Down: linkmodel.Config{Rate: 64 * base.KiB}})
	if err != nil {
		return nil, err
	}
	w.RunFor(0) // connects
	tab.Do(func() { tab.Core().Get("View").Watch("notes", textGrows(w)) })
	stream := w.Every(10*base.Millisecond, func() {
		worker.Do(func() {
			notes.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(" tok") })
		})
	})
	w.At(base.Time(base.Duration(tokens)*10*base.Millisecond), stream.Stop)
	return link, nil
}

// textGrows is a checker of this scenario: a text that is only appended to never gets shorter.
func textGrows(w *sim.World) func(core.Frame) {
	shown := 0
	return func(f core.Frame) {
		reply, _ := f.Value.At("reply")
		if reply.Len() < shown {
			w.Fail(fmt.Errorf("follow: the text has %d units after it had %d", reply.Len(), shown))
		}
		shown = reply.Len()
	}
}

// A plan whose second fault finds nothing to slow down: the tab has nothing to say while the first one is on. Another one
// names a host that is not there.
func Example_scenario() {
	s := Follow()
	values, _ := sim.ParseValues(s.Parameters(), []string{"tokens=500"})
	report, err := s.Run(&sim.Run{Seed: 7, Values: values, Plan: "set window 2\nat 1s stall tab.down for 3s\nat 2s latency tab.up 20ms for 1s\n"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Headline, "·", report.Knobs)
	for _, e := range report.Effects {
		fmt.Printf("%s: %d messages\n", e.Fault, e.Messages)
	}
	fmt.Printf("%q\n", report.Failures)
	_, err = s.Run(&sim.Run{Seed: 7, Values: values, Plan: "at 1s stall tob.down for 3s"})
	fmt.Println(err)
	// Output:
	// follow · seed 7 · [window=2]
	// at 1s stall tab.down for 3s: 2 messages
	// at 2s latency tab.up 20ms for 1s: 0 messages
	// ["D3: the fault `at 2s latency tab.up 20ms for 1s` had no effect: nothing crossed on tab.up that it could touch"]
	// sim: the fault `at 1s stall tob.down for 3s`: there is no link or host "tob"; there are the links tab-worker, and the hosts worker, tab; did you mean "tab"?
}
