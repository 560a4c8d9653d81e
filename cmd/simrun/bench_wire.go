package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chordsim/core/delta"
	"chordsim/core/wire"
)

// wireCmd measures messages: their bytes as hosts send them, and what it costs to write and to read them.
type wireCmd struct {
	JSON   bool   `name:"json" help:"Print the figures as JSON."`
	Filter string `placeholder:"PREFIX" help:"Measure only what has an id that begins so, such as stream or hold1000.wire."`
	Quick  bool   `hidden:"" help:"Short measurements, to see that it works."`
}

// Run measures and prints the report.
func (c *wireCmd) Run(e *env) error {
	plan := &fullWire
	if c.Quick {
		plan = &quickWire
	}
	report := &wireReport{
		Bench:    "wire",
		Headline: fmt.Sprintf("wire · messages as two hosts send them, and through the codec alone · medians of %d blocks of %v", plan.rounds, plan.block),
		Rows:     wireLines(c.Filter),
		Notes:    wireNotes,
	}
	if len(report.Rows) == 0 {
		return fmt.Errorf("bench wire: --filter %q: no id begins so; there are %s", c.Filter, strings.Join(wireGroupIDs(), ", "))
	}
	p := newProgress(e.stderr)
	err := plan.run(report, p)
	p.done()
	report.Reproduce = "go run ./cmd/simrun bench wire"
	if c.Filter != "" {
		report.Reproduce += " --filter " + quoted(c.Filter)
	}
	if err != nil {
		return &brokenError{fmt.Errorf("bench wire: %w", err), report.Reproduce}
	}
	return report.write(e, c.JSON)
}

// wireGroup is what is measured together.
type wireGroup struct {
	ids   []string // what the ids of its lines begin with, up to a point
	bytes func(c wire.Codec, into wireValues) error
	times func(plan *wirePlan, into wireValues, step func(string)) error // nil: nothing is timed
}

var wireGroups = []wireGroup{
	snapshotGroup("hold1000", notesList),
	snapshotGroup("hold500k", notes500KB),
	editGroup("append"), editGroup("field"), editGroup("remove"), editGroup("stream"),
	{
		ids: []string{"call", "result"}, bytes: measureCalls,
		times: codecTimes(func(c wire.Codec) (map[string]wireCodec, error) {
			return map[string]wireCodec{"call": callCodec(c), "result": resultCodec(c)}, nil
		}),
	},
	{
		ids: []string{"call1mib"}, bytes: measureMebibyte,
		times: codecTimes(func(c wire.Codec) (map[string]wireCodec, error) {
			return map[string]wireCodec{"call1mib": mebibyteCodec(c)}, nil
		}),
	},
	{ids: []string{"origin"}, bytes: measureOrigin},
	{
		ids: []string{"deflate", "inflate"},
		bytes: func(c wire.Codec, into wireValues) error {
			if err := measureDeflated(c, into); err != nil {
				return err
			}
			return measureThreshold(c, into)
		},
		times: (*wirePlan).measureDeflating,
	},
}

func snapshotGroup(id string, value func() delta.Value) wireGroup {
	return wireGroup{
		ids:   []string{id, "json." + id},
		bytes: func(c wire.Codec, into wireValues) error { return measureSnapshot(id, value(), c, into) },
		times: func(plan *wirePlan, into wireValues, step func(string)) error {
			return plan.measureBesideJSON(id, value(), into, step)
		},
	}
}

func editGroup(id string) wireGroup {
	edit := &wireEdits[slices.IndexFunc(wireEdits, func(e wireEdit) bool { return e.id == id })]
	return wireGroup{
		ids: []string{id},
		bytes: func(c wire.Codec, into wireValues) error {
			if id == "stream" {
				if err := measureStream(c, into); err != nil {
					return err
				}
			}
			return measureEdit(edit, c, into)
		},
		times: codecTimes(func(c wire.Codec) (map[string]wireCodec, error) {
			m, err := editCodec(c, edit)
			return map[string]wireCodec{id: m}, err
		}),
	}
}

func codecTimes(of func(wire.Codec) (map[string]wireCodec, error)) func(*wirePlan, wireValues, func(string)) error {
	return func(plan *wirePlan, into wireValues, step func(string)) error {
		_, err := plan.measureCodecs(of, nil, into, step)
		return err
	}
}

// has reports whether a line belongs to the group.
func (g *wireGroup) has(id string) bool {
	return slices.ContainsFunc(g.ids, func(prefix string) bool { return id == prefix || strings.HasPrefix(id, prefix+".") })
}

func wireGroupIDs() []string {
	var list []string
	for _, g := range wireGroups {
		list = append(list, g.ids...)
	}
	return list
}

// run measures what the report's lines need, and fills in their values.
func (plan *wirePlan) run(report *wireReport, p *progress) error {
	type job struct {
		group        *wireGroup
		bytes, times bool
	}
	var jobs []job
	total, done := 0, 0
	for i := range wireGroups {
		g := job{group: &wireGroups[i]}
		for _, l := range report.Rows {
			if g.group.has(l.ID) {
				g.bytes, g.times = g.bytes || !l.timed, g.times || l.timed
			}
		}
		if g.bytes {
			total++
		}
		if g.times {
			total += plan.rounds
		}
		jobs = append(jobs, g)
	}
	step := func(what string) {
		p.show(done, total, what)
		done++
	}
	values := wireValues{}
	for _, g := range jobs {
		if g.bytes {
			step(g.group.ids[0])
			for _, c := range []wire.Codec{wire.Binary, wire.Text} {
				if err := g.group.bytes(c, values); err != nil {
					return fmt.Errorf("%s, %s: %w", g.group.ids[0], c, err)
				}
			}
		}
		if g.times {
			if err := g.group.times(plan, values, step); err != nil {
				return err
			}
		}
	}
	for i := range report.Rows {
		l := &report.Rows[i]
		value, ok := values[wireKey{l.ID, l.Variant}]
		if !ok {
			return fmt.Errorf("nothing measured %s, %s", l.ID, l.Variant)
		}
		l.Value = value
	}
	return nil
}

func sortedIDs[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
