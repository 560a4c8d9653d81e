package delta

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// textVersion is a text of a history and its units.
type textVersion struct {
	value Value
	units []uint16
}

// textHistory is every version of texts that were made from one another by ops.
type textHistory struct {
	all    []textVersion
	newest int
}

func (h *textHistory) add(v Value, units []uint16) {
	h.all = append(h.all, textVersion{v, units})
	h.newest = len(h.all) - 1
}

// base is the newest version mostly, else any.
func (h *textHistory) base(t *rapid.T) textVersion {
	if rapid.IntRange(0, 3).Draw(t, "old") == 0 {
		return rapid.SampledFrom(h.all).Draw(t, "version")
	}
	return h.all[h.newest]
}

// apply makes a version by an op on the text in a list.
func (h *textHistory) apply(t *rapid.T, from textVersion, op Op, units []uint16) {
	op.Path = PathOf(0)
	out, err := Apply(List(from.value), []Op{op})
	if err != nil {
		t.Fatalf("%v: %v", op, err)
	}
	v, _ := out.Index(0)
	h.add(v, units)
}

func (h *textHistory) append(t *rapid.T) {
	from, u := h.base(t), drawPairs(t)
	h.apply(t, from, Op{Code: OpAppend, Text: TextFromUTF16(u)}, slices.Concat(from.units, u))
}

func (h *textHistory) truncate(t *rapid.T) {
	from := h.base(t)
	n := rapid.IntRange(0, len(from.units)+3).Draw(t, "n")
	if rapid.Bool().Draw(t, "few") {
		n = min(n, 5)
	}
	h.apply(t, from, Op{Code: OpTruncate, N: n}, from.units[min(n, len(from.units)):])
}

// part cuts a version in two, inside a pair where there is one, and joins the halves.
func (h *textHistory) part(t *rapid.T) {
	from := h.base(t)
	text := from.value.Text()
	at := rapid.IntRange(0, len(from.units)).Draw(t, "at")
	for i := at; i+1 < len(from.units); i++ {
		if from.units[i]&0xfc00 == 0xd800 && from.units[i+1]&0xfc00 == 0xdc00 {
			at = i + 1
			break
		}
	}
	head, tail := text.Slice(0, at), text.Slice(at, text.Len())
	h.add(TextValue(head), from.units[:at])
	h.add(TextValue(tail), from.units[at:])
	h.apply(t, textVersion{value: TextValue(head)}, Op{Code: OpAppend, Text: tail}, from.units)
	if joined := h.all[h.newest].value.Text(); joined.EncodedLen() != text.EncodedLen() || joined.String() != text.String() {
		t.Fatalf("halves take %d bytes when they join, %d before", joined.EncodedLen(), text.EncodedLen())
	}
}

// window appends and drops in turn, as a log of a fixed length does, and keeps every version.
func (h *textHistory) window(t *rapid.T) {
	u := drawPairs(t)[:1]
	for range rapid.IntRange(1, 30).Draw(t, "turns") {
		from := h.all[h.newest]
		h.apply(t, from, Op{Code: OpAppend, Text: TextFromUTF16(u)}, slices.Concat(from.units, u))
		from = h.all[h.newest]
		h.apply(t, from, Op{Code: OpTruncate, N: 1}, from.units[1:])
	}
}

// drawPairs draws units in which pairs are common, alone and in runs that are longer than a leaf.
func drawPairs(t *rapid.T) []uint16 {
	u := rapid.SliceOfN(rapid.SampledFrom([]uint16{'a', 'b', 0xe9, 0xd83d, 0xde00, 0xd83d, 0xde00}), 1, 9).Draw(t, "units")
	if rapid.IntRange(0, 5).Draw(t, "long") == 0 {
		u = slices.Repeat(u, rapid.IntRange(100, 500).Draw(t, "times"))
	}
	return u
}

// TestTextHistory runs appends, truncates and cuts through the halves of pairs by ops, against units, and keeps every version.
func TestTextHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &textHistory{}
		h.add(String(""), nil)
		t.Repeat(map[string]func(*rapid.T){
			"append": h.append, "truncate": h.truncate, "part": h.part, "window": h.window,
			"": func(t *rapid.T) {
				v := h.all[h.newest]
				if v.value.Len() != len(v.units) {
					t.Fatalf("%d units, want %d", v.value.Len(), len(v.units))
				}
			},
		})
		for _, v := range h.all {
			if !slices.Equal(v.value.Text().Units(), v.units) {
				t.Fatalf("a version changed, or is not what it was to be: %d units", len(v.units))
			}
		}
		for range min(4, len(h.all)) {
			v := rapid.SampledFrom(h.all).Draw(t, "look")
			wantText(t, v.value.Text(), v.units)
		}
	})
}
