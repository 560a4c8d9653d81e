package scenarios

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/trace"
	"chordsim/sim/workload"
)

// TestOpenraft2092InChurn wants a run with its plan and its workload recorded to be the same when the generator draws one value
// more from a stream that it has (D4), and another one without the workload.
func TestOpenraft2092InChurn(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		recorded := churned(t, churnRun(t, seed, ""))
		for _, stream := range [][2]string{{"worker1", "argument"}, {"tab1", "method"}, {"tab2", "act"}} {
			more := func(workload string) *sim.Report {
				r := churnRun(t, seed, recorded.Plan)
				r.Workload = workload
				report, err := playChurn(r, func(g *churnGenerator) { g.stream(stream[0], stream[1]).Next() })
				if err != nil {
					t.Fatal(err)
				}
				return report
			}
			if again := more(recorded.Workload); again.Hash != recorded.Hash || again.Workload != recorded.Workload || len(again.Failures) != len(recorded.Failures) {
				t.Errorf("seed %d, one more draw of %v: hash %016x, want %016x; failures %q", seed, stream, again.Hash, recorded.Hash, again.Failures)
			}
			if other := more(""); other.Hash == recorded.Hash {
				t.Errorf("seed %d: without the record, a draw of %v did not matter: this test tests nothing", seed, stream)
			}
		}
	}
}

// TestChurnWorkloadIsNoDecision wants the run from a file to draw what the recorded one drew: the workload apart.
func TestChurnWorkloadIsNoDecision(t *testing.T) {
	var drawn, given trace.Decisions
	r := churnRun(t, 1, "")
	r.Decisions = &drawn
	recorded := churned(t, r)
	r = churnRun(t, 1, recorded.Plan)
	r.Decisions, r.Workload = &given, recorded.Workload
	churned(t, r)
	if drift := trace.CompareLabels(drawn.Labels(), given.Labels()); drift.Differs() || len(given.Labels()) == 0 {
		t.Errorf("%s", drift.String())
	}
}

// TestChurnWorkloadParts wants any part of a workload to be played, and everything to hold in the end.
func TestChurnWorkloadParts(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		recorded := churned(t, churnRun(t, seed, ""))
		set, err := workload.Parse(recorded.Workload)
		if err != nil {
			t.Fatal(err)
		}
		draws := base.NewRand(seed).Stream("parts")
		hashes := map[uint64]bool{recorded.Hash: true}
		for _, share := range []uint64{0, 10, 50} {
			part := workload.Set{{Name: churnWorkload}}
			for _, it := range set[0].List {
				if draws.Below(100) < share {
					part[0].List = append(part[0].List, it)
				}
			}
			r := churnRun(t, seed, recorded.Plan)
			r.Workload = part.String()
			report := churned(t, r)
			wantHeld(t, seed, report)
			if hashes[report.Hash] || !strings.Contains(report.Headline, "workload given: ") {
				t.Errorf("seed %d: %d%% of the workload is the same run: %s", seed, share, report.Headline)
			}
			hashes[report.Hash] = true
		}
	}
}

// TestChurnWorkloadByHand wants one by hand to be played as it stands, whatever its numbers, and a bad one to be refused.
func TestChurnWorkloadByHand(t *testing.T) {
	const text = `workload churn
tab1 0s want 7 9 500:s 99 471 5000 9 70000 e 3 18446744073709551615 drop 1 again 5 1:want want want want want
tab1 800ms drop 8 b reload
tab8 1s want 100:s # who is not there
worker2 1s s 66 100:sync 1:save r 5 a sp e p b
`
	r := churnRun(t, 1, "heal at 2s\n")
	r.Workload = text
	told := ""
	r.Begun = func(plan, workload string) { told = plan + workload }
	report := churned(t, r)
	wantHeld(t, 1, report)
	if !strings.Contains(report.Workload, "tab8 1s want 100:s\n") || told != report.Plan+report.Workload {
		t.Errorf("plan %q, workload %q, told %q", report.Plan, report.Workload, told)
	}
	calls := report.Tables[1].Rows[0][1]
	if made, err := strconv.Atoi(calls); report.Tables[1].Rows[0][0] != "made" || err != nil || made < 9 || made > 100 {
		t.Errorf("calls: %v, want 8 of text 471 and further ones, and some pings", report.Tables[1].Rows)
	}
	r = churnRun(t, 1, "heal at 2s\n")
	r.Workload = text + "tab1 2001ms s 0 1\nworker1 3s b\n"
	if late := churned(t, r); late.Hash != report.Hash {
		t.Error("what is to be done after the heal was done")
	}
	for text, want := range map[string]string{
		"workload churn\ntab1 0s wand 1\n":  `line 2, column 9: found "wand", expected what tab1 can be told: a, r, sp, e, s, p, b, echo, later, fail, no, prose, want, again, drop or reload; did you mean "want"?`,
		"workload churn\ntab9 0s want 1\n":  `line 2, column 1: found "tab9", expected a host: worker1, worker2, tab1,`,
		"workload churn\nworker1 0s echo\n": `line 2, column 12: found "echo", expected what worker1 can be told: a, r, sp, e, s, p, b, save or sync`,
		"workload chorn\n":                  `line 1, column 10: found "chorn", expected a workload: churn; did you mean "churn"?`,
		"# nothing\n":                       `a workload without its name: "workload churn" comes first`,
	} {
		r := churnRun(t, 1, "")
		r.Workload = text
		if _, err := Churn().Run(r); err == nil || err.Error() != want && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// TestChurnWorkloadIsSmall wants a usual run's workload to be some KB, for which its times are whole milliseconds.
func TestChurnWorkloadIsSmall(t *testing.T) {
	var sizes []int
	for seed := uint64(1); seed <= 41; seed++ {
		w, err := newChurnWorld(churnRun(t, seed, ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := w.world.Workloads().Find(churnWorkload)
		for _, it := range list {
			if it.At%base.Time(base.Millisecond) != 0 || it.At >= w.heal {
				t.Fatalf("seed %d: %s of %s at %v", seed, it.Verb, it.Host, it.At)
			}
		}
		sizes = append(sizes, len(w.text))
	}
	slices.Sort(sizes)
	if median := sizes[len(sizes)/2]; median > 12<<10 {
		t.Errorf("the median of the texts is %d bytes", median)
	}
}

// TestChurnWorkloadIsBounded wants the longest and largest run to have a workload that can be recorded.
func TestChurnWorkloadIsBounded(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := churnRun(t, seed, "", "size=large", "span=600s")
		w, err := newChurnWorld(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if w.items > workload.MaxItems/2 || len(w.text) > workload.MaxBytes/2 || w.items < 1000 {
			t.Errorf("seed %d: %d items, %d bytes", seed, w.items, len(w.text))
		}
	}
}

// TestChurnPlaysEachItem of a workload that was written by hand, the last of each host too.
func TestChurnPlaysEachItem(t *testing.T) {
	run := churnRun(t, 1, "# no faults")
	run.Workload = "workload churn\nworker1 1s b\nworker1 2s save\nworker1 3s sync\ntab1 100ms want 0 0\ntab1 1s reload\ntab3 2s want 1 0\n"
	w, err := newChurnWorld(run, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.play(); err != nil {
		t.Fatal(err)
	}
	worker := w.workers[0]
	if n := worker.docs["count"].Revision().Number; n != 1 {
		t.Errorf("the count is at revision %d, want 1", n)
	}
	if worker.saves != 2 || worker.synced != 2 {
		t.Errorf("%d saves, %d of them synced; want 2 and the last", worker.saves, worker.synced)
	}
	if w.tally.reloads != 1 {
		t.Errorf("%d reloads, want 1", w.tally.reloads)
	}
	if n := len(w.tabs[2].wants); n != 1 {
		t.Errorf("tab3 wants %d things, want 1", n)
	}
}
