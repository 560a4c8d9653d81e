package scenarios

import (
	"slices"
	"testing"

	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/trace"
)

// drawn puts a run of the small size together.
func drawn(t testing.TB, s *sim.Scenario, seed uint64, settings ...string) *sim.Run {
	t.Helper()
	values, err := sim.ParseValues(s.Parameters(), append(settings, "size=small"))
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Run{Seed: seed, Values: values}
}

// TestDrawnRuns plays seeds of each scenario that draws its cases: nothing may go wrong, no two are alike, and each is the same again.
// Every draw has a label of its own.
func TestDrawnRuns(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for _, s := range []*sim.Scenario{ParkedCalls(), Reconnect(), HalfOpen()} {
		hashes, looks := map[uint64]bool{}, map[string]int64{}
		for seed := uint64(1); seed <= seeds; seed++ {
			d := &trace.Decisions{}
			r := drawn(t, s, seed)
			r.Decisions = d
			report, err := s.Run(r)
			if err != nil {
				t.Fatal(err)
			}
			wantHeld(t, seed, report)
			for _, c := range report.Invariants {
				looks[c.ID] += c.Checks
			}
			hashes[report.Hash] = true
			labels := d.Labels()
			if len(labels) < 20 || slices.ContainsFunc(labels, func(l trace.Label) bool { return l.Name == trace.OtherLabels }) {
				t.Errorf("%s, seed %d: %d labels, or draws without", s.Name, seed, len(labels))
			}
			if seed > 5 {
				continue
			}
			if again := must(s.Run(drawn(t, s, seed))); again.Hash != report.Hash || !slices.Equal(again.Rows, report.Rows) {
				t.Errorf("%s, seed %d: hashes %016x and %016x", s.Name, seed, report.Hash, again.Hash)
			}
		}
		if len(hashes) != int(seeds) {
			t.Errorf("%s: %d seeds play %d runs", s.Name, seeds, len(hashes))
		}
		for _, id := range s.Invariants {
			if looks[id] == 0 && (s.Name != "reconnect" || id != "C15") { // what is called there changes nothing
				t.Errorf("%s: %s was never looked at", s.Name, id)
			}
		}
	}
}

func must(report *sim.Report, err error) *sim.Report {
	if err != nil {
		panic(err)
	}
	return report
}

// TestDrawnCases wants everything to be drawn that may be.
func TestDrawnCases(t *testing.T) {
	seen := map[string]int{}
	note := func(what, is string) { seen[what+" "+is]++ }
	setup := func(s lastingSetup) {
		note("codec", s.codec.String())
		note("strategy", s.strategy.String())
	}
	for seed := uint64(1); seed <= 300; seed++ {
		plan, part, form, kind := drawParked(drawn(t, ParkedCalls(), seed), 0)
		setup(plan.setup)
		note("parked", part.what)
		note("parked", form)
		note("parked", kind)
		if plan.mixed != nil {
			for _, c := range plan.mixed.calls {
				note("call", c.what)
				note("call", sizeOf(c.bytes))
			}
		}
		again, c := drawReconnect(drawn(t, Reconnect(), seed), 0)
		setup(again.setup)
		note("reconnect", c.form)
		note("reconnect", c.loss)
		h, session := drawHalfOpen(drawn(t, HalfOpen(), seed))
		setup(session.setup)
		note("half-open", h.label())
		note("link", newLastingDraws(drawn(t, HalfOpen(), seed), "half-open").one("link kind", lastingLinkKinds...))
	}
	var want []string
	for what, list := range map[string][]string{
		"codec": {"binary", "text"}, "strategy": {"fifo", "random", "pct"}, "link": lastingLinkKinds,
		"parked":    {partMixed, "order", "listener", "expired", "flood", "heap", formDirect, formRelayed, formDialed, outageShort, outageLong, lossNear},
		"call":      {"note", "later", "commit", "small", "over a chunk", "over a window"},
		"reconnect": {formDirect, formRelayed, formDialed, lossResumed, lossCold, lossNear, lossRestarted, lossRoute},
	} {
		for _, is := range list {
			want = append(want, what+" "+is)
		}
	}
	for _, c := range halfOpenCases() {
		want = append(want, "half-open "+c.label())
	}
	for _, w := range want {
		if seen[w] == 0 {
			t.Errorf("no run draws %s", w)
		}
	}
}

func sizeOf(bytes int) string {
	switch {
	case bytes > 64<<10:
		return "over a window"
	case bytes > 4<<10:
		return "over a chunk"
	}
	return "small"
}

// TestDrawnAsTold wants what a run is told not to be drawn.
func TestDrawnAsTold(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		s := newLastingDraws(drawn(t, HalfOpen(), seed, "rate=70KiB/s", "latency=7ms", "codec=text", "strategy=pct"), "x").setup()
		for _, way := range []struct {
			rate, latency int64
		}{{s.link.Up.Rate, int64(s.link.Up.Latency)}, {s.link.Down.Rate, int64(s.link.Down.Latency)}} {
			if way.rate != 70<<10 || way.latency != 7_000_000 {
				t.Errorf("seed %d: link %+v", seed, s.link)
			}
		}
		if s.codec != wire.Text || s.strategy.String() != "pct" {
			t.Errorf("seed %d: %v, %v", seed, s.codec, s.strategy)
		}
	}
	report := must(HalfOpen().Run(drawn(t, HalfOpen(), 3, "case=dialed server")))
	if rows := report.Tables[0].Rows; len(rows) != 1 || rows[0][0] != "dialed server" {
		t.Errorf("rows %q", rows)
	}
	for seed := uint64(1); seed <= 3; seed++ {
		for _, row := range must(ParkedCalls().Run(drawn(t, ParkedCalls(), seed, "part=expired"))).Tables[0].Rows {
			if row[len(row)-1] != "within" {
				t.Errorf("seed %d: %q", seed, row)
			}
		}
	}
}
