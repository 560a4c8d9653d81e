package delta

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The polynomial over eight units at a time is that over one after the other.
func TestPolynomialByEights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.ByteMax(0x7f), 0, 100).Draw(t, "ascii")
		start := rapid.Uint64Max(hashPrime-1).Draw(t, "start")
		want := start
		for _, c := range s {
			want = foldHash(mulHash(want, hashBase) + uint64(c) + 1)
		}
		if got := (textLeaf{ascii: s}).extend(start); got != want {
			t.Fatalf("%x, want %x", got, want)
		}
	})
	if got, want := extend8(hashPrime-1, (*[8]byte)([]byte(strings.Repeat("\xff", 8)))), uint64(0); got >= hashPrime || got == want {
		t.Errorf("the largest of all is %x", got)
	}
}
