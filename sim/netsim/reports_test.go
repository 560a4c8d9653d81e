package netsim_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/sim/netsim"
)

// What went wrong in other simulators of networks, by the names of the reports.

// bothModes has a test play over whole messages, over a byte stream, and over one of single bytes.
func bothModes(play func(stream *netsim.StreamConfig)) {
	for _, s := range []*netsim.StreamConfig{nil, {Min: 1, Max: 60}, {Min: 1, Max: 1}} {
		play(s)
	}
}

// Turmoil #251: a fault ignored messages that were under way already. A cut takes what is on the link too, both ways, and says
// how much. Ten messages of 100 bytes are under way towards the acceptor, and five towards the dialer.
func TestTurmoil251CutTakesWhatIsOnTheLink(t *testing.T) {
	bothModes(func(stream *netsim.StreamConfig) {
		b := newLab(t, netsim.Config{Up: rated(0, base.Second), Down: rated(0, 2*base.Second), Stream: stream})
		for i := range 10 {
			b.sendAt(base.Time(i)*10*ms, 100)
		}
		for i := range 5 {
			b.answerAt(base.Time(i)*10*ms, 40)
		}
		size := int64(100)
		if stream != nil {
			size = int64(len(wire.AppendFrame(nil, chunk(100))))
		}
		b.at(500*ms, func() { b.link.Acceptor().CutAfter(3*size + 50) }) // all of it is on the link by then
		b.run()
		if got := len(b.up.arrivals); got != 3 {
			t.Errorf("%+v: %d messages arrived, want those before the cut", stream, got)
		}
		wantLost(t, "up", b.link.Acceptor().LostBy(netsim.ByCut), 7, 700)
		wantLost(t, "down", b.link.Dialer().LostBy(netsim.ByCut), 5, 200)
		wantLost(t, "up, in all", b.link.Acceptor().Lost(), 7, 700)
		wantLost(t, "down, in all", b.link.Dialer().Lost(), 5, 200)
		if got := b.link.Acceptor().Partial(); stream != nil && got != 50 || stream == nil && got != 0 {
			t.Errorf("%+v: %d bytes of another message arrived", stream, got)
		}
		wantClosed(t, "acceptor", &b.up, netsim.ErrReset, b.up.closed[0])
		wantClosed(t, "dialer", &b.down, netsim.ErrReset, b.up.closed[0])
	})
}

// Turmoil #158: to drop a connection with unread data gave EOF. It is a reset, and EOF only if all was read.
func TestTurmoil158CloseWithUnreadDataResets(t *testing.T) {
	bothModes(func(stream *netsim.StreamConfig) {
		for _, c := range []struct {
			close base.Time
			err   error
		}{{500 * ms, netsim.ErrReset}, {999 * ms, netsim.ErrReset}, {1001 * ms, nil}} {
			for _, dialer := range []bool{true, false} {
				b := newLab(t, netsim.Config{Up: rated(0, base.Second), Down: rated(0, base.Second), Stream: stream})
				closes, writes, told := b.link.Dialer(), b.link.Acceptor(), &b.up
				if !dialer {
					closes, writes, told = writes, closes, &b.down
				}
				b.at(0, func() { writes.Write(chunk(100)) })
				b.at(c.close, closes.Close)
				b.run()
				wantClosed(t, "closed at "+c.close.String(), told, c.err, c.close.Add(base.Second))
			}
		}
	})
}

// Mysticeti #281: one message was carried a latency, so that throughput was its inverse. A thousand messages on a long fat link
// arrive back to back, in any mode and also if the sender minds a buffer that holds a few of them.
func TestMysticeti281LongFatLinkArrivesBackToBack(t *testing.T) {
	bothModes(func(stream *netsim.StreamConfig) {
		for _, buffer := range []int64{5000, plenty} {
			b := newLab(t, netsim.Config{Up: rated(125_000_000, 300*base.Millisecond), Buffer: buffer, Stream: stream})
			const messages = 1000
			size := int64(1250)
			if stream != nil && stream.Max == 1 {
				size = 50 // each byte is an event
			}
			b.pump(b.link.Dialer(), &b.down, messages*size, size)
			b.run()
			if stream != nil {
				size = int64(len(wire.AppendFrame(nil, chunk(int(size)))))
			}
			if len(b.up.arrivals) != messages {
				t.Fatalf("%d messages arrived", len(b.up.arrivals))
			}
			for i, at := range b.up.arrivals {
				want := base.Time(0).Add(carryTime(size*int64(i+1), 125_000_000) + 300*base.Millisecond)
				late := base.Duration(0)
				if stream != nil { // what waits for room is cut without regard for messages
					late = carryTime(int64(stream.Max)-1, 125_000_000)
				}
				if at < want || at > want.Add(late) {
					t.Fatalf("%+v, buffer %d: message %d at %v, want %v", stream, buffer, i, at, want)
				}
			}
		}
	})
}

// dipt-quic-workbench #53: times rounded to milliseconds made 10 Mbit/s of 1 Gbit/s. Remainders are carried, also those below a
// nanosecond: a second's bytes take a second, in packets of any size.
func TestDiptQuic53RemaindersAreCarried(t *testing.T) {
	for _, rate := range []int64{125_000_000, 124_999_999, 3_000_000_017} {
		for _, size := range []int64{1200, 1357, 60_000} {
			n := min(rate/size, 20_000)
			b := newLab(t, netsim.Config{Up: rated(rate, 0), Buffer: 10 * size})
			b.pump(b.link.Dialer(), &b.down, n*size, size)
			b.run()
			want := make([]base.Time, n)
			for i := range want {
				want[i] = base.Time(0).Add(carryTime(size*int64(i+1), rate))
			}
			wantTimes(t, "packets", b.up.arrivals, want...)
		}
	}
}
