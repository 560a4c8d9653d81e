package part

import (
	"math"
	"testing"

	"chordsim/core/base"
)

func TestSize(t *testing.T) {
	long := make([]byte, 1000)
	for _, c := range []struct {
		name string
		part []byte
		size int
		code base.Code
	}{
		{"a byte more than the part has", withSize(1003, long), 1003, base.CodeNone},
		{"as many as the part has", withSize(1002, long), 0, base.CodeProtocol},
		{"nothing inside", withSize(0, long), 0, base.CodeProtocol},
		{"the most that a stream gives", withSize(1000*MaxRatio, long), 1000 * MaxRatio, base.CodeNone},
		{"a byte more than that", withSize(1000*MaxRatio+1, long), 0, base.CodeProtocol},
		{"64 MiB in ten bytes", withSize(64*base.MiB, long[:6]), 0, base.CodeProtocol},
		{"the largest number", withSize(math.MaxUint64, long), 0, base.CodeProtocol},
		{"more than 64 bits", append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, long...), 0, base.CodeProtocol},
		{"a longer form", append([]byte{0xff, 0x00}, long...), 0, base.CodeProtocol},
		{"cut", []byte{0xff}, 0, base.CodeProtocol},
		{"nothing", nil, 0, base.CodeProtocol},
	} {
		size, err := Size(c.part)
		if size != c.size || base.CodeOf(err) != c.code {
			t.Errorf("%s: %d, %v, want %d, code %v", c.name, size, err, c.size, c.code)
		}
	}
}

// TestMaxRatio shows that the bound is no lower than what streams give: the densest one comes within a hundredth.
func TestMaxRatio(t *testing.T) {
	const matches = 20_000
	size, stream := 1+258*matches, bomb(matches)
	part := withSize(uint64(size), stream)
	if ratio := size / len(stream); ratio > MaxRatio || ratio < MaxRatio*99/100 {
		t.Errorf("%d bytes inflate to %d, %d times as many", len(stream), size, ratio)
	}
	var i Inflater
	if raw, err := i.Inflate(part, size); err != nil || len(raw) != size {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}
