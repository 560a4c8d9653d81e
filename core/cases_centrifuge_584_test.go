package core_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// zeros is a snapshot of n bytes that are nearly all the same, deflated.
func zeros(t *testing.T, n int) []byte {
	return packed(t, sized(t, n, func(characters int) []byte {
		return wire.AppendValue(nil, delta.String(strings.Repeat("0", characters)))
	}))
}

// TestCentrifuge584ALimitOnCompressedBytesOnly: zeros that inflate to the limit are taken, and to one byte more refused, before memory
// is taken for them.
func TestCentrifuge584ALimitOnCompressedBytesOnly(t *testing.T) {
	const limit = 2 * base.MiB
	for over, taken := range map[int]bool{0: true, 1: false} {
		b := zeros(t, limit+over)
		if len(b) > limit/100 {
			t.Fatalf("%d bytes of zeros are deflated to %d", limit, len(b))
		}
		_, p, r := consuming(t, core.Config{Limits: base.Limits{InflatedBytes: limit}})
		grown := allocated(func() { p.boundTo(true, b) })
		wantTaken(t, fmt.Sprint("zeros, ", r.Err()), p, r, taken)
		if !taken && grown > limit/4 {
			t.Errorf("refusing %d bytes took %d bytes of memory", len(b), grown)
		}
	}
}

// TestCentrifuge584ARelaysMemoryStaysFlat: it passes on what inflates to a thousand times its size, and has no more of it at any
// time than what came.
func TestCentrifuge584ARelaysMemoryStaysFlat(t *testing.T) {
	tab, first, _ := rawRelay(t, base.Limits{})
	tab.hold(2, "S/1/View")
	bomb := zeros(t, 8*base.MiB)
	m := wire.Bound{ID: 2, Members: []wire.BoundMember{{Name: "m", Part: bomb, Deflated: true}}}
	body := m.Append(wire.Binary, nil)
	came := len(body)
	tab.out, first.out = nil, nil
	grown := allocated(func() {
		head := wire.Header{Type: wire.TypeBound, Origin: 1}
		for len(body) > 0 {
			n := min(len(body), wire.MaxChunk)
			head.More = n < len(body)
			first.send(head, body[:n])
			head.Type, body = wire.TypeBulkMore, body[n:]
		}
	})
	if most := 8*came + base.MiB/4; grown > most {
		t.Errorf("the relay took %d bytes for a message of %d", grown, came)
	}
	passed := 0
	for _, chunk := range tab.out {
		_, body, err := wire.ParseHeader(wire.Binary, chunk)
		if err != nil {
			t.Fatal(err)
		}
		passed += len(body)
	}
	wantInt(t, "bytes passed on", passed, came)
	wantInt(t, "parts that the relay inflated", tab.host.Stats().Inflated+tab.host.Stats().PartsParsed, 0)
}

// allocated returns how many bytes of memory fn takes in all.
func allocated(fn func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}
