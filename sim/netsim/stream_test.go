package netsim_test

import (
	"bytes"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/sim/events"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// numbered returns a message that no other one is equal to.
func numbered(i, n int) []byte {
	m := make([]byte, n)
	for j := range m {
		m[j] = byte(i*31 + j*7)
	}
	return m
}

// Whatever the segments, hosts see whole messages, in order, and the last byte of a message brings it.
func TestD2StreamsCarryWholeMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 2000).Draw(t, "min")
		cfg := netsim.Config{
			Name: "a", Up: rated(rapid.Int64Range(1000, 1<<20).Draw(t, "rate"), base.Duration(rapid.Int64Range(0, 1<<30).Draw(t, "latency"))),
			Buffer: rapid.Int64Range(1, 1<<14).Draw(t, "buffer"),
			Stream: &netsim.StreamConfig{Min: least, Max: rapid.IntRange(least, 6000).Draw(t, "max")},
		}
		b := newLabWith(t, labSetup{
			seed: rapid.Uint64().Draw(t, "seed"), config: cfg,
			strategy: rapid.SampledFrom([]events.Strategy{events.FIFO, events.Random}).Draw(t, "strategy"),
		})
		sends := drawSends(t, cfg.Up.Rate)
		var sent [][]byte
		stream := make([]send, len(sends))
		for i, s := range sends {
			sent = append(sent, numbered(i, int(s.size)%wire.MaxFrame+1))
			stream[i] = send{s.at, int64(len(wire.AppendFrame(nil, sent[i])))}
			b.at(s.at, func() { b.link.Dialer().Write(sent[i]) })
			if i > 0 && s.at == sends[i-1].at {
				t.Skip("the order of messages of one instant is a tie")
			}
		}
		b.run()
		if len(b.up.chunks) != len(sent) {
			t.Fatalf("%d messages arrived, want %d", len(b.up.chunks), len(sent))
		}
		for i := range sent {
			if !bytes.Equal(b.up.chunks[i], sent[i]) {
				t.Fatalf("message %d is another one", i)
			}
		}
		// A segment brings all of its bytes when its last one is there, so that a message may come with what follows it.
		ideal := shifted(departures(cfg.Up.Rate, stream), cfg.Up.Latency)
		most, slack := carryTime(int64(cfg.Stream.Max), cfg.Up.Rate), base.Duration(0)
		if cfg.Buffer <= int64(cfg.Stream.Max) {
			// The link may run empty after each segment, and then begins anew at a whole nanosecond.
			for _, s := range stream {
				slack += base.Duration(s.size)
			}
		}
		for i, at := range b.up.arrivals {
			if at < ideal[i] || at > ideal[i].Add(most+slack) {
				t.Fatalf("message %d arrived at %v, the rate says %v and a segment takes %v", i, at, ideal[i], most)
			}
		}
		if at, want := b.up.arrivals[len(sent)-1], ideal[len(sent)-1]; at > want.Add(slack) {
			t.Fatalf("the last message arrived at %v, want %v", at, want)
		}
		if b.link.Acceptor().Partial() != 0 {
			t.Fatalf("%d bytes are left", b.link.Acceptor().Partial())
		}
	})
}

// A cut after any byte of a message leaves a part of it in the framer, and no message.
func TestStreamCutAfterAnyByte(t *testing.T) {
	messages := [][]byte{numbered(1, 100), numbered(2, 300), numbered(3, 200)}
	var ends []int64
	total := int64(0)
	for _, m := range messages {
		total += int64(len(wire.AppendFrame(nil, m)))
		ends = append(ends, total)
	}
	for k := int64(1); k <= total; k++ {
		b := newLabWith(t, labSetup{seed: uint64(k), config: netsim.Config{
			Name: "a", Up: rated(1000, base.Second), Stream: &netsim.StreamConfig{Min: 1, Max: 70},
		}})
		b.link.Acceptor().CutAfter(k)
		for _, m := range messages {
			b.at(0, func() { b.link.Dialer().Write(m) })
		}
		b.run()
		whole, partial, left := 0, k, int64(600)
		for i, end := range ends {
			if end <= k {
				whole, partial, left = i+1, k-end, left-int64(len(messages[i]))
			}
		}
		if len(b.up.chunks) != whole || b.link.Acceptor().Partial() != partial {
			t.Fatalf("cut after %d of %v: %d messages and %d bytes of another, want %d and %d",
				k, ends, len(b.up.chunks), b.link.Acceptor().Partial(), whole, partial)
		}
		wantLost(t, "the rest", b.link.Acceptor().Lost(), int64(len(messages)-whole), left)
		if len(b.up.closed) != 1 || len(b.down.closed) != 1 || b.up.errs[0] != netsim.ErrReset || b.down.errs[0] != netsim.ErrReset {
			t.Fatalf("cut after %d: closed with %v and %v", k, b.up.errs, b.down.errs)
		}
	}
}

// The end comes behind what waits for room, and says nothing of an error.
func TestStreamCloses(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(1000, 0), Buffer: 10, Stream: &netsim.StreamConfig{Min: 100, Max: 100}})
	b.at(0, func() {
		for i := range 5 {
			b.link.Dialer().Write(numbered(i, 199)) // two bytes say how long
		}
		b.link.Dialer().Close()
		if got := b.link.Acceptor().Queued(); got != 5*201 {
			t.Errorf("%d bytes queued, want %d", got, 5*201)
		}
	})
	b.run()
	last := base.Time(0).Add(carryTime(1005, 1000))
	wantClosed(t, "acceptor", &b.up, nil, last)
	// Segments of 100 end at multiples of 0.1 s.
	wantTimes(t, "arrivals", b.up.arrivals, 300*ms, 500*ms, 700*ms, 900*ms, last)
}

// The seed and the link's name say where a stream is cut.
func TestStreamSegmentsAreOfTheSeed(t *testing.T) {
	play := func(seed uint64) []base.Time {
		b := newLabWith(t, labSetup{seed: seed, config: netsim.Config{
			Name: "a", Up: rated(1000, 0), Buffer: 100, Stream: &netsim.StreamConfig{Min: 1, Max: 900},
		}})
		b.at(0, func() {
			for i := range 20 {
				b.link.Dialer().Write(numbered(i, 150))
			}
		})
		b.run()
		return b.up.arrivals
	}
	wantTimes(t, "again", play(1), play(1)...)
	for i, at := range play(2) {
		if at != play(1)[i] {
			return
		}
	}
	t.Error("another seed cuts at the same places")
}

func TestBadStreams(t *testing.T) {
	for _, c := range []netsim.StreamConfig{{}, {Min: 0, Max: 5}, {Min: 5, Max: 4}, {Min: -1, Max: 1}} {
		cfg := netsim.Config{Name: "x", Stream: &c}
		if _, err := netsim.New(events.New(events.FIFO, nil), base.NewRand(0), cfg, nil); err == nil {
			t.Errorf("segments of %+v", c)
		}
	}
	b := newLab(t, netsim.Config{Stream: &netsim.StreamConfig{Min: 1, Max: 1}})
	for _, n := range []int{0, wire.MaxFrame + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a stream takes a message of %d bytes", n)
				}
			}()
			b.link.Dialer().Write(chunk(n))
		}()
	}
}

// Whenever an end of a byte stream dies or is gone, what had left whole is delivered, and the rest is lost, each message once.
func TestStreamEndsAtAnyTime(t *testing.T) {
	sizes := []int64{100, 300, 200}
	places := ends(sizes, true)
	for at := base.Time(0); at < 700*ms; at += 7 * ms {
		for _, end := range []func(*netsim.End) netsim.Lost{(*netsim.End).Abort, (*netsim.End).Vanish} {
			for _, buffer := range []int64{90, plenty} {
				b := newLabWith(t, labSetup{seed: uint64(at), config: netsim.Config{
					Name: "a", Up: rated(1000, base.Second), Buffer: buffer, Stream: &netsim.StreamConfig{Min: 1, Max: 30},
				}})
				for _, size := range sizes {
					b.sendAt(0, int(size))
				}
				b.at(at, func() {
					if err := b.link.Acceptor().SetLatency(base.Second); err != nil { // as it is; up to now
						t.Error(err)
					}
					waited, lost := b.link.Acceptor().Unsent(), end(b.link.Dialer())
					if buffer == plenty && lost != waited {
						t.Errorf("at %v %+v is lost, and %+v had not left", at, lost, waited)
					}
				})
				b.run()
				whole, left := 0, netsim.Lost{}
				for i, place := range places {
					// A segment that is leaving is lost, so that up to 30 bytes before now are as well.
					switch gone := base.Time(0).Add(carryTime(place, 1000)); {
					case gone <= at && i < len(b.up.arrivals):
						whole++
					case gone > at-30*ms:
						left.Messages++
						left.Bytes += sizes[i]
					}
				}
				if len(b.up.arrivals) != whole || b.link.Acceptor().LostBy(netsim.ByUnsent) != left || b.link.Acceptor().Lost() != left {
					t.Fatalf("at %v, buffer %d: %d messages arrived and %+v was lost, want %d and %+v",
						at, buffer, len(b.up.arrivals), b.link.Acceptor().Lost(), whole, left)
				}
			}
		}
	}
}

// Of a byte stream each message falls into a black hole once of which something does, and none that only borders on it.
func TestStreamSwallows(t *testing.T) {
	for _, c := range []struct {
		from, to        base.Time
		messages, bytes int64
	}{
		{0, 100 * ms, 1, 99}, // messages leave at 0.1, 0.3 and 0.6 s
		{100 * ms, 300 * ms, 1, 198}, {50 * ms, 60 * ms, 1, 99}, {95 * ms, 105 * ms, 2, 297}, {0, 700 * ms, 3, 596}, {110 * ms, 600 * ms, 2, 497},
	} {
		b := newLab(t, netsim.Config{Up: rated(1000, 0), Buffer: plenty, Stream: &netsim.StreamConfig{Min: 1, Max: 1}})
		for _, size := range []int{99, 198, 299} { // with those that say how long they are 100, 200 and 301
			b.sendAt(0, size)
		}
		b.at(c.from+ms/2, func() { b.link.Acceptor().BlackHole(true) })
		b.at(c.to+ms/2, func() { b.link.Acceptor().BlackHole(false) })
		b.run()
		wantLost(t, "from "+c.from.String(), b.link.Acceptor().Swallowed(), c.messages, c.bytes)
	}
}
