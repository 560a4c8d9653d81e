package netsim

import (
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
)

var _ link.Transport = (*End)(nil)

// direction carries messages one way: the model says when, the queue holds what.
type direction struct {
	link  *Link
	to    *End
	model *linkmodel.Direction

	made   int64 // the buffer as it was asked for when the link was made
	asked  int64 // as it was asked for now
	buffer int64 // in bytes; 0: no bound
	full   bool  // the sender waits for room
	shared bool  // behind a bottleneck

	parcels ring[parcel] // what the model has under way, oldest first
	stream  *stream      // nil: a parcel is a message

	wrote           int64 // messages that were taken
	messages, bytes int64 // that were delivered
	lost            [causes]Lost
	swallowed       Lost
	squeezed        Lost // taken, but with a buffer that was then full and would not have been as it was made

	dark    bool  // what arrives is lost
	gap     Cause // something was lost out of the middle, first by this: what is behind it cannot be delivered; 0: nothing was
	crossed int64 // bytes that arrived to be taken
	cut     int64 // how many may have crossed before the connection is cut

	due        base.Time // of the scheduled event
	generation uint64    // of the scheduled event; events of older ones do nothing
	scheduled  bool
}

// noCut is how many bytes may cross before a cut that nobody asked for.
const noCut = 1<<63 - 1

// kind says what a parcel is. All but data are messages without bytes for the model, which take their time, are held up by stalls and
// are lost like any other; they do not count as messages.
type kind uint8

const (
	kindData   kind = iota // a message, or a segment of a stream
	kindSyn                // the dialer wants a connection
	kindAnswer             // the acceptor has it
	kindEnd                // there will be no more
	kindReset              // the connection is gone
)

// parcel is one message of the model.
type parcel struct {
	chunk []byte
	kind  kind
}

var _ events.Handler = (*direction)(nil)

func (d *direction) init(l *Link, to *End, cfg linkmodel.Config, buffer int64, via *Bottleneck, jitter *base.Stream) error {
	model, err := linkmodel.NewDirection(cfg, jitter)
	if err != nil {
		return err
	}
	*d = direction{link: l, to: to, model: model, made: buffer, asked: buffer, cut: noCut}
	if via != nil {
		if err := via.join(d); err != nil {
			return err
		}
	}
	d.buffer = d.bound(buffer)
	return nil
}

// bound returns the buffer in bytes if so many are asked for, 0 if it has no bound.
func (d *direction) bound(asked int64) int64 {
	cfg := d.model.Config()
	switch {
	case asked > 0:
		return asked
	case cfg.Trace != nil:
		return TraceBuffer
	case cfg.Rate > 0 || d.shared:
		return DefaultBuffer
	}
	return 0
}

// send takes a message and reports whether there is room for another one.
func (d *direction) send(chunk []byte) bool {
	d.wrote++
	if d.stream != nil {
		d.stream.write(chunk)
		d.pump()
	} else {
		d.put(parcel{chunk: chunk})
	}
	if !d.hasRoom() {
		if d.wouldHaveRoom() {
			d.squeezed.add(len(chunk))
		}
		if !d.full {
			d.full = true
			d.model.WantDepartures(true)
		}
	}
	d.reschedule()
	return !d.full
}

// wouldHaveRoom is hasRoom if the buffer were what it was made as.
func (d *direction) wouldHaveRoom() bool {
	bound, queued := d.bound(d.made), d.model.QueuedBytes()
	if d.stream != nil {
		queued += int64(len(d.stream.pending))
	}
	return bound == 0 || queued < bound
}

// put hands the model a parcel.
func (d *direction) put(p parcel) {
	d.parcels.push(p)
	d.model.Send(d.link.queue.Now(), len(p.chunk))
}

// control sends what is no message.
func (d *direction) control(k kind) {
	if k == kindEnd && d.stream != nil && d.stream.waiting() {
		d.stream.ending = true
		return
	}
	d.put(parcel{kind: k})
	d.reschedule()
}

// hasRoom reports whether the buffer would take another message.
func (d *direction) hasRoom() bool {
	return (d.buffer == 0 || d.model.QueuedBytes() < d.buffer) && (d.stream == nil || !d.stream.waiting())
}

// reschedule sees to it that an event is due when the model has something to report, or the sender is to be told of room.
func (d *direction) reschedule() {
	at, ok := d.model.NextEvent()
	if d.full && (d.buffer == 0 || d.model.QueuedBytes() < d.buffer) {
		at, ok = d.link.queue.Now(), true
	}
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
	for ; arrived > 0 && d.parcels.len() > 0; arrived-- {
		d.arrive(d.parcels.pop())
	}
	if d.link.dead {
		return
	}
	if d.full {
		d.pump()
		if d.hasRoom() {
			d.full = false
			d.model.WantDepartures(false)
			if sender := d.to.Other(); !sender.closed {
				sender.receiver.Writable()
			}
		}
	}
	d.reschedule()
}

// arrive takes what the model has brought to the end.
func (d *direction) arrive(p parcel) {
	switch {
	case d.dark:
		d.swallow(p)
	case p.kind == kindReset:
		d.told(ErrReset)
	case d.to.gone:
		d.lose(p, ByArrival)
	case d.link.drops > 0 && p.kind == kindData:
		d.drop(p)
	case d.gap != 0:
		d.tear(p)
	case p.kind == kindData:
		d.data(p)
	default:
		d.arriveControl(p.kind)
	}
}

// data takes a message, or a segment of a stream, up to where the connection is cut.
func (d *direction) data(p parcel) {
	left := d.cut - d.crossed
	size := int64(len(p.chunk))
	if size <= left {
		d.crossed += size
		if d.stream != nil {
			d.feed(p.chunk)
		} else {
			d.land(p.chunk)
		}
	} else if d.stream != nil {
		d.crossed = d.cut
		d.feed(p.chunk[:left])
	} else {
		d.lose(p, ByCut)
	}
	if size >= left {
		d.link.end(Fate{ByCut, d.to, d.cut})
	}
}

// land hands over a whole message. One that comes to a closed end is lost, and the connection reset.
func (d *direction) land(chunk []byte) {
	if d.to.closed {
		d.lost[ByArrival].add(len(chunk))
		d.refuse()
		return
	}
	d.messages++
	d.bytes += int64(len(chunk))
	if d.to.tap != nil {
		d.to.tap.Arrived(d.to, chunk)
	}
	d.to.receiver.Deliver(chunk)
}

func (d *direction) arriveControl(k kind) {
	switch k {
	case kindSyn:
		d.link.accept()
	case kindAnswer:
		d.link.answered()
	case kindEnd:
		d.told(d.ending())
	}
}

// ending returns what the end that is told of the other one's close is to think of it: that was an orderly one if all that
// it wrote itself was delivered before, and else a reset, of which it would only hear when it writes again.
func (d *direction) ending() error {
	if back := &d.to.out; back.wrote > back.messages {
		return ErrReset
	}
	if d.stream != nil {
		return d.stream.framer.End()
	}
	return nil
}

// told tells the end that the connection is over, once.
func (d *direction) told(err error) {
	e := d.to
	if e.closed || !e.knows() {
		e.closed = true
		return
	}
	e.closed = true
	e.receiver.Closed(err)
}
