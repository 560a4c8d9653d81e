package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// linksFigures reads the figures that need links: those of slice 3b, and those of slice 3a that the bench of messages has not.
func linksFigures(t *testing.T) map[wireKey][2]string {
	t.Helper()
	table, err := os.ReadFile("../../scenarios/figures.tsv")
	if err != nil {
		t.Fatal(err)
	}
	figures := map[wireKey][2]string{}
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 7 || f[1] != "3b" && (f[1] != "3a" || !leftOut.MatchString(f[0]) && f[0] != "stream.wire" && f[0] != "stream.total") {
			continue
		}
		variants := []string{f[3]}
		if f[3] == "both" {
			variants = []string{"binary", "text"}
		}
		for _, v := range variants {
			figures[wireKey{f[0], v}] = [2]string{f[4], f[5]}
		}
	}
	return figures
}

// TestLinksFiguresAreThoseOfTheTable wants every figure beside its line, and no figure that is not one.
func TestLinksFiguresAreThoseOfTheTable(t *testing.T) {
	figures := linksFigures(t)
	if len(figures) < 45 {
		t.Fatalf("%d figures", len(figures))
	}
	for _, l := range linksLines("") {
		key := wireKey{l.ID, l.Variant}
		f, ok := figures[key]
		if ok != (l.Figure != nil) {
			t.Errorf("%s, %s: in the table of figures: %v; shown: %v", l.ID, l.Variant, ok, l.Figure != nil)
		}
		if !ok {
			continue
		}
		delete(figures, key)
		value, err := strconv.ParseFloat(f[0], 64)
		unit := f[1]
		switch {
		case unit == "ms" && l.Unit == "us":
			value, unit = value*1000, "us"
		case unit == "bool":
			unit = "1"
		}
		if err != nil || thousandths(value) != *l.Figure || unit != l.Unit {
			t.Errorf("%s, %s: the figure is %v %s, want %s %s", l.ID, l.Variant, *l.Figure, l.Unit, f[0], f[1])
		}
	}
	for key := range figures {
		t.Errorf("%s, %s has no line", key.id, key.variant)
	}
}

// TestLinksGoals wants the goals that were set, and none that is worse than its figure but the one that both kinds of heap have.
func TestLinksGoals(t *testing.T) {
	goals := map[wireKey]float64{}
	for _, l := range linksLines("") {
		if l.Goal == nil {
			continue
		}
		goals[wireKey{l.ID, l.Variant}] = *l.Goal
		if l.Figure != nil && *l.Goal > *l.Figure && l.ID != "holds1.heap" {
			t.Errorf("%s, %s: the goal %v is worse than the figure %v", l.ID, l.Variant, *l.Goal, *l.Figure)
		}
	}
	for id, want := range map[string]float64{
		"call.rtt": 2, "call.allocs": 12, "stream.frame": 3, "append.frame": 5, "field.frame": 5, "hold1000": 300, "hold500k": 350,
		"call1mib.rtt": 150, "holds1.heap": 163840, "holds10.heap": 163840, "holds.shared.heap": 2048, "parked1000.order": 1,
	} {
		for _, c := range linksCodecs {
			if got, ok := goals[wireKey{id, c.String()}]; !ok || got != want {
				t.Errorf("the goal of %s, %s is %v, want %v", id, c, got, want)
			}
		}
	}
}

// TestLinksLinesBelongToOneGroup: what no group measures would have no value.
func TestLinksLinesBelongToOneGroup(t *testing.T) {
	seen := map[wireKey]bool{}
	for _, l := range linksLines("") {
		n := 0
		for i := range linksGroups {
			if linksGroups[i].has(l.ID) {
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
