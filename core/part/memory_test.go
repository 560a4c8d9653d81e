package part

import (
	"bytes"
	"math"
	"testing"

	"chordsim/core/base"
)

// TestMemoryWarm wants no memory but the result's once reader and writer are there.
func TestMemoryWarm(t *testing.T) {
	raw, random := prose(100_000, "warm"), noise(100_000, "warm")
	var d Deflater
	var i Inflater
	buf := make([]byte, 0, len(raw))
	in, ok := d.Append(nil, raw)
	if !ok {
		t.Fatal("prose is not deflated")
	}
	in = bytes.Clone(in)
	for _, c := range []struct {
		name string
		want float64
		fn   func()
	}{
		{"deflate", 0, func() { buf, _ = d.Append(buf[:0], raw) }},
		{"refuse", 0, func() { buf, _ = d.Append(buf[:0], random) }},
		{"leave small", 0, func() { buf, _ = d.Append(buf[:0], raw[:Threshold]) }},
		{"size", 0, func() { _, _ = Size(in) }},
		{"inflate", 1, func() { _, _ = i.Inflate(in, len(raw)) }},
	} {
		if got := testing.AllocsPerRun(20, c.fn); got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
	if took := allocated(func() { _, _ = i.Inflate(in, len(raw)) }); took > uint64(len(raw))+16*base.KiB {
		t.Errorf("inflating takes %d bytes for %d", took, len(raw))
	}
}

// TestMemoryFirst measures what a host keeps for its parts: nothing before it needs it.
func TestMemoryFirst(t *testing.T) {
	raw := prose(Threshold+1, "first")
	var d Deflater
	buf := make([]byte, 0, len(raw))
	least := uint64(math.MaxUint64)
	for range 5 { // the least: the runtime may take some at the same time
		var unused Deflater
		least = min(least, allocated(func() { unused.Append(buf, raw[:Threshold]) }))
	}
	if least > 64 {
		t.Errorf("a small part takes %d bytes", least)
	}
	took := allocated(func() { buf, _ = d.Append(buf, raw) })
	t.Logf("a Deflater keeps %d bytes", took)
	if took > base.MiB {
		t.Errorf("the first part takes %d bytes", took)
	}
	var i Inflater
	took = allocated(func() { _, _ = i.Inflate(buf, len(raw)) })
	t.Logf("an Inflater keeps %d bytes", took-uint64(len(raw)))
	if took > uint64(len(raw))+64*base.KiB {
		t.Errorf("the first part takes %d bytes", took)
	}
}

// TestMemoryLies inflates parts that declare much and are little.
func TestMemoryLies(t *testing.T) {
	var i Inflater
	_, _ = i.Inflate(handMades()[0].part, handMadeLimit)
	for name, in := range map[string][]byte{
		"64 MiB in ten bytes":         withSize(64*base.MiB, make([]byte, 6)),
		"more than the limit":         withSize(64*base.MiB, make([]byte, 64*base.MiB/MaxRatio+1)),
		"the largest number":          withSize(1<<64-1, make([]byte, 100)),
		"as much as ten bytes can be": withSize(10*MaxRatio, make([]byte, 10)),
	} {
		took := allocated(func() { _, _ = i.Inflate(in, handMadeLimit) })
		if took > 16*base.KiB {
			t.Errorf("%s: %d bytes of memory", name, took)
		}
	}
}
