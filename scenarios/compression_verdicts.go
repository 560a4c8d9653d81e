package scenarios

import (
	"fmt"
	"strconv"

	"chordsim/core/base"
	"chordsim/core/part"
	"chordsim/sim"
)

// ways appends what holds of all worlds of a way together.
func (p *packReport) ways() {
	for _, relayed := range []bool{false, true} {
		way := wayName(relayed)
		id := "compression." + way
		unequal, up, saved, looks, ended := 0, int64(0), int64(0), int64(0), 0
		relay := [3]int{}
		for i := range p.out.crossings {
			c := &p.out.crossings[i]
			if c.way != way || c.stuck+c.broken != "" {
				continue
			}
			ended++
			unequal += c.unequal
			up += c.upDeflated
			saved += max(0, c.argument-c.up)
			looks += c.looks
			relay = sum(relay, c.relay)
		}
		if ended == 0 {
			continue
		}
		p.row(way, id+".unequal", strconv.Itoa(unequal), "1", "0")
		p.row(way, id+".argument.deflated", itoa(up), "1", "0")
		p.row(way, id+".argument.saved", itoa(saved), "B", "0")
		if !relayed {
			continue
		}
		for i := range p.out.bombs {
			relay = sum(relay, p.out.bombs[i].relay)
		}
		for i, did := range []string{".inflated", ".deflated", ".parsed"} {
			p.row(way, "compression.relay"+did, strconv.Itoa(relay[i]), "1", "0")
		}
		p.row(way, "compression.relay.looks", itoa(looks), "1", "")
		p.Tables[packTimes].Notes = append(p.Tables[packTimes].Notes, fmt.Sprintf(
			"the server in between inflated %d parts, deflated %d and parsed %d; that it forwards what it got was looked at %d times (C9)",
			relay[0], relay[1], relay[2], looks))
		direct, c := p.out.crossing("direct", packRates[0].id, atOnce), p.out.crossing(way, packRates[0].id, atOnce)
		if direct != nil && c != nil {
			p.row(way, id+".hold.bytes", itoa(c.snapshot.bytes), "B", itoa(direct.snapshot.bytes))
		}
	}
}

func sum(a, b [3]int) [3]int { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// edges shows what is and is not deflated.
func (p *packReport) edges() sim.Table {
	t := sim.Table{
		Title:   "At the threshold of " + strconv.Itoa(part.Threshold) + " bytes, and what does not get smaller",
		Columns: []string{"part", ">bytes", ">deflated", ">as sent B", ">received B", ">at most B", "verdict"},
		Notes:   []string{"at most: the part as it was sent, and the headers that it needs"},
	}
	least := 0 // the smallest part that was deflated
	for i := range p.out.edges {
		e := &p.out.edges[i]
		wrong := 0
		for j := range e.edges {
			edge := &e.edges[j]
			missed := p.row(e.way+", "+edge.what, "compression."+e.way+"."+edge.id, itoa(edge.bytes), "B", itoa(edge.most))
			if !edge.good() {
				wrong++
				missed = true
			}
			if edge.deflated > 0 && edge.want != eitherWay && (least == 0 || edge.size < least) {
				least = edge.size
			}
			t.Rows = append(t.Rows, []string{
				e.way + ", " + edge.what, strconv.Itoa(edge.size), strconv.Itoa(edge.deflated), strconv.Itoa(edge.part),
				itoa(edge.bytes), itoa(edge.most), kept(missed),
			})
		}
		if len(e.edges) > 0 {
			p.row(e.way+", edges", "compression."+e.way+".edges.wrong", strconv.Itoa(wrong), "1", "0")
		}
	}
	if least > 0 {
		row := sim.Row{ID: "deflate.threshold", Variant: "both", Value: strconv.Itoa(least - 1), Unit: "B", Reference: figure("deflate.threshold", "both")}
		if row.Missed = row.Value != row.Reference; row.Missed {
			p.Failures = append(p.Failures, fmt.Sprintf("edges: deflate.threshold is %s, want %s", row.Value, row.Reference))
		}
		p.Rows = append(p.Rows, row)
	}
	return t
}

// bombs shows what becomes of parts that inflate to the limit of their owner, and to a byte more.
func (p *packReport) bombs() sim.Table {
	t := sim.Table{
		Title:   "Zeros that inflate to the limit of " + strconv.Itoa(p.out.plan.limit) + " bytes, and to one more",
		Columns: []string{"case", ">inflates to B", ">received B", ">parts inflated", "ended with", "verdict"},
		Notes:   []string{"each has a tab of its own; what a tab refuses closes its link, and no other"},
	}
	for i := range p.out.bombs {
		w := &p.out.bombs[i]
		id, wrong, inflated := "compression."+w.way+".bomb.", 0, int64(0)
		for j := range w.bombs {
			b := &w.bombs[j]
			end, suffix := b.code.String(), ".at.bytes"
			if b.code == base.CodeNone {
				end = "all of it"
			}
			if b.over {
				suffix = ".over.bytes"
				inflated += b.inflated
			}
			if !b.good() {
				wrong++
				p.Failures = append(p.Failures, fmt.Sprintf("%s, %s of %d bytes: parts inflated: %d, ended with: %s",
					w.way, b.what, b.size, b.inflated, end))
			}
			p.row(w.way, id+b.id+suffix, itoa(b.bytes), "B", "")
			t.Rows = append(t.Rows, []string{
				w.way + ", " + b.what, strconv.Itoa(b.size), itoa(b.bytes), itoa(b.inflated), end, kept(!b.good()),
			})
		}
		p.row(w.way, id+"wrong", strconv.Itoa(wrong), "1", "0")
		p.row(w.way, id+"inflated", itoa(inflated), "1", "0")
		p.row(w.way+", the other tab", id+"other.failed", strconv.Itoa(w.failed), "1", "0")
		p.row(w.way+", the other tab", id+"other.calls", strconv.Itoa(w.pings), "1", "")
		p.row(w.way+", the other tab", id+"other.longest", sim.Seconds(w.late), "s", sim.Seconds(w.calm))
		t.Notes = append(t.Notes, fmt.Sprintf("%s: of another tab's %d calls meanwhile %d failed; the longest took %s s, and before the bombs %s s",
			w.way, w.pings, w.failed, sim.Seconds(w.late), sim.Seconds(w.calm)))
	}
	return t
}

// walls shows what differs from machine to machine.
func (p *packReport) walls() sim.Table {
	t := sim.Table{
		Title:   "Wall times, measured here (figures: another machine and language)",
		Columns: []string{"what", ">ms", ">figure", ">ratio"},
		Notes: []string{
			fmt.Sprintf("parts alone: the least of %d means of %d; to live, to the result: mean of %d, the turns of both hosts over a memory link",
				wallLoops, wallTimes, wallTimes),
			"inflating beside the turns takes no other processor here: it is shown for its own cost",
		},
	}
	for _, w := range p.out.walls {
		value, ref := millis(w.nanos), p.figure(w.id)
		p.Rows = append(p.Rows, sim.Row{
			ID: w.id, Variant: p.out.plan.codec.String(), Value: value, Unit: "ms", Reference: ref, Measured: true,
		})
		t.Rows = append(t.Rows, []string{w.what, sim.Decimal(w.nanos/1000, 3), ref, ratio(value, ref)})
	}
	return t
}
