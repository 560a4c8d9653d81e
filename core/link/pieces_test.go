package link

import (
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// TestPiecesAreTheSendersUntilTheyAreWritten changes a piece while chunks of it wait: those see the change, which is why the
// sender must not make it, unless the link was told to keep a copy. Chunks that were written are copies in any case.
func TestPiecesAreTheSendersUntilTheyAreWritten(t *testing.T) {
	for why, c := range map[string]struct {
		detach bool
		want   byte // in the chunk that waited
	}{"as they are": {false, 'y'}, "detached": {true, 'x'}} {
		p := newUpPair(t, base.Limits{})
		o := &owner{}
		piece := []byte(chunks(3))
		p.a.out.room = 2
		p.a.link.SendBulk(wire.TypeCallBulk, 0, append(p.a.link.Buffer(), "head"...), o, piece, []byte("tail"))
		p.a.link.SendBulk(wire.TypeCallBulk, 0, p.a.link.Buffer(), &owner{}, piece)
		p.a.turn()
		if c.detach {
			p.a.link.Detach(o)
		}
		for i := range piece {
			piece[i] = 'y'
		}
		p.a.give(-1)
		p.settle()
		body := ""
		for _, g := range p.b.chunks {
			if g.h.Slot == 0 {
				body += g.body
			}
		}
		if n := 3*wire.MaxChunk + len("head") + len("tail"); len(body) != n || !strings.HasSuffix(body, "tail") || body[:4] != "head" {
			t.Fatalf("%s: %d bytes arrived, want %d", why, len(body), n)
		}
		if written, waited := body[4], body[len(body)-5]; written != 'x' || waited != c.want {
			t.Errorf("%s: what was written is %q, want 'x'; what waited is %q, want %q", why, written, waited, c.want)
		}
	}
}

// nowhere is a transport that takes everything.
type nowhere struct{}

func (nowhere) Write([]byte) bool { return true }
func (nowhere) Close()            {}

// TestChunksShareBlocks counts what a message of 257 chunks allocates. The chunks that are kept for a resume are the message all
// the same.
func TestChunksShareBlocks(t *testing.T) {
	piece := []byte(strings.Repeat("0123456789abcde", 70_000))
	p := newUpPair(t, base.Limits{ResumeBytes: 4 * base.MiB})
	p.a.link.transport = nowhere{}
	allocs := testing.AllocsPerRun(1, func() {
		p.a.link.retained = retained{}
		p.a.link.SendBulk(wire.TypeCallBulk, 0, p.a.link.Buffer(), nil, piece)
		p.a.turn()
	})
	chunks, kept := p.a.link.retained.chunks.Len(), ""
	for i := range chunks {
		_, body, err := wire.ParseHeader(wire.Binary, *p.a.link.retained.chunks.At(i))
		if err != nil {
			t.Fatal(err)
		}
		kept += string(body)
	}
	if kept != string(piece) || chunks != 257 {
		t.Errorf("the %d chunks that are kept are not the message", chunks)
	}
	if allocs > 32 { // 18 blocks, and the list of what is kept as it grows
		t.Errorf("%v allocations", allocs)
	}
}
