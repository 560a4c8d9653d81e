package wire

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// kind is a message type as the tests see it: bytes from a message, and a message from bytes.
type kind struct {
	name  string
	parse func(c Codec, body []byte) (message, error)
}

type message interface {
	Append(c Codec, dst []byte) []byte
}

// holdID is a Release or a Released.
type holdID uint64

func (m holdID) Append(c Codec, dst []byte) []byte { return AppendHoldID(c, dst, uint64(m)) }

var testLimits = base.Limits{}.WithDefaults()

func parses[M message](parse func(Codec, []byte) (M, error)) func(Codec, []byte) (message, error) {
	return func(c Codec, body []byte) (message, error) { return parse(c, body) }
}

// kinds lists every message with fields, in an order that fuzz inputs rely on.
var kinds = []kind{
	{"hello", parses(ParseHello)},
	{"welcome", parses(ParseWelcome)},
	{"bye", parses(ParseBye)},
	{"hold", parses(func(c Codec, b []byte) (Hold, error) { return ParseHold(c, b, &testLimits) })},
	{"release", parses(func(c Codec, b []byte) (holdID, error) {
		id, err := ParseHoldID(c, "release", b)
		return holdID(id), err
	})},
	{"call", parses(ParseCall)},
	{"cancel", parses(ParseCancel)},
	{"credit", parses(ParseCredit)},
	{"refused", parses(ParseRefused)},
	{"result", parses(ParseResult)},
	{"down", parses(ParseDown)},
	{"bound", parses(func(c Codec, b []byte) (Bound, error) { return ParseBound(c, b, &testLimits) })},
	{"state", parses(parseState)},
}

// stateMessage is a state message taken apart.
type stateMessage []stateEntry

type stateEntry struct {
	hold     uint64
	sections []Section
}

func (m stateMessage) Append(c Codec, dst []byte) []byte {
	var beside [][]byte
	for _, e := range m {
		dst = AppendEntry(c, dst, e.hold)
		for i, s := range e.sections {
			dst = s.Append(c, dst, i+1 < len(e.sections))
			if s.Deflated {
				beside = append(beside, s.Ops)
			}
		}
	}
	return EndState(c, dst, beside...)
}

func parseState(c Codec, body []byte) (stateMessage, error) {
	var m stateMessage
	s := ReadState(c, body)
	for {
		hold, ok := s.Entry()
		if !ok {
			return m, s.Err()
		}
		e := stateEntry{hold: hold}
		for more := true; more; {
			var sec Section
			sec, more = s.Section()
			e.sections = append(e.sections, sec)
		}
		m = append(m, e)
	}
}

func kindOf(t testing.TB, name string) kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("no kind %q", name)
	return kind{}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var identity = Identity{Version: 1, MaxMessage: 300, Host: "tab", Incarnation: 2}

// goldens are messages with their bytes. A change of a byte here is a change of the protocol.
var goldens = []struct {
	kind, why string
	message   message
	hex       string
}{
	{"hello", "a first greeting", Hello{Identity: identity, Generation: 1, Credentials: []byte("pw")}, "01 00 00 ac02 03 746162 02 00 01 00 7077"},
	{"hello", "a resume", Hello{Identity: identity, Session: 9, Generation: 3, Received: 200, Credentials: []byte{}}, "01 00 00 ac02 03 746162 02 09 03 c801"},
	{"welcome", "a new session", Welcome{Identity: identity, Session: 5}, "01 00 00 ac02 03 746162 02 05 00 00"},
	{"welcome", "a session that goes on", Welcome{Identity: identity, Session: 5, Resumed: true, Received: 129}, "01 00 00 ac02 03 746162 02 05 01 8101"},
	{"bye", "in good order", Bye{Failure{base.CodeClosed, "bye"}}, "0e 627965"},
	{"bye", "without a word", Bye{}, "00"},
	{"hold", "the first hold", Hold{ID: 0, Address: "View", Params: []byte{}}, "00 04 56696577 00"},
	{"hold", "known revisions and parameters", Hold{ID: 300, Address: "A", Known: []Known{{"n", Revision{1, 130}}, {"", Revision{2, 0}}}, Params: []byte{0xa0}},
		"ac02 01 41 02 01 6e 01 8201 00 02 00 a0"},
	{"release", "one byte", holdID(7), "07"},
	{"call", "by index, a small integer", Call{Hold: 1, ID: 2, Method: 0, Args: []byte{5}}, "01 02 02 05"},
	{"call", "by name, without an argument", Call{Hold: 1, ID: 2, Method: -1, Name: "go", Args: []byte{}}, "01 02 00 02 676f"},
	{"call", "with bytes beside an argument", Call{Hold: 1, ID: 2, Method: 3, Args: []byte{5}, Bytes: [][]byte{{0xff, 0x00}, {}, {0x80}}}, "01 02 09 03 04 00 02 ff00 80 05"},
	{"cancel", "a call", Cancel{ID: 128}, "8001"},
	{"credit", "state alone", Credit{State: 4}, "04"},
	{"credit", "both lanes", Credit{State: 0, Bulk: 16}, "00 10"},
	{"refused", "not found", Refused{3, Failure{base.CodeNotFound, "no"}}, "03 03 6e6f"},
	{"result", "null", Result{ID: 2, Value: []byte{}}, "02 00"},
	{"result", "a small integer", Result{ID: 2, Value: []byte{42}}, "02 00 2a"},
	{"result", "behind two entries", Result{ID: 2, After: []After{{0, 3}, {1, 200}}, Value: []byte{1}}, "02 02 02 00 03 01 c801 01"},
	{"result", "an error", Result{ID: 2, Err: &Failure{base.CodeApp, "x"}}, "02 01 0c 78"},
	{"result", "an error behind an entry", Result{ID: 2, After: []After{{5, 1}}, Err: &Failure{Code: base.CodeUnknown}}, "02 03 01 05 01 08"},
	{"result", "bytes alone", Result{ID: 2, Bytes: [][]byte{{0xff, 0x00}}, Value: []byte{}}, "02 04 01 04 ff00"},
	{"result", "deflated, with bytes, behind an entry", Result{ID: 2, After: []After{{5, 1}}, Bytes: [][]byte{{1}, {2}}, DeflatedBytes: 2, Value: []byte{0x80, 0xff}, Deflated: true}, "02 0e 01 05 01 02 02 03 01 02 80ff"},
	{"down", "three holds", Down{base.CodeDown, []uint64{0, 1, 300}}, "09 00 01 ac02"},
	{"bound", "methods and members", Bound{ID: 1, Methods: []string{"go", ""}, Members: []BoundMember{
		{Name: "n", Revision: Revision{1, 7}, Part: []byte{0x80}}, {Name: "m", Form: MemberOps, Revision: Revision{2, 300}, Part: []byte{}},
	}}, "01 02 02 676f 00 02 01 6e 00 01 07 02 80 01 6d 01 02 ac02 00"},
	{"bound", "an empty object", Bound{ID: 1}, "01 00 00"},
	{"bound", "a deflated member", Bound{ID: 1, Members: []BoundMember{{Name: "n", Revision: Revision{1, 7}, Part: []byte{0xff, 0x01}, Deflated: true}}}, "01 00 01 01 6e 00 01 07 05 ff01"},
	{"state", "a streamed token", stateMessage{{0, []Section{{Base: 0x2a, Span: 1, Ops: []byte("\x0b\x04 tok")}}}}, "00 00 2a 0c 0b04 20746f6b"},
	{"state", "deflated ops", stateMessage{{3, []Section{{Base: 1, Span: 1, Ops: []byte{0xff, 0xfe}, Deflated: true}}}}, "03 00 01 05 fffe"},
	{"state", "two holds, two members, a fold, a new epoch, a retirement", stateMessage{
		{1, []Section{{Member: 0, Base: 255, Span: 300, Ops: []byte{9}}, {Member: 5, Base: 1, Span: 1, Retired: true}}},
		{2, []Section{{Member: 1, Span: 2, NewEpoch: true, Revision: Revision{8, 130}, Ops: []byte{}}}},
	}, "01 03 ff ac02 02 09 58 01 02 16 00 02 08 8201 00"},
}

func TestMessagesHaveTheirBytesAndComeBack(t *testing.T) {
	for _, g := range goldens {
		want := unhex(t, g.hex)
		prefix := []byte("before")
		got := g.message.Append(Binary, prefix)
		if string(got) != "before"+string(want) {
			t.Errorf("%s, %s: wrote % x, want % x", g.kind, g.why, got[len(prefix):], want)
			continue
		}
		back, err := kindOf(t, g.kind).parse(Binary, want)
		if err != nil || !reflect.DeepEqual(back, g.message) {
			t.Errorf("%s, %s: read %+v (%v), want %+v", g.kind, g.why, back, err, g.message)
		}
	}
}

// A call that is written apart has the same bytes, and its parts are not copied.
func TestCallsAreWrittenApart(t *testing.T) {
	for _, c := range []Codec{Binary, Text} {
		for _, m := range []Call{
			{Hold: 1, ID: 2, Method: 3, Args: c.AppendValue(nil, delta.Int(5)), Bytes: [][]byte{{0xff, 0x00}, {}, {0x80}}},
			{Hold: 1, Method: -1, Name: "go", Bytes: [][]byte{{1}}},
			{Hold: 1, Args: c.AppendValue(nil, delta.Int(5))},
			{Hold: 1},
		} {
			head, behind := m.AppendApart(c, []byte("room"))
			if got, want := append(head, bytes.Join(behind, nil)...), m.Append(c, []byte("room")); !bytes.Equal(got, want) {
				t.Errorf("%v, %+v: % x, want % x", c, m, got, want)
			}
			for i, part := range m.Bytes {
				if len(part) > 0 && &behind[i][0] != &part[0] {
					t.Errorf("%v, %+v: part %d is a copy", c, m, i)
				}
			}
			if len(m.Args) > 0 && len(m.Bytes) > 0 && c == Binary {
				m.Args[0] = 0
				if last := behind[len(behind)-1]; last[0] == 0 {
					t.Errorf("%v, %+v: the argument is not a copy", c, m)
				}
			}
		}
	}
}

func TestEveryKindHasAGolden(t *testing.T) {
	for _, k := range kinds {
		found := false
		for _, g := range goldens {
			found = found || g.kind == k.name
		}
		if !found {
			t.Errorf("no golden of %s", k.name)
		}
	}
}

func TestParsersRefuse(t *testing.T) {
	long := strings.Repeat("x", 5000)
	cases := []struct {
		kind, why string
		body      []byte
	}{
		{"hello", "version 0", Hello{}.Append(Binary, nil)},
		{"hello", "credentials over the limit", Hello{Identity: identity, Credentials: []byte(long)}.Append(Binary, nil)},
		{"hello", "a host name over the limit", Hello{Identity: Identity{Version: 1, Host: long}}.Append(Binary, nil)},
		{"welcome", "session 0", Welcome{Identity: identity}.Append(Binary, nil)},
		{"welcome", "resumed is 2", unhex(t, "01 00 00 01 00 02 05 02 00")},
		{"welcome", "trailing bytes", append(Welcome{Identity: identity, Session: 1}.Append(Binary, nil), 0)},
		{"bye", "a detail over the limit", []byte("\x01" + long)},
		{"bye", "a code over 32 bits", unhex(t, "8080808010")},
		{"hold", "an address over the limit", Hold{Address: long}.Append(Binary, nil)},
		{"hold", "more known revisions than members", Hold{Known: make([]Known, 65)}.Append(Binary, nil)},
		{"release", "two ids", unhex(t, "01 02")},
		{"call", "bytes parts, and none", unhex(t, "01 02 03 00")},
		{"call", "a deflated part", unhex(t, "01 02 03 01 03 00")},
		{"call", "bytes parts that do not fit", unhex(t, "01 02 03 01 05 00")},
		{"call", "more bytes parts than there may be", Call{Bytes: make([][]byte, MaxByteParts+1)}.Append(Binary, nil)},
		{"call", "a method name over the limit", Call{Method: -1, Name: long}.Append(Binary, nil)},
		{"credit", "none at all", unhex(t, "00")},
		{"credit", "none of bulk", unhex(t, "01 00")},
		{"result", "unknown flags", unhex(t, "01 10")},
		{"result", "an error with bytes", unhex(t, "01 05")},
		{"result", "bytes parts, and none", unhex(t, "01 04 00")},
		{"result", "an empty list of watermarks", unhex(t, "01 02 00")},
		{"result", "more watermarks than there may be", Result{After: make([]After, maxAfter+1)}.Append(Binary, nil)},
		{"bound", "an unknown form", unhex(t, "01 00 01 00 02 00 00 00")},
		{"bound", "more members than there may be", Bound{Members: make([]BoundMember, 65)}.Append(Binary, nil)},
		{"bound", "more methods than there may be", Bound{Methods: make([]string, maxMethods+1)}.Append(Binary, nil)},
		{"state", "no entry", nil},
		{"state", "a span of 1 that is written", unhex(t, "00 02 00 01 00")},
		{"state", "a span that leads around through zero", unhex(t, "00 02 00 ffffffffffffffffff01 00")},
		{"state", "an entry without a section", unhex(t, "00 00 00 00 01")},
		{"cancel", "a number that is not in its shortest form", unhex(t, "8000")},
		{"cancel", "a number over 64 bits", unhex(t, "ffffffffffffffffff02")},
	}
	for _, c := range cases {
		m, err := kindOf(t, c.kind).parse(Binary, c.body)
		wantRefusal(t, c.kind+": "+c.why, m, err)
	}
}

func wantRefusal(t *testing.T, why string, got any, err error) {
	t.Helper()
	if code := base.CodeOf(err); code != base.CodeProtocol && code != base.CodeLimit {
		t.Errorf("%s: read %+v (%v), want it refused", why, got, err)
	}
}

func TestRelaysReadTheIdsAtTheFront(t *testing.T) {
	hold, call, err := CallIDs(Binary, Call{Hold: 300, ID: 7, Args: []byte{1}}.Append(Binary, nil))
	if hold != 300 || call != 7 || err != nil {
		t.Errorf("call ids: %d %d %v", hold, call, err)
	}
	for name, body := range map[string][]byte{
		"hold": Hold{ID: 300}.Append(Binary, nil), "refused": Refused{ID: 300}.Append(Binary, nil),
		"bound": Bound{ID: 300}.Append(Binary, nil), "call": Call{Hold: 300}.Append(Binary, nil),
	} {
		if id, err := HoldID(Binary, body); id != 300 || err != nil {
			t.Errorf("hold id of %s: %d (%v)", name, id, err)
		}
	}
	if id, err := ResultID(Binary, Result{ID: 300}.Append(Binary, nil)); id != 300 || err != nil {
		t.Errorf("result id: %d (%v)", id, err)
	}
	for _, b := range [][]byte{nil, {0x80}} {
		_, err := HoldID(Binary, b)
		wantRefusal(t, "a hold id that is cut short", b, err)
		_, _, err = CallIDs(Binary, append([]byte{1}, b...))
		wantRefusal(t, "call ids that are cut short", b, err)
		_, err = ResultID(Binary, b)
		wantRefusal(t, "a result id that is cut short", b, err)
	}
}

func TestALongDetailIsCut(t *testing.T) {
	b := Bye{Failure{base.CodeApp, strings.Repeat("x", MaxDetail+1)}}.Append(Binary, nil)
	if m, err := ParseBye(Binary, b); err != nil || len(m.Detail) != MaxDetail {
		t.Errorf("detail of %d bytes (%v)", len(m.Detail), err)
	}
}
