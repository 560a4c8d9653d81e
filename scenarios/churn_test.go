package scenarios

import (
	"runtime"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/check"
)

// churnRun puts a run together.
func churnRun(t testing.TB, seed uint64, plan string, settings ...string) *sim.Run {
	t.Helper()
	values, err := sim.ParseValues(Churn().Parameters(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Run{Seed: seed, Values: values, Plan: plan}
}

// churned plays a run.
func churned(t testing.TB, r *sim.Run) *sim.Report {
	t.Helper()
	report, err := Churn().Run(r)
	if err != nil {
		t.Fatalf("seed %d: %v", r.Seed, err)
	}
	return report
}

// wantHeld wants nothing to be wrong with a run.
func wantHeld(t testing.TB, seed uint64, r *sim.Report) {
	t.Helper()
	for _, list := range [][]string{r.Violations, r.Failures, r.Stuck} {
		if len(list) > 0 {
			t.Errorf("seed %d: %d things, the first: %s", seed, len(list), list[0])
		}
	}
}

// TestChurn wants everything to hold at some seeds, and each to be as much as it is meant to be.
func TestChurn(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 10
	}
	looks, busy, effective := map[string]int64{}, 0, 0
	for seed := uint64(1); seed <= seeds; seed++ {
		report := churned(t, churnRun(t, seed, ""))
		wantHeld(t, seed, report)
		for _, c := range report.Invariants {
			looks[c.ID] += c.Checks
		}
		n := 0
		for _, e := range report.Effects {
			if !e.None() {
				n++
			}
		}
		if n >= 3 {
			effective++
		}
		if report.Deliveries >= 5000 {
			busy++
		}
		if report.Plan == "" || len(report.Knobs) == 0 || len(report.Tables) != 3 {
			t.Errorf("seed %d: plan %q, knobs %q, %d tables", seed, report.Plan, report.Knobs, len(report.Tables))
		}
	}
	if 2*busy < int(seeds) || 2*effective < int(seeds) {
		t.Errorf("of %d runs %d have 5,000 deliveries, and %d three faults that did something; want half of them", seeds, busy, effective)
	}
	for _, id := range check.IDs {
		if looks[id] == 0 {
			t.Errorf("%s was never looked at", id)
		}
	}
}

// TestChurnRepeats wants a run to be the same again, with any number of processors.
func TestChurnRepeats(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for seed := uint64(1); seed <= 3; seed++ {
		runtime.GOMAXPROCS(1)
		one := churned(t, churnRun(t, seed, ""))
		runtime.GOMAXPROCS(8)
		other := churned(t, churnRun(t, seed, ""))
		if one.Hash != other.Hash || one.Events != other.Events {
			t.Errorf("seed %d: hashes %016x and %016x, %d and %d events", seed, one.Hash, other.Hash, one.Events, other.Events)
		}
	}
}

// TestChurnPlanGiven wants a run that is given its own plan to be the same, and to take it for the seed's.
func TestChurnPlanGiven(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		drawn := churned(t, churnRun(t, seed, ""))
		given := churned(t, churnRun(t, seed, drawn.Plan))
		if drawn.Hash != given.Hash || drawn.Plan != given.Plan || len(drawn.Failures) != len(given.Failures) {
			t.Errorf("seed %d: hashes %016x and %016x, failures %q and %q", seed, drawn.Hash, given.Hash, drawn.Failures, given.Failures)
		}
	}
}

// TestChurnPlanByHand wants a plan by hand to be carried out, and a fault of it that does nothing to be a failure.
func TestChurnPlanByHand(t *testing.T) {
	good := "set window 2\nat 1s reset tab1\nat 2s crash worker1 restart after 100ms\n"
	report := churned(t, churnRun(t, 1, good, "span=3s"))
	wantHeld(t, 1, report)
	if report.Plan != good || len(report.Effects) != 2 || report.Effects[0].Connections != 1 || report.Effects[1].Hosts != 1 {
		t.Errorf("plan %q, effects %+v", report.Plan, report.Effects)
	}
	report = churned(t, churnRun(t, 1, "at 1s partition {tab1} from {tab2} for 1s\n", "span=3s"))
	if len(report.Failures) != 1 || !strings.HasPrefix(report.Failures[0], "D3: ") {
		t.Errorf("failures %q, want one of D3", report.Failures)
	}
	for plan, want := range map[string]string{
		"at 1s rset tab1\n":              "rset",
		"at 1s reset tab9\n":             "tab9",
		"heal at 1h\n":                   "at most 600s",
		"at 9s reset tab1\nheal at 2s\n": "heals at 2s",
	} {
		if _, err := Churn().Run(churnRun(t, 1, plan)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", plan, err, want)
		}
	}
}

// TestChurnKnobsOfItsOwn wants a plan to say after how much silence hosts ask, and how long an attempt to dial may take.
func TestChurnKnobsOfItsOwn(t *testing.T) {
	w, err := newChurnWorld(churnRun(t, 1, "set timeout 2s\nset heartbeat 1500ms\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := w.reconnect(w.world.Rand()); r.Heartbeat != 1500*base.Millisecond || r.Attempt != 2*base.Second {
		t.Errorf("%+v", r)
	}
	wantHeld(t, 1, churned(t, churnRun(t, 1, "set timeout 2s\nset heartbeat 1500ms\nat 1s half-open tab1\n")))
}

// TestChurnWays wants hosts of one run to differ in how they dial.
func TestChurnWays(t *testing.T) {
	mixed := 0
	for seed := uint64(1); seed <= 20; seed++ {
		w, err := newChurnWorld(churnRun(t, seed, ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		lasting := 0
		for _, l := range w.lines {
			if l.lasting {
				lasting++
			}
		}
		if lasting > 0 && lasting < len(w.lines) {
			mixed++
		}
	}
	if mixed < 10 {
		t.Errorf("of 20 runs %d have hosts of both kinds", mixed)
	}
}

// TestChurnDraws wants draws that are added under a label of their own to change nothing else (D4).
func TestChurnDraws(t *testing.T) {
	r := churnRun(t, 1, "")
	plain := churned(t, r)
	w, err := newChurnWorld(churnRun(t, 1, ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.draws("tab1", "a label that is new").Next()
	more := w.draws("tab1", "another one")
	w.workers[0].line.conn.OnAccept(func(c *core.Conn) {
		more.Next()
		w.server.accepted(0, c)
	})
	w.world.Rand().Stream("and one of the world").Next()
	if err := w.play(); err != nil {
		t.Fatal(err)
	}
	var report sim.Report
	w.report(&report)
	if report.Hash != plain.Hash || report.Events != plain.Events {
		t.Errorf("hash %016x, want %016x; %d events, want %d", report.Hash, plain.Hash, report.Events, plain.Events)
	}
}

// TestChurnSwarm wants each kind of fault, each knob and each kind of link to be drawn.
func TestChurnSwarm(t *testing.T) {
	seeds := uint64(600)
	if testing.Short() {
		seeds = 200
	}
	kinds, knobs, links, tabs := map[string]int{}, map[string]int{}, map[string]int{}, map[int]int{}
	for seed := uint64(1); seed <= seeds; seed++ {
		w, err := newChurnWorld(churnRun(t, seed, ""), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range w.plan.Faults {
			kinds[w.plan.Faults[i].Kind.String()]++
		}
		for _, k := range w.plan.Knobs {
			knobs[k.Name]++
		}
		for _, l := range w.links {
			links[l.kind]++
		}
		tabs[len(w.tabs)]++
	}
	for _, k := range faults.Kinds() {
		if kinds[k.String()] == 0 {
			t.Errorf("no fault of the kind %v", k)
		}
	}
	for _, k := range faults.WorldKnobs {
		if knobs[k] == 0 {
			t.Errorf("the knob %s was never set", k)
		}
	}
	for _, k := range churnLinkKinds {
		if links[k] == 0 {
			t.Errorf("no link is %s", k)
		}
	}
	if tabs[3] == 0 || tabs[4] == 0 {
		t.Errorf("numbers of tabs: %v", tabs)
	}
}
