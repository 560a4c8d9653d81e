package delta

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unsafe"

	"pgregory.net/rapid"
)

func drawUTF8(t *rapid.T) string {
	r := rapid.OneOf(rapid.RuneFrom([]rune("ab z")), rapid.RuneFrom([]rune("äß\u0080\u07ff")), rapid.RuneFrom([]rune("漢\u0800\ufffd\uffff")), rapid.RuneFrom([]rune("😀\U00010000\U0010ffff")))
	return rapid.StringOfN(r, 1, 60, pieceLimit).Draw(t, "text")
}

// A piece is as good as the same text made of its units, for whatever is done with it.
func TestPiecesAreTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawUTF8(t)
		want := TextFromUTF16(utf16.Encode([]rune(s)))
		var b Builder
		got := b.TextIn([]byte("<"+s+">"), 1, 1+len(s)).Text()
		if got.piece == 0 {
			t.Fatalf("%q is no piece", s)
		}
		if got.Len() != want.Len() || got.EncodedLen() != len(s) || got.String() != s || string(got.AppendTo(nil)) != s {
			t.Fatalf("%q: %d units, %d bytes, %q", s, got.Len(), got.EncodedLen(), got)
		}
		if !slices.Equal(got.Units(), want.Units()) || !got.Equal(want) || !want.Equal(got) || got.hash() != want.hash() {
			t.Fatalf("%q is not what its units are", s)
		}
		if v, w := TextValue(got), TextValue(want); v.Size() != w.Size() || !bytes.Equal(AppendJSON(nil, v), AppendJSON(nil, w)) {
			t.Fatalf("%q: as a value %v, want %v", s, v, w)
		}
		i := rapid.IntRange(0, want.Len()).Draw(t, "from")
		j := rapid.IntRange(i, want.Len()).Draw(t, "to")
		if !got.Slice(i, j).Equal(want.Slice(i, j)) || i < want.Len() && got.Unit(i) != want.Unit(i) {
			t.Fatalf("%q[%d:%d] is %q", s, i, j, got.Slice(i, j))
		}
		other := drawUTF8(t)
		if more := got.AppendString(other); !more.Equal(want.AppendString(other)) || got.String() != s {
			t.Fatalf("%q and %q is %q", s, other, more)
		}
		if long := NewText(strings.Repeat("x", textLeafLimit)); !long.Append(got).Equal(long.Append(want)) || !got.Append(long).Equal(want.Append(long)) {
			t.Fatalf("%q with a long text differs", s)
		}
		if z := NewText(other); got.Equal(z) != (s == other) {
			t.Fatalf("%q and %q: equal is %v", s, other, got.Equal(z))
		}
	})
}

// What is no UTF-8, or too long, or out of a piece's reach, is a text all the same.
func TestWhatIsNoPiece(t *testing.T) {
	for _, s := range []string{
		"\xed\xa0\x80", "x\xff", strings.Repeat("y", 40) + "\xed\xb0\x80", "\xc0\x80", "\xe4\xb8", strings.Repeat("ä", pieceLimit/2) + "x",
		strings.Repeat("x", pieceLimit+1), strings.Repeat("x", 3*textLeafLimit+1), strings.Repeat("漢", textLeafLimit),
	} {
		var b Builder
		want := TextFromUTF16(NewText(s).Units())
		for _, got := range []Text{b.Text([]byte(s)).Text(), b.NewText([]byte(s)), NewText(s)} {
			if got.piece != 0 || !got.Equal(want) || got.hash() != want.hash() {
				t.Errorf("%.20q… is %.20q…", s, got)
			}
		}
	}
	const far = math.MaxInt32 // the last offset where ints have 32 bits
	if p := newPiece(far, pieceLimit, pieceLimit); p>>32 != far || p.units() != pieceLimit || p.bytes() != pieceLimit {
		t.Errorf("the last piece is %x", p)
	}
}

// Where a message is longer than one seen at the same place, its texts are its own.
func TestPiecesOfAMessageThatWasCut(t *testing.T) {
	message := []byte(strings.Repeat("0123456789", 20))
	var b Builder
	b.TextIn(message[:50], 0, 40)
	if got := b.TextIn(message, 150, 190).Text().String(); got != string(message[150:190]) {
		t.Errorf("got %q", got)
	}
}

// leastBytes returns how many bytes a run allocates, of several the least: something else may allocate at the same time.
func leastBytes(run func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// A text from 32 bytes on is a view, of whatever length, unless its message is small; a shorter one keeps nothing of the message.
func TestWhatATextKeeps(t *testing.T) {
	sizes := []int{
		1, borrowedText - 1, borrowedText, 41, 104, 105, smallMessage, smallMessage + 1,
		pieceLimit, pieceLimit + 1, textLeafLimit, textLeafLimit + 1, 1 << 20,
	}
	for _, n := range sizes {
		keepsOf(t, n, n, n > smallMessage)
		keepsOf(t, n, n+smallMessage, n >= borrowedText)
	}
}

// keepsOf checks whether the last n bytes of a message are viewed.
func keepsOf(t *testing.T, n, size int, want bool) {
	message := []byte(strings.Repeat("a", size))
	var text Text
	took := leastBytes(func() {
		var b Builder
		text = b.TextIn(message, size-n, size).Text()
	})
	message[size-1] = 'b'
	if viewed := text.Unit(n-1) == 'b'; viewed != want {
		t.Errorf("%d bytes of %d are viewed: %v, want %v", n, size, viewed, want)
	}
	if took > uint64(512+n/4) {
		t.Errorf("%d bytes of %d took %d", n, size, took)
	}
}

// isASCII looks at several bytes at a time: at each of them.
func TestEveryByteIsLookedAt(t *testing.T) {
	for n := range 80 {
		s := bytes.Repeat([]byte{'a'}, n)
		if units, ok := unitsOf(s); !isASCII(string(s)) || units != n || !ok {
			t.Errorf("%d bytes of ASCII: %d units, %v", n, units, ok)
		}
		for i := range s {
			s[i] = 0x80
			if _, ok := unitsOf(s); isASCII(string(s)) || ok {
				t.Errorf("a byte at %d of %d is not seen", i, n)
			}
			s[i] = 'a'
		}
	}
}

// A value's second word says three things: none reaches into another, and texts in a value take no memory but their bytes.
func TestPiecesTakeNoMemory(t *testing.T) {
	if size := unsafe.Sizeof(Value{}); size > 16 {
		t.Errorf("a value has %d bytes", size)
	}
	message := []byte(strings.Repeat(fmt.Sprintf("%-40s", "größer"), 100))
	var b Builder
	b.TextIn(message, 0, 42)
	if allocs := testing.AllocsPerRun(100, func() { b.TextIn(message, 42, 84) }); allocs != 0 {
		t.Errorf("%v allocations for a text", allocs)
	}
}
