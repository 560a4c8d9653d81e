package link

import "chordsim/core/base"

// received counts what arrived and was not acknowledged.
type received struct {
	total   uint64 // numbered chunks since the session began
	unacked uint64
	bytes   int // of the unacknowledged ones
}

func (r *received) count(bytes int) {
	r.total++
	r.unacked++
	r.bytes += bytes
}

// due reports whether an ack should not wait for something to ride on.
func (r *received) due(l *base.Limits) bool {
	return r.unacked >= uint64(l.AckChunks) || r.bytes >= l.AckBytes
}

func (r *received) take() uint64 {
	n := r.unacked
	r.unacked, r.bytes = 0, 0
	return n
}

// retained keeps the chunks that were written and not acknowledged, for a resume. Once they are over their bound they
// are dropped, and the session cannot be resumed any more.
type retained struct {
	chunks base.Ring[[]byte] // oldest first
	bytes  int
	acked  uint64 // Invariant: acked ≤ written
	total  uint64 // chunks written
	lost   bool
}

func (q *retained) keep(chunk []byte, l *base.Limits) {
	q.total++
	if q.lost {
		return
	}
	if q.bytes += len(chunk); q.bytes > l.ResumeBytes {
		*q = retained{acked: q.acked, total: q.total, lost: true}
		return
	}
	q.chunks.Push(chunk)
}

func (q *retained) acknowledge(chunks uint64) error {
	if chunks > q.total-q.acked {
		return base.Errorf(base.CodeProtocol, "ack of %d chunks, %d were not acknowledged", chunks, q.total-q.acked)
	}
	q.acked += chunks
	for range min(chunks, uint64(q.chunks.Len())) {
		q.bytes -= len(q.chunks.Pop())
	}
	return nil
}
