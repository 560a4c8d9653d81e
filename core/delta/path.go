package delta

import (
	"fmt"
	"slices"
	"strconv"
)

// Segment is one step of a path: a key of an object, or an index of a list. The zero value is the empty key.
type Segment struct {
	key  string
	next int // the index plus one; 0 for a key
}

// Key returns the segment of a key, which is read as [String] reads a text.
func Key(key string) Segment { return Segment{key: canonical(key)} }

// Index returns the segment of an index. It panics if the index is negative.
func Index(i int) Segment {
	if i < 0 {
		panic("delta: negative index in a path")
	}
	return Segment{next: i + 1}
}

// IsIndex reports whether the segment is an index.
func (s Segment) IsIndex() bool { return s.next > 0 }

// Key returns the key, "" for an index.
func (s Segment) Key() string { return s.key }

// Index returns the index, 0 for a key.
func (s Segment) Index() int { return max(s.next-1, 0) }

// String returns the segment as JSON: a string or a number.
func (s Segment) String() string { return string(s.appendJSON(nil)) }

func (s Segment) appendJSON(dst []byte) []byte {
	if s.IsIndex() {
		return strconv.AppendInt(dst, int64(s.Index()), 10)
	}
	return appendJSONString(dst, s.key)
}

// reserved reports whether the segment is one that no path may have, since it means something else to JavaScript.
func (s Segment) reserved() bool {
	return s.key == "__proto__" || s.key == "constructor" || s.key == "prototype"
}

// Path addresses a place in a value, from the root. The zero value is the root.
type Path []Segment

// PathOf returns the path of segments, each a string, an int or a [Segment]. It panics for any other type and for a negative
// index.
func PathOf(segments ...any) Path { return Path(nil).Append(segments...) }

// Append returns a new path with more segments, which are as for [PathOf].
func (p Path) Append(segments ...any) Path {
	out, err := p.extend(segments)
	if err != nil {
		panic(err.Error())
	}
	return out
}

func (p Path) extend(segments []any) (Path, error) {
	out := make(Path, len(p), len(p)+len(segments))
	copy(out, p)
	for _, s := range segments {
		switch s := s.(type) {
		case string:
			out = append(out, Key(s))
		case int:
			if s < 0 {
				return nil, fmt.Errorf("%w: index %d in a path", ErrRange, s)
			}
			out = append(out, Index(s))
		case Segment:
			out = append(out, s)
		default:
			return nil, fmt.Errorf("%w: a segment of a path is no %T", ErrType, s)
		}
	}
	return out, nil
}

// Equal reports whether both paths have the same segments. The index 0 and the key "0" are different.
func (p Path) Equal(q Path) bool { return slices.Equal(p, q) }

// String returns the path as a JSON array, such as ["entries",0,"text"].
func (p Path) String() string { return string(p.appendJSON(nil)) }

func (p Path) appendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i, s := range p {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendJSON(dst)
	}
	return append(dst, ']')
}

// Key returns a string that is the same for equal paths only, to use as a key of a map. It is not meant to be read.
func (p Path) Key() string { return string(p.appendKey(nil)) }

// AppendKey appends what [Path.Key] returns.
func (p Path) AppendKey(dst []byte) []byte { return p.appendKey(dst) }

// appendKey writes every segment with its length or its closing mark, so that no two paths run into each other.
func (p Path) appendKey(dst []byte) []byte {
	for _, s := range p {
		if s.IsIndex() {
			dst = append(strconv.AppendInt(append(dst, 'i'), int64(s.Index()), 10), ';')
			continue
		}
		dst = append(strconv.AppendInt(append(dst, 'k'), int64(len(s.key)), 10), ':')
		dst = append(dst, s.key...)
	}
	return dst
}
