package delta_test

import (
	"fmt"
	"testing"

	"chordsim/core/delta"
)

func readGolden(t *testing.T) (streams [][]goldenBatch) {
	t.Helper()
	if *rewrite {
		t.Skip("the vectors are being rewritten")
	}
	readJSONFile(t, goldenFile, &streams)
	return streams
}

// TestGoldenReads reads the file as a peer would: what it holds, and not what made it, is the contract.
func TestGoldenReads(t *testing.T) {
	for i, stream := range readGolden(t) {
		var encoder delta.WireEncoder
		var decoder delta.WireDecoder
		var history [][]byte
		value := mustRead(t, string(stream[0].Base))
		for j, b := range stream {
			if before := mustRead(t, string(b.Base)); !before.Equal(value) {
				t.Fatalf("stream %d, batch %d begins at %v, the one before ends at %v", i, j, before, value)
			}
			ops, err := decoder.ParseJSON(b.Wire)
			if got := string(delta.AppendOpsJSON(nil, ops)); err != nil || got != string(b.Ops) {
				t.Fatalf("stream %d, batch %d: %s is decoded to %s (%v), want %s", i, j, b.Wire, got, err, b.Ops)
			}
			if got := string(encoder.AppendJSON(nil, ops)); got != string(b.Wire) {
				t.Fatalf("stream %d, batch %d: %s is encoded to %s, want %s", i, j, b.Ops, got, b.Wire)
			}
			if value, err = delta.Apply(value, ops); err != nil || value.String() != string(b.Value) {
				t.Fatalf("stream %d, batch %d: %s leads to %v (%v), want %s", i, j, b.Ops, value, err, b.Value)
			}
			history = append(history, b.Wire)
			for _, c := range b.Taken {
				ops, err := decoderAfter(t, history).ParseJSON(c.Wire)
				if got := string(delta.AppendOpsJSON(nil, ops)); err != nil || got != string(c.Ops) {
					t.Errorf("stream %d: %s is decoded to %s (%v), want %s", i, c.Wire, got, err, c.Ops)
				}
			}
			for _, c := range b.Refused {
				ops, err := decoderAfter(t, history).ParseJSON(c.Wire)
				var after delta.Value
				if err == nil {
					after, err = delta.Apply(value, ops)
				}
				if err == nil {
					t.Errorf("stream %d: %s is taken, for %v; want %q", i, c.Wire, after, c.Why)
				} else if got := goldenReason(err); got != c.Why {
					t.Errorf("stream %d: %.100s is refused as %q, want %q", i, c.Wire, got, c.Why)
				}
			}
		}
	}
}

// decoderAfter returns a decoder that has read the batches: one that refused a batch is of no more use.
func decoderAfter(t *testing.T, history [][]byte) *delta.WireDecoder {
	t.Helper()
	var decoder delta.WireDecoder
	for _, wire := range history {
		if _, err := decoder.ParseJSON(wire); err != nil {
			t.Fatal(err)
		}
	}
	return &decoder
}

// TestGoldenCovers wants in the file each op in each of its forms, and each refusal that fits into a small JSON file.
func TestGoldenCovers(t *testing.T) {
	missing := map[string]bool{"r": true, "#": true, "taken": true}
	for _, code := range allCodes {
		if code != delta.OpReplace {
			missing[code.String()+" inline"], missing[code.String()+" by id"], missing[code.String()+" short"] = true, true, true
		}
	}
	for _, reason := range refusalReasons {
		missing[reason.name] = true
	}
	missing["nested too deep"] = true
	delete(missing, "no JSON")
	streams := readGolden(t)
	for _, stream := range streams {
		for _, b := range stream {
			for _, tuple := range mustRead(t, string(b.Wire)).Elements() {
				delete(missing, tupleForm(tuple))
			}
			for _, c := range b.Refused {
				delete(missing, c.Why)
			}
			if len(b.Taken) > 0 {
				delete(missing, "taken")
			}
		}
	}
	for what := range missing {
		t.Errorf("%s has no %q", goldenFile, what)
	}
	if len(streams) != goldenStreams {
		t.Errorf("%d streams, want %d", len(streams), goldenStreams)
	}
}

// tupleForm returns the code of a wire tuple and how it says its path.
func tupleForm(tuple delta.Value) string {
	first, _ := tuple.Index(0)
	code := first.Text().String()
	arguments := map[string]int{"s": 1, "a": 1, "t": 1, "p": 3, "m": 1}[code]
	ref, _ := tuple.Index(1)
	switch {
	case code == "r" || code == "#":
		return code
	case tuple.Len() == 1+arguments:
		return code + " short"
	case ref.Kind() == delta.KindNumber:
		return code + " by id"
	}
	return code + " inline"
}

// TestInteropGolden has the npm package read the file. It has no limit of its own on levels.
func TestInteropGolden(t *testing.T) {
	p := startPeer(t)
	for i, stream := range readGolden(t) {
		p.ask("start", "value", string(stream[0].Base))
		history := ""
		for j, b := range stream {
			a := p.ask("batch", "wire", string(b.Wire))
			for _, part := range []struct{ name, got, want string }{
				{"ops", string(a.Ops), string(b.Ops)}, {"wire", string(a.Wire), string(b.Wire)}, {"value", string(a.Value), string(b.Value)},
			} {
				if a.Error != "" || !mustRead(t, part.got).Equal(mustRead(t, part.want)) {
					t.Fatalf("stream %d, batch %d, %s:\n got %s %s\nwant %s", i, j, part.name, part.got, a.Error, part.want)
				}
			}
			if history != "" {
				history += ","
			}
			history += string(b.Wire)
			judge := func(wire []byte) answer {
				return p.ask("judge", "base", string(b.Value), "text", quote(string(wire)), "form", `"wire"`, "history", "["+history+"]")
			}
			for _, c := range b.Taken {
				after, err := applyText(t, b.Value, c.Ops)
				if a := judge(c.Wire); err != nil || !mustRead(t, string(a.Value)).Equal(after) {
					t.Errorf("stream %d: %s leads to %s %s%s, want %v (%v)", i, c.Wire, a.Value, a.Refused, a.Error, after, err)
				}
			}
			for _, c := range b.Refused {
				if a := judge(c.Wire); a.Error != "" || a.Refused == "" && c.Why != "nested too deep" {
					t.Errorf("stream %d: %.100s, refused here as %q: %.100s %s%s", i, c.Wire, c.Why, a.Value, a.Refused, a.Error)
				}
			}
		}
	}
}

func applyText(t *testing.T, value, ops []byte) (delta.Value, error) {
	t.Helper()
	parsed, err := delta.ParseOpsJSON(ops)
	if err != nil {
		return delta.Null(), fmt.Errorf("%s: %w", ops, err)
	}
	return delta.Apply(mustRead(t, string(value)), parsed)
}
