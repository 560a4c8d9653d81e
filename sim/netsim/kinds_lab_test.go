package netsim_test

import (
	"errors"
	"fmt"
	"strings"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

// kindLab is a link of a kind in one direction, with those that share with it.
type kindLab struct {
	*lab
	k       *kind
	up      bool
	via     *netsim.Bottleneck
	sharers []*lab
}

func (k *kind) lab(t tester, up bool) *kindLab {
	queue, rand := events.New(events.FIFO, nil), base.NewRand(0)
	b := &kindLab{k: k, up: up, via: newBottleneck(t, queue, kindVia)}
	config := func(name string, cfg linkmodel.Config, via *netsim.Bottleneck) netsim.Config {
		c := netsim.Config{Name: name, Buffer: plenty}
		if up {
			c.Up, c.UpVia = cfg, via
		} else {
			c.Down, c.DownVia = cfg, via
		}
		return c
	}
	via := b.via
	if k.flows == 0 {
		via = nil
	}
	cfg := config("a", k.cfg, via)
	cfg.Buffer, cfg.Stream = k.buffer, k.segments
	b.lab = newLabOn(t, queue, rand, cfg)
	for i := range max(k.flows, 1) { // the last one is the second flow, which is not there at first
		shared := linkmodel.Config{}
		if k.flows == 0 {
			shared = k.cfg // a link of its own
		}
		b.sharers = append(b.sharers, newLabOn(t, queue, rand, config(fmt.Sprint("b", i), shared, via)))
	}
	return b
}

// from and to are the ends of the direction under test of a link, and its receiver.
func (b *kindLab) from(l *lab) *netsim.End { return b.to(l).Other() }

func (b *kindLab) to(l *lab) *netsim.End {
	if b.up {
		return l.link.Acceptor()
	}
	return l.link.Dialer()
}

func (b *kindLab) received(l *lab) *recorder {
	if b.up {
		return &l.up
	}
	return &l.down
}

// load hands over the messages, and keeps those that share busy, with messages of 1,000 bytes.
func (b *kindLab) load() {
	sender := b.from(b.lab)
	if b.k.pumped {
		sent, own := 0, &b.down
		if !b.up {
			own = &b.lab.up
		}
		own.onWritable = func() {
			for sent < len(kindSizes) {
				if sent++; !sender.Write(chunk(int(kindSizes[sent-1]))) {
					return
				}
			}
		}
		b.at(0, own.onWritable)
	} else {
		for _, s := range b.k.sends() {
			b.at(s.at, func() { sender.Write(chunk(int(s.size))) })
		}
	}
	for _, o := range b.sharers[:len(b.sharers)-1] {
		for range 100 {
			b.at(0, func() { b.from(o).Write(chunk(1000)) })
		}
	}
}

// impose has the condition happen, or wants it refused.
func (b *kindLab) impose(name string, c condition) {
	to := b.to(b.lab)
	b.at(changeAt, func() {
		var err error
		switch {
		case c.stall != nil:
			to.StallUntil(c.stall.to)
		case c.rate > 0:
			err = to.SetRate(c.rate)
		case c.latency >= 0:
			err = to.SetLatency(c.latency)
		case c.via > 0:
			err = b.via.SetRate(c.via)
		}
		if b.k.refuses == nil || !b.k.refuses(c) {
			if err != nil {
				b.t.Fatalf("%s: %v", name, err)
			}
			return
		}
		for _, part := range []string{"link a", "the trace test", "unsupported"} {
			if !errors.Is(err, netsim.ErrUnsupported) || !strings.Contains(err.Error(), part) {
				b.t.Fatalf("%s: refused with %v, want ErrUnsupported and %q", name, err, part)
			}
		}
	})
	if c.second {
		b.at(secondAt, func() { b.from(b.sharers[len(b.sharers)-1]).Write(chunk(secondBytes)) })
	}
}

// wantOthers checks those that share, as long as the flow under test is busy.
func (b *kindLab) wantOthers(name string, c *condition, until base.Time) {
	_, others := b.k.curves(c)
	for i, o := range b.sharers[:len(b.sharers)-1] {
		n := 0
		for ; n < 100; n++ {
			at := others.when(1000 * int64(n+1))
			if at >= until {
				break
			}
			if got := b.received(o).arrivals; len(got) <= n || got[n] != at {
				b.t.Fatalf("%s: message %d of flow %d of those that share arrives at %v, want %v", name, n, i, got[:min(n+1, len(got))], at)
			}
		}
		if n == 0 || n == 100 {
			b.t.Fatalf("%s: %d messages of flow %d were looked at", name, n, i)
		}
	}
}
