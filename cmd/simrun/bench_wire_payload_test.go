package main

import (
	"os"
	"strings"
	"testing"
)

// TestWirePayloads wants the sizes that the figures are of.
func TestWirePayloads(t *testing.T) {
	for what, c := range map[string][2]int{
		"notes list":   {len(notesList().String()), 136_891},
		"500 KB":       {len(notes500KB().String()), 508_391},
		"500 KB prose": {len(prose500KB().String()), 506_701},
		"1 MiB prose":  {len(proseMebibyte()), 1_048_576},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d bytes, want %d", what, c[0], c[1])
		}
	}
}

// TestWireProseIsThatOfScenarios compares the vocabularies, and the beginning of a text that is pinned there.
func TestWireProseIsThatOfScenarios(t *testing.T) {
	source, err := os.ReadFile("../../scenarios/prose.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "strings.Fields(`")
	list, _, ok := strings.Cut(list, "`)")
	if got, want := strings.Join(wireWords, " "), strings.Join(strings.Fields(list), " "); !ok || got != want {
		t.Errorf("the words are %s, want %s", got, want)
	}
	if got, want := wireProse("0", 60), "branch while deployment while that already 99.5% 64KiB utf-8"; got != want {
		t.Errorf("prose begins %q, want %q", got, want)
	}
}
