package link

import (
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// add gives an assembly a chunk, and checks what comes out: "" for nothing, else the message.
func add(t *testing.T, a *Assembly, h wire.Header, body, want string) {
	t.Helper()
	typ, message, done, err := a.Add(h, []byte(body), 100)
	if err != nil || done != (want != "") || done && string(message) != want {
		t.Errorf("%+v %q: %v %q %v (%v), want %q", h, body, typ, message, done, err, want)
	}
}

func refused(t *testing.T, why string, a *Assembly, h wire.Header, body string, code base.Code) {
	t.Helper()
	if _, _, done, err := a.Add(h, []byte(body), 100); done || base.CodeOf(err) != code {
		t.Errorf("%s: done %v (%v), want %v", why, done, err, code)
	}
}

func begin(typ wire.Type, slot uint8) wire.Header {
	return wire.Header{Type: typ, More: true, Slot: slot}
}
func end1(typ wire.Type, slot uint8) wire.Header { return wire.Header{Type: typ, Slot: slot} }

func TestAssemblyOfInterleavedSlots(t *testing.T) {
	var a Assembly
	add(t, &a, begin(wire.TypeBound, 0), "a", "")
	add(t, &a, begin(wire.TypeResultBulk, 63), "b", "")
	add(t, &a, begin(wire.TypeState, 0), "c", "")
	add(t, &a, end1(wire.TypeState, 0), "alone", "alone") // a state message of one chunk has no slot
	add(t, &a, begin(wire.TypeBulkMore, 63), "bb", "")
	add(t, &a, begin(wire.TypeCallBulk, 5), "d", "")
	add(t, &a, end1(wire.TypeBulkMore, 0), "aa", "aaa")
	add(t, &a, end1(wire.TypeStateMore, 0), "cc", "ccc")
	add(t, &a, end1(wire.TypeCallMore, 5), "dd", "ddd")
	add(t, &a, end1(wire.TypeBulkMore, 63), "bbb", "bbbbbb")
	add(t, &a, end1(wire.TypeBound, 0), "again", "again")
	if typ, _, done, err := a.Add(begin(wire.TypeResultBulk, 0), nil, 100); done || err != nil {
		t.Errorf("a used slot: %v %v", typ, err)
	}
	if typ, message, done, err := a.Add(end1(wire.TypeBulkMore, 0), nil, 100); typ != wire.TypeResultBulk || len(message) != 0 || !done || err != nil {
		t.Errorf("an empty message: %v %q %v (%v)", typ, message, done, err)
	}
	if a.bytes != 0 {
		t.Errorf("%d bytes are held after everything was put together", a.bytes)
	}
}

func TestAssemblyAborts(t *testing.T) {
	var a Assembly
	add(t, &a, begin(wire.TypeBound, 1), "a", "")
	add(t, &a, begin(wire.TypeState, 1), "b", "")
	add(t, &a, end1(wire.TypeBulkAbort, 1), "", "")
	add(t, &a, end1(wire.TypeStateAbort, 1), "", "")
	refused(t, "a chunk after the abort", &a, end1(wire.TypeBulkMore, 1), "x", base.CodeProtocol)
	refused(t, "a second abort", &a, end1(wire.TypeStateAbort, 1), "", base.CodeProtocol)
	add(t, &a, begin(wire.TypeBound, 1), "a", "")
	add(t, &a, end1(wire.TypeBulkMore, 1), "b", "ab")
	if a.bytes != 0 {
		t.Errorf("%d bytes are held", a.bytes)
	}
}

func TestAssemblyRefuses(t *testing.T) {
	cases := []struct {
		why   string
		begun wire.Type
		h     wire.Header
	}{
		{"a later chunk of nothing", 0, end1(wire.TypeBulkMore, 0)},
		{"of another slot", wire.TypeBound, end1(wire.TypeBulkMore, 1)},
		{"of another lane", wire.TypeBound, end1(wire.TypeStateMore, 0)},
		{"of a call, for a snapshot", wire.TypeBound, end1(wire.TypeCallMore, 0)},
		{"of a snapshot, for a call", wire.TypeCallBulk, end1(wire.TypeBulkMore, 0)},
		{"a message in a slot in use", wire.TypeBound, begin(wire.TypeBound, 0)},
		{"a message of one chunk in a slot in use", wire.TypeBound, end1(wire.TypeResultBulk, 0)},
		{"an abort of nothing", 0, end1(wire.TypeStateAbort, 0)},
	}
	for _, c := range cases {
		var a Assembly
		if c.begun != 0 {
			add(t, &a, begin(c.begun, 0), "x", "")
		}
		refused(t, c.why, &a, c.h, "x", base.CodeProtocol)
	}
}

func TestAssemblyLimits(t *testing.T) {
	var a Assembly
	part := strings.Repeat("x", 50)
	add(t, &a, begin(wire.TypeBound, 0), part, "")
	add(t, &a, begin(wire.TypeBulkMore, 0), part, "")
	refused(t, "one byte over the limit", &a, end1(wire.TypeBulkMore, 0), "x", base.CodeLimit)

	a = Assembly{}
	for slot := range uint8(4) { // all of them together have a limit too
		add(t, &a, begin(wire.TypeBound, slot), part, "")
	}
	refused(t, "one byte over twice the limit", &a, begin(wire.TypeState, 0), "x", base.CodeLimit)
	if a.bytes > 200 {
		t.Errorf("%d bytes are held", a.bytes)
	}
}

// TestAssemblyKeepsLittleForTinyChunks sends a message byte by byte, with empty chunks in between.
func TestAssemblyKeepsLittleForTinyChunks(t *testing.T) {
	var a Assembly
	const size = 5000
	want := strings.Repeat("abcdefg", size)[:size]
	h := begin(wire.TypeBound, 0)
	for i := range size {
		for _, body := range []string{want[i : i+1], ""} {
			if _, _, done, err := a.Add(h, []byte(body), size); done || err != nil {
				t.Fatalf("byte %d: %v (%v)", i, done, err)
			}
			h.Type = wire.TypeBulkMore
		}
	}
	if n := len(a.open[1][0].bodies); n > size/minKept+1 {
		t.Errorf("%d pieces are kept", n)
	}
	if _, message, done, err := a.Add(end1(wire.TypeBulkMore, 0), nil, size); !done || err != nil || string(message) != want {
		t.Errorf("%d bytes came out (%v)", len(message), err)
	}
}
