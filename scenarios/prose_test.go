package scenarios

import (
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// deflated returns how many bytes of a text are left by the standard library's level 1.
func deflated(t *testing.T, text string) int {
	t.Helper()
	var out strings.Builder
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// TestProseSizes pins what scenarios measure: who changes a word changes their figures. How far it compresses may move
// with the compressor, so that it is held between bounds.
func TestProseSizes(t *testing.T) {
	for _, c := range []struct {
		what        string
		text        string
		bytes       int
		least, most int // thousandths that are left
	}{
		{"500 entries", proseEntries(1, 500, 960).String(), 506_701, 272, 280},
		{"1 MiB", prose(1, "result", base.MiB), 1_048_576, 272, 282},
		{"English", english(), 148_480, 420, 450},
	} {
		if len(c.text) != c.bytes {
			t.Errorf("%s: %d bytes, want %d", c.what, len(c.text), c.bytes)
		}
		if left := deflated(t, c.text) * 1000 / len(c.text); left < c.least || left > c.most {
			t.Errorf("%s: %d thousandths are left by level 1, want %d to %d", c.what, left, c.least, c.most)
		}
	}
}

func TestProse(t *testing.T) {
	if n := len(proseWords); n != 95 {
		t.Errorf("%d words, want 95", n)
	}
	known := map[string]bool{}
	for _, word := range proseWords {
		if known[word] {
			t.Errorf("%s is there twice", word)
		}
		known[word] = true
	}
	used := map[string]bool{}
	for _, characters := range []int{0, 1, 2, 100, 960, 10_000} {
		text := prose(7, "a", characters)
		if len(text) > characters || len(text) < characters-len(" configuration") {
			t.Errorf("%d characters, want %d or a word fewer", len(text), characters)
		}
		for _, word := range strings.Fields(text) {
			if !known[word] {
				t.Errorf("%q is no word", word)
			}
			used[word] = true
		}
		if text != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%q has other than single spaces between words", text)
		}
		if !strings.HasPrefix(prose(7, "a", 2*characters), text) {
			t.Errorf("the text of twice %d characters begins otherwise", characters)
		}
	}
	if len(used) != len(known) {
		t.Errorf("%d words are used, want %d", len(used), len(known))
	}
	if prose(7, "a", 100) == prose(8, "a", 100) || prose(7, "a", 100) == prose(7, "b", 100) {
		t.Error("two seeds or two labels have one text")
	}
	if got, want := prose(1, "0", 60), "branch while deployment while that already 99.5% 64KiB utf-8"; got != want {
		t.Errorf("prose begins %q, want %q", got, want)
	}
}

// TestProseEntries wants entries that differ from those of one letter in nothing but their texts.
func TestProseEntries(t *testing.T) {
	got := delta.NewDraft(proseEntries(3, 4, 200))
	for i := range 4 {
		text := got.At(i, "text").Text()
		if want := prose(3, string(rune('0'+i)), 200); text != want {
			t.Errorf("text %d is %q, want %q", i, text, want)
		}
		if err := got.At(i, "text").Set(strings.Repeat("x", 9)); err != nil {
			t.Fatal(err)
		}
	}
	if value, _ := got.Commit(); !value.Equal(entries(4, 9)) {
		t.Errorf("entries %s", value)
	}
}

// TestEnglish wants the text to be the one that it is said to be.
func TestEnglish(t *testing.T) {
	sum := sha256.Sum256([]byte(english()))
	if got, want := hex.EncodeToString(sum[:]), "99e53cbb0aeb274344a254733db996ca2d05d5fcd10fc0ca02d6966f2b2bc961"; got != want {
		t.Errorf("SHA-256 %s, want %s", got, want)
	}
	if !strings.Contains(english(), "Alice was beginning to get very tired of sitting by her sister") {
		t.Error("it begins otherwise")
	}
	for i, c := range english() {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("character %d is %q, want printable ASCII", i, c)
		}
	}
}
