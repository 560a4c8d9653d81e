package link

import (
	"math"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

// A relay reads the ids that a message begins with from its first chunk: that has room for them however small chunks are.
func TestAFirstChunkHasRoomForTheIDs(t *testing.T) {
	const first = wire.MinFirstChunk
	for chunk, want := range map[int][]int{
		1:         {first, 1, 1},
		first - 1: {first, 2},
		first:     {first, 2},
		first + 1: {first + 1, 1},
	} {
		for _, size := range []int{1, first - 1, first, first + 2} {
			sizes := want
			if size <= max(first, chunk) {
				sizes = []int{size}
			}
			p := newUpPair(t, base.Limits{ChunkBytes: chunk})
			body := strings.Repeat("x", size)
			p.a.state(0, body, nil)
			p.a.bulk(wire.TypeBound, 0, body, nil)
			p.a.bulk(wire.TypeCallBulk, 3, body, nil)
			p.settle()
			if got := p.a.out.sizes; len(got) != 3*len(sizes) || !slices.Equal(got[:len(sizes)], sizes) {
				t.Errorf("chunks of %d: three messages of %d leave as %d, want %d each", chunk, size, got, sizes)
			}
			for i, h := range p.a.out.log {
				if h.Type.First() && p.a.out.sizes[i] != sizes[0] {
					t.Errorf("chunks of %d: the first chunk of a %v of %d bytes has %d", chunk, h.Type, size, p.a.out.sizes[i])
				}
			}
		}
	}
}

// The longest ids, in the codec that takes more for them, fit into the smallest first chunk, and what has to follow too.
func TestTheLongestIDsFitIntoAFirstChunk(t *testing.T) {
	const id = math.MaxUint64
	filler := strings.Repeat("é", 60) // text is cut between characters
	for _, c := range []wire.Codec{wire.Binary, wire.Text} {
		call := wire.Call{Hold: id, ID: id, Method: -1, Name: filler}.Append(c, nil)
		result := wire.Result{ID: id, Err: &wire.Failure{Code: base.CodeApp, Detail: filler}}.Append(c, nil)
		bound := wire.Bound{ID: id, Methods: []string{filler}}.Append(c, nil)
		for back := range 4 { // where a cut between characters may fall
			n := wire.MinFirstChunk - back
			if hold, got, err := wire.CallIDs(c, call[:n]); err != nil || hold != id || got != id {
				t.Errorf("%v: %d bytes of a call: %d, %d (%v)", c, n, hold, got, err)
			}
			if got, err := wire.ResultID(c, result[:n]); err != nil || got != id {
				t.Errorf("%v: %d bytes of a result: %d (%v)", c, n, got, err)
			}
			if got, err := wire.HoldID(c, bound[:n]); err != nil || got != id {
				t.Errorf("%v: %d bytes of a bound: %d (%v)", c, n, got, err)
			}
		}
	}
}

// A first chunk needs as much credit as it is long, not as a later one is.
func TestAFirstChunkWaitsForCreditOfItsSize(t *testing.T) {
	const first, limit = wire.MinFirstChunk, 100
	p := newUpPair(t, base.Limits{ChunkBytes: 1, WindowBytes: limit, BulkBytes: limit})
	body := strings.Repeat("x", first)
	for range 3 {
		p.a.state(0, body, nil)
		p.a.bulk(wire.TypeBound, 0, body, nil)
	}
	p.settle()
	sent := 0
	for _, n := range p.a.out.sizes {
		sent += n
	}
	if len(p.a.out.log) != 4 || sent > 2*limit {
		t.Errorf("%d chunks of %d bytes in all are in flight, want two of each lane", len(p.a.out.log), sent)
	}
	p.credit(0, 1, 1)
	if len(p.a.out.log) != 6 {
		t.Errorf("%d chunks left once there was credit, want 6", len(p.a.out.log))
	}
}
