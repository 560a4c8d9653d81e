package wire

import (
	"bytes"
	"testing"

	"chordsim/core/base"
	"pgregory.net/rapid"
)

func TestHeadersHaveTheirBytes(t *testing.T) {
	cases := []struct {
		why string
		h   Header
		hex string
	}{
		{"a call", Header{Type: TypeCall}, "09"},
		{"of a relayed tab", Header{Type: TypeCall, Origin: 127}, "89 7f"},
		{"the largest origin of two bytes", Header{Type: TypeState, Origin: 16383}, "93 ff7f"},
		{"with an ack", Header{Type: TypeResult, Ack: 32}, "30 20"},
		{"with both", Header{Type: TypeResult, Origin: 3, Ack: 300}, "b0 03 ac02"},
		{"state of one chunk has no slot", Header{Type: TypeState}, "13"},
		{"state of several has one", Header{Type: TypeState, More: true, Slot: 1}, "53 01"},
		{"its last chunk", Header{Type: TypeStateMore, Slot: 1}, "14 01"},
		{"bulk always has one", Header{Type: TypeBound, Slot: 63}, "17 3f"},
		{"an abort", Header{Type: TypeBulkAbort, Slot: 2}, "1b 02"},
		{"credit is due", Header{Type: TypeBulkMore, More: true, Due: true, Slot: 63}, "5a 7f"},
		{"the largest", Header{Type: TypeBound, More: true, Origin: maxOrigin, Ack: maxAck, Slot: 63}, "f7 ffffffff7f ffffffff7f 3f"},
	}
	for _, c := range cases {
		want := unhex(t, c.hex)
		got := c.h.Append(Binary, nil)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: wrote % x, want % x", c.why, got, want)
		}
		if len(got) > MaxHeader {
			t.Errorf("%s: %d bytes, at most %d", c.why, len(got), MaxHeader)
		}
		rest := bodyFor(Binary, c.h)
		h, body, err := ParseHeader(Binary, append(want, rest...))
		if err != nil || h != c.h || string(body) != rest {
			t.Errorf("%s: read %+v %q (%v)", c.why, h, body, err)
		}
	}
}

// bodyFor returns a body that may follow a header.
func bodyFor(c Codec, h Header) string {
	if types[h.Type].bare {
		return string(c.AppendEnd(nil, h.Type))
	}
	return "body"
}

func TestHeadersAreRefused(t *testing.T) {
	cases := []struct{ why, hex string }{
		{"no chunk", ""},
		{"type 0", "00"},
		{"a type that does not exist", "1f"},
		{"origin 0", "89 00"},
		{"an origin of six bytes", "89 808080808001"},
		{"an origin that is cut short", "89 80"},
		{"an origin not in its shortest form", "89 8100"},
		{"ack 0", "30 00"},
		{"an ack of six bytes", "30 808080808001"},
		{"a hold in pieces", "47"},
		{"a hello in pieces", "41"},
		{"an ordered result in pieces", "56"},
		{"an abort that goes on", "5b 00"},
		{"an abort of state that goes on", "55 00"},
		{"slot 64", "17 40"},
		{"slot 128", "57 80"},
		{"credit is due for a call", "59 40"},
		{"credit is due for state", "53 40"},
		{"credit is due with a last chunk", "1a 40"},
		{"a ping with fields", "04 00"},
		{"an ack of nothing", "03"},
		{"no slot", "17"},
	}
	for _, c := range cases {
		h, _, err := ParseHeader(Binary, unhex(t, c.hex))
		wantRefusal(t, c.why, h, err)
	}
}

func TestABodyOverAChunkIsOverALimit(t *testing.T) {
	chunk := append([]byte{byte(TypeCall)}, make([]byte, MaxChunk+1)...)
	if _, body, err := ParseHeader(Binary, chunk[:1+MaxChunk]); err != nil || len(body) != MaxChunk {
		t.Errorf("a full chunk: %d bytes (%v)", len(body), err)
	}
	if _, _, err := ParseHeader(Binary, chunk); base.CodeOf(err) != base.CodeLimit {
		t.Errorf("one byte more: %v", err)
	}
}

// TestTypesAreConsistent checks what link and relay take for granted of the table of types.
func TestTypesAreConsistent(t *testing.T) {
	for typ := range Type(32) {
		if types[typ].name == "" {
			if typ.String() != "unknown" || typ.First() || typ.Request() {
				t.Errorf("type %d does not exist and has properties", typ)
			}
			continue
		}
		lane, credited := typ.Credited()
		if credited && (lane != typ.Lane() || typ.Request()) {
			t.Errorf("%v is credited in lane %d, and travels on %d", typ, lane, typ.Lane())
		}
		if typ.Numbered() != (typ.Lane() != LaneLink) {
			t.Errorf("%v: numbered %v", typ, typ.Numbered())
		}
		if more := typ.More(); typ.splits() && (more.Lane() != typ.Lane() || more.First() || more.Request() != typ.Request()) {
			t.Errorf("%v goes on as %v", typ, more)
		}
		if !typ.First() && typ.Lane() != LaneState && typ.Lane() != LaneBulk {
			t.Errorf("%v is a later chunk on lane %d", typ, typ.Lane())
		}
	}
}

func headers() *rapid.Generator[Header] {
	return rapid.Custom(func(t *rapid.T) Header {
		h := Header{Type: Type(rapid.IntRange(1, 28).Draw(t, "type"))}
		if h.Type.splits() {
			h.More = rapid.Bool().Draw(t, "more")
		}
		if h.MayBeDue() {
			h.Due = rapid.Bool().Draw(t, "due")
		}
		h.Origin = rapid.Uint64Range(0, maxOrigin).Draw(t, "origin")
		h.Ack = rapid.Uint64Range(0, maxAck).Draw(t, "ack")
		if h.Type == TypeAck {
			h.Ack = max(h.Ack, 1)
		}
		if h.HasSlot() {
			h.Slot = rapid.Uint8Range(0, MaxSlots-1).Draw(t, "slot")
		}
		return h
	})
}

func TestHeadersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, body := headers().Draw(t, "header"), rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "body")
		if types[h.Type].bare {
			body = nil
		}
		back, rest, err := ParseHeader(Binary, append(h.Append(Binary, nil), body...))
		if err != nil || back != h || !bytes.Equal(rest, body) {
			t.Fatalf("%+v came back as %+v % x (%v)", h, back, rest, err)
		}
	})
}
