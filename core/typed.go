package core

import "chordsim/core/delta"

// Typed is a [Document] whose value is the JSON of a T: what [delta.From] makes of one, and [delta.To] reads back. It
// belongs to its document's host as the document does. Consumers read the same T with delta.To[T](frame.Value).
type Typed[T any] struct {
	doc *Document
}

// NewTyped makes a document with the value of v, at revision 0. The error is that of [delta.From].
func NewTyped[T any](v T) (*Typed[T], error) {
	value, err := delta.From(v)
	if err != nil {
		return nil, err
	}
	return TypedOf[T](NewDocument(value)), nil
}

// TypedOf returns a document as one of a T. Its value may have fields that T does not know.
func TypedOf[T any](d *Document) *Typed[T] { return &Typed[T]{d} }

// Document returns the document, to be exposed as a member.
func (t *Typed[T]) Document() *Document { return t.doc }

// Value returns the document's value as a T of its own, which the caller may change. The error is that of [delta.To].
func (t *Typed[T]) Value() (T, error) { return delta.To[T](t.doc.Value()) }

// Change is [Document.Change]: the way to say a small change of a large document at a cost that does not follow its
// size, such as a token that is appended.
func (t *Typed[T]) Change(c *Call, fn func(*delta.Draft) error) (uint64, error) {
	return t.doc.Change(c, fn)
}

// Update commits what fn does to a T of the document's value, as [Document.Change] commits what is done to a draft, and
// with the same results: an error or a panic of fn changes nothing, nor does what leaves the T as it was. The commit
// holds the ops of [delta.Diff], so that an entry which is appended to a list travels alone.
//
// Fields of the document that T does not know stay, unless what is around them is gone. The document then reads as the
// T that fn left. An update converts the value to a T and back: its cost follows the size of the document.
func (t *Typed[T]) Update(c *Call, fn func(*T) error) (uint64, error) {
	return t.doc.Change(c, func(d *delta.Draft) error {
		v, err := delta.To[T](d.Value())
		if err != nil {
			return err
		}
		before, err := delta.From(v)
		if err != nil {
			return err
		}
		if err := fn(&v); err != nil {
			return err
		}
		after, err := delta.From(v)
		if err != nil {
			return err
		}
		return d.Become(updated[T](d.Value(), before, after))
	})
}

// updated returns the document's value after an update that led from one value of a T to another. The document may say
// the first in other words: with further fields, without empty ones, with keys in another case. What changed is changed
// there. Where the document does not read as what the T is now, because T converts itself, the T's own value takes its place.
func updated[T any](value, before, after delta.Value) delta.Value {
	next := merge(value, before, after)
	if value.Equal(before) || before.Equal(after) {
		return next
	}
	v, err := delta.To[T](next)
	if err != nil {
		return after
	}
	if read, err := delta.From(v); err != nil || !read.Equal(after) {
		return after
	}
	return next
}
