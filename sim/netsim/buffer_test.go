package netsim_test

import (
	"fmt"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// write has the dialer write at an instant and notes what it is told.
func (b *lab) write(at base.Time, n int, into *[]bool) {
	b.at(at, func() { *into = append(*into, b.link.Dialer().Write(chunk(n))) })
}

func TestD2BufferByHand(t *testing.T) {
	slow := rated(1000, base.Minute) // 1 ms a byte, and arrivals are long after
	trace := linkmodel.Config{Trace: newTrace(t, "1000\n")}
	for _, c := range []struct {
		name     string
		cfg      netsim.Config
		sizes    []int
		took     []bool
		writable []base.Time
	}{
		{"one byte less", netsim.Config{Up: slow}, []int{4095}, []bool{true}, nil},
		{"full to the byte", netsim.Config{Up: slow}, []int{1000, 3096}, []bool{true, false}, []base.Time{sec}},
		{"over it in one", netsim.Config{Up: slow}, []int{5000}, []bool{false}, []base.Time{5 * sec}},
		{"the one that fills it is taken, and so are others", netsim.Config{Up: slow}, []int{4000, 1000, 4000},
			[]bool{true, false, false}, []base.Time{5 * sec}},
		{"first message with room behind it", netsim.Config{Up: slow}, []int{2000, 1000, 2000}, []bool{true, true, false},
			[]base.Time{2 * sec}},
		{"own size", netsim.Config{Up: slow, Buffer: 10}, []int{9, 1, 1}, []bool{true, false, false}, []base.Time{9 * ms}},
		{"no rate, no bound", netsim.Config{Up: linkmodel.Config{Latency: base.Second}}, []int{1 << 20, 1 << 20},
			[]bool{true, true}, nil},
		{"trace", netsim.Config{Up: trace}, []int{1500, netsim.TraceBuffer - 1501, 1}, []bool{true, true, false},
			[]base.Time{sec}},
		{"without a rate all leaves at once", netsim.Config{Buffer: 10}, []int{9, 9, 10}, []bool{true, true, false}, []base.Time{0}},
	} {
		b := newLab(t, c.cfg)
		var took []bool
		b.at(0, func() {
			for _, n := range c.sizes {
				took = append(took, b.link.Dialer().Write(chunk(n)))
			}
		})
		b.run()
		if !slices.Equal(took, c.took) {
			t.Errorf("%s: Write returned %v, want %v", c.name, took, c.took)
		}
		wantTimes(t, c.name+": writable", b.down.writable, c.writable...)
		if len(b.up.arrivals) != len(c.sizes) || len(b.up.writable) != 0 {
			t.Errorf("%s: %d messages arrived, %d times writable at the other end", c.name, len(b.up.arrivals), len(b.up.writable))
		}
	}
}

// Writable comes once each time that the buffer was full, at the first instant at which less than the buffer has not left.
func TestD2WritableComesWhenThereIsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := netsim.Config{
			Up:     rated(rapid.Int64Range(1000, 1<<20).Draw(t, "rate"), base.Duration(rapid.Int64Range(0, int64(base.Second)).Draw(t, "latency"))),
			Buffer: rapid.Int64Range(1, 8192).Draw(t, "buffer"),
		}
		sends := drawSends(t, cfg.Up.Rate)
		b := newLab(t, cfg)
		var took []bool
		for _, s := range sends {
			b.write(s.at, int(s.size), &took)
		}
		b.run()

		wantTook, wantWritable := bufferModel(cfg.Buffer, sends, departures(cfg.Up.Rate, sends))
		if !slices.Equal(took, wantTook) {
			t.Fatalf("Write returned %v, want %v", took, wantTook)
		}
		wantTimes(t, "writable", b.down.writable, wantWritable...)
	})
}

// bufferModel goes through writes and departures in order of time. What leaves at the instant of a write has left, but a
// sender that waits is only told, and so only has room, after that write.
func bufferModel(buffer int64, sends []send, left []base.Time) (took []bool, writable []base.Time) {
	queued, gone, full := int64(0), 0, false
	leave := func(until base.Time) {
		for gone < len(took) && left[gone] <= until {
			at := left[gone]
			for ; gone < len(took) && left[gone] == at; gone++ {
				queued -= sends[gone].size
			}
			if full && queued < buffer && at < until {
				full, writable = false, append(writable, at)
			}
		}
	}
	for i, s := range sends {
		leave(s.at)
		queued += s.size
		full = full || queued >= buffer
		took = append(took, !full)
		if i+1 < len(sends) && sends[i+1].at == s.at {
			continue
		}
		for ; gone < len(took) && left[gone] <= s.at; gone++ {
			queued -= sends[gone].size
		}
		if full && queued < buffer {
			full, writable = false, append(writable, s.at)
		}
	}
	leave(base.Never)
	return took, writable
}

// A stalled link fills up, and makes room when it goes on.
func TestD2BufferInAStall(t *testing.T) {
	b := newLab(t, netsim.Config{Up: rated(1000, 0), Buffer: 1000})
	var took []bool
	b.write(0, 600, &took)
	b.at(100*ms, func() { b.link.Acceptor().StallUntil(10 * sec) })
	b.write(200*ms, 400, &took)
	b.write(5*sec, 100, &took)
	b.run()
	if want := []bool{true, false, false}; !slices.Equal(took, want) {
		t.Errorf("Write returned %v, want %v", took, want)
	}
	wantTimes(t, "writable", b.down.writable, 10*sec+500*ms)
	wantTimes(t, "arrivals", b.up.arrivals, 10*sec+500*ms, 10*sec+900*ms, 11*sec)
}

// A sender that writes from Writable is told each time, and the link never idles.
func TestD2WriteFromWritable(t *testing.T) {
	for _, latency := range []base.Duration{0, 3 * base.Millisecond, base.Minute} {
		b := newLab(t, netsim.Config{Up: rated(1000, latency), Buffer: 1})
		b.pump(b.link.Dialer(), &b.down, 500, 5)
		b.run()
		var left []base.Time
		for i := range 100 {
			left = append(left, base.Time(i+1)*5*ms)
		}
		wantTimes(t, fmt.Sprintf("arrivals behind %v", latency), b.up.arrivals, shifted(left, latency)...)
		wantTimes(t, fmt.Sprintf("writable behind %v", latency), b.down.writable, left...)
	}
}
