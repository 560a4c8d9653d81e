package linkmodel

import (
	"fmt"
	"math"
	"slices"

	"chordsim/core/base"
)

// shares is how finely a bottleneck divides a byte per second: the least common multiple of 1 to 20. So up to 20
// directions, and any number that divides it, have shares that add up to the rate to the last bit; for others
// less than a byte in seven years for each of them is left over.
const shares = 232_792_560

// MaxBottleneckRate is the largest rate of a bottleneck, in bytes per second: some 316 Gbit/s.
const MaxBottleneckRate = math.MaxInt64 / shares

// ErrMember is what the error of a direction wraps that cannot share a bottleneck. It is an [ErrUnsupported].
var ErrMember = fmt.Errorf("%w: not for a bottleneck", ErrUnsupported)

// Bottleneck is a rate that directions share, max-min fair: at every instant it is divided equally among those that have
// something to send, except that none gets more than its own rate and the others share what that leaves. A direction
// that has nothing to send, or is stalled, takes no share. Make it with [NewBottleneck].
//
// Equal directions get equal shares exactly, and shares change at whole nanoseconds: when a message is handed over to
// a direction that was idle, when the last one of a direction has departed, rounded up, and when a stall begins or ends.
// What is decided at one instant does not depend on the order of the calls that are made at it.
type Bottleneck struct {
	rate    uint64 // in bytes per second; over 0
	members []*Direction
	busy    []*Direction // those that share now, by own rate, then in the order of joining
}

// NewBottleneck returns a bottleneck of a rate in bytes per second, from 1 to [MaxBottleneckRate]. Others are an error that
// wraps [ErrConfig].
func NewBottleneck(rate int64) (*Bottleneck, error) {
	b := &Bottleneck{}
	if err := b.setRate(rate); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Bottleneck) setRate(rate int64) error {
	if rate < 1 || rate > MaxBottleneckRate {
		return fmt.Errorf("%w: a bottleneck of %d bytes per second; want 1 to %d", ErrConfig, rate, int64(MaxBottleneckRate))
	}
	b.rate = uint64(rate)
	return nil
}

// Rate returns the rate in bytes per second.
func (b *Bottleneck) Rate() int64 { return int64(b.rate) }

// SetRate gives the bottleneck another rate from now on. It changes nothing and returns an error that wraps [ErrConfig] if
// the rate is not one.
func (b *Bottleneck) SetRate(now base.Time, rate int64) error {
	if err := b.setRate(rate); err != nil {
		return err
	}
	b.share(now)
	return nil
}

// Join has a direction that carried nothing yet share the bottleneck. Its own rate, if it has one, bounds its share.
// It has to be continuous; others are an error that wraps [ErrMember]. From then on its departures are events, and it
// has to be advanced at its events, as others wait for its share; moved is called when its next event may have changed because of
// what another direction did, and must not call back.
func (b *Bottleneck) Join(d *Direction, moved func()) error {
	if d.slotted {
		return fmt.Errorf("%w: a direction of %v; want one without quantum and trace", ErrMember, d.config)
	}
	if d.via != nil || !d.messages.empty() {
		return fmt.Errorf("%w: a direction that is in use", ErrMember)
	}
	d.via, d.moved, d.number = b, moved, len(b.members)
	d.flow.perByte = uint64(base.Second) * shares
	d.flow.idle(1) // any rate: it has none before it is busy
	b.members = append(b.members, d)
	return nil
}

// share divides the rate anew among those that have something to send now.
func (b *Bottleneck) share(now base.Time) {
	for _, d := range b.members {
		if d.sharing || d.wantsShare() {
			d.settle(now, false)
			d.setSharing(d.wantsShare())
		}
	}
	left := b.rate
	for i, d := range b.busy {
		n := uint64(len(b.busy) - i)
		own := uint64(d.config.Rate)
		part, _ := base.MulDiv(left, shares, n)
		if own > 0 && own <= left/n { // as own*n ≤ left
			part = own * shares
			left -= own
			d.setPart(part)
			continue
		}
		for _, d := range b.busy[i:] {
			d.setPart(part)
		}
		return
	}
}

// setSharing puts the direction among those that share, or takes it out.
func (d *Direction) setSharing(want bool) {
	if d.sharing == want {
		return
	}
	d.sharing = want
	b := d.via
	if !want {
		b.busy = slices.DeleteFunc(b.busy, func(o *Direction) bool { return o == d })
		return
	}
	at := 0
	for at < len(b.busy) && !d.before(b.busy[at]) {
		at++
	}
	b.busy = slices.Insert(b.busy, at, d)
}

// before orders those that share: by what bounds them, then by when they joined.
func (d *Direction) before(o *Direction) bool {
	own, others := uint64(d.config.Rate)-1, uint64(o.config.Rate)-1 // no rate is the largest
	return own < others || own == others && d.number < o.number
}

// resize follows a change of the rate that bounds a member's share.
func (b *Bottleneck) resize(d *Direction) {
	if d.sharing {
		d.setSharing(false)
		b.share(d.now)
	}
}

// setPart has a direction go at its part of the bottleneck, and tells its owner if that is another one than before.
func (d *Direction) setPart(part uint64) {
	if d.flow.rate == part {
		return
	}
	d.setFlow(part)
	if d.moved != nil {
		d.moved()
	}
}

// wantsShare tells whether the direction has something to send and can.
func (d *Direction) wantsShare() bool { return !d.stalled && d.messages.hasQueued() }

// share has a bottleneck divided anew if the direction began or ceased to want a share of it.
func (d *Direction) share() {
	if d.via != nil && d.wantsShare() != d.sharing {
		d.via.share(d.now)
	}
}
