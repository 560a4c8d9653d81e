package wire_test

import (
	"bytes"
	"testing"

	"chordsim/core/wire"
)

// TestBoundEncodesInPlace wants a part that is appended as the message is written to give the bytes of one that is copied in,
// whatever its length was guessed to be.
func TestBoundEncodesInPlace(t *testing.T) {
	for _, c := range []wire.Codec{wire.Binary, wire.Text} {
		for _, n := range []int{2, 60, 64, 8192, 1 << 20} {
			part := append(append([]byte{'"'}, bytes.Repeat([]byte{'x'}, n-2)...), '"')
			m := wire.Bound{ID: 1, Members: []wire.BoundMember{{Name: "a", Part: part}, {Name: "b", Part: part}}}
			want := m.Append(c, []byte("before"))
			for _, guess := range []int{0, 63, 64, n, 2 * n, 1 << 30} {
				for i := range m.Members {
					m.Members[i].Part = nil
					m.Members[i].EncodeWith(guess, func(dst []byte) []byte { return append(dst, part...) })
				}
				if got := m.Append(c, []byte("before")); !bytes.Equal(got, want) {
					t.Errorf("%s: a part of %d bytes, guessed to have %d, is written as %d bytes, want %d: %.40q", c, n, guess, len(got), len(want), got)
				}
			}
		}
	}
}
