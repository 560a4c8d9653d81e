package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"chordsim/scenarios"
	"chordsim/sim"
	"chordsim/sim/check"
)

// packingOf puts a run of compression together.
func packingOf(t testing.TB, seed uint64, settings ...string) *sim.Run {
	t.Helper()
	values, err := sim.ParseValues(scenarios.Compression().Parameters(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Run{Seed: seed, Values: values}
}

// compress plays a run in which nothing may go wrong, and everything but C15 is looked at: no call commits here.
func compress(t testing.TB, r *sim.Run) *sim.Report {
	t.Helper()
	report, err := scenarios.Compression().Run(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range slices.Concat(report.Violations, report.Failures, report.Stuck) {
		t.Errorf("seed %d, %s: %s", r.Seed, strings.Join(r.Values.Changed(), " "), text)
	}
	var ids []string
	for _, c := range report.Invariants {
		if ids = append(ids, c.ID); c.Checks == 0 && c.ID != "C15" {
			t.Errorf("%s was never looked at", c.ID)
		}
	}
	if !slices.Equal(ids, check.IDs) {
		t.Errorf("invariants %q, want %q", ids, check.IDs)
	}
	if t.Failed() {
		t.FailNow()
	}
	return report
}

// TestCompressionFigures pins what a run finds beside the seed document's figures. Bytes and times hold for one wire format and
// one version of the library that deflates: who changes these changes them, knowingly.
func TestCompressionFigures(t *testing.T) {
	report := compress(t, packingOf(t, 1))
	rows := values(t, report)
	for id, want := range map[string]string{
		"deflate.snapshot":           "138321", // 27.3 % of its JSON
		"deflate.snapshot.json":      "506701",
		"deflate.hold.bytes":         "138424",
		"deflate.hold.bytes.plain":   "487999",
		"deflate.result":             "285841",
		"deflate.10mbs":              "48.7999", // its bytes at 10 MB/s
		"deflate.10mbs.deflated":     "13.8424",
		"deflate.1mbs":               "487.999",
		"deflate.1mbs.deflated":      "138.424",
		"deflate.threshold":          "16384",
		"compression.english":        "62124",
		"compression.direct.unequal": "0", "compression.relayed.unequal": "0",
		"compression.direct.argument.saved": "0", "compression.relayed.argument.saved": "0",
		"compression.relay.inflated": "0", "compression.relay.deflated": "0", "compression.relay.parsed": "0",
		"compression.relayed.hold.bytes": "138424", "compression.relayed.10mbs.deflated": "13.8424",
		"compression.direct.10mbs.beside": "14.817846", // 2 ns a byte later
		"compression.direct.bomb.wrong":   "0", "compression.relayed.bomb.wrong": "0",
		"compression.direct.bomb.inflated": "0", "compression.relayed.bomb.inflated": "0",
		"compression.direct.bomb.other.failed": "0", "compression.relayed.bomb.other.failed": "0",
	} {
		if rows[id] != want {
			t.Errorf("%s is %q, want %q", id, rows[id], want)
		}
	}
	references := map[string]string{
		"deflate.snapshot": "140698", "deflate.snapshot.json": "506778", "deflate.result": "292966", "deflate.hold.bytes": "140800",
		"deflate.10mbs": "50", "deflate.10mbs.deflated": "14", "deflate.1mbs": "500", "deflate.1mbs.deflated": "140",
		"deflate.threshold": "16384",
	}
	for _, row := range report.Rows {
		if row.Reference != references[row.ID] || row.Measured {
			t.Errorf("row %+v, want the reference %q, nothing measured", row, references[row.ID])
		}
		if strings.HasSuffix(row.ID, ".longest") && row.Goal != row.Value {
			t.Errorf("%s is %s, want what it was before the bombs: %s", row.ID, row.Value, row.Goal)
		}
	}
	for i, table := range report.Tables {
		for _, row := range table.Rows {
			if last := row[len(row)-1]; last != "within" {
				t.Errorf("table %d: %q", i, row)
			}
		}
	}
	if want := "github.com/klauspost/compress v"; !strings.Contains(report.Headline, want) {
		t.Errorf("headline %q, want %q in it", report.Headline, want)
	}
	if testing.Short() {
		return
	}
	r := packingOf(t, 1)
	r.Wall = fakeWall()
	measured := compress(t, r)
	if measured.Hash != report.Hash {
		t.Errorf("hash %016x measured, %016x not", measured.Hash, report.Hash)
	}
	found := 0
	for _, row := range measured.Rows {
		if row.Measured && row.Reference != "" && row.Value != "0" {
			found++
		}
	}
	if found != 12 {
		t.Errorf("%d times are measured beside figures, want 12", found)
	}
}

// TestCompressionCorners plays the small size with parameters at their ends, in each codec.
func TestCompressionCorners(t *testing.T) {
	for _, set := range []string{"latency=1ns", "latency=20ms", "latency=1s", "strategy=random"} {
		for _, codec := range []string{"binary", "text"} {
			report := compress(t, packingOf(t, 2, "size=small", "codec="+codec, set))
			for _, row := range report.Rows {
				if row.Variant != codec && row.ID != "deflate.threshold" {
					t.Errorf("%s is of %q, want %q", row.ID, row.Variant, codec)
				}
				if row.Reference != "" && row.ID != "deflate.threshold" {
					t.Errorf("%s of the small size stands beside %s", row.ID, row.Reference)
				}
				promised := row.Goal != "" || set == "latency=1s"
				if rate := strings.Contains(row.ID, "mbs"); rate && !promised && !(set == "latency=20ms" && strings.Contains(row.ID, "10mbs")) {
					t.Errorf("%s: %s has no goal", set, row.ID)
				}
			}
		}
	}
}

// TestCompressionSeeds sweeps seeds with everything in random order.
func TestCompressionSeeds(t *testing.T) {
	seeds := uint64(24)
	if testing.Short() {
		seeds = 8
	}
	hashes := map[uint64]uint64{}
	for seed := range seeds {
		codec := []string{"codec=binary", "codec=text"}[seed%2]
		report := compress(t, packingOf(t, seed, "size=small", "strategy=random", codec))
		if other, ok := hashes[report.Hash]; ok {
			t.Errorf("seeds %d and %d have one hash", seed, other)
		}
		hashes[report.Hash] = seed
		if report.Events > 4000 {
			t.Errorf("%d events, want a sweep's", report.Events)
		}
	}
}

func TestCompressionRepeats(t *testing.T) {
	settings := []string{"size=small", "latency=3ms", "strategy=random"}
	want := compress(t, packingOf(t, 7, settings...))
	r := packingOf(t, 7, settings...)
	events, told := counter(0), 0
	r.Sink, r.Wall = &events, fakeWall()
	r.Progress = func(done, total int, what string) {
		if done != told || total != 16 || what == "" {
			t.Errorf("progress %d of %d, %q; want %d of 16", done, total, what, told)
		}
		told++
	}
	if got := compress(t, r); got.Hash != want.Hash || !slices.Equal(got.Rows, want.Rows) || events == 0 || told != 16 {
		t.Errorf("hash %016x, traced and measured; before %016x; %d events traced", got.Hash, want.Hash, events)
	}
	for _, other := range [][]string{{"size=small"}, {"size=small", "codec=text", "latency=3ms"}, {"size=small", "latency=4ms"}} {
		if compress(t, packingOf(t, 7, other...)).Hash == want.Hash {
			t.Errorf("%q has the hash of %q", other, settings)
		}
	}
}
