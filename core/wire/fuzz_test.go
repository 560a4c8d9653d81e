package wire

import (
	"testing"

	"chordsim/core/delta"
)

func addSamples(f *testing.F, name string) {
	for _, in := range samples(f)[name] {
		f.Add(in)
	}
}

func FuzzHeader(f *testing.F) {
	addSamples(f, "header")
	f.Fuzz(func(t *testing.T, in []byte) { decoders()[0].check(t, "fuzz", in) })
}

// FuzzMessages reads any message: the first byte says which.
func FuzzMessages(f *testing.F) {
	all := samples(f)
	for i, k := range kinds {
		for _, in := range all[k.name] {
			f.Add(append([]byte{byte(i)}, in...))
		}
	}
	list := decoders()[3:]
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 0 {
			list[int(in[0])%len(list)].check(t, "fuzz", in[1:])
		}
	})
}

func FuzzValue(f *testing.F) {
	addSamples(f, "value")
	f.Fuzz(func(t *testing.T, in []byte) {
		if v, err := ParseValue(in); err == nil && v.Depth() > delta.MaxDepth {
			t.Errorf("% x: a value %d deep", in, v.Depth())
		}
		decoders()[1].check(t, "fuzz", in)
	})
}

// FuzzOps reads two batches of one stream, and sends them on to a reader of another.
func FuzzOps(f *testing.F) {
	all := samples(f)["ops"]
	f.Add(all[0], all[1])
	f.Add([]byte{0x11, 1, 2, 'a', 1}, []byte{0x0a})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var n Names
		var d Dict
		r := reader{}
		for _, in := range [][]byte{first, second} {
			ops, err := n.ParseOps(in)
			if err != nil {
				wantRefusal(t, "ops", nil, err)
				return
			}
			if err := r.wantOps(AppendOps(nil, ops, &d, &r.told, &Used{}), ops); err != nil {
				t.Errorf("% x: %v", in, err)
			}
		}
	})
}
