package core

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// history is the last commits of a document, for consumers that lost their session and come back with a revision that they
// still have. It is kept while somebody follows the document, and for Reconnect.Grace after a session was lost that did;
// nobody else could name a revision. Invariant: the newest commit leads to the document's revision, each to the next one, and
// all are of its epoch.
type history struct {
	commits base.Ring[pastCommit]
	bytes   int
	lost    base.Time // when a session was lost that followed the document, if it is listed
	listed  bool      // is in Host.lost
}

type pastCommit struct {
	ops  []delta.Op
	size int // of the ops, by the measure of delta.Value.Size
}

// record takes a commit in and lets go of the oldest ones, as far as there are bounds: those of Limits, and the size of the
// value, which is sent instead of a change that is larger.
func (d *Document) record(ops []delta.Op) {
	p, limits := &d.past, &d.host.limits
	if limits.HistoryBytes < 0 || len(d.subs) == 0 && !p.listed {
		return
	}
	size, most := 0, min(limits.HistoryBytes, d.value.Size())
	for i := range ops {
		size += ops[i].Size()
	}
	p.commits.Push(pastCommit{ops, size})
	for p.bytes += size; p.bytes > most || p.commits.Len() > limits.HistoryCommits; {
		p.bytes -= p.commits.Pop().size
	}
}

// reaches reports whether the history leads from a revision to the document's, and how many bytes its ops have at most.
func (d *Document) reaches(from wire.Revision) (bytes int, ok bool) {
	if from.Epoch != d.rev.Epoch || from.Number > d.rev.Number {
		return 0, false
	}
	p, n := &d.past, d.rev.Number-from.Number
	if n > uint64(p.commits.Len()) {
		return 0, false
	}
	for i := p.commits.Len() - int(n); i < p.commits.Len(); i++ {
		bytes += p.commits.At(i).size
	}
	return bytes, true
}

// since returns the ops that lead from a revision that the history reaches to the document's, and whether they take less than
// its value, as far as can be told before they are encoded.
func (d *Document) since(from wire.Revision) (ops []delta.Op, ok bool) {
	p := &d.past
	for i := p.commits.Len() - int(d.rev.Number-from.Number); i < p.commits.Len(); i++ {
		ops = append(ops, p.commits.At(i).ops...)
	}
	if len(ops) == 0 {
		return nil, true
	}
	var fold delta.Fold
	fold.Add(ops, d.value)
	return fold.Ops(d.value), !fold.Replaced()
}

// unfollowed lets go of the history that nobody will ask for.
func (d *Document) unfollowed() {
	if len(d.subs) == 0 && !d.past.listed {
		d.past = history{}
	}
}

// lostSession is a document of which a session was lost, and when that was.
type lostSession struct {
	doc *Document
	at  base.Time
}

// sessionLost has the history kept for a while: a consumer of the document may come back.
func (d *Document) sessionLost() {
	h := d.host
	if h.limits.HistoryBytes < 0 {
		return
	}
	if d.past.lost = h.Now(); !d.past.listed {
		d.past.listed = true
		h.await(d)
	}
}

// await has a document looked at once a grace is over.
func (h *Host) await(d *Document) {
	now := h.Now()
	h.lost.Push(lostSession{d, now})
	if h.lost.Len() > 1 {
		return // the timer is set
	}
	if h.forget == nil {
		h.forget = base.NewWatch(h.sched, func() { h.turn(h.forgetHistories) })
	}
	h.forget.Set(now.Add(h.reconnect.Grace))
}

// forgetHistories goes through the documents that were listed a grace ago. One that lost another session since is listed anew:
// its history is kept for two graces at the most.
func (h *Host) forgetHistories() {
	now := h.Now()
	for h.lost.Len() > 0 && now.Sub(h.lost.Front().at) >= h.reconnect.Grace {
		l := h.lost.Pop()
		if l.doc.past.lost > l.at {
			h.await(l.doc)
			continue
		}
		l.doc.past.listed = false
		l.doc.unfollowed()
	}
	if h.lost.Len() > 0 {
		h.forget.Set(h.lost.Front().at.Add(h.reconnect.Grace))
	}
}
