package delta_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/vectors/delta.json from the tree")

const (
	goldenFile = "../../testdata/vectors/delta.json"
	goldenSeed = 1
	// goldenStreams is how many streams there are: the scripts, then as many random ones as are missing.
	goldenStreams = 42
	// goldenText bounds a batch of a random stream, in bytes of its value and its ops.
	goldenText = 600
)

// goldenBatch is one batch of a stream in the file. The first four are what "simrun vectors" reads; the others are read here
// and by the npm package. About is only with a stream's first batch, taken and refused only with its last.
type goldenBatch struct {
	About   string          `json:"about"`
	Base    json.RawMessage `json:"base"`
	Ops     json.RawMessage `json:"ops"`
	Wire    json.RawMessage `json:"wire"`
	Value   json.RawMessage `json:"value"`
	Taken   []goldenTaken   `json:"taken"`
	Refused []goldenRefusal `json:"refused"`
}

type goldenTaken struct {
	Wire json.RawMessage `json:"wire"`
	Ops  json.RawMessage `json:"ops"`
}

type goldenRefusal struct {
	Wire json.RawMessage `json:"wire"`
	Why  string          `json:"why"`
}

// TestGoldenVectors makes the vectors anew and compares: an encoder that writes other bytes, or an op that leads to another
// value, breaks peers and stored documents.
func TestGoldenVectors(t *testing.T) {
	got := goldenVectors(t)
	if *rewrite {
		if err := os.WriteFile(goldenFile, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || !bytes.Equal(g[i], w[i]) {
			t.Fatalf("%s:%d:\n got %s\nwant %s\nIf that is meant: go test ./core/delta -rewrite, and review the diff.",
				goldenFile, i+1, line(g, i), line(w, i))
		}
	}
}

func line(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "(the end)"
	}
	return string(lines[i])
}

// goldenVectors returns the file: a list of streams, one batch a line.
func goldenVectors(t *testing.T) []byte {
	t.Helper()
	var out []byte
	for i := range goldenStreams {
		separator := "[\n[\n"
		if i > 0 {
			separator = "\n],\n[\n"
		}
		out = append(out, separator...)
		if i < len(scripts) {
			out = appendScript(t, out, scripts[i])
		} else {
			out = appendRandom(t, out, i)
		}
	}
	return append(out, "\n]\n]\n"...)
}

func appendScript(t *testing.T, out []byte, s script) []byte {
	t.Helper()
	value := mustRead(t, s.base)
	var encoder delta.WireEncoder
	for i, text := range s.batches {
		ops, err := delta.ParseOpsJSON([]byte(text))
		if err != nil {
			t.Fatalf("%s: %s: %v", s.about, text, err)
		}
		next, err := delta.Apply(value, ops)
		if err != nil {
			t.Fatalf("%s: %v", s.about, err)
		}
		about := ""
		if i == 0 {
			about = s.about
		} else {
			out = append(out, ",\n"...)
		}
		out = appendBatch(out, about, value, ops, encoder.AppendJSON(nil, ops), next)
		value = next
	}
	if len(s.taken)+len(s.refused) == 0 {
		return out
	}
	out = bytes.TrimSuffix(out, []byte("}"))
	for i, wire := range s.taken {
		decoder := goldenDecoder(t, s)
		ops, err := decoder.ParseJSON([]byte(wire))
		if err != nil {
			t.Fatalf("%s: %s: %v", s.about, wire, err)
		}
		out = fmt.Appendf(out, `%s{"wire":%s,"ops":%s}`, opening(i, "taken"), wire, delta.AppendOpsJSON(nil, ops))
	}
	if len(s.taken) > 0 {
		out = append(out, ']')
	}
	for i, r := range s.refused {
		out = fmt.Appendf(out, `%s{"wire":%s,"why":%s}`, opening(i, "refused"), r.wire, quote(r.why))
	}
	if len(s.refused) > 0 {
		out = append(out, ']')
	}
	return append(out, '}')
}

// opening returns what stands before element i of a list that is a field.
func opening(i int, name string) string {
	if i > 0 {
		return ","
	}
	return `,"` + name + `":[`
}

// goldenDecoder returns a decoder that has read the script's batches.
func goldenDecoder(t *testing.T, s script) *delta.WireDecoder {
	t.Helper()
	var encoder delta.WireEncoder
	var decoder delta.WireDecoder
	for _, text := range s.batches {
		ops, err := delta.ParseOpsJSON([]byte(text))
		if err == nil {
			_, err = decoder.ParseJSON(encoder.AppendJSON(nil, ops))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return &decoder
}

func appendBatch(out []byte, about string, before delta.Value, ops []delta.Op, wire []byte, after delta.Value) []byte {
	out = append(out, '{')
	if about != "" {
		out = append(append(append(out, `"about":`...), quote(about)...), ',')
	}
	return fmt.Appendf(out, `"base":%s,"ops":%s,"wire":%s,"value":%s}`, before, delta.AppendOpsJSON(nil, ops), wire, after)
}

// appendRandom writes the first small stream of random batches under a number.
func appendRandom(t *testing.T, out []byte, stream int) []byte {
	t.Helper()
	for try := range 1000 {
		s := newSource(t, draws{base.NewRand(goldenSeed).Stream("vectors", strconv.Itoa(stream), strconv.Itoa(try))})
		var lines []byte
		small := true
		for i := 0; i < 4 && small; i++ {
			before := s.value
			ops := s.batch()
			small = len(delta.AppendOpsJSON(nil, ops))+len(s.value.String()) < goldenText
			if i > 0 {
				lines = append(lines, ",\n"...)
			}
			lines = appendBatch(lines, "", before, ops, s.encoder.AppendJSON(nil, ops), s.value)
		}
		if small {
			return append(out, lines...)
		}
	}
	t.Fatalf("no stream %d is small", stream)
	return nil
}

func mustRead(t *testing.T, text string) delta.Value {
	t.Helper()
	v, err := delta.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// goldenReason returns the name of the reason of a refusal.
func goldenReason(err error) string {
	if errors.Is(err, delta.ErrDepth) {
		return "nested too deep"
	}
	if i := reasonOf(err); i >= 0 {
		return refusalReasons[i].name
	}
	return fmt.Sprint(err)
}
