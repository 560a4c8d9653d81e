package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/core/delta"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/vectors/wire from the tree")

const (
	vectorDir    = "../../testdata/vectors/wire/"
	protocolFile = "../../docs/PROTOCOL.md"
)

// vector is one line of a file. What names it within its file and codec; PROTOCOL.md shows some by it. The other fields are
// there where the file has a use for them; bytes are hex.
type vector struct {
	What     string          `json:"what"`
	Type     string          `json:"type,omitempty"`
	Codec    string          `json:"codec,omitempty"`
	Header   any             `json:"header,omitempty"`
	Fields   any             `json:"fields,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
	Of       string          `json:"of,omitempty"`
	Bytes    string          `json:"bytes"`
	Text     string          `json:"text,omitempty"`
	Chunks   []string        `json:"chunks,omitempty"`
	Batches  []batchVector   `json:"batches,omitempty"`
	ReadOnly bool            `json:"readOnly,omitempty"` // must be read, and is not written here
	Code     base.Code       `json:"code,omitempty"`
}

// batchVector is a batch of ops in a stream, and the value that it leads to.
type batchVector struct {
	Ops   json.RawMessage `json:"ops"`
	Bytes string          `json:"bytes"`
	Text  json.RawMessage `json:"text"`
	Value json.RawMessage `json:"value"`
}

// vectorFiles makes the vectors anew: what is written comes from the tables, and the fields beside it from reading that.
var vectorFiles = map[string]func(*testing.T) []vector{
	"messages.json": messageVectors, "values.json": valueVectors, "streams.json": streamVectors,
	"refused.json": refusedVectors, "frames.json": frameVectors,
}

// TestVectors compares the files with what is written and read here. A difference is a change of the protocol.
func TestVectors(t *testing.T) {
	for name, vectors := range vectorFiles {
		got := []byte("[")
		seen := map[string]bool{}
		for i, v := range vectors(t) {
			if key := v.Codec + v.What; seen[key] {
				t.Errorf("%s: %q is there twice", name, v.What)
			} else {
				seen[key] = true
			}
			var line bytes.Buffer
			e := json.NewEncoder(&line)
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				t.Fatalf("%s: %s: %v", name, v.What, err)
			}
			if i > 0 {
				got = append(got, ',')
			}
			got = append(append(got, '\n'), bytes.TrimSpace(line.Bytes())...)
		}
		got = append(got, "\n]\n"...)
		if *rewrite {
			if err := os.WriteFile(vectorDir+name, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(vectorDir + name)
		if err != nil {
			t.Fatal(err)
		}
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Errorf("%s:%d:\n got %s\nwant %s\nIf that is meant: go test ./core/wire -run TestVectors -rewrite, and review the diff.", name, i+1, g[i], w[i])
			}
		}
		if len(g) != len(w) {
			t.Errorf("%s: %d lines, want %d", name, len(g), len(w))
		}
	}
}

// moreMessages are what the tables of the other tests lack: one for each type that shares its fields with another, and for
// each that has none. They are the same in both codecs.
var moreMessages = []struct {
	why     string
	header  Header
	message message
	body    string // of a later chunk
}{
	{why: "nothing to ride on", header: Header{Type: TypeAck, Ack: 32}},
	{why: "are you there", header: Header{Type: TypePing}},
	{why: "yes", header: Header{Type: TypePong}},
	{why: "no chunk of its own any more", header: Header{Type: TypeVoid}},
	{why: "a tab is gone", header: Header{Type: TypeOriginClosed, Origin: 300}},
	{why: "its number is free", header: Header{Type: TypeOriginReleased, Origin: 300, Ack: 16}},
	{why: "the id is free", header: Header{Type: TypeReleased}, message: holdID(7)},
	{why: "null, behind the state that the call wrote", header: Header{Type: TypeResultOrdered, Origin: 1}, message: Result{ID: 2}},
	{why: "the first of several chunks", header: Header{Type: TypeResultBulk, More: true, Slot: 1}, message: Result{ID: 2}},
	{why: "the first of several chunks", header: Header{Type: TypeCallBulk, More: true, Slot: 63, Origin: 5, Ack: 129}, message: Call{Hold: 1, ID: 2}},
	{why: "in the middle", header: Header{Type: TypeStateMore, More: true, Slot: 2}, body: "goes on"},
	{why: "credit is due", header: Header{Type: TypeBulkMore, More: true, Due: true, Slot: 3}, body: "en"},
	{why: "the last", header: Header{Type: TypeBulkMore, Origin: 16383}, body: "ends"},
	{why: "the last", header: Header{Type: TypeCallMore, Slot: 63, Ack: 16}, body: "ends"},
	{why: "the rest does not come", header: Header{Type: TypeStateAbort, Slot: 2}},
	{why: "the rest does not come", header: Header{Type: TypeBulkAbort, Slot: 1}},
}

func messageVectors(t *testing.T) (list []vector) {
	typeOf := func(kind string) Type {
		return Type(slices.IndexFunc(types[:], func(i typeInfo) bool { return i.name == kind }))
	}
	for _, g := range goldens {
		list = append(list, messageVector(t, Binary, g.kind+": "+g.why, Header{Type: typeOf(g.kind)}, g.message, ""))
	}
	for _, g := range textGoldens {
		list = append(list, messageVector(t, Text, g.kind+": "+g.why, g.header, g.message, ""))
	}
	for _, c := range []Codec{Binary, Text} {
		for _, m := range moreMessages {
			list = append(list, messageVector(t, c, m.header.Type.String()+": "+m.why, m.header, m.message, m.body))
		}
		for typ := range Type(len(types)) {
			if types[typ].name != "" && !slices.ContainsFunc(list, func(v vector) bool { return v.Codec == c.String() && v.Type == typ.String() }) {
				t.Errorf("no vector of %v in %v", typ, c)
			}
		}
	}
	return list
}

// messageVector writes a chunk, and reads the fields back.
func messageVector(t *testing.T, c Codec, what string, h Header, m message, body string) vector {
	t.Helper()
	chunk := h.Append(c, nil)
	if m != nil {
		chunk = m.Append(c, chunk)
	} else if chunk = append(chunk, body...); body == "" {
		chunk = c.AppendEnd(chunk, h.Type)
	}
	head, rest, err := ParseHeader(c, chunk)
	if err != nil || head != h {
		t.Fatalf("%v, %s: header %+v (%v)", c, what, head, err)
	}
	v := vector{What: what, Type: h.Type.String(), Codec: c.String(), Header: fieldsOf(reflect.ValueOf(head)), Bytes: hex.EncodeToString(chunk)}
	if m != nil {
		kind, _, _ := strings.Cut(v.Type, "-")
		kind = strings.Replace(kind, "released", "release", 1)
		back, err := kindOf(t, kind).parse(c, rest)
		if err != nil || fmt.Sprintf("%+v", fieldsOf(reflect.ValueOf(back))) != fmt.Sprintf("%+v", fieldsOf(reflect.ValueOf(m))) {
			t.Fatalf("%v, %s: read %+v (%v), want %+v", c, what, back, err, m)
		}
		switch v.Fields = fieldsOf(reflect.ValueOf(back)); kind {
		case "release":
			v.Fields = map[string]any{"id": v.Fields}
		case "state":
			v.Fields = map[string]any{"entries": v.Fields}
		}
	} else if body != "" {
		v.Fields = map[string]any{"body": hex.EncodeToString(rest)}
	}
	if c == Text && utf8.Valid(chunk) {
		v.Text = string(chunk)
	}
	return v
}

// fieldsOf returns what JSON shows of a message: its fields by name, bytes as hex; what is empty, false or nil is left out.
func fieldsOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int:
		return v.Int()
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Pointer:
		return fieldsOf(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return hex.EncodeToString(v.Bytes())
		}
		items := make([]any, v.Len())
		for i := range items {
			items[i] = fieldsOf(v.Index(i))
		}
		return items
	}
	fields := map[string]any{}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch empty := f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0; {
		case v.Type().Field(i).Anonymous:
			for k, x := range fieldsOf(f).(map[string]any) {
				fields[k] = x
			}
		case !empty || f.CanInt() || f.CanUint():
			n := 1
			if name == "ID" {
				n = 2
			}
			fields[strings.ToLower(name[:n])+name[n:]] = fieldsOf(f)
		}
	}
	return fields
}

func frameVectors(t *testing.T) (list []vector) {
	full := strings.Repeat("78", MaxFrame)
	for _, c := range []struct {
		what, stream string
		chunks       []string
		code         base.Code
	}{
		{"two chunks", "01 04 03 090102", []string{"04", "090102"}, 0},
		{"a length of two bytes", "8001" + strings.Repeat("09", 128), []string{strings.Repeat("09", 128)}, 0},
		{"the largest chunk", "a720" + full, []string{full}, 0},
		{"a chunk over the limit", "01 04 a820", []string{"04"}, base.CodeLimit},
		{"a length of three bytes", "808001", nil, base.CodeLimit},
		{"a length not in its shortest form", "8100 09", nil, base.CodeProtocol},
		{"an empty chunk", "01 04 00", []string{"04"}, base.CodeProtocol},
		{"an end within a chunk", "01 04 05 0102", []string{"04"}, base.CodeProtocol},
		{"an end within a length", "85", nil, base.CodeProtocol},
	} {
		stream := unhex(t, c.stream)
		for _, step := range []int{1, 2, len(stream)} {
			var f Framer
			var got []string
			for piece := range slices.Chunk(stream, step) {
				_ = f.Feed(piece, func(chunk []byte) error { got = append(got, hex.EncodeToString(chunk)); return nil })
			}
			if err := f.End(); base.CodeOf(err) != c.code || !slices.Equal(got, c.chunks) {
				t.Errorf("%s, by %d: chunks %.80q (%v)", c.what, step, got, err)
			}
		}
		list = append(list, vector{What: c.what, Bytes: hex.EncodeToString(stream), Chunks: c.chunks, Code: c.code})
	}
	return list
}

func valueVectors(t *testing.T) (list []vector) {
	fields := func(from, to int) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf(`"k%d":%d`, i, i))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	shapes := make([]string, 18)
	for i := range shapes {
		shapes[i] = fields(i, i+1)
	}
	for _, c := range []struct{ what, json string }{
		{"null", "null"}, {"false", "false"}, {"true", "true"}, {"0", "0"}, {"63", "63"}, {"64", "64"}, {"-1", "-1"}, {"1234", "1234"},
		{"2^53", "9007199254740992"}, {"-2^53", "-9007199254740992"}, {"2^53 + 2", "9007199254740994"}, {"a half", "0.5"}, {"minus zero", "-0"},
		{"1e21", "1e+21"}, {"the largest double", "1.7976931348623157e+308"}, {"the smallest", "5e-324"},
		{"the empty text", `""`}, {"a short text", `"héy"`}, {"63 bytes", `"` + strings.Repeat("x", 63) + `"`}, {"64 bytes", `"` + strings.Repeat("x", 64) + `"`},
		{"a pair", `"😀"`}, {"a lone first half", `"\ud83d"`}, {"a lone second half in a text", `"a\ude00b"`}, {"escapes", `"\"\\/\b\f\n\r\t\u0000\u001f"`},
		{"the empty list", "[]"}, {"a list", "[1,null]"}, {"15 items", "[" + strings.Repeat("1,", 14) + "1]"}, {"16 items", "[" + strings.Repeat("1,", 15) + "1]"},
		{"lists in lists", "[[[]],[1,[2]]]"}, {"the empty object", "{}"}, {"an object", `{"a":0,"b":1}`}, {"the empty key", `{"":1}`}, {"a key of JavaScript's", `{"__proto__":1}`},
		{"two of a shape", `[{"a":0},{"a":1}]`}, {"a shape in itself", `{"a":{"a":1}}`}, {"the same keys in another order", `[{"a":0,"b":1},{"b":0,"a":1}]`},
		{"shapes from 16 on", "[" + strings.Join(append(shapes, shapes[15], shapes[16]), ",") + "]"},
		{"an object without a shape", fields(0, 33)},
	} {
		v, err := delta.ParseJSON([]byte(c.json))
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		b := AppendValue(nil, v)
		back, err := ParseValue(b)
		if text := back.String(); err != nil || text != c.json && c.json != "-0" || !bytes.Equal(AppendValue(nil, back), b) {
			t.Errorf("%s: read %v (%v)", c.what, back, err)
		}
		list = append(list, vector{What: c.what, Value: json.RawMessage(c.json), Bytes: hex.EncodeToString(b)})
	}
	for _, c := range []struct{ what, hex, json string }{
		{"no bytes", "", "null"}, {"an integer in more bytes", "83 0a", "5"}, {"an integer as a double", "84 000000000000f03f", "1"},
		{"NaN", "84 000000000000f87f", "null"}, {"infinity", "84 000000000000f0ff", "null"}, {"a short text in more bytes", "85 01 61", `"a"`},
		{"halves of a pair", "46 eda0bdedb880", `"😀"`}, {"a byte that is no text", "43 61ff62", `"a�b"`}, {"a short list in more bytes", "86 01 05", "[5]"},
		{"an object with its keys", "87 02 0161 05 0162 06", `{"a":5,"b":6}`}, {"any id for a shape", "a2 88 ff07 01 0161 05 89 ff07 06", `[{"a":5},{"a":6}]`},
		{"a low id in more bytes", "a2 88 00 01 0161 05 89 00 06", `[{"a":5},{"a":6}]`},
		{"an id that is defined again", "a3 88 00 01 0161 05 88 00 01 0162 06 90 07", `[{"a":5},{"b":6},{"b":7}]`}, {"a shape without keys", "88 00 00", "{}"},
	} {
		back, err := ParseValue(unhex(t, c.hex))
		if err != nil || back.String() != c.json || bytes.Equal(AppendValue(nil, back), unhex(t, c.hex)) {
			t.Errorf("%s: read %v (%v)", c.what, back, err)
		}
		list = append(list, vector{What: c.what, Value: json.RawMessage(c.json), Bytes: hex.EncodeToString(unhex(t, c.hex)), ReadOnly: true})
	}
	return list
}

// vectorStreams are documents and what becomes of them. Those with bytes are not written like this here.
var vectorStreams = []struct {
	what, snapshot string
	batches        []string
	bytes, text    []string // of the snapshot, then of each batch
}{
	{what: "a reply", snapshot: `{"reply":"","count":0}`, batches: []string{
		`[["a",["reply"]," tok"]]`, `[["a",["reply"]," tok"]]`, `[["a",["reply"]," tok"]]`, `[["t",["reply"],4],["a",["reply"],"é\ud83d"],["s",["count"],1234]]`,
	}},
	{what: "every op", snapshot: `{"xs":[1,2],"o":{}}`, batches: []string{
		`[["p",["xs"],1,0,[7,{"id":1}]],["m",["xs"],[3,2,1,0]],["d",["xs",0]],["s",["o","k"],null],["d",["o"]]]`,
		`[["r",{"t":"ab"}],["t",["t"],1],["a",["t"],"c"]]`, `[["s",["t"],[]],["p",["t"],0,9,[]]]`, `[["r",[2,1]],["m",[],[1,0]],["p",[],2,0,[3]]]`, `[["p",[],0,1,[]]]`,
	}},
	{what: "shapes of the snapshot", snapshot: `{"rows":[{"id":1,"text":"a"}]}`, batches: []string{
		`[["p",["rows"],1,0,[{"id":2,"text":"b"}]]]`, `[["s",["rows",0],{"id":3,"done":true}],["s",["rows",1],{"id":4,"done":false}]]`,
	}},
	{what: "an index is not its key", snapshot: `{"0":"a","xs":["b"]}`, batches: []string{
		`[["s",["0"],1],["s",[0],2],["s",["xs",0],3],["s",["0"],4]]`, `[["s",[0],5],["s",["0"],6]]`,
	}},
	{what: "ids from 7 on", snapshot: `{}`, batches: []string{
		`[["s",["a"],0],["s",["b"],0],["s",["c"],0],["s",["d"],0],["s",["e"],0],["s",["f"],0],["s",["g"],0],["s",["h"],0]]`,
		`[["s",["a"],1],["s",["b"],1],["s",["c"],1],["s",["d"],1],["s",["e"],1],["s",["f"],1],["s",["g"],1],["s",["h"],1]]`, `[["d",["h"]],["d",["g"]]]`,
	}},
	{what: "after a replacement", snapshot: `{"a":0}`, batches: []string{
		`[["s",["a"],1]]`, `[["s",["a"],2]]`, `[["s",["a"],3],["r",{}],["s",["a"],4],["s",["a"],5]]`, `[["s",["a"],6]]`,
	}},
	{what: "ids in any order, and again", snapshot: `{"a":0,"b":0}`, batches: []string{
		`[["s",["a"],1],["s",["b"],2]]`, `[["s",["b"],3],["s",["b"],4],["s",["a"],5]]`, `[]`,
	}, bytes: []string{"87 02 0161 00 0162 00", "f1 ff07 01 0261 01 11 01 0262 02", "09 03 11 01 0262 04 19 01 0261 05", ""},
		text: []string{`{ "b":0, "a":0 }`, `[["#",1023,["a"]],["s",1023,1],["#",0,["b"]],["s",0,2]]`, `[["s",0,3],["#",0,["b"]],["s",["b"],4],["s",["a"],5]]`, `[]`}},
}

func streamVectors(t *testing.T) (list []vector) {
	for _, s := range vectorStreams {
		var dicts [2]Dict
		var told [2]Told
		var names [2]Names
		var used Used
		value, err := delta.ParseJSON([]byte(s.snapshot))
		if err != nil {
			t.Fatal(err)
		}
		written := func(i int, c Codec, write func(d *Dict, k *Told) []byte) []byte {
			switch {
			case s.bytes == nil:
				return write(&dicts[c], &told[c])
			case c == Text:
				return []byte(s.text[i])
			}
			return unhex(t, s.bytes[i])
		}
		v := vector{What: s.what, Value: json.RawMessage(s.snapshot), ReadOnly: s.bytes != nil}
		for _, c := range []Codec{Binary, Text} {
			b := written(0, c, func(d *Dict, k *Told) []byte { return c.AppendSnapshot(nil, value, d, k, &used) })
			if back, err := c.ParseSnapshot(&names[c], b); err != nil || !back.Equal(value) {
				t.Errorf("%s: the snapshot in %v: %v (%v)", s.what, c, back, err)
			}
			if v.Text = string(b); c == Binary {
				v.Bytes = hex.EncodeToString(b)
			}
		}
		for i, text := range s.batches {
			ops, err := delta.ParseOpsJSON([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", s.what, err)
			}
			var both [2][]byte
			for _, c := range []Codec{Binary, Text} {
				both[c] = written(i+1, c, func(d *Dict, k *Told) []byte { return c.AppendOps(nil, ops, d, k, &used) })
				if back, err := c.ParseOps(&names[c], both[c]); err != nil || string(delta.AppendOpsJSON(nil, back)) != text {
					t.Errorf("%s: batch %d in %v: %s (%v)", s.what, i, c, delta.AppendOpsJSON(nil, back), err)
				}
			}
			if value, err = delta.Apply(value, ops); err != nil {
				t.Fatalf("%s: %v", s.what, err)
			}
			v.Batches = append(v.Batches, batchVector{json.RawMessage(text), hex.EncodeToString(both[Binary]), both[Text], json.RawMessage(value.String())})
		}
		list = append(list, v)
	}
	return list
}

// refusals are bytes of a codec that no reader may take: a whole chunk, a value, or a batch of ops that begins a stream.
var refusals = []struct {
	of, what string
	codec    Codec
	in       string // hex, or text
	code     base.Code
}{
	{"chunk", "nothing", Binary, "", base.CodeProtocol},
	{"chunk", "type 0", Binary, "00", base.CodeProtocol},
	{"chunk", "a type of a later version", Binary, "1d 00", base.CodeProtocol},
	{"chunk", "origin 0", Binary, "8b 00 01", base.CodeProtocol},
	{"chunk", "an origin over 35 bits", Binary, "8b 808080808001 01", base.CodeProtocol},
	{"chunk", "an ack of none", Binary, "2b 00 01", base.CodeProtocol},
	{"chunk", "a hold that goes on", Binary, "47 00 00 00", base.CodeProtocol},
	{"chunk", "an abort that goes on", Binary, "5b 00", base.CodeProtocol},
	{"chunk", "slot 64", Binary, "17 40 01 00 00", base.CodeProtocol},
	{"chunk", "a body over the limit", Binary, "04" + strings.Repeat("00", MaxChunk+1), base.CodeLimit},
	{"chunk", "a number not in its shortest form", Binary, "0a 8000", base.CodeProtocol},
	{"chunk", "a number over 64 bits", Binary, "0a ffffffffffffffffff02", base.CodeProtocol},
	{"chunk", "a number that is cut short", Binary, "0a 80", base.CodeProtocol},
	{"chunk", "bytes behind the last field", Binary, "08 01 02", base.CodeProtocol},
	{"chunk", "a greeting of version 0", Binary, "01 00 00 00 01 00 00 00 01 00", base.CodeProtocol},
	{"chunk", "a welcome without a session", Binary, "02 01 00 00 01 00 00 00 00 00", base.CodeProtocol},
	{"chunk", "credentials over the limit", Binary, "01 01 00 00 01 00 00 00 01 00" + strings.Repeat("00", MaxCredentials+1), base.CodeLimit},
	{"chunk", "a code over 32 bits", Binary, "06 8080808010", base.CodeProtocol},
	{"chunk", "an argument that is deflated", Binary, "09 01 02 03 01 03 00", base.CodeProtocol},
	{"chunk", "a list of bytes parts without one", Binary, "09 01 02 03 00", base.CodeProtocol},
	{"chunk", "no credit at all", Binary, "0b 00", base.CodeProtocol},
	{"chunk", "a bulk credit of none", Binary, "0b 01 00", base.CodeProtocol},
	{"chunk", "a flag of a later version", Binary, "10 01 10", base.CodeProtocol},
	{"chunk", "an error with bytes", Binary, "10 01 05 01 02 00 0c", base.CodeProtocol},
	{"chunk", "a list of watermarks without one", Binary, "10 01 02 00", base.CodeProtocol},
	{"chunk", "a member in an unknown form", Binary, "17 00 01 00 01 00 02 00 00 00", base.CodeProtocol},
	{"chunk", "state without an entry", Binary, "13", base.CodeProtocol},
	{"chunk", "a span of 1 that is written", Binary, "13 00 02 00 01 00", base.CodeProtocol},
	{"chunk", "a span over 2^53", Binary, "13 00 02 00 8180808080808010 00", base.CodeProtocol},
	{"chunk", "no name", Text, `[""]`, base.CodeProtocol},
	{"chunk", "an unknown name", Text, `["later"]`, base.CodeProtocol},
	{"chunk", "a space before the array", Text, ` ["ping"]`, base.CodeProtocol},
	{"chunk", "a space between fields", Text, `["release", 7]`, base.CodeProtocol},
	{"chunk", "ack before origin", Text, `^1@1["ping"]`, base.CodeProtocol},
	{"chunk", "a slot that nothing needs", Text, `~1["release",7]`, base.CodeProtocol},
	{"chunk", "bulk without a slot", Text, `["b",1]`, base.CodeProtocol},
	{"chunk", "a number with a zero in front", Text, `["release",07]`, base.CodeProtocol},
	{"chunk", "a number with a fraction", Text, `["release",7.0]`, base.CodeProtocol},
	{"chunk", "a negative number", Text, `["release",-7]`, base.CodeProtocol},
	{"chunk", "a number over 64 bits", Text, `["release",18446744073709551616]`, base.CodeProtocol},
	{"chunk", "one field more", Text, `["release",7,8]`, base.CodeProtocol},
	{"chunk", "half of a pair in a name", Text, `["h",0,"\ud800",[]]`, base.CodeProtocol},
	{"chunk", "bytes behind the array that nothing names", Text, `["c",1,2,2,5]x`, base.CodeProtocol},
	{"chunk", "bytes behind the array that are not all there", Text, `["r",2,4,[4]]x`, base.CodeProtocol},
	{"chunk", "a later chunk without a slot", Text, `s:`, base.CodeProtocol},
	{"value", "an unknown tag", Binary, "8a", base.CodeProtocol},
	{"value", "a tag beyond all", Binary, "b0", base.CodeProtocol},
	{"value", "a shape that was not defined", Binary, "90", base.CodeProtocol},
	{"value", "shape id 1024", Binary, "88 8008 01 0161 00", base.CodeProtocol},
	{"value", "an integer beyond 2^53", Binary, "83 8280808080808020", base.CodeProtocol},
	{"value", "more items than bytes", Binary, "86 ffff03 00", base.CodeProtocol},
	{"value", "a key twice", Binary, "87 02 0161 00 0161 00", base.CodeProtocol},
	{"value", "two values", Binary, "00 00", base.CodeProtocol},
	{"value", "513 levels", Binary, strings.Repeat("a1", 512) + "a0", base.CodeProtocol},
	{"value", "513 levels", Text, strings.Repeat("[", 513) + strings.Repeat("]", 513), base.CodeProtocol},
	{"value", "a number beyond all doubles", Text, "1e999", base.CodeProtocol},
	{"ops", "an unknown op", Binary, "07", base.CodeProtocol},
	{"ops", "a replacement with a path", Binary, "08 00", base.CodeProtocol},
	{"ops", "no path to repeat", Binary, "02", base.CodeProtocol},
	{"ops", "no path to repeat after a replacement", Binary, "1a 01 0261 00 80 02", base.CodeProtocol},
	{"ops", "an id that was not defined", Binary, "0a", base.CodeProtocol},
	{"ops", "an id where none is read", Binary, "3a 01 0261", base.CodeProtocol},
	{"ops", "path id 1024", Binary, "f2 8008 01 0261", base.CodeProtocol},
	{"ops", "an index over 31 bits", Binary, "1a 01 8180808010", base.CodeProtocol},
	{"ops", "no path to repeat", Text, `[["d"]]`, base.CodeProtocol},
	{"ops", "an id that was not defined", Text, `[["d",0]]`, base.CodeProtocol},
	{"ops", "an id from before a replacement", Text, `[["#",0,["a"]],["r",{"a":1}],["d",0]]`, base.CodeProtocol},
	{"ops", "an unknown op", Text, `[["q",["a"]]]`, base.CodeProtocol},
	{"ops", "a reserved segment", Text, `[["d",["__proto__"]]]`, base.CodeProtocol},
	{"ops", "a negative index", Text, `[["d",[-1]]]`, base.CodeProtocol},
	{"ops", "no permutation", Text, `[["m",["a"],[0,0]]]`, base.CodeProtocol},
}

func refusedVectors(t *testing.T) (list []vector) {
	for _, c := range refusals {
		in := []byte(c.in)
		v := vector{What: c.of + ": " + c.what, Of: c.of, Codec: c.codec.String(), Text: c.in, Code: c.code}
		if c.codec == Binary {
			in, v.Text = unhex(t, c.in), ""
		}
		v.Bytes = hex.EncodeToString(in)
		var err error
		switch c.of {
		case "value":
			_, err = c.codec.ParseValue(in)
		case "ops":
			_, err = c.codec.ParseOps(&Names{}, in)
		default:
			var h Header
			var body []byte
			if h, body, err = ParseHeader(c.codec, in); err == nil {
				_, err = kindOf(t, h.Type.String()).parse(c.codec, body)
			}
		}
		if base.CodeOf(err) != c.code {
			t.Errorf("%v, %s: %v, want code %v", c.codec, v.What, err, c.code)
		}
		list = append(list, v)
	}
	return list
}

// TestProtocolDocument compares docs/PROTOCOL.md with the tree: each line of a block marked "wire" is "bytes  # what", as in
// the vectors; each type, code, limit and constant has its row.
func TestProtocolDocument(t *testing.T) {
	b, err := os.ReadFile(protocolFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, known := string(b), map[string][]string{}
	for _, vectors := range vectorFiles {
		for _, v := range vectors(t) {
			known[v.What] = append(known[v.What], v.Bytes, v.Text, string(v.Value))
			for i, b := range v.Batches {
				what := fmt.Sprintf("%s, %d", v.What, i)
				known[what] = append(known[what], b.Bytes, string(b.Text), string(b.Ops))
			}
		}
	}
	examples := 0
	for _, block := range strings.Split(doc, "```wire\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			at := strings.LastIndex(line, "  # ")
			if at < 0 {
				t.Errorf("an example that does not say what it is: %s", line)
				continue
			}
			example, what := strings.TrimSpace(line[:at]), line[at+len("  # "):]
			if list := known[what]; !slices.Contains(list, example) && !slices.Contains(list, strings.ReplaceAll(example, " ", "")) {
				t.Errorf("%s: the document shows %s, the vectors have %q", what, example, list)
			}
			examples++
		}
	}
	if examples < 60 {
		t.Errorf("%d examples", examples)
	}
	row := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); strings.Count(doc, "\n"+line) != 1 {
			t.Errorf("the document has %d rows %s", strings.Count(doc, "\n"+line), line)
		}
	}
	for typ, info := range types {
		if text := textNames[typ]; info.name != "" {
			if text == "" {
				text = string(textMores[typ]) + ":"
			}
			direction := map[bool]string{true: "request", false: "reply"}[info.request]
			if info.lane == LaneLink {
				direction = "—"
			}
			row("| %d | %s | `%s` | %s | %s |", typ, info.name, text, [...]string{"link", "control", "state", "bulk"}[info.lane], direction)
		}
	}
	for code := base.CodeNone; !strings.HasPrefix(code.String(), "code-"); code++ {
		row("| %d | %s |", code, code)
	}
	for name, value := range map[string]uint64{
		"chunk body": MaxChunk, "chunk in a byte stream": MaxFrame, "slots": MaxSlots, "origin": maxOrigin, "ack": maxAck, "names": MaxNames, "bytes of a name": MaxNameBytes,
		"host name": MaxHostName, "credentials": MaxCredentials, "method name": MaxMethod, "detail": MaxDetail, "bytes parts": MaxByteParts, "methods": maxMethods,
		"watermarks": maxAfter, "span": maxSpan, "depth": delta.MaxDepth, "ops": delta.MaxOps, "version": Version,
	} {
		row("| %s | %d |", name, value)
	}
	limits := reflect.ValueOf(base.Limits{}.WithDefaults())
	for i := range limits.NumField() {
		row("| `%s` | %d |", limits.Type().Field(i).Name, limits.Field(i).Int())
	}
}
