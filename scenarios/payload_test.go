package scenarios

import (
	"encoding/json"
	"testing"
)

// The sizes are those of the seed document's payloads, which its figures in bytes and times are of.
func TestPayloadSizes(t *testing.T) {
	for _, c := range []struct{ entries, characters, bytes int }{
		{1000, 80, 136_891}, // the notes list
		{500, 960, 508_391}, // the 500 KB document
		{1, 0, len(`[{"id":"e0","text":"","author":"jo","at":1700000000000}]`)},
		{0, 80, len(`[]`)},
	} {
		if got := len(entries(c.entries, c.characters).String()); got != c.bytes {
			t.Errorf("%d entries of %d characters are %d bytes of JSON, want %d", c.entries, c.characters, got, c.bytes)
		}
	}
}

func TestPayloadEntries(t *testing.T) {
	var list []struct {
		ID, Text, Author string
		At               int64
	}
	if err := json.Unmarshal([]byte(entries(3, 4).String()), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 {
		t.Fatalf("%d entries, want 3", len(list))
	}
	for i, e := range list {
		if want := "e" + string(rune('0'+i)); e.ID != want || e.Text != "xxxx" || e.Author != "jo" || e.At != firstAt+int64(i) {
			t.Errorf("entry %d is %+v", i, e)
		}
	}
}
