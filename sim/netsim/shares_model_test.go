package netsim_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// sharing is a slow and obvious model of flows, some of which share a bottleneck: exact fractions of bytes, carried from one
// instant at which something changes to the next.
type sharing struct {
	now   base.Time
	rate  int64 // of the bottleneck
	flows []*sharingFlow
}

type sharingFlow struct {
	shared  bool // at the bottleneck
	own     int64
	latency base.Duration
	until   base.Time // of its stall
	over    bool

	queued  []*big.Rat // what is left of each segment, in 1e-9 bytes
	brings  []bool     // whether it is the last of a message
	rate    *big.Rat
	onWay   []*arriving
	arrived []base.Time // messages
}

type arriving struct {
	left, at base.Time
	brings   bool
}

func (f *sharingFlow) busy(now base.Time) bool { return len(f.queued) > 0 && f.until <= now && !f.over }

// divide gives every busy flow its rate: the bottleneck is filled up evenly, and who has enough takes no more.
func (m *sharing) divide() {
	var busy []*sharingFlow
	for _, f := range m.flows {
		f.rate = big.NewRat(0, 1)
		if f.busy(m.now) && f.shared {
			busy = append(busy, f)
		} else if f.busy(m.now) {
			f.rate = big.NewRat(f.own, 1)
		}
	}
	bound := func(f *sharingFlow) int64 { return cmp.Or(f.own, 1<<62) }
	slices.SortStableFunc(busy, func(a, b *sharingFlow) int { return cmp.Compare(bound(a), bound(b)) })
	left := big.NewRat(m.rate, 1)
	for i, f := range busy {
		f.rate = new(big.Rat).Quo(left, big.NewRat(int64(len(busy)-i), 1))
		if own := big.NewRat(bound(f), 1); own.Cmp(f.rate) < 0 {
			f.rate = own
		}
		left = new(big.Rat).Sub(left, f.rate)
	}
}

// until goes on to an instant, change by change: a flow that has sent all, a stall that is over.
func (m *sharing) until(t base.Time) {
	for m.now < t {
		m.divide()
		next := t
		for _, f := range m.flows {
			if f.until > m.now {
				next = min(next, f.until)
			}
			if f.rate.Sign() > 0 {
				sum := new(big.Rat)
				for _, q := range f.queued {
					sum.Add(sum, q)
				}
				next = min(next, m.now.Add(base.Duration(ceilRat(sum.Quo(sum, f.rate)))))
			}
		}
		for _, f := range m.flows {
			if f.rate.Sign() > 0 {
				f.carry(m.now, next)
			}
		}
		m.now = next
		for _, f := range m.flows {
			f.land(m.now)
		}
	}
}

// carry carries bytes at the flow's rate.
func (f *sharingFlow) carry(from, to base.Time) {
	budget := new(big.Rat).Mul(f.rate, big.NewRat(int64(to-from), 1))
	spent := new(big.Rat)
	for len(f.queued) > 0 && f.queued[0].Cmp(new(big.Rat).Sub(budget, spent)) <= 0 {
		spent.Add(spent, f.queued[0])
		left := from.Add(base.Duration(ceilRat(new(big.Rat).Quo(spent, f.rate))))
		f.onWay = append(f.onWay, &arriving{left, left.Add(f.latency), f.brings[0]})
		f.queued, f.brings = f.queued[1:], f.brings[1:]
	}
	if len(f.queued) > 0 {
		f.queued[0].Sub(f.queued[0], budget.Sub(budget, spent))
	}
}

// land brings what is due. What a stall holds up has been put off by as much.
func (f *sharingFlow) land(now base.Time) {
	for len(f.onWay) > 0 && f.onWay[0].at <= now && f.until <= now {
		if f.onWay[0].brings {
			f.arrived = append(f.arrived, f.onWay[0].at)
		}
		f.onWay = f.onWay[1:]
	}
}

// stall holds the flow up: what has not arrived at its first instant comes later by as much.
func (f *sharingFlow) stall(now, until base.Time) {
	if f.over || until <= max(now, f.until) {
		return
	}
	by := until.Sub(max(now, f.until))
	for _, a := range f.onWay {
		a.at = a.at.Add(by)
	}
	f.until = until
}

// sharingTest plays one sequence on links and in the model.
type sharingTest struct {
	t     *rapid.T
	queue *events.Queue
	rand  base.Rand
	via   *netsim.Bottleneck
	model sharing
	labs  []*lab
	cuts  []func() int64 // of the streams; nil: whole messages
}

// join adds a link: at the bottleneck or not, a byte stream or not.
func (s *sharingTest) join() {
	t, i := s.t, len(s.labs)
	f := &sharingFlow{
		shared: rapid.IntRange(0, 3).Draw(t, "shared") > 0, latency: base.Duration(rapid.Int64Range(0, 50_000_000).Draw(t, "latency")),
		own: rapid.SampledFrom([]int64{0, 1_000, 33_333, 50_000, 1_000_003}).Draw(t, "own"),
	}
	if !f.shared {
		f.own = max(f.own, 1_000)
	}
	cfg := netsim.Config{Name: fmt.Sprint("l", i), Up: linkmodel.Config{Rate: f.own, Latency: f.latency}, Buffer: 1 << 30}
	if f.shared {
		cfg.UpVia = s.via
	}
	var cut func() int64
	if most := rapid.SampledFrom([]int{0, 1, 7, 500}).Draw(t, "segments"); most > 0 {
		cfg.Stream = &netsim.StreamConfig{Min: 1, Max: most}
		draws := s.rand.Stream("write", cfg.Name, "up")
		cut = func() int64 { return 1 + int64(draws.Below(uint64(most))) }
	}
	s.model.flows, s.cuts = append(s.model.flows, f), append(s.cuts, cut)
	s.labs = append(s.labs, newLabOn(t, s.queue, s.rand, cfg))
}

// send writes a message.
func (s *sharingTest) send(i, size int) {
	f := s.model.flows[i]
	if !s.labs[i].link.Dialer().Closed() {
		s.labs[i].link.Dialer().Write(chunk(size))
	}
	if f.over {
		return
	}
	left, cut := int64(size), s.cuts[i]
	if cut != nil {
		left = int64(len(wire.AppendFrame(nil, chunk(size))))
	}
	for left > 0 {
		n := left
		if cut != nil {
			n = min(cut(), left)
		}
		left -= n
		work := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(base.Second)))
		f.queued, f.brings = append(f.queued, new(big.Rat).SetInt(work)), append(f.brings, left == 0)
	}
}

// act does one thing, on the links and in the model.
func (s *sharingTest) act() {
	t, now := s.t, s.queue.Now()
	i := rapid.IntRange(0, len(s.labs)-1).Draw(t, "link")
	end, f := s.labs[i].link.Acceptor(), s.model.flows[i]
	switch what := rapid.IntRange(0, 11).Draw(t, "what"); what {
	case 0:
		if len(s.labs) < 6 {
			s.join()
		}
	case 1:
		s.labs[i].link.Reset()
		f.over, f.queued, f.onWay = true, nil, nil
	case 2, 3:
		until := now.Add(base.Duration(rapid.Int64Range(0, 30_000_000).Draw(t, "stall")))
		end.StallUntil(until)
		f.stall(now, until)
	case 4, 5:
		own := rapid.SampledFrom([]int64{1_000, 7_777, 50_000, 2_000_003}).Draw(t, "rate")
		if err := end.SetRate(own); err != nil {
			t.Fatalf("%v", err)
		}
		f.own = own
	case 6:
		s.model.rate = rapid.SampledFrom([]int64{10_007, 100_003, 999_983}).Draw(t, "bottleneck")
		if err := s.via.SetRate(s.model.rate); err != nil {
			t.Fatalf("%v", err)
		}
	default:
		s.send(i, rapid.IntRange(1, 3000).Draw(t, "size"))
	}
}

// Byte streams and flows of a bottleneck arrive at the nanosecond that the model says, whatever is sent, stalls, changes its
// rate, joins and leaves.
func TestD2SharesAndStreamsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rand := base.NewRand(rapid.Uint64().Draw(t, "seed"))
		strategy := rapid.SampledFrom([]events.Strategy{events.FIFO, events.Random}).Draw(t, "strategy")
		s := &sharingTest{t: t, queue: events.New(strategy, rand.Stream("tie")), rand: rand}
		s.model.rate = 100_003
		s.via = newBottleneck(t, s.queue, s.model.rate)
		s.join()
		s.join()
		for range rapid.IntRange(1, 30).Draw(t, "actions") {
			at := s.queue.Now().Add(base.Duration(rapid.Int64Range(1, 20_000_000).Draw(t, "gap")))
			s.labs[0].runUntil(at)
			s.model.until(at)
			s.act()
		}
		s.labs[0].run()
		s.model.until(s.queue.Now().Add(base.Hour))
		for i, f := range s.model.flows {
			wantTimes(t, fmt.Sprint("link ", i), s.labs[i].up.arrivals, f.arrived...)
		}
	})
}
