package scenarios_test

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/scenarios"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/trace"
)

// runOf puts a run of throttled-tab together.
func runOf(t testing.TB, seed uint64, settings ...string) *sim.Run {
	t.Helper()
	values, err := sim.ParseValues(scenarios.ThrottledTab().Parameters(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Run{Seed: seed, Values: values}
}

func play(t testing.TB, r *sim.Run) *sim.Report {
	t.Helper()
	report, err := scenarios.ThrottledTab().Run(r)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// playWell plays a run in which nothing may go wrong.
func playWell(t testing.TB, r *sim.Run) *sim.Report {
	t.Helper()
	report := play(t, r)
	for _, text := range slices.Concat(report.Violations, report.Failures, report.Stuck) {
		t.Errorf("seed %d, %s: %s", r.Seed, strings.Join(r.Values.Changed(), " "), text)
	}
	if t.Failed() {
		t.FailNow()
	}
	return report
}

// values are the rows of a report by id.
func values(t testing.TB, report *sim.Report) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, r := range report.Rows {
		if _, twice := list[r.ID]; twice {
			t.Fatalf("row %s is there twice", r.ID)
		}
		list[r.ID] = r.Value
	}
	return list
}

func number(t testing.TB, rows map[string]string, id string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(rows[id], 10, 64)
	if err != nil {
		t.Fatalf("row %s is %q, want a whole number", id, rows[id])
	}
	return n
}

// tabExpectations are what each case finds at the figures' size, direct and relayed alike. The bytes and counts hold for
// one wire format: who changes it changes them, knowingly. The bounds are the goals.
var tabExpectations = []struct {
	pause                         string
	caughtUp                      string // in s
	bytes, relayed, bytesGoal     int64  // bytes directly and relayed
	missed, pending, ops          int64
	messages, folded, pauseEncode string
}{
	{"1s", "0.02", 453, 453, 485, 400, 392, 1, "6", "97", "4"},
	{"10s", "0.08", 4108, 4107, 4147, 4000, 3992, 1, "10", "1000", "4"},
	{"60s", "0.38", 24243, 24243, 24269, 24000, 23992, 1, "10", "6030", "4"},
	{"none", "0.01", 11, 11, 23, 0, 0, 0, "6001", "0", "6000"},
}

func TestThrottledTabFigures(t *testing.T) {
	report := playWell(t, runOf(t, 1))
	rows := values(t, report)
	for _, way := range []string{"direct", "relayed"} {
		for _, want := range tabExpectations {
			id := "stall." + way + "." + want.pause
			if rows[id] != want.caughtUp {
				t.Errorf("%s: caught up after %s s, want %s", id, rows[id], want.caughtUp)
			}
			bytes := map[string]int64{"direct": want.bytes, "relayed": want.relayed}[way]
			for suffix, n := range map[string]int64{
				".bytes": bytes, ".missed": want.missed, ".pending": want.pending, ".pending.ops": want.ops, ".token": 11,
			} {
				if got := number(t, rows, id+suffix); got != n {
					t.Errorf("%s%s is %d, want %d", id, suffix, got, n)
				}
			}
			if got := number(t, rows, id+".bytes"); got > want.bytesGoal || got < want.missed {
				t.Errorf("%s: %d bytes, want at most %d and at least the missed text's %d", id, got, want.bytesGoal, want.missed)
			}
			if got := number(t, rows, id+".pending"); got > want.missed+base.KiB {
				t.Errorf("%s: %d bytes pended, want at most %d", id, got, want.missed+base.KiB)
			}
			if got := number(t, rows, id+".token"); got > 12 {
				t.Errorf("%s: a token took %d bytes, want at most 12", id, got)
			}
			for suffix, s := range map[string]string{
				".messages": want.messages, ".folded": want.folded, ".encodes.pause": want.pauseEncode, ".snapshot": "7.47",
			} {
				if rows[id+suffix] != s {
					t.Errorf("%s%s is %s, want %s", id, suffix, rows[id+suffix], s)
				}
			}
			if full, stalled := rows[id+".encodes.full"], want.pause != "none"; stalled && full != "0" {
				t.Errorf("%s: %q entries were encoded once the window was full, want 0", id, full)
			}
		}
	}
	if want := "a view of 508414 bytes of JSON"; !strings.Contains(report.Headline, want) {
		t.Errorf("headline %q, want %q in it", report.Headline, want)
	}
	wantLooks(t, report)
}

// wantLooks wants every invariant to have been put to the test, but for those of calls: nobody makes one here.
func wantLooks(t *testing.T, report *sim.Report) {
	t.Helper()
	var ids []string
	for _, c := range report.Invariants {
		ids = append(ids, c.ID)
		if c.Checks == 0 && !slices.Contains([]string{"C4", "C5", "C15"}, c.ID) || c.Violations != 0 {
			t.Errorf("%s: %d looks, %d violations; want some, 0", c.ID, c.Checks, c.Violations)
		}
	}
	if !slices.Equal(ids, check.IDs) {
		t.Errorf("invariants %q, want %q", ids, check.IDs)
	}
}

// TestThrottledTabRowsStandBesideFigures wants the reference of each row that the seed document has a figure of, also of
// those that are measured.
func TestThrottledTabRowsStandBesideFigures(t *testing.T) {
	r := runOf(t, 1, "case=relayed-1s")
	r.Wall, r.Heap = fakeWall(), func() int64 { return 0 }
	want := map[string]string{
		"stall.snapshot": "8", "stall.relayed.1s": "0.02", "stall.relayed.1s.bytes": "485", "stall.relayed.1s.heap": "7680",
		"stall.relayed.1s.commit.out": "0.025", "stall.relayed.1s.commit.in": "0.025", "stall.relayed.1s.handle": "0.057",
	}
	found := 0
	for _, row := range playWell(t, r).Rows {
		if row.Reference != want[row.ID] {
			t.Errorf("%s stands beside %q, want %q", row.ID, row.Reference, want[row.ID])
		}
		if row.Reference != "" {
			found++
		}
		measured := strings.Contains(row.ID, ".commit.") || strings.HasSuffix(row.ID, ".heap") || strings.HasSuffix(row.ID, ".handle")
		if row.Measured != measured || row.Variant != "binary" {
			t.Errorf("%s: measured %v, variant %q; want %v, binary", row.ID, row.Measured, row.Variant, measured)
		}
	}
	if found != len(want) {
		t.Errorf("%d rows have a figure, want %d", found, len(want))
	}
	for _, row := range playWell(t, runOf(t, 1, "size=small")).Rows {
		if row.Reference != "" {
			t.Errorf("at another size %s stands beside the figure %s", row.ID, row.Reference)
		}
	}
}

// fakeWall is a clock that goes on by a microsecond a look.
func fakeWall() func() int64 {
	now := int64(0)
	return func() int64 { now += 1000; return now }
}

// TestThrottledTabRepeats runs one seed again and again: whatever ran before and beside it, its hash is the same.
func TestThrottledTabRepeats(t *testing.T) {
	settings := []string{"size=small", "jitter=7ms", "latency=3ms", "strategy=random"}
	want := play(t, runOf(t, 7, settings...))
	same := func(how string, r *sim.Run) {
		t.Helper()
		got := play(t, r)
		if got.Hash != want.Hash || got.Events != want.Events || !slices.Equal(simulated(got), simulated(want)) {
			t.Errorf("%s: hash %016x, %d events; before %016x, %d", how, got.Hash, got.Events, want.Hash, want.Events)
		}
	}
	same("again", runOf(t, 7, settings...))
	before := runtime.GOMAXPROCS(1)
	same("on one processor", runOf(t, 7, settings...))
	runtime.GOMAXPROCS(2)
	same("on two processors", runOf(t, 7, settings...))
	runtime.GOMAXPROCS(before)

	other := play(t, runOf(t, 8, settings...))
	same("after another world", runOf(t, 7, settings...))
	if other.Hash == want.Hash {
		t.Error("another seed has the same hash")
	}
	watched := runOf(t, 7, settings...)
	events := counter(0)
	watched.Wall, watched.Heap, watched.Sink = fakeWall(), func() int64 { return 5 }, &events
	watched.Progress = func(int, int, string) {}
	same("measured and traced", watched)
	if events == 0 {
		t.Error("no event reached the trace")
	}
}

// TestThrottledTabRepeatsAtTheFigureSize does it once where it takes longest.
func TestThrottledTabRepeatsAtTheFigureSize(t *testing.T) {
	one, two := play(t, runOf(t, 7, "case=relayed-10s")), play(t, runOf(t, 7, "case=relayed-10s"))
	if one.Hash != two.Hash || one.Hash == 0 {
		t.Errorf("hashes %016x and %016x", one.Hash, two.Hash)
	}
}

// TestThrottledTabSettingsMakeAnotherRun wants the hash to tell runs apart that are not the same.
func TestThrottledTabSettingsMakeAnotherRun(t *testing.T) {
	seen := map[uint64]string{}
	for _, set := range []string{"size=small", "jitter=1ms", "token=x", "chunk=1KiB", "window=5", "latency=1ms", "case=direct-1s"} {
		hash := play(t, runOf(t, 1, "size=small", set)).Hash
		if other, ok := seen[hash]; ok {
			t.Errorf("%s and %s have one hash", set, other)
		}
		seen[hash] = set
	}
}

// simulated are the rows that no clock measured.
func simulated(r *sim.Report) []sim.Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(r sim.Row) bool { return r.Measured })
}

type counter int

func (c *counter) Event(trace.Event) { *c++ }

// TestThrottledTabSeeds sweeps seeds with everything in random order.
func TestThrottledTabSeeds(t *testing.T) {
	seeds := uint64(50)
	if testing.Short() {
		seeds = 10
	}
	hashes := map[uint64]uint64{}
	for seed := range seeds {
		report := playWell(t, runOf(t, seed, "size=small", "strategy=random", "jitter=7ms"))
		if report.Ties == 0 {
			t.Fatalf("seed %d: no ties to put in an order", seed)
		}
		if other, ok := hashes[report.Hash]; ok {
			t.Errorf("seeds %d and %d have one hash", seed, other)
		}
		hashes[report.Hash] = seed
	}
}

func TestThrottledTabProgress(t *testing.T) {
	r := runOf(t, 1, "size=small")
	var told []string
	r.Progress = func(done, total int, what string) {
		if done != len(told) || total != 8 {
			t.Errorf("progress %d of %d, want %d of 8", done, total, len(told))
		}
		told = append(told, what)
	}
	playWell(t, r)
	want := []string{
		"direct 0.1 s", "direct 1 s", "direct 3 s", "direct 3 s control",
		"relayed 0.1 s", "relayed 1 s", "relayed 3 s", "relayed 3 s control",
	}
	if !slices.Equal(told, want) {
		t.Errorf("progress %q, want %q", told, want)
	}
}

func TestFind(t *testing.T) {
	if s, _ := scenarios.Find("throttled-tab"); s == nil || s.Name != "throttled-tab" {
		t.Error("throttled-tab is not found")
	}
	for name, near := range map[string]string{"throttled_tab": "throttled-tab", "zzz": "", "": ""} {
		if s, got := scenarios.Find(name); s != nil || got != near {
			t.Errorf("Find(%q) = %v, %q; want none, %q", name, s, got, near)
		}
	}
	names := map[string]bool{}
	for _, s := range scenarios.All() {
		if names[s.Name] || s.Summary == "" || s.Run == nil || len(s.Invariants) == 0 {
			t.Errorf("scenario %q is there twice, or lacks something", s.Name)
		}
		names[s.Name] = true
	}
}
