package wire

import (
	"bytes"
	"testing"

	"chordsim/core/base"
)

// Names are UTF-8, or a relay could not write in text what it read in binary. What is none is refused in either codec, and
// so is half of a surrogate pair, which has no UTF-8.
func TestNamesAreUTF8(t *testing.T) {
	const mark = "NAME"
	messages := map[string]message{
		"hello":   Hello{Identity: Identity{Version: 1, MaxMessage: 300, Host: mark}, Generation: 1},
		"welcome": Welcome{Identity: Identity{Version: 1, MaxMessage: 300, Host: mark}, Session: 1},
		"hold":    Hold{Address: mark},
		"call":    Call{Method: -1, Name: mark},
		"bound":   Bound{Methods: []string{mark}},
	}
	more := map[string]message{
		"hold":  Hold{Address: "A", Known: []Known{{Member: mark}}},
		"bound": Bound{Members: []BoundMember{{Name: mark, Revision: Revision{1, 1}, Part: []byte("1")}}},
	}
	// Each is as long as the mark, or in text as the escape: lengths stay right.
	for _, c := range []struct {
		why   string
		name  string
		codec []Codec
		good  bool
	}{
		{"two characters", "é\u00fc", []Codec{Binary, Text}, true},
		{"a character beyond the first plane", "😀", []Codec{Binary, Text}, true},
		{"a byte that begins nothing", "a\xffbc", []Codec{Binary, Text}, false},
		{"a character cut short", "abc\xc3", []Codec{Binary, Text}, false},
		{"half of a pair as bytes", "\xed\xa0\xbdx", []Codec{Binary, Text}, false},
		{"an overlong form", "ab\xc0\xaf", []Codec{Binary, Text}, false},
		{"a pair in escapes", `\ud83d\ude00`, []Codec{Text}, true},
		{"the first half of a pair", `\ud83d`, []Codec{Text}, false},
		{"the second half", `x\ude00`, []Codec{Text}, false},
		{"both, the wrong way around", `\ude00\ud83d`, []Codec{Text}, false},
	} {
		for _, codec := range c.codec {
			for _, list := range []map[string]message{messages, more} {
				for kind, m := range list {
					in := bytes.Replace(m.Append(codec, nil), []byte(mark), []byte(c.name), 1)
					_, err := kindOf(t, kind).parse(codec, in)
					want := base.CodeProtocol
					if c.good {
						want = base.CodeNone
					}
					if base.CodeOf(err) != want {
						t.Errorf("%v %s, %s: %q: %v, want code %v", codec, kind, c.why, in, err, want)
					}
				}
			}
		}
	}
}

// What ends a message without fields is written for those alone: an empty chunk of another has no end yet.
func TestOnlyMessagesWithoutFieldsAreEnded(t *testing.T) {
	for i := range types {
		typ := Type(i)
		want := ""
		switch typ {
		case TypeAck, TypePing, TypePong, TypeOriginClosed, TypeVoid, TypeOriginReleased, TypeStateAbort, TypeBulkAbort:
			want = "]"
		}
		if got := string(Text.AppendEnd(nil, typ)); got != want {
			t.Errorf("%v ends with %q, want %q", typ, got, want)
		}
		if got := Binary.AppendEnd(nil, typ); len(got) != 0 {
			t.Errorf("%v ends with % x in binary", typ, got)
		}
	}
}
