package main

import (
	"bytes"
	"testing"

	"chordsim/core/delta"
	"chordsim/core/wire"
)

var wireCodecs = []wire.Codec{wire.Binary, wire.Text}

// wantEncoded wants the codec alone to write the very message that a host sent, and the message to be all that the row says.
func wantEncoded(t *testing.T, why string, c wire.Codec, alone wireCodec, sent wireMessage) {
	t.Helper()
	body := alone.encode()
	header := 0
	if sent.chunks == 1 {
		whole := len(body)
		_, rest, err := wire.ParseHeader(c, body)
		if err != nil {
			t.Fatalf("%s, %s: %v", why, c, err)
		}
		body, header = rest, whole-len(rest)
	}
	if !bytes.Equal(body, sent.body) {
		t.Errorf("%s, %s: the codec alone writes %.80x, a host sends %.80x", why, c, body, sent.body)
	}
	if sent.chunks == 1 && (header > sent.header || sent.bytes() < len(body)+header) {
		t.Errorf("%s, %s: %d bytes of header alone, a host sends %d", why, c, header, sent.header)
	}
}

// TestCodecAloneWritesWhatHostsSend keeps the bench from measuring a toy: what is timed is what is sent, byte for byte.
func TestCodecAloneWritesWhatHostsSend(t *testing.T) {
	for _, c := range wireCodecs {
		for _, value := range []delta.Value{notesList(), notes500KB()} {
			s, err := newWireSession(c, value, false, nil)
			if err != nil {
				t.Fatal(err)
			}
			wantEncoded(t, "snapshot", c, snapshotCodec(c, value), s.bound)
		}
		for i := range wireEdits {
			edit := &wireEdits[i]
			s, err := newWireSession(c, notesList(), false, nil)
			if err != nil {
				t.Fatal(err)
			}
			var sent wireMessage
			for n := range wireWarm + 1 {
				if sent, err = s.commit(func(d *delta.Draft) error { return edit.change(d, n) }); err != nil {
					t.Fatal(err)
				}
			}
			alone, err := editCodec(c, edit)
			if err != nil {
				t.Fatal(err)
			}
			wantEncoded(t, edit.id, c, alone, sent)
		}
		s, err := newWireSession(c, delta.Null(), false, wireMethods(delta.Int(wireReply)))
		if err != nil {
			t.Fatal(err)
		}
		call, result, err := s.call(wireArg, wire.TypeCall, wire.TypeResult)
		if err != nil {
			t.Fatal(err)
		}
		wantEncoded(t, "call", c, callCodec(c), call)
		wantEncoded(t, "result", c, resultCodec(c), result)
		if call, _, err = s.callMebibyte(); err != nil {
			t.Fatal(err)
		}
		wantEncoded(t, "call1mib", c, mebibyteCodec(c), call)
	}
}

// TestWireBytes pins the bytes that do not depend on a compressor. Who changes a byte here changes the protocol.
func TestWireBytes(t *testing.T) {
	got := wireValues{}
	for _, c := range wireCodecs {
		for i := range wireGroups {
			if err := wireGroups[i].bytes(c, got); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range []struct {
		id           string
		binary, text float64
	}{
		{"hold1000.wire", 97976, 137076}, {"hold1000.body", 97928, 136905}, {"hold1000.headers", 48, 171},
		{"hold500k.wire", 489669, 509034}, {"hold500k.body", 489428, 508405}, {"hold500k.headers", 241, 629},
		{"append.wire", 110, 169}, {"append.largest", 111, 172}, {"field.wire", 10, 28}, {"field.largest", 11, 31},
		{"remove.wire", 10, 31}, {"remove.largest", 11, 34},
		{"stream.wire", 11, 29}, {"stream.largest", 12, 32}, {"stream.total", 22141, 59527},
		{"call.wire", 7, 16}, {"call.largest", 8, 19}, {"result.wire", 4, 12}, {"result.largest", 5, 15},
		{"call1mib.wire", 8, 17}, {"call1mib.headers", 514, 1287}, {"origin", 2, 4},
		{"deflate.threshold", 16384, 16384}, {"deflate.snapshot.json", 506701, 506701}, {"deflate.snapshot.raw", 487723, 506701},
	} {
		for i, want := range []float64{w.binary, w.text} {
			if key := (wireKey{w.id, wireCodecs[i].String()}); got[key] != want {
				t.Errorf("%s, %s: %v, want %v", key.id, key.variant, got[key], want)
			}
		}
	}
	for id, raw := range map[string]string{"deflate.snapshot": "deflate.snapshot.raw", "deflate.hold.bytes": "deflate.snapshot.raw"} {
		for _, c := range wireCodecs {
			if share := got[wireKey{id, c.String()}] / got[wireKey{raw, c.String()}]; share < 0.26 || share > 0.29 {
				t.Errorf("%s, %s: %.3f of the part is left", id, c, share)
			}
		}
	}
}

// TestWireNetJoinsHosts wants what is captured to be what the other side received, in order and once.
func TestWireNetJoinsHosts(t *testing.T) {
	s, err := newWireSession(wire.Binary, delta.Object(delta.Field{Key: "reply", Value: delta.String("")}), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	token := func(d *delta.Draft) error { return d.At("reply").Append(" tok") }
	for range 3 {
		if _, err := s.commit(token); err != nil {
			t.Fatal(err)
		}
	}
	if v, _ := s.view.Value("notes"); v.String() != `{"reply":" tok tok tok"}` {
		t.Errorf("the tab has %s", v)
	}
	if _, err := s.one(s.down, wire.TypeState); err == nil {
		t.Error("a message is there twice")
	}
	bad := func(d *delta.Draft) error { return d.At("reply", 1).Set(1) }
	if _, err := s.commit(bad); err == nil {
		t.Error("a change that failed sent something")
	}
	if _, _, err := s.call(1, wire.TypeCall, wire.TypeResult); err == nil {
		t.Error("a call of no method succeeded")
	}
}
