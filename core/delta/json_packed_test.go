package delta

import (
	"strings"
	"testing"
)

// TestPackedJSONIsRefusedAsOther spoils an object that would be packed: what is said of it is what is said of one with which the
// input ends.
func TestPackedJSONIsRefusedAsOther(t *testing.T) {
	const before, rest = `[{"a":1,"b":"x"},{"a":`, `{"a":1,"b":2}]`
	for _, spoiled := range []string{
		`1,"b":"y}`, `01,"b":"y"}`, `1e,"b":"y"}`, `1e999,"b":"y"}`, `-,"b":"y"}`, `1.,"b":"y"}`, `tru,"b":"y"}`, `nulL,"b":"y"}`, `fals,"b":1}`,
		`"\x","b":"y"}`, "\"\x01\",\"b\":1}", `"\u12","b":1}`, `1 "b":1}`, `1,"b" 1}`, `1,"b":1,}`, `1,"b":1`, `1,"b":1]`, `,"b":1}`, `1,b:1}`, `"`, ``, "\x00,\"b\":1}",
	} {
		short, long := before+spoiled+`,`+rest, before+spoiled+`,`+rest+strings.Repeat(" ", 2*packFrom)
		_, want := ParseJSON([]byte(short))
		_, got := ParseJSON([]byte(long))
		if want == nil || got == nil || got.Error() != want.Error() && !strings.HasSuffix(want.Error(), "a string does not end") {
			t.Errorf("%s: %v, want %v", spoiled, got, want)
		}
	}
}

// TestPackedJSON reads objects of one shape that are packed, with others among them that are not or only after a second look.
func TestPackedJSON(t *testing.T) {
	const plain = `{"a":1,"b":"x"}`
	items := []string{
		`{ "a" : -0.5 , "b" : "ö" }`, `{"a":true,"b":null}`, `{"a":false,"b":""}`, `{"a":"\n","b":"` + strings.Repeat("y", 40) + `"}`,
		`{"a":[1],"b":2}`, `{"a":"` + strings.Repeat("z", pieceLimit+1) + `","b":1}`, `{"b":1,"a":2}`, `{"a":1}`, `{"a":1,"b":2,"c":3}`, `{"a":"\ud83d","b":0}`,
		`{"a":1,"b":{"a":1,"b":2}}`, `{}`, `{"a":1,"a":2}`, `{"a":-0,"b":1e21}`,
	}
	long, want := []byte("["), make([]Value, 0, 40*len(items))
	for range 40 {
		for _, item := range items {
			for _, item := range []string{plain, plain, item} { // the second plain one makes up for what the item before was
				if len(want) > 0 {
					long = append(long, ',')
				}
				long, want = append(long, item...), append(want, mustParse(t, item))
			}
		}
	}
	got := mustParse(t, string(append(long, ']')))
	packed := 0
	for i, v := range got.Elements() {
		if v.Kind() == KindObject && v.isPacked() {
			packed++
		}
		if !v.Equal(want[i]) || v.String() != want[i].String() || v.Hash() != want[i].Hash() || v.Size() != want[i].Size() {
			t.Fatalf("element %d is %v, want %v", i, v, want[i])
		}
	}
	if got.Len() != len(want) || packed < 35*(2*len(items)+9) {
		t.Errorf("%d elements, of which %d are packed", got.Len(), packed)
	}
}
