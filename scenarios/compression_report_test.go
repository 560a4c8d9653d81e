package scenarios

import (
	"os"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
)

// TestDeflateLibrary wants the report to name the version that the module requires.
func TestDeflateLibrary(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Split(string(mod), "\n"), "\t"+deflateLibrary) {
		t.Errorf("go.mod does not require %s", deflateLibrary)
	}
}

// atGoals is what a run of the figures' size found, if everything is at its goal: not a byte or a nanosecond better.
func atGoals(t *testing.T) *packed {
	t.Helper()
	values, err := sim.ParseValues(Compression().Parameters(), []string{"size=small"})
	if err != nil {
		t.Fatal(err)
	}
	out := &packed{plan: planCompression(&sim.Run{Seed: 1, Values: values})}
	out.plan.figures = true // what crosses does not matter here
	for _, way := range []string{"direct", "relayed"} {
		for _, rate := range packRates {
			for _, how := range []packing{plain, atOnce, beside} {
				c := packCrossing{way: way, rateID: rate.id, rate: rate.rate, packing: how, argument: 1000, up: 1000}
				c.snapshot = crossed{json: 1000, raw: 990, part: 280}
				c.result = crossed{json: 2000, raw: 1990, part: 560}
				c.english = crossed{json: 3000, raw: 2990, part: standardSize(out.plan.codec.AppendValue(nil, out.plan.english)) * 101 / 100}
				for _, found := range []*crossed{&c.snapshot, &c.result, &c.english} {
					found.bytes = int64(found.part) + packHeaders(out.plan.codec, found.part)
					found.took, _ = out.plan.bound(&c, found)
				}
				out.crossings = append(out.crossings, c)
			}
		}
		out.edges = append(out.edges, packEdges{way: way, edges: []packEdge{
			{what: "result", id: "result.at", size: 16384, part: 16384, bytes: 16400, most: 16400, equal: true},
			{what: "result", id: "result.over", size: 16385, want: 1, deflated: 1, part: 5000, bytes: 5010, most: 5010, equal: true},
			{what: "text", id: "text", size: 20000, want: eitherWay, part: 20000, bytes: 20000, most: 20000, equal: true},
		}})
		out.bombs = append(out.bombs, packBombs{way: way, calm: 5, late: 5, bombs: []packBomb{
			{what: "result", id: "result", size: 100, taken: true, inflated: 1},
			{what: "result", id: "result", size: 101, over: true, code: base.CodeLimit},
		}})
	}
	return out
}

// TestCompressionReport shows what is at its goals, and then what misses one.
func TestCompressionReport(t *testing.T) {
	for _, c := range []struct {
		why    string
		spoil  func(out *packed)
		missed []string // begins of failures
	}{
		{"at its goals", func(*packed) {}, nil},
		{"a byte over 28 %", func(out *packed) { out.crossings[1].snapshot.part++; out.crossings[1].snapshot.bytes++ }, []string{
			"prose snapshot: deflate.snapshot is 281 B, want at most 280",
		}},
		{"a byte over the standard library's and 1 %", func(out *packed) { out.crossings[1].english.part++ }, []string{"English result: compression.english is "}},
		{"headers too long", func(out *packed) { out.crossings[1].snapshot.bytes++ }, []string{
			"prose snapshot: deflate.hold.bytes is 380 B, want at most 379",
		}},
		{"a nanosecond late", func(out *packed) { out.crossings[3].result.took++ }, []string{
			"direct, 1MB/s, as it is: compression.direct.1mbs.result is ",
		}},
		{"late behind the inflating", func(out *packed) { out.crossings[11].snapshot.took++ }, []string{
			"relayed, 1MB/s, deflated, inflated beside: compression.relayed.1mbs.beside is ",
		}},
		{"unequal", func(out *packed) { out.crossings[0].unequal = 2 }, []string{"direct: compression.direct.unequal is 2, want at most 0"}},
		{"an argument deflated", func(out *packed) { out.crossings[7].upDeflated, out.crossings[7].up = 1, 999 }, []string{
			"relayed: compression.relayed.argument.deflated is 1, want", "relayed: compression.relayed.argument.saved is 1 B, want at most 0",
		}},
		{"a relay that works", func(out *packed) { out.crossings[6].relay = [3]int{1, 2, 0}; out.bombs[1].relay = [3]int{0, 0, 3} }, []string{
			"relayed: compression.relay.inflated is 1,", "relayed: compression.relay.deflated is 2,", "relayed: compression.relay.parsed is 3,",
		}},
		{"a relay that adds a byte", func(out *packed) { out.crossings[7].snapshot.bytes++ }, []string{
			"relayed: compression.relayed.hold.bytes is 380 B, want at most 379",
		}},
		{"the threshold deflated", func(out *packed) { e := &out.edges[0].edges[0]; e.deflated, e.part, e.bytes = 1, 5000, 5000 }, []string{
			"direct, edges: compression.direct.edges.wrong is 1,", "edges: deflate.threshold is 16383, want 16384",
		}},
		{"over it and not deflated", func(out *packed) { out.edges[0].edges[1].deflated = 0 }, []string{"direct, edges: compression.direct.edges.wrong is 1,"}},
		{"a part that grew", func(out *packed) { out.edges[1].edges[2].bytes++ }, []string{
			"relayed, text: compression.relayed.text is 20001 B,", "relayed, edges: compression.relayed.edges.wrong is 1,",
		}},
		{"a value that is not what it was", func(out *packed) { out.edges[1].edges[2].equal = false }, []string{"relayed, edges: compression.relayed.edges.wrong is 1,"}},
		{"a bomb taken", func(out *packed) { b := &out.bombs[0].bombs[1]; b.taken, b.inflated, b.code = true, 1, 0 }, []string{
			"direct, result of 101 bytes: parts inflated: 1, ended with: all of it",
			"direct: compression.direct.bomb.wrong is 1,", "direct: compression.direct.bomb.inflated is 1,",
		}},
		{"refused for something else", func(out *packed) { out.bombs[0].bombs[1].code = base.CodeProtocol }, []string{
			"direct, result of 101 bytes: parts inflated: 0, ended with: protocol", "direct: compression.direct.bomb.wrong is 1,",
		}},
		{"refused at the limit", func(out *packed) { b := &out.bombs[0].bombs[0]; b.taken, b.code = false, base.CodeLimit }, []string{
			"direct, result of 100 bytes: parts inflated: 1, ended with: limit", "direct: compression.direct.bomb.wrong is 1,",
		}},
		{"others that suffer", func(out *packed) { out.bombs[1].late, out.bombs[1].failed = 6, 1 }, []string{
			"relayed, the other tab: compression.relayed.bomb.other.failed is 1,",
			"relayed, the other tab: compression.relayed.bomb.other.longest is 0.000000006 s, want at most 0.000000005",
		}},
	} {
		out, report := atGoals(t), &sim.Report{}
		c.spoil(out)
		out.report(nil, report)
		missed := slices.Clone(report.Failures)
		if !slices.EqualFunc(missed, c.missed, strings.HasPrefix) {
			t.Errorf("%s: failures\n%q, want\n%q", c.why, missed, c.missed)
		}
		verdicts := 0
		for _, table := range report.Tables {
			for _, row := range table.Rows {
				if row[len(row)-1] == "MISSED" {
					verdicts++
				}
			}
		}
		if c.missed == nil && verdicts > 0 {
			t.Errorf("%s: %d verdicts say that something is missed", c.why, verdicts)
		}
	}
}

// TestCompressionStuck wants cases that did not come to an end to be shown, without figures.
func TestCompressionStuck(t *testing.T) {
	out, report := atGoals(t), &sim.Report{}
	for i := range out.crossings {
		out.crossings[i].stuck = "it stopped"
	}
	out.report(nil, report)
	if row := report.Tables[1].Rows[0]; row[0] != "direct, 10MB/s, as it is" || row[len(row)-1] != "stuck" {
		t.Errorf("row %q, want it to be stuck", row)
	}
	for _, row := range report.Rows {
		if strings.HasPrefix(row.ID, "deflate.") && row.ID != "deflate.threshold" {
			t.Errorf("a figure of what is stuck: %+v", row)
		}
	}
}

// TestCompressionFiguresExist wants each figure that the seed document has of deflating to stand beside a row.
func TestCompressionFiguresExist(t *testing.T) {
	out, report := atGoals(t), &sim.Report{}
	for _, end := range []string{".none", ".sync", ".async"} {
		out.walls = append(out.walls, packWall{id: "deflate.hold" + end}, packWall{id: "deflate.call" + end})
	}
	for _, what := range []string{"snapshot", "result"} {
		for _, id := range []string{"deflate." + what + ".time", "inflate." + what + ".time", "inflate." + what + ".async"} {
			out.walls = append(out.walls, packWall{id: id})
		}
	}
	out.report(nil, report)
	for _, f := range figureLines(t) {
		if !strings.HasPrefix(f[0], "deflate.") && !strings.HasPrefix(f[0], "inflate.") {
			continue
		}
		if !slices.ContainsFunc(report.Rows, func(r sim.Row) bool { return r.ID == f[0] && r.Variant == f[3] && r.Reference == f[4] }) {
			t.Errorf("no row stands beside the figure %s of %s", f[0], f[3])
		}
	}
}
