package delta

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// byValues reads a batch as values first, all of it, and then judges its tuples: what a decoder does with a tuple that it cannot
// read from its bytes.
func (d *WireDecoder) byValues(b []byte) (ops []Op, err error) {
	tuples, err := parseTuples(b)
	if err != nil {
		return nil, err
	}
	var last Path
	for i, tuple := range tuples.Elements() {
		op, ok, err := d.tuple(tuple, last)
		if err != nil {
			return nil, fmt.Errorf("%w (tuple %d of the batch)", err, i)
		}
		if ok {
			ops = append(ops, op)
			last = op.Path
		}
	}
	return ops, nil
}

// tupleParts are what tuples are put together from: good parts, and some that are good at no place or seldom.
var tupleParts = []string{
	`0`, `1`, `2`, `7`, `-0`, `-1`, `0.5`, `1e0`, `1.0`, `01`, `9007199254740993`, `999999999999999`, `[]`, `["a"]`, `["a",0]`, `[0,"b"]`, `["日","\u0061\n"]`,
	`["__proto__"]`, `[-1]`, `[[0]]`, `[0]`, `[1,0]`, `[2,0,1]`, `[0,0]`, `"x"`, `""`, `"\ud83d"`, `"a text of more than thirty-two bytes"`, `null`, `true`, `{}`,
	`{"a":1}`, `{"a":{"b":[1]}}`, `[{"a":1},{"a":2}]`, `nul`, `]`, `"`,
}

func drawTuple(t *rapid.T) string {
	code := rapid.SampledFrom([]string{`"s"`, `"d"`, `"a"`, `"t"`, `"p"`, `"m"`, `"#"`, `"r"`, `"\u0073"`, `"q"`, `"ss"`, `""`, `"""`, `1`}).Draw(t, "code")
	refs := []string{"", "", ",0", ",1", `,["a"]`, `,["a",0]`, `,[]`, `,7`}
	args := map[string][]string{
		`"s"`: {`,1`, `,"x"`, `,[]`, `,[0]`, `,["a"]`, `,{"a":1}`}, `"d"`: {``}, `"a"`: {`,"x"`, `,"日"`}, `"t"`: {`,0`, `,3`, `,9007199254740993`},
		`"p"`: {`,0,1,[]`, `,2,0,[1,{"a":1}]`, `,0,0,["x"]`}, `"m"`: {`,[]`, `,[0]`, `,[1,0]`}, `"#"`: {`,0,["a"]`, `,1,[]`, `,7,["b",0]`}, `"r"`: {`,{}`, `,{"a":1}`},
	}
	in := code
	if good := args[code]; len(good) > 0 && rapid.IntRange(0, 4).Draw(t, "good") > 0 {
		if code != `"r"` && code != `"#"` {
			in += rapid.SampledFrom(refs).Draw(t, "ref")
		}
		in += rapid.SampledFrom(good).Draw(t, "arguments")
	} else {
		for range rapid.IntRange(0, 5).Draw(t, "parts") {
			in += "," + rapid.SampledFrom(tupleParts).Draw(t, "part")
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "spaces") == 0 {
		in = strings.NewReplacer(",", " ,\n", "[", "[ ", "]", "\t]").Replace(in)
	}
	return "[" + in + "]"
}

// TestTupleModel reads batches tuple by tuple from their bytes and as values first: what comes of them is the same, the words of a
// refusal too.
func TestTupleModel(t *testing.T) {
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		var d, model WireDecoder
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			var tuples []string
			for range rapid.IntRange(0, 7).Draw(t, "tuples") {
				tuples = append(tuples, drawTuple(t))
			}
			in := "[" + strings.Join(tuples, ",") + "]" + rapid.SampledFrom([]string{"", "", "", "", " ", "]", "1"}).Draw(t, "behind")
			want, wantErr := model.byValues([]byte(in))
			got, err := d.ParseJSON([]byte(in))
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || len(got) != len(want) {
				t.Fatalf("%s: %v (%v), want %v (%v)", in, got, err, want, wantErr)
			}
			for i, op := range got {
				if w := want[i]; op.String() != w.String() || !op.Path.Equal(w.Path) || (op.Path == nil) != (w.Path == nil) {
					t.Fatalf("%s: op %d is %v, want %v", in, i, op, w)
				}
			}
			if err != nil {
				return
			}
			taken++
		}
	})
	if taken == 0 {
		t.Error("no batch was taken")
	}
}

// TestSyntaxComesFirst checks that a batch which is no JSON is refused as such, whatever is wrong with an op before it.
func TestSyntaxComesFirst(t *testing.T) {
	for _, tail := range []string{``, `]`, `,`, `,[]`, `,["s",["a"],1e999]]`, `]]`} {
		in := `[["r",1],["x",["a"],1]` + tail
		var d WireDecoder
		ops, err := d.ParseJSON([]byte(in))
		var syntax *SyntaxError
		if _, want := parseJSON([]byte(in), MaxDepth); ops != nil || errors.As(err, &syntax) != (want != nil) || want == nil && !errors.Is(err, ErrOp) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestTupleDepth reads values at and beyond the greatest depth in every place that an op has for them.
func TestTupleDepth(t *testing.T) {
	for levels := MaxDepth - 3; levels < MaxDepth+4; levels++ {
		deep := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		for _, form := range []string{`[["r",%s]]`, `[["s",["a"],%s]]`, `[["s",["a"],0],["s",%s]]`, `[["p",[],0,0,[1,%s]]]`, `[["p",["a"],0,0,[%s]],["d",["b"]]]`} {
			in := fmt.Appendf(nil, form, deep)
			var d, model WireDecoder
			got, err := d.ParseJSON(in)
			if want, wantErr := model.byValues(in); fmt.Sprint(err) != fmt.Sprint(wantErr) || len(got) != len(want) {
				t.Errorf("%d levels in %s: %d ops (%v), want %d (%v)", levels, form, len(got), err, len(want), wantErr)
			}
		}
	}
}

// TestTextAllocations bounds what the batches of a stream cost that it is made of, once their paths have ids.
func TestTextAllocations(t *testing.T) {
	text := strings.Repeat("x", 80)
	for _, c := range []struct {
		why, in string
		most    float64
	}{
		{"a token", `[["a",0," tok"]]`, 2},
		{"a token with its path", `[["a",["reply"]," tok"]]`, 4},
		{"a counter", `[["s",0,1234]]`, 1},
		{"an entry", `[["s",0,{"id":"e1","text":"a new entry"}]]`, 5},
		{"an appended item", `[["p",0,12,0,[{"id":"e12","text":"` + text + `","author":"jo","at":1700000000012}]]]`, 8},
		{"a permutation", `[["m",0,[3,1,0,2]]]`, 2},
	} {
		var d WireDecoder
		if _, err := d.ParseJSON([]byte(`[["#",0,["reply"]]]`)); err != nil {
			t.Fatal(err)
		}
		in := []byte(c.in)
		if got := testing.AllocsPerRun(100, func() {
			if _, err := d.ParseJSON(in); err != nil {
				t.Error(err)
			}
		}); got > c.most {
			t.Errorf("%s: %v allocations, want %v at most", c.why, got, c.most)
		}
	}
}

func BenchmarkWireToken(b *testing.B) {
	benchDecode(b, `[["a",0," tok"]]`)
}

func BenchmarkWireItem(b *testing.B) {
	benchDecode(b, `[["p",0,12,0,[{"id":"e12","text":"`+strings.Repeat("x", 80)+`","author":"jo","at":1700000000012}]]]`)
}

func benchDecode(b *testing.B, in string) {
	var d WireDecoder
	if _, err := d.ParseJSON([]byte(`[["#",0,["reply"]]]`)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.ParseJSON([]byte(in)); err != nil {
			b.Fatal(err)
		}
	}
}
