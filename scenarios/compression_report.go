package scenarios

import (
	"compress/flate"
	"fmt"
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
)

// packReport puts rows and tables together.
type packReport struct {
	*sim.Report
	out *packed
}

// packTimes is the place of the table of times.
const packTimes = 1

func (out *packed) report(_ *sim.Run, report *sim.Report) {
	p := &packReport{report, out}
	report.Tables = append(report.Tables, p.sizes(), p.times(), p.edges(), p.bombs(), p.walls())
	p.ways()
}

// percent is how much of its JSON a part of prose may have when it is deflated.
const percent = 28

// row appends a figure, and what it misses, and reports whether it does.
func (p *packReport) row(label, id, value, unit, goal string) (missed bool) {
	row := sim.Row{ID: id, Variant: p.out.plan.codec.String(), Value: value, Unit: unit, Goal: goal, Reference: p.figure(id)}
	if goal != "" && compare(value, goal) > 0 {
		row.Missed, missed = true, true
		text := fmt.Sprintf("%s: %s is %s %s, want at most %s", label, id, value, unit, goal)
		p.Failures = append(p.Failures, strings.Replace(text, " 1,", ",", 1)) // a count has no unit
	}
	p.Rows = append(p.Rows, row)
	return missed
}

// figure returns the seed document's figure, where the run is as that one was.
func (p *packReport) figure(id string) string {
	plan := &p.out.plan
	if !plan.figures || plan.codec != wire.Binary || plan.latency > 0 && strings.Contains(id, "mbs") {
		return "" // its times are those of the bytes alone
	}
	return figure(id, "binary")
}

func kept(missed bool) string {
	if missed {
		return "MISSED"
	}
	return "within"
}

// sizes shows what deflating leaves.
func (p *packReport) sizes() sim.Table {
	t := sim.Table{
		Title:   "Deflated at the origin by " + deflateLibrary + ", level 1",
		Columns: []string{"part", ">JSON B", ">part B", ">deflated B", ">% of JSON", ">goal B", ">figure B", ">received B", ">figure B", ">as it is B", "verdict"},
		Notes: []string{
			fmt.Sprintf("goal of prose: %d %% of its JSON; of English: what the standard library's level 1 makes of the same part, and 1 %%", percent),
			"received: by the tab until the snapshot or the result was there, headers included; as it is: the same, not deflated",
		},
	}
	c, raw := p.out.crossing("direct", packRates[0].id, atOnce), p.out.crossing("direct", packRates[0].id, plain)
	if c == nil || raw == nil {
		return t
	}
	p.row("", "deflate.snapshot.json", strconv.Itoa(c.snapshot.json), "B", "")
	std := standardSize(p.out.plan.codec.AppendValue(nil, p.out.plan.english))
	p.row("", "compression.english.standard", strconv.Itoa(std), "B", "")
	for _, l := range []struct {
		what, id, bytes string
		found, raw      *crossed
		goal            int
	}{
		{"prose snapshot", "deflate.snapshot", "deflate.hold.bytes", &c.snapshot, &raw.snapshot, c.snapshot.json * percent / 100},
		{"prose result", "deflate.result", "compression.result.bytes", &c.result, &raw.result, c.result.json * percent / 100},
		{"English result", "compression.english", "compression.english.bytes", &c.english, &raw.english, std * 101 / 100},
	} {
		goal := strconv.Itoa(l.goal)
		if !p.out.plan.figures && l.found != &c.english {
			goal = "" // a small one deflates less well
		}
		missed := p.row(l.what, l.id, strconv.Itoa(l.found.part), "B", goal)
		most := int64(l.found.part) + packHeaders(p.out.plan.codec, l.found.part)
		missed = p.row(l.what, l.bytes, itoa(l.found.bytes), "B", itoa(most)) || missed
		p.row(l.what, l.bytes+".plain", itoa(l.raw.bytes), "B", "")
		t.Rows = append(t.Rows, []string{
			l.what, strconv.Itoa(l.found.json), strconv.Itoa(l.found.raw), strconv.Itoa(l.found.part),
			sim.Decimal(int64(l.found.part)*10_000/int64(l.found.json), 2), goal, p.figure(l.id),
			itoa(l.found.bytes), p.figure(l.bytes), itoa(l.raw.bytes), kept(missed || l.found.part == 0),
		})
	}
	return t
}

// standardSize returns how many bytes the standard library's level 1 makes of a part.
func standardSize(raw []byte) int {
	var n counting
	w, err := flate.NewWriter(&n, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(raw)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	return int(n)
}

// counting counts what is written to it.
type counting int

func (c *counting) Write(b []byte) (int, error) {
	*c += counting(len(b))
	return len(b), nil
}

// times shows how long it takes for the snapshot and the result to cross.
func (p *packReport) times() sim.Table {
	t := sim.Table{
		Title: "From holding to live, and from calling to the result, in virtual time",
		Columns: []string{
			"case", ">snapshot B", ">ms", ">limit ms", ">figure", ">ratio", ">result B", ">ms", ">limit ms", "verdict",
		},
		Notes: []string{
			"limit: bytes received ÷ rate; each may take one chunk and the latency of both directions longer, and where a part",
			fmt.Sprintf("is inflated beside the turns %v for each byte of it. The figures leave the work out as well.", offloadCost),
		},
	}
	for i := range p.out.crossings {
		c := &p.out.crossings[i]
		if c.stuck+c.broken != "" {
			row := make([]string, len(t.Columns))
			row[0], row[len(row)-1] = c.label(), "stuck"
			t.Rows = append(t.Rows, row)
			continue
		}
		id := "compression." + c.way + "." + c.rateID
		hold := id + packingIDs[c.packing]
		if c.way == "direct" && c.packing != beside {
			hold = "deflate." + c.rateID + packingIDs[c.packing]
		}
		missed, ref := false, ""
		cells := []string{c.label()}
		for _, l := range []struct {
			id    string
			found *crossed
		}{{hold, &c.snapshot}, {id + ".result" + packingIDs[c.packing], &c.result}} {
			took, goal := inMillis(l.found.took), ""
			if most, ok := p.out.plan.bound(c, l.found); ok {
				goal = inMillis(most)
			}
			missed = p.row(c.label(), l.id, took, "ms", goal) || missed
			limit, _ := linkmodel.CatchUpLimit(l.found.bytes, c.rate, 0)
			cells = append(cells, itoa(l.found.bytes), shortMillis(l.found.took), shortMillis(limit))
			if l.found == &c.snapshot {
				ref = p.figure(l.id)
				cells = append(cells, ref, ratio(took, ref))
			}
		}
		t.Rows = append(t.Rows, append(cells, kept(missed)))
	}
	return t
}

// bound is how long what crossed may have taken, or false where nothing is promised: where more would have to be in flight
// than may be.
func (p *packPlan) bound(c *packCrossing, found *crossed) (base.Duration, bool) {
	limits := base.Limits{}.WithDefaults()
	chunk := packHeaders(p.codec, limits.ChunkBytes) + int64(limits.ChunkBytes)
	most, _ := linkmodel.CatchUpLimit(found.bytes+chunk, c.rate, 0)
	if c.packing == beside {
		most += offloadCost * base.Duration(found.raw)
	}
	inFlight, _ := base.MulDiv(uint64(c.rate), uint64(2*p.latency), uint64(base.Second))
	return most + 2*p.latency, int64(inFlight)+2*chunk <= int64(limits.BulkBytes)
}

// inMillis prints a span in milliseconds, shortMillis cut off behind the microseconds, for people.
func inMillis(d base.Duration) string    { return sim.Decimal(int64(d), 6) }
func shortMillis(d base.Duration) string { return sim.Decimal(int64(d/base.Microsecond), 3) }
