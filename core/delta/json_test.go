package delta

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestParseJSON(t *testing.T) {
	cases := []struct{ in, want string }{
		{` null `, `null`}, {`true`, `true`}, {`false`, `false`},
		{`0`, `0`}, {`-0`, `0`}, {`-0.0`, `0`}, {`12`, `12`}, {`-7.50`, `-7.5`},
		{`1e21`, `1e+21`}, {`1e20`, `100000000000000000000`}, {`123456789012345678901234567890`, `1.2345678901234568e+29`},
		{`0.000001`, `0.000001`}, {`1e-7`, `1e-7`}, {`1.5E-10`, `1.5e-10`}, {`9007199254740993`, `9007199254740992`},
		{`9007199254740992`, `9007199254740992`}, {`5e-324`, `5e-324`}, {`1.7976931348623157e308`, `1.7976931348623157e+308`},
		{`1e-400`, `0`}, {`0.1`, `0.1`}, {`999999999999999`, `999999999999999`}, {`1000000000000000000`, `1000000000000000000`},
		{`"a\"\\\/\b\f\n\r\t"`, `"a\"\\/\b\f\n\r\t"`}, {`"\u0000\u001F\u007f"`, "\"\\u0000\\u001f\x7f\""},
		{`"\u00e4\u65E5"`, `"ä日"`}, {`"\ud83d\ude00"`, `"😀"`}, {`"\ud83d"`, `"\ud83d"`}, {`"\ude00\ud83d"`, `"\ude00\ud83d"`},
		{"\"\\ud83d\xed\xb8\x80\"", `"😀"`}, {"\"\xff\"", "\"\ufffd\""}, {"\"\u2028\"", "\"\u2028\""},
		{`{"\ud83d":1}`, `{"\ud83d":1}`}, {`{"\ud83d\ude00":1,"😀":2}`, `{"😀":2}`},
		{`[]`, `[]`}, {`{}`, `{}`}, {"[ 1 ,\n2\t]", `[1,2]`}, {`{"a" : {"b":[ ]} }`, `{"a":{"b":[]}}`}, {`{"":1}`, `{"":1}`},
	}
	for _, c := range cases {
		v, err := ParseJSON([]byte(c.in))
		if err != nil || v.String() != c.want {
			t.Errorf("%q: got %v (%v), want %s", c.in, v, err, c.want)
		}
	}
}

func TestParseJSONRefuses(t *testing.T) {
	cases := []struct {
		in string
		at int
	}{
		{``, 0}, {`  `, 2}, {"\x00", 0}, {`nul`, 0}, {`nulls`, 4}, {`tru`, 0}, {`1 2`, 2}, {`+1`, 0}, {`01`, 0}, {`-`, 0}, {`-01`, 0}, {`1.`, 0}, {`.5`, 0}, {`1e`, 0},
		{`1e999`, 0}, {`NaN`, 0}, {`"a`, 2}, {"\"a\nb\"", 2}, {`"\x"`, 1}, {`"\u12"`, 1}, {`"\u12g4"`, 1}, {`"\`, 1},
		{`[`, 1}, {`[1`, 2}, {`[1,]`, 3}, {`[1 2]`, 3}, {`{`, 1}, {`{"a"`, 4}, {`{"a":`, 5}, {`{"a":1,}`, 7}, {`{a:1}`, 1}, {`{"a" 1}`, 5}, {`{"a":1 "b"}`, 7}, {`]`, 0},
		{"\"\\n\x01\"", 3},
	}
	for _, c := range cases {
		v, err := ParseJSON([]byte(c.in))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != c.at || !v.IsNull() {
			t.Errorf("%q: got %v (%v), want an error at byte %d", c.in, v, err, c.at)
		}
	}
	open, shut := strings.Repeat(`[{"a":`, MaxDepth/2), strings.Repeat(`}]`, MaxDepth/2)
	if _, err := ParseJSON([]byte(open + "1" + shut)); err != nil {
		t.Errorf("at the greatest depth: %v", err)
	}
	if _, err := ParseJSON([]byte("[" + open + "1" + shut + "]")); !errors.Is(err, ErrDepth) {
		t.Errorf("beyond the greatest depth: %v", err)
	}
}

func TestValue(t *testing.T) {
	if !(Value{}).IsNull() || Null() != (Value{}) || (Value{}).Kind() != KindNull {
		t.Errorf("the zero value is not null")
	}
	if !Number(math.NaN()).IsNull() || !Number(math.Inf(-1)).IsNull() {
		t.Errorf("what is no JSON number is not null")
	}
	zero := Number(math.Copysign(0, -1))
	if !zero.Equal(Int(0)) || zero.Hash() != Int(0).Hash() || zero.String() != "0" || !math.Signbit(zero.Number()) {
		t.Errorf("minus zero is not zero")
	}
	if Bool(true).Equal(Bool(false)) || !Bool(true).Equal(Bool(true)) || Bool(true).Equal(Int(1)) || Null().Equal(Bool(false)) {
		t.Errorf("kinds are mixed up")
	}
	v := mustParse(t, `{"xs":[{"t":"hi"}],"7":true}`)
	if at, ok := v.At("xs", 0, "t"); !ok || at.Text().String() != "hi" {
		t.Errorf("got %v", at)
	}
	if at, ok := v.At(7); !ok || !at.Bool() {
		t.Errorf("got %v", at)
	}
	for _, p := range []Path{PathOf("xs", "0"), PathOf("xs", 1), PathOf("no"), PathOf("xs", 0, "t", 0)} {
		if at, ok := v.Lookup(p); ok {
			t.Errorf("%v: got %v", p, at)
		}
	}
	if v.Len() != 2 || v.Depth() != 3 || String("日本").Len() != 2 || Int(5).Len() != 0 {
		t.Errorf("lengths are wrong")
	}
	seen := map[uint64]string{}
	for _, s := range []string{`null`, `true`, `false`, `0`, `1`, `""`, `"a"`, `"\u0000"`, `[]`, `[[]]`, `[null]`, `[0]`, `{}`, `{"":null}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":"b"}`, `["a","b"]`} {
		h := mustParse(t, s).Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have one hash", s, other)
		}
		seen[h] = s
	}
}

// TestHashIsFixed pins the function: recorded hashes must keep their meaning.
func TestHashIsFixed(t *testing.T) {
	if got := mustParse(t, `{"a":[1,-2.5,"hé\ud83d"],"b":{"c":null,"d":true}}`).Hash(); got != fixedHash {
		t.Errorf("got %#x", got)
	}
}

const fixedHash = 0x844bc7859af4fb60

func TestFromGo(t *testing.T) {
	v, err := FromGo(map[string]any{
		"b": []any{1, int8(2), uint64(3), float32(0.5), nil, true}, "a": "x", "c": []string{"y"}, "d": []Value{Int(1)}, "e": NewText("z"),
		"f": map[string]Value{"g": Null()},
	})
	if want := `{"a":"x","b":[1,2,3,0.5,null,true],"c":["y"],"d":[1],"e":"z","f":{"g":null}}`; err != nil || v.String() != want {
		t.Errorf("got %v (%v), want %s", v, err, want)
	}
	if _, err := FromGo([]any{func() {}}); !errors.Is(err, ErrGoType) {
		t.Errorf("got %v", err)
	}
	loop := []any{nil}
	loop[0] = loop
	if _, err := FromGo(loop); !errors.Is(err, ErrDepth) {
		t.Errorf("got %v", err)
	}
}
