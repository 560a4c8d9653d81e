package workload

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"chordsim/core/base"
)

// The bounds of workloads.
const (
	MaxItems    = 1 << 17 // of all workloads of a world
	MaxBytes    = 1 << 20 // of their text
	MaxSets     = 64      // workloads of a world
	MaxOperands = 8       // of an item
	MaxName     = 64      // bytes of the name of a workload or a host, and of a verb
	// MaxTime is the last time of an item.
	MaxTime = base.Time(1_000_000 * base.Second)
)

// Item is one thing that a host does.
type Item struct {
	At       base.Time // from 0 to MaxTime
	Host     string    // its name, in UTF-8, not empty
	Verb     string    // a letter, then letters, digits, "-" and "_"
	Operands []uint64  // what they mean is the verb's; one that is missing is 0
}

// Operand returns a number of the item, 0 if it has not that many.
func (it *Item) Operand(i int) uint64 {
	if i < len(it.Operands) {
		return it.Operands[i]
	}
	return 0
}

// Index returns a number of the item modulo n: which of n things is meant. It is 0 if there is none.
func (it *Item) Index(i, n int) int {
	if n < 1 {
		return 0
	}
	return int(it.Operand(i) % uint64(n))
}

// Equal reports whether two items are the same.
func (it Item) Equal(other Item) bool {
	return it.At == other.At && it.Host == other.Host && it.Verb == other.Verb && slices.Equal(it.Operands, other.Operands)
}

// List is items in the order in which they are done: by time, then by host, then as they were put. Those of one host at one time
// belong together; scenarios do them in one turn.
type List []Item

// Sort puts the items in order.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Item) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Host, b.Host)) })
}

// Equal reports whether two lists are the same.
func (l List) Equal(other List) bool { return slices.EqualFunc(l, other, Item.Equal) }

// Named is a workload under its name.
type Named struct {
	Name string // letters, digits, "-", "_" and ".", a letter first
	List List
}

// Set is the workloads of a world, in the order in which they were made.
type Set []Named

// Find returns the list of a name.
func (s Set) Find(name string) (List, bool) {
	for i := range s {
		if s[i].Name == name {
			return s[i].List, true
		}
	}
	return nil, false
}

// Items returns how many items there are in all.
func (s Set) Items() int {
	n := 0
	for i := range s {
		n += len(s[i].List)
	}
	return n
}

// Validate says what is wrong with a set that was not parsed: names, times or numbers of operands that cannot be, items that are
// not in order, or more of something than its bound.
func (s Set) Validate() error {
	if len(s) > MaxSets {
		return fmt.Errorf("workload: %d workloads, want at most %d", len(s), MaxSets)
	}
	if n := s.Items(); n > MaxItems {
		return fmt.Errorf("workload: %d items, want at most %d", n, MaxItems)
	}
	for i := range s {
		if !isWord(s[i].Name, '.') {
			return fmt.Errorf("workload: the name %q, want at most %d letters, digits, \"-\", \"_\" and \".\", a letter first", s[i].Name, MaxName)
		}
		if _, twice := s[:i].Find(s[i].Name); twice {
			return fmt.Errorf("workload: two of the name %s", s[i].Name)
		}
		if err := s[i].List.validate(); err != nil {
			return fmt.Errorf("workload %s: %w", s[i].Name, err)
		}
	}
	if n := len(s.String()); n > MaxBytes {
		return fmt.Errorf("workload: %d bytes as text, want at most %d", n, MaxBytes)
	}
	return nil
}

func (l List) validate() error {
	for i := range l {
		if err := l[i].validate(); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if i > 0 && cmp.Or(cmp.Compare(l[i-1].At, l[i].At), cmp.Compare(l[i-1].Host, l[i].Host)) > 0 {
			return fmt.Errorf("item %d, of %s at %v, is out of order: see List.Sort", i, l[i].Host, l[i].At)
		}
	}
	return nil
}

func (it *Item) validate() error {
	switch {
	case it.At < 0 || it.At > MaxTime:
		return fmt.Errorf("the time %v, want 0s to %v", it.At, MaxTime)
	case !isName(it.Host):
		return fmt.Errorf("the host %q, want a name of 1 to %d bytes in UTF-8", it.Host, MaxName)
	case !isWord(it.Verb, '-'):
		return fmt.Errorf("the verb %q, want at most %d letters, digits, \"-\" and \"_\", a letter first", it.Verb, MaxName)
	case len(it.Operands) > MaxOperands:
		return fmt.Errorf("%d operands, want at most %d", len(it.Operands), MaxOperands)
	}
	return nil
}

func isName(s string) bool { return s != "" && len(s) <= MaxName && utf8.ValidString(s) }

// isWord reports whether a text is a word, which may have one more kind of character.
func isWord(s string, also byte) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_' || c == also):
		default:
			return false
		}
	}
	return s != "" && len(s) <= MaxName
}
