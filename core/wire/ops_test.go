package wire

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chordsim/core/delta"
	"pgregory.net/rapid"
)

func TestOpsHaveTheirBytes(t *testing.T) {
	a, b := delta.PathOf("a"), delta.PathOf("xs", 3)
	cases := []struct {
		why     string
		batches [][]delta.Op
		hex     []string
	}{
		{"in full, defined, by id", [][]delta.Op{
			{{Code: delta.OpSet, Path: a, Value: delta.Int(1)}}, {{Code: delta.OpSet, Path: a, Value: delta.Int(2)}}, {{Code: delta.OpDelete, Path: a}},
		}, []string{"19 01 0261 01", "11 01 0261 02", "0a"}},
		{"the path of the op before", [][]delta.Op{
			{{Code: delta.OpTruncate, Path: b, N: 300}, {Code: delta.OpAppend, Path: b, Text: delta.NewText("x")}},
		}, []string{"1c 02 047873 07 ac02 03 01 78"}},
		{"not after a replacement", [][]delta.Op{
			{{Code: delta.OpDelete, Path: a}, delta.Replace(delta.Null()), {Code: delta.OpDelete, Path: a}},
		}, []string{"1a 01 0261 00 80 12 01 0261"}},
		{"lists, and the root", [][]delta.Op{
			{{Code: delta.OpSplice, N: 1, Remove: 2, Items: []delta.Value{delta.Int(7)}}, {Code: delta.OpPermute, Perm: []int{1, 0}}},
		}, []string{"1d 00 01 02 01 07 06 02 01 00"}},
		{"an index is not its key", [][]delta.Op{
			{{Code: delta.OpDelete, Path: delta.PathOf(0)}, {Code: delta.OpDelete, Path: delta.PathOf("0")}, {Code: delta.OpDelete, Path: delta.PathOf(0)}},
		}, []string{"1a 01 01 1a 01 0230 12 01 01"}},
	}
	for _, c := range cases {
		var d Dict
		r := reader{}
		for i, ops := range c.batches {
			got := AppendOps(nil, ops, &d, &r.told, &Used{})
			if want := unhex(t, c.hex[i]); !bytes.Equal(got, want) {
				t.Errorf("%s, batch %d: wrote % x, want % x", c.why, i, got, want)
			}
			if err := r.wantOps(got, ops); err != nil {
				t.Errorf("%s, batch %d: %v", c.why, i, err)
			}
		}
	}
}

func TestOpsAreRefused(t *testing.T) {
	cases := []struct{ why, hex string }{
		{"an unknown op", "07"},
		{"a replacement with a path", "08 00"},
		{"no path to repeat", "02"},
		{"no path to repeat after a replacement", "1a 01 0261 00 80 02"},
		{"an id that was not defined", "0a"},
		{"an id below one that was defined", "32 01 0261 0a"},
		{"an id that nothing reads", "3a 01 0261"},
		{"path id 1024", "ea 8008"},
		{"a path of 513 segments", "1a 8104" + strings.Repeat("01", 513)},
		{"an index beyond any list", "1a 01 8180808010"},
		{"a key that does not fit", "1a 01 0861"},
		{"a text that does not fit", "1b 00 05 61"},
		{"more items than bytes", "1d 00 00 00 05 00"},
		{"more of a permutation than bytes", "1e 00 05 00"},
		{"an index over 63 bits", "1d 00 80808080808080808001 00 00"},
	}
	for _, c := range cases {
		var n Names
		ops, err := n.ParseOps(unhex(t, c.hex))
		wantRefusal(t, c.why, ops, err)
	}
	var n Names
	_, err := n.ParseOps(append([]byte{0x1a, 1, 2, 'a'}, bytes.Repeat([]byte{2}, delta.MaxOps)...))
	wantRefusal(t, "more ops than a batch may have", nil, err)
}

// reader is one who reads a document's batches: what it was told, and what it has of it.
type reader struct {
	codec Codec
	told  Told
	names Names
}

// wantOps reads a batch and compares it.
func (r *reader) wantOps(b []byte, want []delta.Op) error {
	got, err := r.codec.ParseOps(&r.names, slices.Clone(b))
	if err != nil {
		return err
	}
	if sameOps(got, want) {
		return nil
	}
	return fmt.Errorf("read %.500s, want %.500s", delta.AppendOpsJSON(nil, got), delta.AppendOpsJSON(nil, want))
}

func sameOps(a, b []delta.Op) bool {
	return slices.EqualFunc(a, b, func(x, y delta.Op) bool {
		return x.Code == y.Code && x.Path.Equal(y.Path) && x.N == y.N && x.Remove == y.Remove && slices.Equal(x.Perm, y.Perm) &&
			x.Value.Equal(y.Value) && x.Text.Equal(y.Text) && slices.EqualFunc(x.Items, y.Items, delta.Value.Equal)
	})
}

func (t Told) clone() Told {
	return Told{generation: t.generation, paths: slices.Clone(t.paths), shapes: slices.Clone(t.shapes)}
}

func (t Told) same(u Told) bool {
	return t.generation == u.generation && t.paths.within(u.paths) && u.paths.within(t.paths) &&
		t.shapes.within(u.shapes) && u.shapes.within(t.shapes)
}

// cached is an encoding that was made for one reader and may do for others.
type cached struct {
	codec Codec
	ops   []delta.Op
	bytes []byte
	used  Used
}

func encode(ops []delta.Op, d *Dict, r *reader) *cached {
	c := &cached{codec: r.codec, ops: ops}
	c.bytes = r.codec.AppendOps(nil, ops, d, &r.told, &c.used)
	return c
}

// stream is a document with its dictionary, its readers and the encodings of the past.
type stream struct {
	dict    Dict
	readers []*reader
	cache   []*cached
	made    int    // paths and shapes made so far
	shared  [2]int // encodings that did for a second reader, by codec
}

// join adds a reader, with a snapshot.
func (s *stream) join(t *rapid.T, v delta.Value) {
	r := &reader{codec: rapid.SampledFrom([]Codec{Binary, Text}).Draw(t, "codec")}
	back, err := r.codec.ParseSnapshot(&r.names, r.codec.AppendSnapshot(nil, v, &s.dict, &r.told, &Used{}))
	if err != nil || !back.Equal(v) || back.String() != v.String() {
		t.Fatalf("a snapshot of %v came back as %v (%v)", v, back, err)
	}
	s.readers = append(s.readers, r)
}

// send gives a batch to some readers, each from the cache if it fits.
func (s *stream) send(t *rapid.T, ops []delta.Op, readers []*reader) {
	var last [2]*cached // by codec
	for _, r := range readers {
		if c := last[r.codec]; c != nil && s.offer(t, c, r) {
			s.shared[r.codec]++
			continue
		}
		c := encode(ops, &s.dict, r)
		if err := r.wantOps(c.bytes, ops); err != nil {
			t.Fatalf("the reader that the batch was encoded for: %v", err)
		}
		last[r.codec] = c
	}
	for _, c := range last {
		if c != nil {
			s.cache = append(s.cache, c)
		}
	}
}

// offer gives an encoding to a reader if it fits, and checks that it is untouched if not.
func (s *stream) offer(t *rapid.T, c *cached, r *reader) bool {
	if c.codec != r.codec {
		return false
	}
	before := r.told.clone()
	if !c.used.FitsFor(&r.told) {
		if !r.told.same(before) {
			t.Fatalf("what does not fit has changed what the reader was told")
		}
		return false
	}
	if err := r.wantOps(c.bytes, c.ops); err != nil {
		t.Fatalf("an encoding that fits: %v", err)
	}
	return true
}

func (s *stream) drawOps(t *rapid.T) []delta.Op {
	var ops []delta.Op
	pool := []delta.Path{delta.PathOf(), delta.PathOf("a"), delta.PathOf("a", 0), delta.PathOf("b", "\xed\xa0\x80"), delta.PathOf("long" + strings.Repeat("g", MaxNameBytes))}
	for range rapid.IntRange(1, 5).Draw(t, "ops") {
		op := delta.Op{Path: rapid.SampledFrom(pool).Draw(t, "path")}
		op.Code = rapid.SampledFrom(opCodes[:]).Draw(t, "code")
		if len(op.Path) == 0 && strings.ContainsRune("sdat", rune(op.Code)) {
			op.Path = pool[1] // the root is not a place of these
		}
		switch op.Code {
		case delta.OpReplace:
			op.Path, op.Value = nil, values(1).Draw(t, "value")
		case delta.OpSet:
			op.Value = values(2).Draw(t, "value")
		case delta.OpAppend:
			op.Text = texts().Draw(t, "text")
		case delta.OpTruncate:
			op.N = rapid.IntRange(0, 1000).Draw(t, "units")
		case delta.OpSplice:
			op.N, op.Remove = rapid.IntRange(0, 300).Draw(t, "at"), rapid.IntRange(0, 300).Draw(t, "remove")
			op.Items = rapid.SliceOfN(values(1), 0, 3).Draw(t, "items")
		case delta.OpPermute:
			op.Perm = rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "permutation")
		}
		ops = append(ops, op)
	}
	if op := rapid.IntRange(0, 9).Draw(t, "new paths"); op < 3 { // enough of them to fill a dictionary every few batches
		for range 150 {
			p := delta.PathOf("many", s.made)
			s.made++
			ops = append(ops, delta.Op{Code: delta.OpDelete, Path: p}, delta.Op{Code: delta.OpDelete, Path: pool[1]}, delta.Op{Code: delta.OpDelete, Path: p})
		}
	} else if op < 5 {
		ops = append(ops, delta.Op{Code: delta.OpSet, Path: pool[1], Value: manyShapes(s.made, 150)})
		s.made += 150
	}
	return append(ops, delta.Op{Code: delta.OpDelete, Path: pool[1]})
}

// TestReadersOfOneDictionary is the law of the dictionary: whoever an encoding was made for, and whoever it fits, reads
// what was written, whenever they joined and however often the dictionary started afresh.
func TestReadersOfOneDictionary(t *testing.T) {
	var shared [2]int
	var resets uint64
	rapid.Check(t, func(t *rapid.T) {
		s := &stream{}
		s.join(t, delta.Null())
		pick := func(t *rapid.T) []*reader {
			var some []*reader
			for _, r := range s.readers {
				if rapid.IntRange(0, 3).Draw(t, "reads") > 0 {
					some = append(some, r)
				}
			}
			return some
		}
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				if len(s.readers) == 4 { // one leaves
					s.readers = slices.Delete(s.readers, 1, 2)
				}
				v := values(2).Draw(t, "snapshot")
				if rapid.IntRange(0, 3).Draw(t, "many shapes") == 0 {
					v = manyShapes(s.made, 300)
					s.made += 300
				}
				s.join(t, v)
			},
			"send":       func(t *rapid.T) { s.send(t, s.drawOps(t), pick(t)) },
			"send again": func(t *rapid.T) { s.send(t, s.drawOps(t), s.readers) },
			"offer the past": func(t *rapid.T) {
				if len(s.cache) > 0 {
					s.offer(t, rapid.SampledFrom(s.cache).Draw(t, "encoding"), rapid.SampledFrom(s.readers).Draw(t, "reader"))
				}
			},
		})
		shared[0], shared[1], resets = shared[0]+s.shared[0], shared[1]+s.shared[1], resets+s.dict.generation
	})
	if shared[0] == 0 || shared[1] == 0 || resets == 0 {
		t.Errorf("nothing was tried: %d encodings shared, %d dictionaries full", shared, resets)
	}
}

// TestReadersWhoKnowTheSameShare checks that one encoding does for all readers who know the same, also where it defines
// a name and uses it again.
func TestReadersWhoKnowTheSameShare(t *testing.T) {
	a, b := delta.PathOf("a"), delta.PathOf("b")
	row := delta.Object(delta.Field{Key: "id"})
	batches := map[string][]delta.Op{
		"a path":  {{Code: delta.OpDelete, Path: a}, {Code: delta.OpDelete, Path: b}, {Code: delta.OpDelete, Path: a}, {Code: delta.OpDelete, Path: b}, {Code: delta.OpDelete, Path: a}},
		"a shape": {{Code: delta.OpSplice, Path: a, Items: []delta.Value{row, row, row}}},
	}
	for why, ops := range batches {
		var d Dict
		readers := []*reader{{}, {}, {}}
		for round := range 3 {
			c := encode(ops, &d, readers[0])
			for i, r := range readers[1:] {
				if !c.used.FitsFor(&r.told) || !r.told.same(readers[0].told) {
					t.Fatalf("%s defined and used again, round %d: does not fit reader %d", why, round, i+1)
				}
			}
		}
	}
}

// TestATornEncodingFitsNobodyElse makes the dictionary start afresh within a batch. The ids before that mean something
// else to whoever has moved on.
func TestATornEncodingFitsNobodyElse(t *testing.T) {
	first, second := delta.PathOf("first"), delta.PathOf("second")
	del := func(p delta.Path) delta.Op { return delta.Op{Code: delta.OpDelete, Path: p} }
	var d Dict
	a, b := &reader{}, &reader{}
	for range 2 { // gives "first" id 0, and tells both
		c := encode([]delta.Op{del(first)}, &d, a)
		if err := a.wantOps(c.bytes, c.ops); err != nil {
			t.Fatal(err)
		}
		s := encode(c.ops, &d, b)
		if err := b.wantOps(s.bytes, s.ops); err != nil {
			t.Fatal(err)
		}
	}
	torn := []delta.Op{del(first)}
	for i := range MaxNames {
		torn = append(torn, del(delta.PathOf(i)))
	}
	c := encode(append(torn, del(second)), &d, a)
	if err := a.wantOps(c.bytes, c.ops); err != nil {
		t.Fatal(err)
	}
	if d.generation != 1 || c.used.FitsFor(&b.told) {
		t.Fatal("the dictionary did not start afresh, or the encoding fits who has not")
	}
	for range 2 { // id 0 is "second" now, for both
		for _, r := range []*reader{a, b} {
			s := encode([]delta.Op{del(second)}, &d, r)
			if err := r.wantOps(s.bytes, s.ops); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.used.FitsFor(&b.told) {
		t.Error("the encoding fits a reader for whom its first id means something else")
	}
}
