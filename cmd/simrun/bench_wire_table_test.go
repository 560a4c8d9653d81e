package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// leftOut are the figures of slices 3a and 4b that need links, or are counts of messages.
var leftOut = regexp.MustCompile(`^(hold1000|hold500k|stream\.append|deflate\.(hold|call)\.(none|sync|async)|deflate\.1.*|.*\.(first|frame|rtt|messages|encodes)|holds1?[01]?\.heap)$`)

// figures3a4b reads the figures of both slices: value and unit by id and variant.
func figures3a4b(t *testing.T) map[wireKey][2]string {
	t.Helper()
	table, err := os.ReadFile("../../scenarios/figures.tsv")
	if err != nil {
		t.Fatal(err)
	}
	figures := map[wireKey][2]string{}
	for line := range strings.Lines(string(table)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 7 && (f[1] == "3a" || f[1] == "4b") {
			figures[wireKey{f[0], f[3]}] = [2]string{f[4], f[5]}
		}
	}
	return figures
}

// TestWireFiguresAreThoseOfTheTable wants every figure beside its line, unless it is left out, and no figure that is not one.
func TestWireFiguresAreThoseOfTheTable(t *testing.T) {
	figures := figures3a4b(t)
	if len(figures) < 90 {
		t.Fatalf("%d figures", len(figures))
	}
	used := map[wireKey]bool{}
	for _, l := range wireLines("") {
		key := wireKey{l.ID, l.Variant}
		if base, ok := strings.CutSuffix(l.ID, ".body"); ok {
			key.id = base + ".wire" // the same figure: there a message has no chunks
		}
		f, ok := figures[key]
		if !ok {
			key.variant = "both"
			f, ok = figures[key]
		}
		switch {
		case !ok && l.Figure != nil:
			t.Errorf("%s, %s: there is no such figure as %v", l.ID, l.Variant, *l.Figure)
		case ok && l.Figure == nil:
			t.Errorf("%s, %s: the figure %s is not shown", l.ID, l.Variant, f[0])
		case ok:
			used[key] = true
			if value, err := strconv.ParseFloat(f[0], 64); err != nil || value != *l.Figure || f[1] != l.Unit && key.id != "deflate.threshold" {
				t.Errorf("%s, %s: the figure is %v %s, want %s %s", l.ID, l.Variant, *l.Figure, l.Unit, f[0], f[1])
			}
		}
	}
	for key := range figures {
		if used[key] == leftOut.MatchString(key.id) {
			t.Errorf("%s, %s: shown: %v; left out: %v", key.id, key.variant, used[key], leftOut.MatchString(key.id))
		}
	}
}

// TestWireGoals wants the goals that were set, and none in text to be worse than its figure.
func TestWireGoals(t *testing.T) {
	goals := map[wireKey]float64{}
	for _, l := range wireLines("") {
		if l.Goal == nil {
			continue
		}
		goals[wireKey{l.ID, l.Variant}] = *l.Goal
		if l.Figure != nil && *l.Goal > *l.Figure {
			t.Errorf("%s, %s: the goal %v is worse than the figure %v", l.ID, l.Variant, *l.Goal, *l.Figure)
		}
	}
	for id, want := range map[string]float64{
		"stream.wire": 12, "field.wire": 16, "remove.wire": 12, "append.wire": 120, "call.wire": 10, "result.wire": 5,
		"hold1000.wire": 107520, "hold500k.wire": 496640, "call1mib.wire": 24, "call1mib.headers": 2097.152, "origin": 2,
		"stream.encode.allocs": 1, "stream.decode.allocs": 3, "call1mib.decode.bytes": 512, "json.hold1000.encode.times": 6,
		"deflate.threshold": 16384,
	} {
		if got, ok := goals[wireKey{id, "binary"}]; !ok || got != want {
			t.Errorf("the goal of %s is %v, want %v", id, got, want)
		}
	}
}

// TestWireLinesBelongToOneGroup: what no group measures would have no value.
func TestWireLinesBelongToOneGroup(t *testing.T) {
	seen := map[wireKey]bool{}
	for _, l := range wireLines("") {
		n := 0
		for i := range wireGroups {
			if wireGroups[i].has(l.ID) {
				n++
			}
		}
		if key := (wireKey{l.ID, l.Variant}); n != 1 || seen[key] {
			t.Errorf("%s, %s: %d groups, there before: %v", l.ID, l.Variant, n, seen[key])
		} else {
			seen[key] = true
		}
	}
}
