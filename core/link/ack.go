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

// rides reports whether an ack goes with a chunk that goes anyway: from half of the chunks on, since each is a few bytes that
// are kept and the ack a byte that is sent, and from an eighth of the bytes on, since a sender keeps those as well, after a
// snapshot perhaps for as long as nothing else is said.
func (r *received) rides(l *base.Limits) bool {
	return r.unacked > 0 && (r.unacked*2 >= uint64(l.AckChunks) || r.bytes*8 >= l.AckBytes)
}

func (r *received) take() uint64 {
	n := r.unacked
	r.unacked, r.bytes = 0, 0
	return n
}

// retained keeps the chunks that were written and not acknowledged, for a resume. Once they are over their bound they
// are dropped, and the session cannot be resumed until all that was written then is acknowledged.
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
	if q.lost && q.acked == q.total {
		q.lost = false // nothing that was dropped is missed any more
	}
	for range min(chunks, uint64(q.chunks.Len())) {
		q.bytes -= len(q.chunks.Pop())
	}
	return nil
}

// resumeAt takes in how many chunks the peer has of all that were written. Invariant: acked ≤ received ≤ total.
func (q *retained) resumeAt(received uint64) {
	for q.acked < received && q.chunks.Len() > 0 {
		q.bytes -= len(q.chunks.Pop())
		q.acked++
	}
}

// acknowledged takes in that the peer has so many chunks more. Those that are to go again it cannot have.
func (l *Link) acknowledged(chunks uint64) error {
	if most := l.retained.total - l.retained.acked - uint64(l.resend); chunks > most {
		return base.Errorf(base.CodeProtocol, "ack of %d chunks, %d were not acknowledged", chunks, most)
	}
	return l.retained.acknowledge(chunks)
}
