package wire

import (
	"testing"

	"chordsim/core/delta"
)

func addSamples(f *testing.F, c Codec, name string) {
	for _, in := range samples(f, c)[name] {
		f.Add(in)
	}
}

// fuzz reads any input, within the memory that it may take.
func (d decoder) fuzz(t *testing.T, in []byte) {
	d.check(t, "fuzz", in)
	if got := allocated(func() { _, _ = d.read(in) }); got > parseBudget(len(in)) {
		t.Errorf("%v %s: %q takes %d bytes of memory, at most %d", d.codec, d.name, in, got, parseBudget(len(in)))
	}
}

func FuzzHeader(f *testing.F) {
	addSamples(f, Binary, "header")
	f.Fuzz(func(t *testing.T, in []byte) { decoders(Binary)[0].fuzz(t, in) })
}

func FuzzTextHeader(f *testing.F) {
	addSamples(f, Text, "header")
	f.Fuzz(func(t *testing.T, in []byte) { decoders(Text)[0].fuzz(t, in) })
}

// FuzzMessages and FuzzTextMessages read any message: the first byte says which.
func FuzzMessages(f *testing.F)     { fuzzMessages(f, Binary) }
func FuzzTextMessages(f *testing.F) { fuzzMessages(f, Text) }

func fuzzMessages(f *testing.F, c Codec) {
	all := samples(f, c)
	for i, k := range kinds {
		for _, in := range all[k.name] {
			f.Add(append([]byte{byte(i)}, in...))
		}
	}
	list := decoders(c)[3:]
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 0 {
			list[int(in[0])%len(list)].fuzz(t, in[1:])
		}
	})
}

func FuzzValue(f *testing.F) {
	addSamples(f, Binary, "value")
	f.Fuzz(func(t *testing.T, in []byte) {
		if v, err := ParseValue(in); err == nil && v.Depth() > delta.MaxDepth {
			t.Errorf("% x: a value %d deep", in, v.Depth())
		}
		decoders(Binary)[1].fuzz(t, in)
		v, err := ParseValue(in)
		if err != nil || len(in) == 0 || v.Depth() == delta.MaxDepth {
			return
		}
		all := AppendValue(append([]byte{tagListLow | 2}, in...), behind) // before which its objects are packed
		back, err := ParseValue(all)
		if first, _ := back.Index(0); err != nil || !first.Equal(v) || first.Hash() != v.Hash() || first.Size() != v.Size() || first.String() != v.String() {
			t.Errorf("% x: before much else it is %v (%v)", in, first, err)
		}
	})
}

func FuzzTextValue(f *testing.F) {
	addSamples(f, Text, "value")
	f.Fuzz(func(t *testing.T, in []byte) { decoders(Text)[1].fuzz(t, in) })
}

// FuzzOps reads two batches of one stream, and sends them on to a reader of another.
func FuzzOps(f *testing.F) {
	f.Add([]byte{0x11, 1, 2, 'a', 1}, []byte{0x0a})
	fuzzOps(f, Binary)
}

// FuzzTextOps does the same with tuples.
func FuzzTextOps(f *testing.F) {
	f.Add([]byte(`[["#",5,["a"]],["d",5]]`), []byte(`[["d",5],["r",1],["d",["a"]]]`))
	fuzzOps(f, Text)
}

func fuzzOps(f *testing.F, c Codec) {
	all := samples(f, c)["ops"]
	f.Add(all[0], all[1])
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var n Names
		var d Dict
		r := reader{codec: c}
		for _, in := range [][]byte{first, second} {
			var ops []delta.Op
			var err error
			budget := parseBudget(len(in)) + opsBudget(len(in))
			if got := allocated(func() { ops, err = c.ParseOps(&n, in) }); got > budget {
				t.Errorf("%d bytes that begin with %.64q take %d bytes of memory, at most %d", len(in), in, got, budget)
			}
			if err != nil {
				wantRefusal(t, "ops", nil, err)
				return
			}
			if err := r.wantOps(c.AppendOps(nil, ops, &d, &r.told, &Used{}), ops); err != nil {
				t.Errorf("% x: %v", in, err)
			}
		}
	})
}
