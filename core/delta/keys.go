package delta

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Keys is an immutable set of distinct object keys in an order. Objects of one shape share one, and encoders may name it
// instead of its keys. The zero value and nil are the empty set.
type Keys struct {
	names []string
	bytes int // the sum of the names' lengths
	// The set that was made last by adding a key to this one, so that objects which are built field by field share theirs.
	next atomic.Pointer[Keys]
}

// NewKeys returns the set of the keys, which are read as [String] reads a text. It fails if two are the same.
func NewKeys(keys ...string) (*Keys, error) { return KeysOf(slices.Clone(keys)) }

// KeysOf is [NewKeys] that takes the slice over: the caller must not change it any more.
func KeysOf(keys []string) (*Keys, error) {
	k := &Keys{names: keys}
	for i, key := range keys {
		k.names[i] = canonical(key)
		k.bytes += len(k.names[i])
	}
	if i := duplicate(k.names); i >= 0 {
		return nil, fmt.Errorf("delta: key %q is there twice", k.names[i])
	}
	return k, nil
}

// duplicate returns the index of a name that is in the list before, or -1.
func duplicate(names []string) int {
	if len(names) > flatLimit {
		seen := make(map[string]struct{}, len(names))
		for i, name := range names {
			if _, ok := seen[name]; ok {
				return i
			}
			seen[name] = struct{}{}
		}
		return -1
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return i
		}
	}
	return -1
}

// Len returns how many keys there are.
func (k *Keys) Len() int {
	if k == nil {
		return 0
	}
	return len(k.names)
}

// At returns key i. It panics unless 0 ≤ i < k.Len().
func (k *Keys) At(i int) string { return k.names[i] }

// Find returns the place of a key, or -1.
func (k *Keys) Find(key string) int {
	if k == nil {
		return -1
	}
	return slices.Index(k.names, key)
}

// Equal reports whether both sets have the same keys in the same order.
func (k *Keys) Equal(l *Keys) bool {
	return k == l || k.Len() == l.Len() && (k.Len() == 0 || slices.Equal(k.names, l.names))
}

// plus returns the set with one more key at its end.
func (k *Keys) plus(key string) *Keys {
	if next := k.next.Load(); next != nil && next.names[len(next.names)-1] == key {
		return next
	}
	next := &Keys{names: append(slices.Clone(k.names), key), bytes: k.bytes + len(key)}
	k.next.Store(next)
	return next
}

// minus returns the set without key i.
func (k *Keys) minus(i int) *Keys {
	return &Keys{names: slices.Delete(slices.Clone(k.names), i, i+1), bytes: k.bytes - len(k.names[i])}
}
