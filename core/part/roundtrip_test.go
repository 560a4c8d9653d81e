package part

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"chordsim/core/base"
)

// TestRoundTrip deflates and inflates parts of all kinds with one Deflater and one Inflater.
func TestRoundTrip(t *testing.T) {
	var d Deflater
	var i Inflater
	rapid.Check(t, func(t *rapid.T) {
		raw := drawPart(t)
		before := []byte(rapid.StringN(0, 10, 10).Draw(t, "before"))
		checkRoundTrip(t, &d, &i, before, raw)
	})
}

// drawPart draws pieces of prose, noise and repetition, of up to a few blocks of the library.
func drawPart(t *rapid.T) []byte {
	var raw []byte
	for range rapid.IntRange(1, 6).Draw(t, "pieces") {
		n := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(16_000, 17_000), rapid.IntRange(0, 140_000)).Draw(t, "bytes")
		label := rapid.StringMatching("[ab]").Draw(t, "label")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			raw = append(raw, prose(n, label)...)
		case 1:
			raw = append(raw, noise(n, label)...)
		case 2:
			unit := rapid.SliceOfN(rapid.Byte(), 1, 12).Draw(t, "unit")
			raw = append(raw, bytes.Repeat(unit, n/len(unit)+1)...)
		case 3:
			raw = append(raw, raw[len(raw)-min(n, len(raw)):]...) // what came before, from within the window or not
		case 4:
			raw = append(raw, make([]byte, n)...)
		}
	}
	return raw
}

// failer is what rapid and testing share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkRoundTrip(t failer, d *Deflater, i *Inflater, before, raw []byte) {
	t.Helper()
	out, ok := d.Append(bytes.Clone(before), raw)
	if !bytes.HasPrefix(out, before) {
		t.Fatalf("what was there before is changed")
	}
	part := out[len(before):]
	if !ok {
		if len(part) > 0 {
			t.Fatalf("refused, and %d bytes are there", len(part))
		}
		return
	}
	if len(raw) <= Threshold || len(part) >= len(raw) {
		t.Fatalf("%d bytes became %d", len(raw), len(part))
	}
	if fresh, _ := new(Deflater).Append(nil, raw); !bytes.Equal(fresh, part) {
		t.Fatalf("%d bytes became %d, with a new Deflater %d", len(raw), len(part), len(fresh))
	}
	if size, err := Size(part); size != len(raw) || err != nil {
		t.Fatalf("%d bytes declare %d, %v", len(raw), size, err)
	}
	if got, err := i.Inflate(part, len(raw)); err != nil || !bytes.Equal(got, raw) {
		t.Fatalf("%d bytes became %d, and then %d: %v", len(raw), len(part), len(got), err)
	}
	if _, err := i.Inflate(part, len(raw)-1); base.CodeOf(err) != base.CodeLimit {
		t.Fatalf("%d bytes under a limit of one less: %v", len(raw), err)
	}
}
