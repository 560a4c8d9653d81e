package link

import (
	"strings"
	"testing"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// tape is a transport that keeps what is written.
type tape struct{ chunks [][]byte }

func (w *tape) Write(chunk []byte) bool {
	w.chunks = append(w.chunks, chunk)
	return true
}

func (w *tape) Close() {}

// newTape is a dialer of a codec that shook hands with somebody, and what it writes from then on.
func newTape(t *testing.T, codec wire.Codec, limits base.Limits) (*end, *tape) {
	t.Helper()
	e, w := &end{}, &tape{}
	e.link = New(Config{Role: Dialer, Handler: e, Limits: limits, Identity: wire.Identity{Codec: codec, Host: "dialer", Incarnation: 1}})
	e.link.Open(w)
	peer := wire.Identity{Version: wire.Version, Codec: codec, MaxMessage: 1 << 20, Host: "acceptor", Incarnation: 1}
	welcome := wire.Header{Type: wire.TypeWelcome}.Append(codec, nil)
	e.link.Receive(wire.Welcome{Identity: peer, Session: 1}.Append(codec, welcome))
	e.turn()
	if !e.link.Up() {
		t.Fatalf("the handshake failed: %v", e.closed)
	}
	w.chunks = nil
	return e, w
}

// bodies are what the chunks have behind their headers.
func (w *tape) bodies(t *testing.T, codec wire.Codec) (list []string) {
	t.Helper()
	for _, chunk := range w.chunks {
		_, body, err := wire.ParseHeader(codec, chunk)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(body))
	}
	return list
}

// The lanes on which a message goes in several chunks.
var cutLanes = map[string]func(e *end, body string){
	"state":    func(e *end, body string) { e.state(0, body, nil) },
	"snapshot": func(e *end, body string) { e.bulk(wire.TypeBound, 0, body, nil) },
	"call":     func(e *end, body string) { e.bulk(wire.TypeCallBulk, 0, body, nil) },
}

// A chunk of the text codec is text of its own: it ends between two characters, as late as it can.
func TestTextIsCutBetweenCharacters(t *testing.T) {
	for lane, send := range cutLanes {
		for _, character := range []string{"x", "é", "€", "😀", "x😀", "é€x"} {
			for _, chunk := range []int{wire.MinFirstChunk, 61, 64} {
				for before := range utf8.UTFMax {
					body := strings.Repeat("a", before) + strings.Repeat(character, 400/len(character)) + "z"
					e, w := newTape(t, wire.Text, base.Limits{ChunkBytes: chunk})
					send(e, body)
					e.turn()
					bodies := w.bodies(t, wire.Text)
					if strings.Join(bodies, "") != body {
						t.Fatalf("%s: another message of %d bytes arrives for %d", lane, len(strings.Join(bodies, "")), len(body))
					}
					for i, b := range bodies {
						next := 0 // bytes of the character that did not fit
						if i+1 < len(bodies) {
							_, next = utf8.DecodeRuneInString(bodies[i+1])
						}
						if !utf8.ValidString(b) || len(b) > chunk || next > 0 && len(b)+next <= chunk {
							t.Errorf("%s: chunk %d of %d bytes ends in %q, the next begins with %d bytes", lane, i, len(b), b[max(0, len(b)-4):], next)
						}
					}
				}
			}
		}
	}
}

// The first chunk of a message may be longer than those behind it, and these too short for a character: what is no text, or
// does not fit as text, is cut where the chunk is full, so that each chunk takes something of it.
func TestWhatIsNoTextIsCutWhereTheChunkIsFull(t *testing.T) {
	const first = wire.MinFirstChunk
	for why, row := range map[string]struct {
		codec wire.Codec
		chunk int
		body  string
		later int // bytes of each chunk behind the first, but for the last
	}{
		"binary":                        {wire.Binary, 50, strings.Repeat("€", 100), 50},
		"raw bytes behind text":         {wire.Text, 50, strings.Repeat("\x80", 300), 50},
		"characters longer than chunks": {wire.Text, 2, strings.Repeat("😀", 30), 2},
		"bytes one by one":              {wire.Text, 1, strings.Repeat("é", 30), 1},
	} {
		for lane, send := range cutLanes {
			e, w := newTape(t, row.codec, base.Limits{ChunkBytes: row.chunk})
			send(e, row.body)
			e.turn()
			bodies := w.bodies(t, row.codec)
			if strings.Join(bodies, "") != row.body {
				t.Fatalf("%s of %s: another message arrives", lane, why)
			}
			for i, b := range bodies {
				want := row.later
				if i == 0 {
					want = max(first, row.chunk)
				}
				if len(b) != want && (i+1 < len(bodies) || len(b) > want) {
					t.Errorf("%s of %s: chunk %d has %d bytes, want %d", lane, why, i, len(b), want)
				}
			}
		}
	}
}
