package core_test

import (
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
)

// downs is a provider, as it looks over a lasting way, that binds what is held and then says that it is down.
type downs struct {
	*rawPeer
	held []base.Time // when it was asked for a hold
}

// asked answers the hold that the host wrote, if it did. The object stays live for a while before it is down.
func (d *downs) asked(lasts base.Duration) {
	var holds []uint64
	out := d.out
	d.out = nil
	for _, chunk := range out {
		if head, body, err := wire.ParseHeader(wire.Binary, chunk); err == nil && head.Type == wire.TypeHold {
			m, err := wire.ParseHold(wire.Binary, body, &base.Limits{AddressBytes: 100})
			if err != nil {
				d.host.t.Fatal(err)
			}
			holds = append(holds, m.ID)
		}
	}
	for _, id := range holds {
		d.held = append(d.held, d.host.sched.now)
		d.say(wire.TypeBound, wire.Bound{ID: id}.Append(wire.Binary, nil))
		for range lasts / (5 * base.Second) { // within the heartbeat
			d.host.sched.advance(5 * base.Second)
			d.say(wire.TypePong, nil)
		}
		d.say(wire.TypeDown, wire.Down{Code: base.CodeDown, Holds: []uint64{id}}.Append(wire.Binary, nil))
	}
}

func newDowns(t *testing.T) *downs {
	h := newRawHost(t, "tab", base.Limits{})
	d := &rawDialer{host: h}
	h.Dial(d)
	p := &downs{rawPeer: d.welcomed(1)}
	h.do(func() { h.Get("A") })
	return p
}

// TestAHoldThatIsLostAgainAndAgainWaitsLonger: the first loss has the object held again at once, further ones at growing intervals,
// though each hold was bound.
func TestAHoldThatIsLostAgainAndAgainWaitsLonger(t *testing.T) {
	d := newDowns(t)
	const step = base.Millisecond
	for range 60 * base.Second / step {
		d.asked(0)
		d.host.sched.advance(step)
		if d.host.sched.now%(5*base.Time(base.Second)) == 0 {
			d.say(wire.TypePong, nil)
		}
	}
	var waits []base.Duration
	for i := range d.held[1:] {
		waits = append(waits, d.held[i+1].Sub(d.held[i]))
	}
	if len(waits) < 8 || waits[0] > step {
		t.Fatalf("held again after %v", waits)
	}
	for i, most := 1, (core.Reconnect{}).WithDefaults().First; i < len(waits); i, most = i+1, min(2*most, 10*base.Second) {
		if waits[i] < most/2 || waits[i] > most+step {
			t.Errorf("wait %d is %v, want from %v to %v", i, waits[i], most/2, most)
		}
	}
	if len(waits) > 20 {
		t.Errorf("held again %d times in a minute", len(waits))
	}
}

// TestAHoldThatLastedIsHeldAgainAtOnce each time that it is lost.
func TestAHoldThatLastedIsHeldAgainAtOnce(t *testing.T) {
	d := newDowns(t)
	var lost []base.Time
	for range 5 {
		d.asked(10 * base.Second)
		lost = append(lost, d.host.sched.now)
		d.host.sched.advance(0)
	}
	if !slices.Equal(d.held[1:], lost[:4]) {
		t.Errorf("held again at %v, lost at %v", d.held[1:], lost)
	}
}
