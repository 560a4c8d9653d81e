package delta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// goTexts are JSON texts, among them what every value of the models is written as.
func goTexts() []string {
	texts := []string{
		`null`, `true`, `false`, `0`, `-1`, `1.5`, `300`, `65536`, `-129`, `4294967296`, `1e30`, `-1e30`, `3.5e38`, `0.1`, `9007199254740992`,
		`""`, `"x"`, `"12"`, `"x1"`, `"true"`, `"\"in\""`, `"color-7"`, `"null"`, `"c29tZQ=="`, `"c29tZQ"`, `"2026-11-30T01:02:03Z"`, `"\ud83d\ude00"`, `"\ud83d \ude00\ud83d"`, `"::1"`,
		`[]`, `[null]`, `[1,2,3,4]`, `["a","b"]`, `[[1],null,[]]`, `[true,"x",{}]`, `[{"A":1},null,{"B":2}]`, `["color-1"]`, `[1.5]`, `[256]`,
		`{}`, `{"a":1}`, `{"A":1,"B":2}`, `{"a":1,"A":2,"b":3}`, `{"c":"x","C":"y","D":"z"}`, `{"A":null,"B":"x"}`, `{"1":2,"-3":4}`, `{"color-1":1}`, `{"k":{"k":[null]}}`,
		`{"\ud83d":1,"\ude00":2}`, `{"First":1,"n":{"A":1},"Field":[1]}`, `{"FIRST":7,"fiELD":"x","N":"y","q":"5","ſirst":1}`, `{"first":3,"\u212A":1,"field":null}`,
		`{"base":{"A":1},"E":{"x":[1,"a"]},"GoInt":5}`, `{"name":"r","kids":[{"name":"k","by":{"x":null}},null],"any":{"a":[1]}}`, `{"Name":1}`,
		`{"quoted":"9223372036854775807","qptr":"1e-7","q":"\"t\"","QBool":"true","qnum":"12.50"}`, `{"quoted":5}`, `{"quoted":"x"}`, `{"quoted":"\"5\""}`, `{"quoted":""}`,
		`{"qptr":null,"quoted":null,"q":null}`, `{"qptr":"null"}`, `{"q":"plain"}`, `{"q":"5"}`, `{"QBool":"1"}`, `{"qnum":"\"1\""}`, `{"qnum":"x"}`, `{"quoted":"[1]"}`,
		`{"own":{"N":1},"ownPtr":{"N":2},"when":"2026-11-30T01:02:03Z","map":{"k":1},"-":2,"arr":[1,2]}`, `{"when":5}`, `{"M":{"x":1}}`, `{"M":null}`, `{"E":"x"}`, `{"E":null}`,
	}
	for _, x := range goValues() {
		if text, err := json.Marshal(x); err == nil && len(text) < 1000 {
			texts = append(texts, string(text), `[`+string(text)+`]`, `{"key":`+string(text)+`,"Field":`+string(text)+`,"First":3}`)
		}
	}
	return texts
}

// goTargets are the types that are read into.
func goTargets() (types []reflect.Type) {
	seen := map[reflect.Type]bool{}
	for _, x := range goValues() {
		if x == nil {
			continue
		}
		t := reflect.TypeOf(x)
		for _, t := range []reflect.Type{
			t, reflect.PointerTo(t), reflect.SliceOf(t), reflect.ArrayOf(2, t), reflect.MapOf(reflect.TypeFor[string](), t),
			reflect.StructOf([]reflect.StructField{{Name: "First", Type: reflect.TypeFor[int]()}, {Name: "Field", Type: t}}),
			reflect.StructOf([]reflect.StructField{{Name: "Field", Type: reflect.PointerTo(t), Tag: `json:"q,string"`}, {Name: "A", Type: t}}),
		} {
			if !seen[t] {
				seen[t] = true
				types = append(types, t)
			}
		}
	}
	return append(types, reflect.TypeFor[any](), reflect.TypeFor[map[goMute]int](), reflect.TypeFor[map[int8]int](), reflect.TypeFor[map[uint]int]())
}

// TestToIsUnmarshal compares with what encoding/json reads from a value's JSON: every text into every type.
func TestToIsUnmarshal(t *testing.T) {
	forgetPlans(t)
	var values []Value
	var texts [][]byte
	for _, text := range goTexts() {
		v := mustParse(t, text)
		if strings.Contains(v.String(), "9223372036854776") || strings.Contains(v.String(), "18446744073709552") {
			continue // the digits of so large a double, which encoding/json reads, are not those of its value
		}
		values, texts = append(values, v), append(texts, AppendJSON(nil, v))
	}
	fit, n := 0, 0
	before := mustUnmarshal[any](`{"old":[1,{"a":1}]}`)
	for _, typ := range goTargets() {
		goTypes.Store(nil)
		for i := range values {
			want, got := reflect.New(typ), reflect.New(typ)
			if typ.Kind() == reflect.Interface && i%2 == 0 {
				want.Elem().Set(reflect.ValueOf(before))
				got.Elem().Set(reflect.ValueOf(before))
			}
			v := values[i]
			wantErr := json.Unmarshal(texts[i], want.Interface())
			err := v.Decode(got.Interface())
			n++
			if (err != nil) != (wantErr != nil) {
				t.Errorf("%v from %.200v: error %v, encoding/json %v", typ, v, err, wantErr)
				continue
			}
			if err != nil {
				continue
			}
			fit++
			if g, w := got.Elem().Interface(), want.Elem().Interface(); !reflect.DeepEqual(g, w) {
				t.Errorf("%v from %.200v: got %+v, want %+v", typ, v, g, w)
			}
		}
	}
	t.Logf("%d pairs, %d fit", n, fit)
	if n < 100_000 || fit < 10_000 {
		t.Errorf("only %d pairs, %d fit", n, fit)
	}
}

func mustUnmarshal[T any](text string) (out T) {
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}

// TestDecodeIntoWhatIsThere compares with encoding/json where the target holds something.
func TestDecodeIntoWhatIsThere(t *testing.T) {
	type doc struct {
		N    int
		P    *goBase
		L    []goBase
		LP   []*goBase
		A    [3]goBase
		M    map[string]goBase
		MP   map[string]*goBase
		X    any
		Y    any
		S    string
		Emb  goDeep
		Null []int
	}
	fill := func() *doc {
		return &doc{
			N: 1, P: &goBase{1, 2}, L: []goBase{{1, 2}, {3, 4}, {5, 6}}, LP: []*goBase{{1, 2}, {3, 4}}, A: [3]goBase{{1, 2}, {3, 4}, {5, 6}},
			M: map[string]goBase{"a": {1, 2}, "b": {3, 4}}, MP: map[string]*goBase{"a": {1, 2}}, X: &goBase{7, 8}, Y: goBase{9, 9}, S: "old",
			Emb: goDeep{goOther: &goOther{1, "c"}}, Null: []int{1},
		}
	}
	for _, text := range []string{
		`{}`, `null`, `{"N":null,"P":null,"L":null,"LP":null,"A":null,"M":null,"MP":null,"X":null,"Y":null,"S":null,"Emb":null,"Null":null}`,
		`{"P":{"A":9},"L":[{"A":9}],"LP":[{"A":9},null],"A":[{"B":9}],"M":{"a":{"A":9},"c":{}},"MP":{"a":{"B":9}},"X":{"B":9},"Y":{"B":9}}`,
		`{"L":[],"LP":[null,{"A":1},{"B":2},{"A":3}],"A":[{},{},{},{},{}],"M":{},"X":{"A":3},"Null":[4,5]}`, `{"Emb":{"B":5,"c":"x","A":7}}`, `{"X":{"A":"no"}}`,
	} {
		want, got := fill(), fill()
		wantErr, err := json.Unmarshal([]byte(text), want), mustParse(t, text).Decode(got)
		if (err != nil) != (wantErr != nil) || !reflect.DeepEqual(got, want) {
			g, _ := json.Marshal(got)
			w, _ := json.Marshal(want)
			t.Errorf("%s:\n got %s (%v)\nwant %s (%v)", text, g, err, w, wantErr)
		}
	}
	p := &goBase{1, 2}
	if err := Null().Decode(&p); err != nil || p != nil {
		t.Errorf("null into a pointer: %v (%v)", p, err)
	}
}

func TestToValueAndText(t *testing.T) {
	type doc struct {
		V  Value
		P  *Value
		PN *Value
		T  Text
		TN Text
		M  map[string]Value
	}
	in := mustParse(t, `{"V":[1],"P":{"a":1},"PN":null,"T":"\ud83d","TN":null,"M":{"x":null}}`)
	got, err := To[doc](in)
	v, _ := in.Get("V")
	if err != nil || got.V != v || got.P.String() != `{"a":1}` || got.PN != nil || got.T.Len() != 1 || got.TN.Len() != 0 || got.M["x"].Kind() != KindNull || len(got.M) != 1 {
		t.Errorf("got %+v (%v)", got, err)
	}
	if _, err := To[Text](Int(1)); !errors.Is(err, ErrGoType) {
		t.Errorf("a number as a text: %v", err)
	}
	for in, want := range map[string]string{
		`"\ud83d"`: "\ufffd", `"\ud83d\ud83d\ude00"`: "\ufffd😀", `"\ude00x\ud83d"`: "\ufffdx\ufffd", `"\ud83d\ude00"`: "😀", `"\ud83d\ud83d"`: "\ufffd\ufffd",
	} {
		if got, err := To[string](mustParse(t, in)); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", in, got, err, want)
		}
		if got, err := To[any](mustParse(t, `{"k":[`+in+`]}`)); err != nil || !reflect.DeepEqual(got, map[string]any{"k": []any{want}}) {
			t.Errorf("%s: got %q (%v)", in, got, err)
		}
	}
	// Halves that meet are one code point.
	joined, err := Apply(TextValue(TextFromUTF16([]uint16{0xd83d})), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := To[string](TextValue(joined.Text().Append(TextFromUTF16([]uint16{0xde00})))); got != "😀" {
		t.Errorf("got %q", got)
	}
}

func TestToNumbers(t *testing.T) {
	check := func(why string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", why, err, want)
		}
	}
	at := func(f float64) Value { return Number(f) }
	for f, want := range map[float64]error{-128: nil, 127: nil, -129: ErrGoValue, 128: ErrGoValue, 0.5: ErrGoValue, 1e300: ErrGoValue, math.Copysign(0, -1): nil} {
		_, err := To[int8](at(f))
		check(fmt.Sprint("int8 ", f), err, want)
	}
	for f, want := range map[float64]error{-1 << 63: nil, 1<<63 - 1024: nil, 1 << 63: ErrGoValue, -1<<63 - 2048: ErrGoValue, 1e18 + 0.5: nil} {
		n, err := To[int64](at(f))
		check(fmt.Sprint("int64 ", f), err, want)
		if err == nil && float64(n) != f {
			t.Errorf("%v became %d", f, n)
		}
	}
	for f, want := range map[float64]error{0: nil, -1: ErrGoValue, 1<<64 - 2048: nil, 1 << 64: ErrGoValue, 0.25: ErrGoValue, math.Copysign(0, -1): nil} {
		n, err := To[uint64](at(f))
		check(fmt.Sprint("uint64 ", f), err, want)
		if err == nil && float64(n) != f {
			t.Errorf("%v became %d", f, n)
		}
	}
	for f, want := range map[float64]error{3.5e38: ErrGoValue, math.MaxFloat32: nil, 1e-50: nil} {
		_, err := To[float32](at(f))
		check(fmt.Sprint("float32 ", f), err, want)
	}
	// What no double holds passes through the option "string" exactly.
	type exact struct {
		N int64  `json:"n,string"`
		U uint64 `json:"u,string"`
	}
	in := exact{math.MaxInt64 - 1, math.MaxUint64}
	v, err := From(in)
	if out, err2 := To[exact](v); err != nil || err2 != nil || out != in {
		t.Errorf("got %v (%v, %v)", out, err, err2)
	}
}

func TestToErrors(t *testing.T) {
	type entry struct {
		At    time.Time
		Count uint8 `json:"count"`
		ID    *int  `json:"id,string"`
	}
	type doc struct {
		Entries []entry
		By      map[int8]entry
		*goDeep
	}
	type hidden struct{ *goBase }
	cases := []struct {
		text, path, typ string
		want            error
	}{
		{`{"Entries":[{},{"count":256}]}`, "Entries[1].Count", "uint8", ErrGoValue},
		{`{"Entries":[{},{"COUNT":"1"}]}`, "Entries[1].Count", "uint8", ErrGoType},
		{`{"Entries":[{"At":"yesterday"}]}`, "Entries[0].At", "time.Time", ErrGoValue},
		{`{"Entries":[{"id":"x"}]}`, "Entries[0].ID", "*int", ErrGoValue},
		{`{"Entries":[{"id":5}]}`, "Entries[0].ID", "*int", ErrGoType},
		{`{"By":{"1":{},"2":{"count":[]}}}`, `By["2"].Count`, "uint8", ErrGoType},
		{`{"By":{"200":{}}}`, `By["200"]`, "int8", ErrGoValue},
		{`{"By":[]}`, "By", "map[int8]delta.entry", ErrGoType},
		{`{"Entries":{}}`, "Entries", "[]delta.entry", ErrGoType},
		{`7`, "", "delta.doc", ErrGoType},
	}
	for _, c := range cases {
		got, err := To[doc](mustParse(t, c.text))
		var where *GoError
		if !errors.As(err, &where) || where.Path != c.path || where.Type != c.typ || !errors.Is(err, c.want) || !reflect.DeepEqual(got, doc{}) {
			t.Errorf("%s: got %+v and %v, want %v at %q of %s", c.text, got, err, c.want, c.path, c.typ)
		}
	}
	if _, err := To[hidden](mustParse(t, `{"A":1}`)); !errors.Is(err, ErrGoType) {
		t.Errorf("an embedded pointer that cannot be set: %v", err)
	}
	for why, into := range map[string]any{"nil": nil, "no pointer": doc{}, "a nil pointer": (*doc)(nil)} {
		if err := Int(1).Decode(into); !errors.Is(err, ErrGoType) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

func TestToDepth(t *testing.T) {
	type list struct{ Next *list }
	type cycle *cycle
	if _, err := To[cycle](Int(1)); !errors.Is(err, ErrDepth) {
		t.Errorf("a pointer to pointers without end: %v", err)
	}
	v := mustParse(t, strings.Repeat(`{"Next":`, MaxDepth-1)+"{}"+strings.Repeat(`}`, MaxDepth-1))
	if got, err := To[list](v); err != nil || got.Next.Next.Next == nil {
		t.Errorf("at the greatest depth: %v", err)
	}
	if _, err := To[any](List(v)); !errors.Is(err, ErrDepth) {
		t.Errorf("deeper: %v", err)
	}
}
