package main

import (
	"fmt"
	"slices"
	"strings"

	"chordsim/core/wire"
)

// linksCmd measures what the core costs where hosts are joined by memory: everything is encoded and decoded, and nothing
// else happens.
type linksCmd struct {
	JSON   bool   `name:"json" help:"Print the figures as JSON."`
	Filter string `placeholder:"PREFIX" help:"Measure only what has an id that begins so, such as stream or call.rtt."`
	Quick  bool   `help:"Short measurements: counts and bytes are as good, times less so."`
}

// Run measures and prints the report.
func (c *linksCmd) Run(e *env) error {
	plan := &fullLinks
	if c.Quick {
		plan = &quickLinks
	}
	report := &linksReport{
		Bench:    "links",
		Headline: fmt.Sprintf("links · two hosts joined by memory, all messages encoded and decoded · medians over %d rounds", plan.rounds),
		Rows:     linksLines(c.Filter),
		Notes:    linksNotes,
	}
	if len(report.Rows) == 0 {
		return fmt.Errorf("bench links: --filter %q: no id begins so; there are %s", c.Filter, strings.Join(linksGroupIDs(), ", "))
	}
	p := newProgress(e.stderr)
	err := plan.run(report, p)
	p.done()
	report.Reproduce = "go run ./cmd/simrun bench links"
	if c.Quick {
		report.Reproduce += " --quick"
	}
	if c.Filter != "" {
		report.Reproduce += " --filter " + quoted(c.Filter)
	}
	if err != nil {
		return &brokenError{fmt.Errorf("bench links: %w", err), report.Reproduce}
	}
	return report.write(e, c.JSON)
}

// linksCount measures what depends on no clock.
type linksCount func(plan *linksPlan, c wire.Codec, into linksValues) error

// linksGroup is what is measured together.
type linksGroup struct {
	ids    []string // what the ids of its lines begin with, up to a point
	times  []linksTimed
	counts []linksCount
}

// Of edits a round does so many that the list has about 1,000 items throughout, and ids of one length.
var linksGroups = []linksGroup{
	{ids: []string{"hold1000"}, times: holdTimes("hold1000", notesList)},
	{ids: []string{"hold500k"}, times: append(holdTimes("hold500k", notes500KB), copyTimes("hold500k", 10, 10, 3, sizeOf500KB))},
	{ids: []string{"append"}, times: frameTimes("append", 8, 10), counts: []linksCount{anyPlan(measureCommits)}},
	{ids: []string{"field"}, times: frameTimes("field", 8, 10)},
	{ids: []string{"remove"}, times: frameTimes("remove", 8, 10)},
	{
		ids: []string{"stream"}, times: frameTimes("stream", 20, streamed/20),
		counts: []linksCount{anyPlan(measureReply), (*linksPlan).measureTokenAllocs},
	},
	{ids: []string{"call"}, times: callTimes("call", 10, 200, smallCaller), counts: []linksCount{(*linksPlan).measureCallAllocs}},
	{ids: []string{"call1mib"}, times: append(callTimes("call1mib", 5, 4, mebibyteCaller), copyTimes("call1mib", 5, 4, 2, sizeOfMebibyte)), counts: []linksCount{(*linksPlan).measureMebibyteAllocs}},
	{
		ids:    []string{"holds1", "holds10", "holds"},
		counts: []linksCount{(*linksPlan).measureHeap, anyPlan(measureHolds)},
	},
	{ids: []string{"reconnect1"}, times: reconnectTimes("reconnect1", 1, 5), counts: []linksCount{reconnectBytes("reconnect1", 1)}},
	{ids: []string{"reconnect100"}, times: reconnectTimes("reconnect100", 100, 1), counts: []linksCount{reconnectBytes("reconnect100", 100)}},
	{ids: []string{"parked1000"}, times: parkedTimes(), counts: []linksCount{anyPlan(measureParkedOrder)}},
}

// anyPlan is a count that is the same however much is measured.
func anyPlan(measure func(c wire.Codec, into linksValues) error) linksCount {
	return func(_ *linksPlan, c wire.Codec, into linksValues) error { return measure(c, into) }
}

// has reports whether a line belongs to the group.
func (g *linksGroup) has(id string) bool {
	return slices.ContainsFunc(g.ids, func(prefix string) bool { return id == prefix || strings.HasPrefix(id, prefix+".") })
}

func linksGroupIDs() []string {
	var list []string
	for i := range linksGroups {
		list = append(list, linksGroups[i].ids...)
	}
	return list
}

// run measures what the report's lines need, and fills in their values.
func (plan *linksPlan) run(report *linksReport, p *progress) error {
	var groups []*linksGroup
	total, done := 0, 0
	for i := range linksGroups {
		g := &linksGroups[i]
		if slices.ContainsFunc(report.Rows, func(l linksLine) bool { return g.has(l.ID) }) {
			groups = append(groups, g)
			total += plan.steps(g)
		}
	}
	step := func(what string) {
		p.show(done, total, what)
		done++
	}
	values := linksValues{}
	for _, g := range groups {
		if err := plan.runGroup(g, values, step); err != nil {
			return err
		}
	}
	for i := range report.Rows {
		l := &report.Rows[i]
		value, ok := values[wireKey{l.ID, l.Variant}]
		if !ok {
			return fmt.Errorf("nothing measured %s, %s", l.ID, l.Variant)
		}
		l.fill(value)
	}
	return nil
}

// steps is how often a group shows its progress.
func (plan *linksPlan) steps(g *linksGroup) int {
	n := len(g.counts)
	if len(g.times) > 0 {
		n += plan.rounds
	}
	return n
}

func (plan *linksPlan) runGroup(g *linksGroup, into linksValues, step func(string)) error {
	for _, count := range g.counts {
		step(g.ids[0])
		for _, c := range linksCodecs {
			if err := count(plan, c, into); err != nil {
				return fmt.Errorf("%s, %s: %w", g.ids[0], c, err)
			}
		}
	}
	if len(g.times) == 0 {
		return nil
	}
	return plan.measureTimes(g.times, into, step)
}
