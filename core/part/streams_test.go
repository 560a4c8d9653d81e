package part

import (
	"bytes"
	"encoding/binary"

	"chordsim/core/base"
)

// bitWriter writes deflate streams by hand (RFC 1951).
type bitWriter struct {
	b []byte
	n int // bits in b
}

// bits writes the low n bits of v, the lowest first.
func (w *bitWriter) bits(v uint, n int) *bitWriter {
	for i := range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
	return w
}

// code writes a Huffman code of n bits, the highest first.
func (w *bitWriter) code(v uint, n int) *bitWriter {
	for i := n - 1; i >= 0; i-- {
		w.bits(v>>i, 1)
	}
	return w
}

// The kinds of blocks.
const (
	stored  = 0
	fixed   = 1
	dynamic = 2
)

func (w *bitWriter) head(last bool, kind uint) *bitWriter {
	final := uint(0)
	if last {
		final = 1
	}
	return w.bits(final, 1).bits(kind, 2)
}

func (w *bitWriter) stored(last bool, data string) *bitWriter {
	w.head(last, stored)
	w.bits(0, (8-w.n%8)%8)
	w.bits(uint(len(data)), 16).bits(^uint(len(data)), 16)
	for _, c := range []byte(data) {
		w.bits(uint(c), 8)
	}
	return w
}

// literals writes bytes under 144 with the fixed codes.
func (w *bitWriter) literals(s string) *bitWriter {
	for _, c := range []byte(s) {
		w.code(0x30+uint(c), 8)
	}
	return w
}

// longest writes a match of 258 bytes one byte back, with the fixed codes.
func (w *bitWriter) longest() *bitWriter { return w.code(0xc0+285-280, 8).code(0, 5) }

// end ends a block with the fixed codes.
func (w *bitWriter) end() *bitWriter { return w.code(0, 7) }

// codes maps symbols to the lengths of their codes in bits, 0 to 5.
type codes map[int]int

// tables writes the head of a dynamic block: lengths of nlit codes for literals and lengths, and of ndist for distances.
func (w *bitWriter) tables(last bool, lit codes, nlit int, dist codes, ndist int) *bitWriter {
	w.head(last, dynamic).bits(uint(nlit-257), 5).bits(uint(ndist-1), 5).bits(19-4, 4)
	// Lengths 0 to 5 and the two runs of zeros have codes of three bits, in the order of their numbers.
	for _, symbol := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15} {
		if symbol <= 5 || symbol >= 17 {
			w.bits(3, 3)
		} else {
			w.bits(0, 3)
		}
	}
	var lengths []int
	for i := range nlit {
		lengths = append(lengths, lit[i])
	}
	for i := range ndist {
		lengths = append(lengths, dist[i])
	}
	for i := 0; i < len(lengths); {
		zeros := 0
		for i+zeros < len(lengths) && lengths[i+zeros] == 0 && zeros < 138 {
			zeros++
		}
		switch {
		case zeros >= 11:
			w.code(7, 3).bits(uint(zeros-11), 7) // symbol 18
			i += zeros
		case zeros >= 3:
			w.code(6, 3).bits(uint(zeros-3), 3) // symbol 17
			i += zeros
		default:
			w.code(uint(lengths[i]), 3)
			i++
		}
	}
	return w
}

// bomb returns a stream of 1 + 258 n zeros that has two bits for each match.
func bomb(n int) []byte {
	w := new(bitWriter).tables(true, codes{285: 1, 0: 2, 256: 2}, 286, codes{0: 1}, 1)
	w.code(2, 2) // a zero
	for range n {
		w.code(0, 1).code(0, 1)
	}
	return w.code(3, 2).b
}

// withSize returns a part that declares a size.
func withSize(size uint64, stream []byte) []byte {
	return append(binary.AppendUvarint(nil, size), stream...)
}

// handMade is a part made by hand, with what it inflates to under handMadeLimit.
type handMade struct {
	name string
	part []byte
	raw  string    // where there is no error
	code base.Code // of the error, or 0
}

const handMadeLimit = base.MiB

func handMades() []handMade {
	stream := func() *bitWriter { return &bitWriter{} }
	run := func(s string, n int) string { return string(bytes.Repeat([]byte(s), n)) }
	const bad = base.CodeProtocol
	abc := stream().head(true, fixed).literals("abc").longest().end().b // 261 bytes, as c comes 258 times more
	block := stream().stored(false, "abc").head(true, fixed).longest().end().b
	unequal := bytes.Clone(block)
	unequal[3] ^= 1
	return []handMade{
		{name: "stored", part: withSize(261, block), raw: "abc" + run("c", 258)},
		{name: "stored-many", raw: "abcdef" + run("f", 258), part: withSize(264,
			stream().stored(false, "").stored(false, "abc").stored(false, "").stored(false, "def").
				head(false, fixed).longest().end().stored(true, "").b)},
		{name: "fixed", part: withSize(261, abc), raw: "abc" + run("c", 258)},
		{name: "dynamic", raw: "abba" + run("a", 258), part: withSize(262,
			stream().tables(true, codes{'a': 2, 'b': 2, 256: 2, 285: 2}, 286, codes{0: 1}, 1).
				code(0, 2).code(1, 2).code(1, 2).code(0, 2).code(3, 2).code(0, 1).code(2, 2).b)},
		{name: "mixed", raw: "ab-" + run("-", 258) + "ab", part: withSize(263,
			stream().stored(false, "ab").head(false, fixed).literals("-").longest().end().
				tables(true, codes{256: 1, 'a': 2, 'b': 2}, 257, codes{3: 1}, 4).code(2, 2).code(3, 2).code(0, 1).b)},
		{name: "bomb", part: withSize(1+258*2000, bomb(2000)), raw: run("\x00", 1+258*2000)},
		{name: "bomb-over-limit", part: withSize(1+258*5000, bomb(5000)), code: base.CodeLimit},
		{name: "bomb-lies-less", part: withSize(258*2000, bomb(2000)), code: bad},
		{name: "bomb-lies-more", part: withSize(2+258*2000, bomb(2000)), code: bad},
		{name: "declares-impossible", part: withSize(64*base.MiB, abc), code: bad},
		{name: "empty", part: withSize(0, stream().head(true, fixed).end().b), code: bad},
		{name: "as-large", part: withSize(9, stream().stored(true, "abc").b), code: bad},
		{name: "nothing", part: nil, code: bad},
		{name: "no-stream", part: withSize(0, nil), code: bad},
		{name: "size-cut", part: []byte{0x80}, code: bad},
		{name: "size-long-form", part: append([]byte{0x85, 0x82, 0x00}, abc...), code: bad},
		{name: "size-over-64-bits", part: append(bytes.Repeat([]byte{0xff}, 10), abc...), code: bad},
		{name: "cut", part: withSize(261, abc[:5]), code: bad},
		{name: "cut-stored", part: withSize(261, block[:6]), code: bad},
		{name: "trailing", part: withSize(261, append(bytes.Clone(abc), 0)), code: bad},
		{name: "second-stream", part: withSize(261, append(bytes.Clone(abc), abc...)), code: bad},
		{name: "less", part: withSize(262, abc), code: bad},
		{name: "more", part: withSize(260, abc), code: bad},
		{name: "never-last", part: withSize(261, stream().head(false, fixed).literals("abc").longest().end().b), code: bad},
		{name: "kind-3", part: withSize(261, stream().head(true, 3).bits(0, 21).b), code: bad},
		{name: "too-far-back", part: withSize(258, stream().head(true, fixed).longest().end().b), code: bad},
		{name: "unequal-lengths", part: withSize(261, unequal), code: bad},
		{name: "too-many-codes", part: withSize(261,
			stream().tables(true, codes{'a': 1, 'b': 1, 256: 1}, 257, nil, 1).code(0, 1).code(1, 1).b), code: bad},
		{name: "no-distances", part: withSize(1+3*100, noDistances(100)), code: bad},
	}
}

// noDistances returns a block that has no distance codes and uses n.
func noDistances(n int) []byte {
	w := new(bitWriter).tables(true, codes{'a': 1, 256: 2, 257: 2}, 258, nil, 1).code(0, 1)
	for range n {
		w.code(3, 2).code(0, 1)
	}
	return w.code(2, 2).b
}
