package delta

import (
	"encoding/json"
	"os"
	"testing"
)

const vectorsFile = "../../../shared/data/delta-vectors.json"

// vector is one batch of a stream as the JavaScript package made it.
type vector struct {
	Base, Ops, Wire, Value json.RawMessage
}

// TestVectors replays streams of the JavaScript package: its ops lead to its values, and its wire form is ours.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Skipf("no vectors of the JavaScript package: %v", err)
	}
	var streams [][]vector
	if err := json.Unmarshal(raw, &streams); err != nil {
		t.Fatal(err)
	}
	for i, stream := range streams {
		var enc WireEncoder
		var dec WireDecoder
		var fold Fold
		first := mustParse(t, string(stream[0].Base))
		last := first
		for j, batch := range stream {
			base, want := mustParse(t, string(batch.Base)), mustParse(t, string(batch.Value))
			ops, err := ParseOpsJSON(batch.Ops)
			if err != nil {
				t.Fatalf("stream %d batch %d: %v", i, j, err)
			}
			if got := string(AppendOpsJSON(nil, ops)); got != string(batch.Ops) {
				t.Fatalf("stream %d batch %d: ops written again\n got %s\nwant %s", i, j, got, batch.Ops)
			}
			got, err := Apply(base, ops)
			if err != nil || !got.Equal(want) || got.Hash() != want.Hash() {
				t.Fatalf("stream %d batch %d: value\n got %v (%v)\nwant %v", i, j, got, err, want)
			}
			if got := string(enc.AppendJSON(nil, ops)); got != string(batch.Wire) {
				t.Fatalf("stream %d batch %d: wire\n got %s\nwant %s", i, j, got, batch.Wire)
			}
			decoded, err := dec.ParseJSON(batch.Wire)
			if err != nil || string(AppendOpsJSON(nil, decoded)) != string(batch.Ops) {
				t.Fatalf("stream %d batch %d: decoded %v (%v)", i, j, decoded, err)
			}
			last = got
			fold.Add(ops, got)
			if folded, err := Apply(first, fold.Ops(last)); err != nil || !folded.Equal(last) {
				t.Fatalf("stream %d batches to %d: folded %v (%v)\n got %v\nwant %v", i, j, fold.Ops(last), err, folded, last)
			}
		}
	}
}

func mustParse(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) Value {
	t.Helper()
	v, err := ParseJSON([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func mustOps(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) []Op {
	t.Helper()
	ops, err := ParseOpsJSON([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return ops
}
