package wire

import (
	"reflect"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
)

var textIdentity = Identity{Version: 1, Codec: Text, MaxMessage: 300, Host: "tab", Incarnation: 2}

// textGoldens are whole chunks: a header and a message. A change of a byte here is a change of the protocol.
var textGoldens = []struct {
	kind, why string
	header    Header
	message   message
	chunk     string
}{
	{"hello", "a first greeting", Header{Type: TypeHello}, Hello{Identity: textIdentity, Generation: 1, Credentials: []byte("p\xff")},
		`["hello",1,1,0,300,"tab",2,0,1,0]` + "p\xff"},
	{"hello", "a resume, with a name in JSON", Header{Type: TypeHello},
		Hello{Identity: Identity{Version: 1, Codec: Text, MaxMessage: 1, Host: "é\"\n"}, Session: 9, Generation: 3, Received: 200, Credentials: []byte{}},
		`["hello",1,1,0,1,"é\"\n",0,9,3,200]`},
	{"welcome", "a session that goes on", Header{Type: TypeWelcome}, Welcome{Identity: textIdentity, Session: 5, Resumed: true, Received: 129},
		`["welcome",1,1,0,300,"tab",2,5,1,129]`},
	{"bye", "in good order", Header{Type: TypeBye}, Bye{Failure{base.CodeClosed, "bye"}}, `["bye",14,"bye"]`},
	{"bye", "without a word", Header{Type: TypeBye}, Bye{}, `["bye",0,""]`},
	{"hold", "the first hold", Header{Type: TypeHold}, Hold{ID: 0, Address: "View"}, `["h",0,"View",[]]`},
	{"hold", "known revisions and parameters, of a relayed tab", Header{Type: TypeHold, Origin: 12, Ack: 3},
		Hold{ID: 300, Address: "A", Known: []Known{{"n", Revision{1, 130}}, {"", Revision{2, 0}}}, Params: []byte(`{"a":[1,"]"]}`)},
		`@12^3["h",300,"A",["n",1,130,"",2,0],{"a":[1,"]"]}]`},
	{"release", "an id", Header{Type: TypeRelease}, holdID(7), `["release",7]`},
	{"call", "by index, a small integer", Header{Type: TypeCall}, Call{Hold: 1, ID: 2, Method: 0, Args: []byte("5")}, `["c",1,2,2,5]`},
	{"call", "by name, without an argument", Header{Type: TypeCall}, Call{Hold: 1, ID: 2, Method: -1, Name: "go"}, `["c",1,2,0,"go"]`},
	{"call", "with bytes beside an argument, which is a text", Header{Type: TypeCallBulk, Slot: 5, More: true},
		Call{Hold: 1, ID: 2, Method: 3, Args: []byte(`"\"]"`), Bytes: [][]byte{{0xff, 0x00}, {}, {'"'}}},
		`~5+["cb",1,2,9,[4,0,2],"\"]"]` + "\xff\x00\""},
	{"cancel", "a call", Header{Type: TypeCancel}, Cancel{ID: 128}, `["cancel",128]`},
	{"credit", "state alone", Header{Type: TypeCredit}, Credit{State: 4}, `["k",4]`},
	{"credit", "both lanes", Header{Type: TypeCredit}, Credit{State: 0, Bulk: 16}, `["k",0,16]`},
	{"refused", "not found", Header{Type: TypeRefused}, Refused{3, Failure{base.CodeNotFound, "no"}}, `["refused",3,3,"no"]`},
	{"result", "null", Header{Type: TypeResult}, Result{ID: 2}, `["r",2,0]`},
	{"result", "a small integer", Header{Type: TypeResult}, Result{ID: 2, Value: []byte("42")}, `["r",2,0,42]`},
	{"result", "behind two entries", Header{Type: TypeResult}, Result{ID: 2, After: []After{{0, 3}, {1, 200}}, Value: []byte("[]")}, `["r",2,2,[0,3,1,200],[]]`},
	{"result", "an error", Header{Type: TypeResultOrdered}, Result{ID: 2, Err: &Failure{base.CodeApp, "x"}}, `["o",2,1,12,"x"]`},
	{"result", "bytes alone", Header{Type: TypeResult}, Result{ID: 2, Bytes: [][]byte{{0xff, 0x00}}}, `["r",2,4,[4]]` + "\xff\x00"},
	{"result", "deflated, with bytes, behind an entry", Header{Type: TypeResultBulk, Slot: 63},
		Result{ID: 2, After: []After{{5, 1}}, Bytes: [][]byte{{1}, {2}}, DeflatedBytes: 2, Value: []byte{0x80, 0xff}, Deflated: true},
		`~63["rb",2,14,[5,1],[2,3],2]` + "\x01\x02\x80\xff"},
	{"down", "three holds", Header{Type: TypeDown}, Down{base.CodeDown, []uint64{0, 1, 300}}, `["down",9,0,1,300]`},
	{"bound", "methods and members", Header{Type: TypeBound, Slot: 1}, Bound{ID: 1, Methods: []string{"go", ""}, Members: []BoundMember{
		{Name: "n", Revision: Revision{1, 7}, Part: []byte(`{"a":[]}`)}, {Name: "m", Form: MemberOps, Revision: Revision{2, 300}, Part: []byte("[]")},
		{Name: "o", Revision: Revision{3, 0}, Part: []byte("-1.5")},
	}}, `~1["b",1,["go",""],"n",7,{"a":[]},"m",[2,300,1],[],"o",[3,0],-1.5]`},
	{"bound", "an empty object", Header{Type: TypeBound}, Bound{ID: 1}, `~0["b",1]`},
	{"bound", "a deflated member", Header{Type: TypeBound}, Bound{ID: 1, Members: []BoundMember{
		{Name: "n", Revision: Revision{1, 7}, Part: []byte("]\x01"), Deflated: true}, {Name: "m", Revision: Revision{1, 8}, Part: []byte("null")},
	}}, `~0["b",1,"n",[1,7,2],2,"m",8,null]` + "]\x01"},
	{"state", "a streamed token", Header{Type: TypeState}, stateMessage{{0, []Section{{Base: 0x2a, Span: 1, Ops: []byte(`[["a",0," tok"]]`)}}}},
		`["s",0,0,42,[["a",0," tok"]]]`},
	{"state", "the first of several chunks", Header{Type: TypeState, More: true, Slot: 2, Origin: 1}, stateMessage{{0, []Section{{Base: 1, Span: 1, Ops: []byte(`[]`)}}}},
		`@1~2+["s",0,0,1,[]]`},
	{"state", "deflated ops", Header{Type: TypeState}, stateMessage{
		{3, []Section{{Base: 1, Span: 1, Ops: []byte{0xff, 0xfe}, Deflated: true}, {Member: 1, Base: 2, Span: 1, Ops: []byte("[]")}}},
		{4, []Section{{Base: 1, Span: 1, Ops: []byte{0xfd}, Deflated: true}}},
	}, `["s",3,1,1,2,16,2,[],4,0,1,1]` + "\xff\xfe\xfd"},
	{"state", "two holds, two members, a fold, a new epoch, a retirement", Header{Type: TypeState}, stateMessage{
		{1, []Section{{Member: 0, Base: 255, Span: 300, Ops: []byte(`[["d",[]]]`)}, {Member: 5, Base: 1, Span: 1, Retired: true}}},
		{2, []Section{{Member: 1, Span: 2, NewEpoch: true, Revision: Revision{8, 130}, Ops: []byte("[]")}}},
	}, `["s",1,3,255,300,[["d",[]]],88,1,2,22,0,2,8,130,[]]`},
}

func TestTextMessagesHaveTheirBytesAndComeBack(t *testing.T) {
	for _, g := range textGoldens {
		got := g.message.Append(Text, g.header.Append(Text, []byte("before")))
		if string(got) != "before"+g.chunk {
			t.Errorf("%s, %s: wrote %s, want %s", g.kind, g.why, got[len("before"):], g.chunk)
			continue
		}
		h, body, err := ParseHeader(Text, []byte(g.chunk))
		if err != nil || h != g.header {
			t.Errorf("%s, %s: header %+v (%v), want %+v", g.kind, g.why, h, err, g.header)
			continue
		}
		back, err := kindOf(t, g.kind).parse(Text, body)
		if err != nil || !reflect.DeepEqual(back, g.message) {
			t.Errorf("%s, %s: read %+v (%v), want %+v", g.kind, g.why, back, err, g.message)
		}
	}
}

func TestEveryKindHasATextGolden(t *testing.T) {
	for _, k := range kinds {
		found := false
		for _, g := range textGoldens {
			found = found || g.kind == k.name
		}
		if !found {
			t.Errorf("no golden of %s", k.name)
		}
	}
}

// Whatever is read of a text message does not depend on how its JSON is written, within strings and values.
func TestTextReadsOtherFormsOfJSON(t *testing.T) {
	m, err := ParseRefused(Text, []byte(`,3,3,"\u006eo \ud83d\ude00"]`))
	if err != nil || m.Detail != "no 😀" {
		t.Errorf("read %+v (%v)", m, err)
	}
	c, err := ParseCall(Text, []byte(`,3,3,2, {"a" : [1, 2 ]}]`))
	if err != nil || strings.TrimSpace(string(c.Args)) != `{"a" : [1, 2 ]}` {
		t.Errorf("read %+v (%v)", c, err)
	}
}

func TestTextIsRefused(t *testing.T) {
	long := strings.Repeat("x", 5000)
	cases := []struct{ kind, why, body string }{
		{"hello", "version 0", `,0,1,0,300,"tab",2,0,1,0]`},
		{"hello", "a host name over the limit", `,1,1,0,300,"` + long + `",2,0,1,0]`},
		{"hello", "credentials over the limit", `,1,1,0,300,"t",2,0,1,0]` + long},
		{"hello", "a name that is a number", `,1,1,0,300,1,2,0,1,0]`},
		{"welcome", "what follows the array", `,1,1,0,300,"tab",2,5,1,129] `},
		{"welcome", "one field more", `,1,1,0,300,"tab",2,5,1,129,0]`},
		{"welcome", "resumed is 2", `,1,1,0,300,"tab",2,5,2,129]`},
		{"bye", "half of a pair in a name", `,14,"\ud800"]`},
		{"bye", "a detail over the limit", `,14,"` + long + `"]`},
		{"hold", "more known revisions than members", `,0,"a",[` + strings.Repeat(`"n",1,1,`, 64) + `"n",1,1]]`},
		{"hold", "half of a known revision", `,0,"a",["n",1]]`},
		{"release", "a negative number", `,-1]`},
		{"release", "no number in its shortest form", `,01]`},
		{"release", "a number with a fraction", `,1.0]`},
		{"release", "a number over 64 bits", `,18446744073709551616]`},
		{"release", "no comma", `7]`},
		{"release", "a space", `, 7]`},
		{"release", "a number that may go on", `,7`},
		{"call", "bytes parts, and none", `,1,2,3,[],5]`},
		{"call", "a deflated part", `,1,2,3,[3],5]x`},
		{"call", "bytes parts that do not fit", `,1,2,3,[4],5]x`},
		{"call", "bytes that nothing names", `,1,2,2,5]x`},
		{"call", "an argument that does not end", `,1,2,2,[5]`},
		{"call", "a text that does not end", `,1,2,2,"\"]`},
		{"credit", "none at all", `,0]`},
		{"credit", "none of bulk", `,1,0]`},
		{"result", "unknown flags", `,1,16]`},
		{"result", "flags over a byte", `,1,256]`},
		{"result", "an empty list of watermarks", `,1,2,[]]`},
		{"result", "half of a watermark", `,1,2,[1]]`},
		{"bound", "an unknown form", `,1,"n",[1,2,4],5]`},
		{"bound", "a revision of one number", `,1,"n",[1],5]`},
		{"bound", "a revision of four", `,1,"n",[1,2,1,1],[]]`},
		{"bound", "more members than there may be", `,1` + strings.Repeat(`,"n",1,0`, 65) + `]`},
		{"bound", "more methods than there may be", `,1,[""` + strings.Repeat(`,""`, maxMethods) + `]]`},
		{"bound", "a deflated part that does not fit", `,1,"n",[1,2,2],3]xx`},
		{"state", "no entry", `]`},
		{"state", "a span of 1 that is written", `,0,2,0,1,[]]`},
		{"state", "deflated ops that do not fit", `,0,0,0,3]xx`},
		{"state", "an entry without a section", `,0,0,0,[],1]`},
		{"state", "a base over a byte", `,0,0,256,[]]`},
	}
	for _, c := range cases {
		m, err := kindOf(t, c.kind).parse(Text, []byte(c.body))
		wantRefusal(t, c.kind+": "+c.why, m, err)
	}
}

func TestTextHeadersHaveTheirBytes(t *testing.T) {
	cases := []struct {
		h    Header
		text string
	}{
		{Header{Type: TypeStateMore, Slot: 1}, `~1s:`},
		{Header{Type: TypeBulkMore, Slot: 63, More: true, Origin: 16383}, `@16383~63+b:`},
		{Header{Type: TypeBulkMore, Slot: 3, More: true, Due: true}, `~3!b:`},
		{Header{Type: TypeCallMore, Ack: 300}, `^300~0c:`},
		{Header{Type: TypeBulkAbort, Slot: 2}, `~2["bx"`},
		{Header{Type: TypeStateAbort, Slot: 2}, `~2["sx"`},
		{Header{Type: TypeOriginClosed, Origin: 1}, `@1["closed"`},
		{Header{Type: TypeOriginReleased, Origin: 1}, `@1["freed"`},
		{Header{Type: TypeBound, More: true, Origin: maxOrigin, Ack: maxAck, Slot: 63}, `@34359738367^34359738367~63+["b"`},
	}
	for _, c := range cases {
		if got := c.h.Append(Text, nil); string(got) != c.text {
			t.Errorf("%+v: wrote %s, want %s", c.h, got, c.text)
		}
		rest := bodyFor(Text, c.h)
		h, body, err := ParseHeader(Text, []byte(c.text+rest))
		if err != nil || h != c.h || string(body) != rest {
			t.Errorf("%s: read %+v %q (%v)", c.text, h, body, err)
		}
	}
	for typ := range Type(32) {
		h := Header{Type: typ, Origin: maxOrigin, Ack: maxAck, Slot: MaxSlots - 1, More: typ.splits()}
		if known := textNames[typ] != "" || textMores[typ] != 0; known != (types[typ].name != "") {
			t.Errorf("%v: has a name in text: %v", typ, known)
		}
		if n := len(h.Append(Text, nil)); n > Text.Room() {
			t.Errorf("%v: a header of %d bytes, at most %d", typ, n, Text.Room())
		}
	}
}

func TestTextHeadersAreRefused(t *testing.T) {
	for why, text := range map[string]string{
		"no chunk": ``, "no name": `[""`, "a name that does not exist": `["q"`, "a name that does not end": `["s`,
		"an upper-case name": `["S"`, "a letter that does not exist": `~1q:`, "no colon": `~1s`, "origin 0": `@0["s"`,
		"an origin that is cut short": `@1`, "an origin in two forms": `@01["s"`, "an origin out of range": `@34359738368["s"`,
		"ack 0": `^0["s"`, "slot 64": `~64["b"`, "no slot": `["b"`, "a slot that nothing needs": `~1["s"`, "fields out of order": `^1@1["s"`,
		"a hold in pieces": `+["h"`, "credit is due for a call": `~1!c:`, "credit is due for state": `~1!s:`, "more and due": `~1+!b:`, "an abort that goes on": `~1+["bx"`, "a later chunk without a slot": `s:`, "a ping with fields": `["ping",0]`, "a ping without an end": `["ping"`, "a space": ` ["s"`,
	} {
		h, _, err := ParseHeader(Text, []byte(text))
		wantRefusal(t, why, h, err)
	}
}

// A reader of text is told of a path again after a replacement, which makes readers of the tuples forget.
func TestTextOpsDefineAgainAfterAReplacement(t *testing.T) {
	a := delta.PathOf("a")
	set := func(n int) delta.Op { return delta.Op{Code: delta.OpSet, Path: a, Value: delta.Int(n)} }
	var d Dict
	one, two := Told{}, Told{}
	batches := []struct {
		ops  []delta.Op
		want string
	}{
		{[]delta.Op{set(1)}, `[["s",["a"],1]]`},
		{[]delta.Op{set(2)}, `[["#",0,["a"]],["s",0,2]]`},
		{[]delta.Op{set(3), set(4)}, `[["s",0,3],["s",4]]`},
		{[]delta.Op{set(5), delta.Replace(delta.Object()), set(6), set(7)}, `[["s",0,5],["r",{}],["#",0,["a"]],["s",0,6],["s",7]]`},
		{[]delta.Op{set(8)}, `[["s",0,8]]`},
	}
	var names, others Names
	for i, b := range batches {
		var used Used
		got := Text.AppendOps(nil, b.ops, &d, &one, &used)
		if string(got) != b.want {
			t.Errorf("batch %d: wrote %s, want %s", i, got, b.want)
		}
		ops, err := Text.ParseOps(&names, got)
		if err != nil || !sameOps(ops, b.ops) {
			t.Errorf("batch %d: read %s (%v)", i, delta.AppendOpsJSON(nil, ops), err)
		}
		// Another reader, who came later, takes what fits.
		if used.FitsFor(&two) {
			if _, err := Text.ParseOps(&others, got); err != nil {
				t.Errorf("batch %d fits a second reader, who cannot read it: %v", i, err)
			}
		}
	}
}
