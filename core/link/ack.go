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
	ring  [][]byte
	head  int
	n     int
	bytes int
	acked uint64 // Invariant: acked ≤ written
	total uint64 // chunks written
	lost  bool
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
	if q.n == len(q.ring) {
		grown := make([][]byte, max(8, 2*q.n))
		for i := range q.n {
			grown[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = chunk
	q.n++
}

func (q *retained) acknowledge(chunks uint64) error {
	if chunks > q.total-q.acked {
		return base.Errorf(base.CodeProtocol, "ack of %d chunks, %d were not acknowledged", chunks, q.total-q.acked)
	}
	q.acked += chunks
	for range min(chunks, uint64(q.n)) {
		q.bytes -= len(q.ring[q.head])
		q.ring[q.head] = nil
		q.head = (q.head + 1) % len(q.ring)
		q.n--
	}
	return nil
}
