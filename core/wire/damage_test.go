package wire

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// parseBudget is how many bytes of memory a parser may take for so many bytes of input: a constant for what an id alone
// makes a reader keep (an empty table of MaxNames paths, while it grows), and a factor for what the input spells out.
func parseBudget(input int) uint64 { return 256<<10 + 160*uint64(input) }

// opsBudget is how many bytes of memory the ops of a batch may take besides: an op takes a byte at the least, and their
// list doubles until it holds them.
func opsBudget(input int) uint64 {
	return 3 * uint64(min(input, delta.MaxOps)) * uint64(unsafe.Sizeof(delta.Op{}))
}

// allocated returns how many bytes of memory fn takes.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// decoder reads some bytes, and writes again what it read.
type decoder struct {
	codec Codec
	name  string
	read  func(in []byte) (again []byte, err error)
}

// decoders lists all that reads bytes of a peer in a codec, in an order that fuzz inputs rely on.
func decoders(c Codec) []decoder {
	list := []decoder{
		{c, "header", func(in []byte) ([]byte, error) {
			h, body, err := ParseHeader(c, in)
			return append(h.Append(c, nil), body...), err
		}},
		{c, "value", func(in []byte) ([]byte, error) {
			v, err := c.ParseValue(in)
			return c.AppendValue(nil, v), err
		}},
		{c, "ops", func(in []byte) ([]byte, error) {
			var n Names
			ops, err := c.ParseOps(&n, in)
			if err != nil {
				return nil, err
			}
			return c.AppendOps(nil, ops, &Dict{}, &Told{}, &Used{}), nil
		}},
	}
	for _, k := range kinds {
		list = append(list, decoder{c, k.name, func(in []byte) ([]byte, error) {
			m, err := k.parse(c, in)
			if err != nil {
				return nil, err
			}
			return m.Append(c, nil), nil
		}})
	}
	return list
}

// allDecoders lists those of both codecs.
func allDecoders() []decoder { return append(decoders(Binary), decoders(Text)...) }

// oneForm says of which things there is one encoding only. A value may be written in several ways: a number in more
// bytes than it takes, an object with its keys in full. So may all JSON.
func (d decoder) oneForm() bool {
	return d.name == "header" || d.codec == Binary && d.name != "value" && d.name != "ops"
}

// check reads in. It either fails with a code of a peer's fault, or gives something that is written and read again.
func (d decoder) check(t testing.TB, why string, in []byte) {
	t.Helper()
	again, err := d.read(bytes.Clone(in))
	if err != nil {
		if code := base.CodeOf(err); code != base.CodeProtocol && code != base.CodeLimit {
			t.Errorf("%v %s, %s: %q: error of code %v: %v", d.codec, d.name, why, in, code, err)
		}
		return
	}
	if d.oneForm() && !bytes.Equal(again, in) {
		t.Errorf("%v %s, %s: %q is written again as %q", d.codec, d.name, why, in, again)
	}
	if third, err := d.read(again); err != nil || !bytes.Equal(third, again) {
		t.Errorf("%v %s, %s: %q, written again as %q, then %q (%v)", d.codec, d.name, why, in, again, third, err)
	}
}

// samples are good inputs of every decoder of a codec.
func samples(t testing.TB, c Codec) map[string][][]byte {
	if c == Text {
		return textSamples()
	}
	s := map[string][][]byte{}
	for _, g := range goldens {
		s[g.kind] = append(s[g.kind], unhex(t, g.hex))
	}
	for _, h := range []Header{{Type: TypeCall, Origin: 300, Ack: 300}, {Type: TypeBound, More: true, Slot: 63}, {Type: TypeState}} {
		s["header"] = append(s["header"], append(h.Append(Binary, nil), "body"...))
	}
	v, ops := sampleValue(), sampleOps()
	s["value"] = [][]byte{AppendValue(nil, v), AppendValue(nil, delta.String("\xed\xa0\x80"))}
	var d Dict
	var told Told
	AppendOps(nil, ops, &d, &Told{}, &Used{})
	s["ops"] = [][]byte{AppendOps(nil, ops, &Dict{}, &Told{}, &Used{}), AppendOps(nil, ops, &d, &told, &Used{})}
	return s
}

func textSamples() map[string][][]byte {
	s := map[string][][]byte{}
	for _, g := range textGoldens {
		h, body, _ := ParseHeader(Text, []byte(g.chunk))
		s[g.kind] = append(s[g.kind], body)
		s["header"] = append(s["header"], h.Append(Text, nil), []byte(g.chunk))
	}
	for _, more := range []Header{{Type: TypeStateMore, Slot: 1, More: true}, {Type: TypeBulkMore}, {Type: TypeCallMore, Slot: 63}} {
		s["header"] = append(s["header"], append(more.Append(Text, nil), "body"...))
	}
	v, ops := sampleValue(), sampleOps()
	s["value"] = [][]byte{Text.AppendValue(nil, v), []byte(`"\ud800"`)}
	var d Dict
	var told Told
	Text.AppendOps(nil, ops, &d, &Told{}, &Used{})
	s["ops"] = [][]byte{Text.AppendOps(nil, ops, &Dict{}, &Told{}, &Used{}), Text.AppendOps(nil, ops, &d, &told, &Used{})}
	return s
}

func sampleValue() delta.Value {
	row := func(n int, s string) delta.Value {
		return delta.Object(delta.Field{Key: "id", Value: delta.Int(n)}, delta.Field{Key: "é", Value: delta.String(s)})
	}
	wide := delta.Object()
	for i := range 33 { // one more than a shape may have
		wide, _ = delta.Apply(wide, []delta.Op{{Code: delta.OpSet, Path: delta.PathOf(string(rune('A' + i))), Value: delta.Int(i)}})
	}
	return delta.List(row(1, "a"), row(-100000, "b"), wide, delta.Object(), delta.List(), delta.Bool(true), delta.Bool(false), delta.Null())
}

func sampleOps() []delta.Op {
	entry := delta.PathOf("entries", 3, "text")
	return []delta.Op{
		{Code: delta.OpAppend, Path: entry, Text: delta.NewText(" tok")},
		{Code: delta.OpTruncate, Path: entry, N: 300},
		{Code: delta.OpSet, Path: delta.PathOf("done"), Value: delta.Number(-1.5)},
		{Code: delta.OpDelete, Path: delta.PathOf("entries", 2)},
		{Code: delta.OpSplice, Path: delta.PathOf("entries"), N: 1, Remove: 2, Items: []delta.Value{delta.Int(7), delta.Object(delta.Field{Key: "a"})}},
		{Code: delta.OpPermute, Path: delta.PathOf(), Perm: []int{1, 0, 2}},
		{Code: delta.OpAppend, Path: entry, Text: delta.NewText("")},
		delta.Replace(delta.Object(delta.Field{Key: "a", Value: delta.List()})),
		{Code: delta.OpAppend, Path: entry, Text: delta.NewText("é")},
	}
}

func TestSamplesAreGood(t *testing.T) {
	for _, d := range allDecoders() {
		all := samples(t, d.codec)
		if len(all[d.name]) == 0 {
			t.Errorf("no sample of %s", d.name)
		}
		for _, in := range all[d.name] {
			if _, err := d.read(in); err != nil {
				t.Errorf("%s: % x: %v", d.name, in, err)
			}
		}
	}
}

func TestEveryTruncationIsRefusedOrRead(t *testing.T) {
	for _, d := range allDecoders() {
		all := samples(t, d.codec)
		for _, in := range all[d.name] {
			for n := range in {
				d.check(t, "cut", in[:n])
			}
		}
	}
}

func TestEveryFlippedBitIsRefusedOrRead(t *testing.T) {
	for _, d := range allDecoders() {
		all := samples(t, d.codec)
		for _, in := range all[d.name] {
			for bit := range 8 * len(in) {
				in[bit/8] ^= 1 << (bit % 8)
				d.check(t, "a bit flipped", in)
				in[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
}

func TestDamageTakesLittleMemory(t *testing.T) {
	for _, d := range allDecoders() {
		all := samples(t, d.codec)
		for _, in := range all[d.name] {
			for bit := 7; bit < 8*len(in); bit += 3 {
				in[bit/8] ^= 1 << (bit % 8)
				if got := allocated(func() { _, _ = d.read(in) }); got > parseBudget(len(in)) {
					t.Errorf("%s: % x takes %d bytes, at most %d", d.name, in, got, parseBudget(len(in)))
				}
				in[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
}

// TestPromisesAreNotPaidInAdvance gives counts that the input does not hold: containers within containers, each of which
// says that it has as many items as there are bytes left.
func TestPromisesAreNotPaidInAdvance(t *testing.T) {
	const size = 64 << 10
	count := []byte{0x80 | (size-4000)&0x7f, 0x80 | (size-4000)>>7&0x7f, (size - 4000) >> 14}
	inputs := map[string][]byte{
		"lists in lists":     bytes.Repeat(append([]byte{tagList}, count...), 511),
		"objects in objects": bytes.Repeat(append(append([]byte{tagObject}, count...), 0), 511),
	}
	shape := []byte{tagDefine, 0, 0x80, 0x02} // 256 keys
	for i := range 256 {
		shape = appendText(shape, string(rune('0'+i)))
	}
	inputs["a shape in itself"] = append(shape, bytes.Repeat([]byte{tagShapeLow}, size/2)...)
	for why, in := range inputs {
		in = append(in, make([]byte, size-len(in))...)
		for _, d := range decoders(Binary)[1:3] {
			in := in
			if d.name == "ops" {
				in = append([]byte{0}, in...) // a replacement
			}
			if got := allocated(func() { _, _ = d.read(in) }); got > 64*size {
				t.Errorf("%s as %s: %d bytes of memory for %d of input", why, d.name, got, size)
			}
		}
	}
}

// TestNamesAreBounded checks that a peer cannot make a reader keep names of any size.
func TestNamesAreBounded(t *testing.T) {
	long := string(bytes.Repeat([]byte("k"), MaxNameBytes))
	var n Names
	define := append([]byte{tagDefine, 0, 1}, appendText(nil, long)...)
	_, err := n.ParseSnapshot(append(define, 0))
	wantRefusal(t, "a shape over MaxNameBytes", nil, err)
	path := appendPath([]byte{2 | pathDefine}, delta.PathOf(long))
	_, err = n.ParseOps(path)
	wantRefusal(t, "a path over MaxNameBytes", nil, err)
	if len(n.paths.byID) > 0 || len(n.shapes.byID) > 0 {
		t.Error("what was refused was kept")
	}
	_, err = n.ParseSnapshot([]byte{tagShape, 0x80, 0x08})
	wantRefusal(t, "shape id 1024", nil, err)
}

// A message of nothing but small containers would take some hundred times its size.
func TestContainersAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads values of two million lists")
	}
	for _, n := range []int{delta.MaxContainers - 1, delta.MaxContainers} { // and the list around them
		binary := append([]byte{tagList}, bytes.Repeat([]byte{tagListLow}, n)...)
		binary = slices.Insert(binary, 1, []byte{byte(n)&0x7f | 0x80, byte(n>>7)&0x7f | 0x80, byte(n>>14)&0x7f | 0x80, byte(n >> 21)}...)
		if n>>21 == 0 {
			binary = append([]byte{tagList, byte(n)&0x7f | 0x80, byte(n>>7)&0x7f | 0x80, byte(n >> 14)}, bytes.Repeat([]byte{tagListLow}, n)...)
		}
		text := append(append([]byte("["), bytes.Repeat([]byte("[],"), n-1)...), "[]]"...)
		for c, in := range map[Codec][]byte{Binary: binary, Text: text} {
			if _, err := c.ParseValue(in); (err == nil) != (n < delta.MaxContainers) {
				t.Errorf("%v, %d lists in a list: %v", c, n, err)
			}
		}
	}
}
