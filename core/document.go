package core

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// Document is one JSON value that changes by transactions. It belongs to the host that exposes it and is only touched
// within that host's turns; before it is exposed it may be read and changed freely.
type Document struct {
	host  *Host
	name  string
	value delta.Value
	rev   wire.Revision
	subs  []*subscription
	past  history
	dict  wire.Dict
	cache encoded
	draft *delta.Draft // of the Change that is running
}

// encoded is the last encoding of a span of revisions: holds that need the same, and whose readers were told the same,
// get the same bytes.
type encoded struct {
	from, to uint64
	codec    wire.Codec
	used     wire.Used
	ops      []byte // raw, or its deflated form
	raw      []byte // kept for the next encoding
	deflated bool
}

// maxKeptOps is the largest encoding in bytes that a document keeps beyond the turn.
const maxKeptOps = 16 << 10

// NewDocument makes a document with a value, at revision 0. A value of more than [delta.MaxDepth] levels, which no peer would
// take, is an error of the program.
func NewDocument(value delta.Value) *Document {
	if value.Depth() > delta.MaxDepth {
		panic("core: NewDocument: a value of more than delta.MaxDepth levels")
	}
	return &Document{value: value, rev: wire.Revision{Epoch: 1}}
}

func (d *Document) attach(h *Host, name string) {
	if d.host != nil && d.host != h {
		panic("core: Expose: the document " + d.name + " belongs to another host")
	}
	if d.host == nil {
		d.host, d.name, d.rev.Epoch = h, name, h.cfg.Incarnation
	}
}

// Value returns the document's value.
func (d *Document) Value() delta.Value { return d.value }

// Revision returns where in its history the document is.
func (d *Document) Revision() wire.Revision { return d.rev }

// Name returns where the document was exposed first, such as "View.notes".
func (d *Document) Name() string { return d.name }

// Encodings returns how often the document, or a change of it, was encoded for somebody, as the codec counts it.
func (d *Document) Encodings() int64 { return d.dict.Encodings() }

// Change commits what fn does to a draft of the value, as one transaction, and returns the revision's number. If fn
// returns an error or panics, nothing is changed; whatever happens later in the turn, what was committed stays. A draft
// that ends where it began commits nothing. The call, which may be nil, is the one on whose behalf the change is made:
// its result is not seen before the change. Fn must not change the same document in another way than through its draft:
// that is refused.
func (d *Document) Change(c *Call, fn func(*delta.Draft) error) (uint64, error) {
	if d.host != nil {
		d.host.mustTurn("Document.Change")
	}
	if d.draft != nil {
		return d.rev.Number, base.Errorf(base.CodeRefused, "a change of %s within a change of it", d.name)
	}
	draft := delta.NewDraft(d.value)
	d.draft = draft
	defer func() {
		d.draft = nil
		draft.Commit() // closes it, in case that fn kept it
	}()
	if err := fn(draft); err != nil {
		return d.rev.Number, err
	}
	value, ops := draft.Commit()
	if len(ops) == 0 {
		return d.rev.Number, nil
	}
	d.commitFor(c, value, ops)
	return d.rev.Number, nil
}

// commitFor commits on behalf of a call, which may be nil.
func (d *Document) commitFor(c *Call, value delta.Value, ops []delta.Op) {
	d.commit(value, ops)
	if c == nil {
		return
	}
	c.touch(d)
	if p := c.consumer.host.probe; p.CallCommit != nil && !c.done && !c.consumer.closed && d.host != nil {
		p.CallCommit(c.consumer.host, c.consumer.ID(), c.id, d)
	}
}

func (d *Document) commit(value delta.Value, ops []delta.Op) {
	d.value = value
	d.rev.Number++
	if d.host == nil {
		return
	}
	d.host.stats.Commits++
	if d.host.probe.Commit != nil {
		d.host.probe.Commit(d.host, d)
	}
	d.record(ops)
	for _, s := range d.subs {
		s.add(ops, value)
	}
}

func (d *Document) unsubscribe(s *subscription) {
	for i, o := range d.subs {
		if o == s {
			d.subs = append(d.subs[:i], d.subs[i+1:]...)
			d.unfollowed()
			return
		}
	}
}
