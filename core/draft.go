package core

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// Draft is an open change of a document, which may be committed in a later turn than the one it was opened in. Any number of
// them may be open on one revision; the first that is committed wins.
type Draft struct {
	draft  *delta.Draft
	doc    *Document
	base   wire.Revision
	closed bool
}

// Draft opens a draft of the document's value as it is now.
func (d *Document) Draft() *Draft {
	return &Draft{draft: delta.NewDraft(d.value), doc: d, base: d.rev}
}

// At returns a place in the draft, as [delta.Draft.At] does.
func (d *Draft) At(segments ...any) delta.Cursor { return d.draft.At(segments...) }

// Value returns the draft's value.
func (d *Draft) Value() delta.Value { return d.draft.Value() }

// Base returns the revision that the draft was opened on.
func (d *Draft) Base() wire.Revision { return d.base }

// Commit makes the draft the document's value, as one transaction, and returns the revision's number. It closes the draft,
// whatever comes of it. The call is as in [Document.Change]. A draft that ends where it began commits nothing. If the
// document has changed since the draft was opened, nothing is committed and the error has [base.CodeConflict]: read again,
// and open another.
func (d *Draft) Commit(c *Call) (uint64, error) {
	doc := d.doc
	if doc.host != nil {
		doc.host.mustTurn("Draft.Commit")
	}
	value, ops := d.draft.Commit()
	was := d.closed
	d.closed = true
	switch {
	case was:
		return doc.rev.Number, base.Errorf(base.CodeRefused, "a draft of %s is committed twice", doc.name)
	case len(ops) == 0:
		return doc.rev.Number, nil
	case doc.draft != nil:
		return doc.rev.Number, base.Errorf(base.CodeRefused, "a draft of %s is committed within a change of it", doc.name)
	case doc.rev != d.base:
		return doc.rev.Number, base.Errorf(base.CodeConflict, "a draft of %s at revision %d of epoch %d, which is at %d of epoch %d by now",
			doc.name, d.base.Number, d.base.Epoch, doc.rev.Number, doc.rev.Epoch)
	}
	doc.commitFor(c, value, ops)
	return doc.rev.Number, nil
}
