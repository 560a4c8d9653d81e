package netsim

import (
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
)

// direction carries messages one way: the model says when, the queue holds what.
type direction struct {
	link    *Link
	to      *End
	model   *linkmodel.Direction
	latency base.Duration
	buffer  int64 // 0: no bound
	full    bool  // the sender waits for room

	chunks base.Ring[[]byte] // messages that have not arrived, oldest first

	messages, bytes int64

	due        base.Time // of the scheduled event
	generation uint64    // of the scheduled event; events of older ones do nothing
	scheduled  bool
}

var _ events.Handler = (*direction)(nil)

func (d *direction) init(l *Link, to *End, cfg linkmodel.Config, buffer int64, jitter *base.Stream) error {
	model, err := linkmodel.NewDirection(cfg, jitter)
	if err != nil {
		return err
	}
	switch {
	case buffer == 0 && cfg.Trace != nil:
		buffer = TraceBuffer
	case buffer == 0 && cfg.Rate > 0:
		buffer = DefaultBuffer
	}
	*d = direction{link: l, to: to, model: model, latency: cfg.Latency, buffer: buffer}
	return nil
}

func (d *direction) send(chunk []byte) bool {
	d.chunks.Push(chunk)
	d.model.Send(d.link.queue.Now(), len(chunk))
	if d.buffer > 0 && !d.full && d.model.QueuedBytes() >= d.buffer {
		d.full = true
		d.model.WantDepartures(true)
	}
	d.reschedule()
	return !d.full
}

// finish has the other end told, once all was delivered, that there will be no more. The end is a message without bytes:
// it takes its latency and is held up by stalls like any other.
func (d *direction) finish() {
	d.model.Send(d.link.queue.Now(), 0)
	d.reschedule()
}

// reschedule sees to it that an event is due when the model has something to report.
func (d *direction) reschedule() {
	at, ok := d.model.NextEvent()
	if !ok { // nothing is under way, or all of it is stalled: whatever was scheduled is void
		d.generation++
		d.scheduled = false
		return
	}
	if d.scheduled && d.due == at {
		return
	}
	d.generation++
	d.scheduled, d.due = true, at
	d.link.queue.Schedule(at, d, d.generation)
}

// Fire delivers what has arrived.
func (d *direction) Fire(generation uint64) {
	if generation != d.generation {
		return
	}
	d.scheduled = false
	_, arrived := d.model.Advance(d.link.queue.Now())
	for range arrived {
		d.arrive()
	}
	if d.full && d.model.QueuedBytes() < d.buffer {
		d.full = false
		d.model.WantDepartures(false)
		if sender := d.to.Other(); !sender.closed {
			sender.receiver.Writable()
		}
	}
	d.reschedule()
}

// arrive hands over the oldest message, or the end behind the last one. A closed end gets neither.
func (d *direction) arrive() {
	if d.chunks.Len() == 0 {
		if !d.to.closed {
			d.to.closed = true
			d.to.receiver.Closed(nil)
		}
		return
	}
	chunk := d.chunks.Pop()
	if d.to.closed {
		return
	}
	d.messages++
	d.bytes += int64(len(chunk))
	if d.to.tap != nil {
		d.to.tap.Arrived(d.to, chunk)
	}
	d.to.receiver.Deliver(chunk)
}
