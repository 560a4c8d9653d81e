package scenarios

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"chordsim/core/base"
	"chordsim/sim"
)

// The goals beside which the seed document's figures stand. A pause of another length has none of its own.
var tabGoals = map[string]struct {
	caughtUp base.Duration
	bytes    int64
}{
	"1s":   {20 * base.Millisecond, 485},
	"10s":  {80 * base.Millisecond, 4147},
	"60s":  {380 * base.Millisecond, 24269},
	"none": {10 * base.Millisecond, 23},
}

// pendingRoom is what may pend beyond the missed text, and tokenGoal the most that a streamed token may take, in bytes.
const (
	pendingRoom = base.KiB
	tokenGoal   = 12
)

// ackBytes is how many bytes more a message may take that an ack rides on. Which one that is may differ from way to way.
const ackBytes = 1

func reportThrottledTab(r *sim.Run, plan tabPlan, results []measured, report *sim.Report) {
	if results[0].stuck == "" {
		row := sim.Row{ID: "stall.snapshot", Variant: "binary", Value: sim.Seconds(results[0].snapshot), Unit: "s"}
		row.Reference = (&measured{tabCase: tabCase{id: row.ID}}).figure(plan, "")
		report.Rows = append(report.Rows, row)
	}
	for i := range results {
		if results[i].stuck == "" {
			tabRows(r, plan, &results[i], report)
		}
	}
	report.Tables = append([]sim.Table{catchUpTable(r, plan, results, report), pauseTable(results)}, wallTables(r, plan, results)...)
	if !report.Failed() && plan.figures && len(results) == 8 {
		for i := range results[:4] {
			d, y := &results[i], &results[i+4]
			if d.caughtUp != y.caughtUp || max(d.bytes-y.bytes, y.bytes-d.bytes) > ackBytes {
				report.Failures = append(report.Failures, fmt.Sprintf("%s: %v and %d bytes, %s: %v and %d bytes: want them alike",
					d.label, d.caughtUp, d.bytes, y.label, y.caughtUp, y.bytes))
			}
		}
	}
}

// tabRows appends the figures of a case, and what they miss.
func tabRows(r *sim.Run, plan tabPlan, m *measured, report *sim.Report) {
	add := func(suffix, value, unit string, goal int64, measured bool) {
		row := sim.Row{ID: m.id + suffix, Variant: "binary", Value: value, Unit: unit, Measured: measured}
		row.Reference = m.figure(plan, suffix)
		if goal >= 0 {
			row.Goal = strconv.FormatInt(goal, 10)
			if unit == "s" {
				row.Goal = sim.Seconds(base.Duration(goal))
			}
			if compare(value, row.Goal) > 0 {
				row.Missed = true
				report.Failures = append(report.Failures, fmt.Sprintf("%s: %s is %s %s, want at most %s", m.label, row.ID, value, unit, row.Goal))
			}
		}
		report.Rows = append(report.Rows, row)
	}
	caughtUp, bytes := m.goals(r, plan)
	add("", sim.Seconds(m.caughtUp), "s", caughtUp, false)
	add(".bytes", itoa(m.bytes), "B", bytes, false)
	if m.hasLimit {
		add(".limit", sim.Seconds(m.limit), "s", -1, false)
	}
	add(".missed", itoa(m.missed), "B", -1, false)
	pending := int64(-1)
	if m.stalled || r.Link == nil { // a recorded link stalls of itself, also in a control
		pending = m.missed + pendingRoom
	}
	add(".pending", itoa(int64(m.pending)), "B", pending, false)
	add(".pending.ops", itoa(int64(m.ops)), "1", 1, false)
	add(".messages", itoa(m.messages), "1", -1, false)
	add(".folded", itoa(m.folded), "1", -1, false)
	add(".encodes.pause", itoa(m.encodes), "1", -1, false)
	if m.stalled { // without a stall credit comes, and the window is not full for long
		add(".encodes.full", itoa(m.afterFull), "1", 0, false)
	}
	token := int64(-1)
	if plan.figures {
		token = tokenGoal
	}
	if m.token > 0 {
		add(".token", itoa(m.token), "B", token, false)
	}
	add(".snapshot", sim.Seconds(m.snapshot), "s", -1, false)
	if r.Heap != nil {
		add(".heap", itoa(m.heap), "B", -1, true)
	}
	if r.Wall != nil {
		add(".commit.out", millis(mean(m.out)), "ms", -1, true)
		add(".commit.in", millis(mean(m.in)), "ms", -1, true)
		add(".handle", millis(m.handle), "ms", -1, true)
	}
}

// goals returns what a case is held to, or -1: the seed document's figures where it ran as there, and over any link
// without latency the physical limit in whole steps and one step, or over a trace one message. Where a quantum is longer
// than a step it counts for one, and away from the figures headers count too.
func (m *measured) goals(r *sim.Run, plan tabPlan) (caughtUp, bytes int64) {
	caughtUp, bytes = -1, -1
	v := r.Values
	step := v.Duration("step")
	random := v.Text("strategy") != "fifo"
	limit, tick := m.reach, step
	if r.Link == nil {
		tick = max(step, v.Duration("quantum"))
	}
	if plan.figures {
		limit = m.limit
	}
	if m.hasLimit && v.Duration("latency") == 0 && v.Duration("jitter") == 0 && !random && !crowded(r) {
		whole := (limit+tick-1)/tick*tick + tick
		caughtUp = int64((whole + step - 1) / step * step)
	}
	if plan.figures && !random {
		goal := tabGoals[m.name[len("direct-"):]]
		if m.relayed {
			goal = tabGoals[m.name[len("relayed-"):]]
		}
		caughtUp, bytes = min(caughtUp, int64(goal.caughtUp)), goal.bytes
	}
	return caughtUp, bytes
}

// crowded reports whether single tokens, with the heads of their messages, would take more than half of the link. Then it
// is the heads that decide how soon the tab is there, and it is held to no limit.
func crowded(r *sim.Run) bool {
	if r.Link != nil {
		return false
	}
	perSecond, _ := base.MulDiv(uint64(len(r.Values.Text("token"))+stateHead), uint64(base.Second), uint64(r.Values.Duration("step")))
	return int64(perSecond) > r.Values.Int("rate")/2
}

// catchUpTable shows the seed document's figures where the run is as that one was, and elsewhere what it is held to.
func catchUpTable(r *sim.Run, plan tabPlan, results []measured, report *sim.Report) sim.Table {
	t := sim.Table{
		Title:   "Catching up",
		Columns: []string{"case", ">snapshot s", ">caught up s", ">limit s", ">goal s", ">bytes", "verdict"},
		Notes: []string{
			"caught up, bytes: from the end of the pause to the first step that ends with the tab at the worker's revision",
			"limit: missed text ÷ (what the link delivers − the stream)",
		},
	}
	if plan.figures {
		t.Columns = []string{
			"case", ">snapshot s", ">caught up s", ">limit s", ">figure s", ">ratio", ">bytes", ">figure B", ">ratio", "verdict",
		}
		t.Notes = append(t.Notes, "figure: the seed document's; ratio: this run ÷ figure; its snapshot took "+
			figure("stall.snapshot", "binary")+" s (rounded)")
	} else if r.Link != nil {
		t.Notes = append(t.Notes, "goal: the limit, counted from when what was sent before the pause has come, and one message more,",
			"in whole steps and one")
	}
	for i := range results {
		m := &results[i]
		if m.stuck != "" {
			row := make([]string, len(t.Columns))
			row[0], row[len(row)-1] = m.label, "stuck"
			t.Rows = append(t.Rows, row)
			continue
		}
		limit := "none"
		if m.hasLimit {
			limit = sim.Decimal(int64((m.limit+base.Microsecond-1)/base.Microsecond), 6)
		}
		caughtUp, bytes := sim.Seconds(m.caughtUp), itoa(m.bytes)
		row := []string{m.label, sim.Decimal(int64(m.snapshot/base.Millisecond), 3), caughtUp, limit}
		if plan.figures {
			f, b := m.figure(plan, ""), m.figure(plan, ".bytes")
			row = append(row, f, ratio(caughtUp, f), bytes, b, ratio(bytes, b))
		} else {
			goal, _ := m.goals(r, plan)
			text := ""
			if goal >= 0 {
				text = sim.Seconds(base.Duration(goal))
			}
			row = append(row, text, bytes)
		}
		t.Rows = append(t.Rows, append(row, m.verdict(r, plan, report)))
	}
	return t
}

// verdict says in a word how a case did.
func (m *measured) verdict(r *sim.Run, plan tabPlan, report *sim.Report) string {
	for _, row := range report.Rows {
		if row.Missed && (row.ID == m.id || len(row.ID) > len(m.id) && row.ID[:len(m.id)+1] == m.id+".") {
			return "MISSED " + row.ID[len(m.id):]
		}
	}
	goal, bytes := m.goals(r, plan)
	switch {
	case goal < 0:
		return "no goal"
	case bytes < 0:
		return "within"
	case int64(m.caughtUp) < goal || m.bytes < bytes:
		return "ahead"
	}
	return "level"
}

func pauseTable(results []measured) sim.Table {
	t := sim.Table{
		Title: "In the pause, at the provider",
		Columns: []string{
			"case", ">missed text B", ">pending B, peak", ">ops, peak", ">messages", ">folded", ">encoded", ">once full", ">token B",
		},
		Notes: []string{
			"missed text: what the tab lacks when the pause ends; messages, folded: state messages sent and commits",
			"folded, from the start of the pause until caught up",
			"encoded: encodings of the document in the pause, as the codec counts them, and of those once the window was full",
			"token: bytes of a streamed token's message, in a step before the pause that brought the tab one message, one revision",
		},
	}
	for i := range results {
		m := &results[i]
		if m.stuck == "" {
			t.Rows = append(t.Rows, []string{
				m.label, itoa(m.missed), strconv.Itoa(m.pending), strconv.Itoa(m.ops), itoa(m.messages), itoa(m.folded),
				itoa(m.encodes), itoa(m.afterFull), dashed(m.token),
			})
		}
	}
	return t
}

// wallTables show what differs from machine to machine.
func wallTables(r *sim.Run, plan tabPlan, results []measured) []sim.Table {
	commits := sim.Table{
		Title:   "Commit at the worker, measured here (figures: another machine and language)",
		Columns: []string{"case", ">outside the pause µs", ">figure", ">ratio", ">in the pause µs", ">figure", ">ratio"},
		Notes:   []string{"mean wall time of a commit's turn, its flush included"},
	}
	turns := sim.Table{
		Title:   "Longest turn and heap, measured here",
		Columns: []string{"case", ">longest turn µs", ">figure", ">ratio", ">heap growth B", ">figure", ">ratio"},
		Notes: []string{
			"longest turn: of the worker for one message, from the end of the pause until caught up",
			"heap growth: in the pause, of the whole process after a full collection; no ratio to a figure that shrank",
		},
	}
	for i := range results {
		m := &results[i]
		if m.stuck != "" || r.Wall == nil {
			continue
		}
		micros := func(id string, ns int64) []string {
			ref := m.figure(plan, id)
			return []string{sim.Decimal(ns/10, 2), thousandfold(ref), ratio(millis(ns), ref)}
		}
		commits.Rows = append(commits.Rows,
			slices.Concat([]string{m.label}, micros(".commit.out", mean(m.out)), micros(".commit.in", mean(m.in))))
		heap := m.figure(plan, ".heap")
		turns.Rows = append(turns.Rows,
			slices.Concat([]string{m.label}, micros(".handle", m.handle), []string{itoa(m.heap), heap, ratio(itoa(m.heap), heap)}))
	}
	return []sim.Table{commits, turns}
}

// figure returns the seed document's figure for the case, or "" where the run is not comparable.
func (m *measured) figure(plan tabPlan, suffix string) string {
	if !plan.figures {
		return ""
	}
	return figure(m.id+suffix, "binary")
}

func mean(w sim.Wall) int64 {
	if w.Turns == 0 {
		return 0
	}
	return w.Total / w.Turns
}

// dashed prints a number, or a dash for 0.
func dashed(n int64) string {
	if n == 0 {
		return "-"
	}
	return itoa(n)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// millis prints nanoseconds in milliseconds.
func millis(ns int64) string { return sim.Decimal(ns, 6) }

// thousandfold prints a decimal number times 1,000.
func thousandfold(s string) string {
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return ""
	}
	return trimZeros(x.Mul(x, big.NewRat(1000, 1)).FloatString(3))
}

func trimZeros(s string) string {
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// ratio prints a ÷ b to two places, or nothing if b is no positive number: decimal numbers as text, so that it is exact.
func ratio(a, b string) string {
	x, ok1 := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	if !ok1 || !ok2 || y.Sign() <= 0 {
		return ""
	}
	return x.Quo(x, y).FloatString(2)
}

func compare(a, b string) int {
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	return x.Cmp(y)
}
