package linkmodel_test

import (
	"errors"
	"math/big"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

// shared is directions behind one bottleneck.
type shared struct {
	t       tester
	b       *linkmodel.Bottleneck
	flows   []*linkmodel.Direction
	arrived [][]base.Time
}

// newShared makes a direction for each configuration.
func newShared(t tester, rate int64, flows ...linkmodel.Config) *shared {
	t.Helper()
	b, err := linkmodel.NewBottleneck(rate)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := &shared{t: t, b: b, arrived: make([][]base.Time, len(flows))}
	for _, c := range flows {
		d := newDirection(t, c)
		if err := b.Join(d, nil); err != nil {
			t.Fatalf("%v", err)
		}
		s.flows = append(s.flows, d)
	}
	return s
}

// until goes from event to event, up to an instant and with it.
func (s *shared) until(at base.Time) {
	for {
		next, first := base.Never, -1
		for i, d := range s.flows {
			if due, ok := d.NextEvent(); ok && due < next {
				next, first = due, i
			}
		}
		if first < 0 || next > at {
			return
		}
		_, n := s.flows[first].Advance(next)
		for range n {
			s.arrived[first] = append(s.arrived[first], next)
		}
	}
}

// want runs to the end and compares.
func (s *shared) want(why string, arrived ...[]base.Time) {
	s.t.Helper()
	s.until(base.Never - 1)
	for i := range arrived {
		wantTimes(s.t, why, s.arrived[i], arrived[i]...)
	}
}

// k equal directions carry a k-th each: every message arrives at exactly ceil(N*k*1e9/R) + L, whatever its latency and size.
func TestEqualShares(t *testing.T) {
	for k := 1; k <= 20; k++ {
		for _, rate := range []int64{1, 1000, 64 * base.KiB, 125_000_000, linkmodel.MaxBottleneckRate} {
			const sizes, total = 7, 7 * 8 / 2 * 100
			flows := make([]linkmodel.Config, k)
			for i := range flows {
				flows[i].Latency = base.Duration(i) * base.Millisecond
			}
			s := newShared(t, rate, flows...)
			want := make([][]base.Time, k)
			for i, d := range s.flows {
				sent := uint64(0)
				for n := range sizes {
					size := (n + 1) * 100
					if i%2 == 1 {
						size = (sizes - n) * 100
					}
					d.Send(0, size)
					sent += uint64(size)
					left := ceilDiv(sent*uint64(k), uint64(base.Second), uint64(rate))
					want[i] = append(want[i], base.Time(0).Add(left).Add(flows[i].Latency))
				}
				if sent != total {
					t.Fatal("directions carry unequal loads")
				}
			}
			s.want("equal shares", want...)
		}
	}
}

// Shares stay equal for numbers of directions that divide a byte less well; what that leaves over is less than a nanosecond here.
func TestManyEqualShares(t *testing.T) {
	for _, k := range []int{21, 23, 29, 97, 100, 300} {
		s := newShared(t, 1_000_000, make([]linkmodel.Config, k)...)
		for _, d := range s.flows {
			d.Send(0, 1000)
			d.Send(0, 333)
		}
		s.until(base.Never - 1)
		for i := range s.flows {
			wantTimes(t, "equal shares", s.arrived[i], s.arrived[0]...)
		}
		for n, bytes := range []uint64{1000, 1333} {
			ideal := base.Time(0).Add(ceilDiv(bytes*uint64(k), uint64(base.Second), 1_000_000))
			if got := s.arrived[0][n]; got < ideal || got > ideal+1 {
				t.Errorf("%d directions: message %d at %v, want %v", k, n, got, ideal)
			}
		}
	}
}

func TestSharesByHand(t *testing.T) {
	capped := func(rate int64) linkmodel.Config { return linkmodel.Config{Rate: rate} }
	at := func(times ...base.Time) []base.Time { return times }
	for _, c := range []struct {
		why   string
		flows []linkmodel.Config
		do    func(s *shared)
		want  [][]base.Time
	}{
		{"alone", make([]linkmodel.Config, 2), func(s *shared) { s.flows[1].Send(0, 1000) }, [][]base.Time{nil, at(sec)}},
		{"one ends: the other has all from then on", make([]linkmodel.Config, 2), func(s *shared) {
			s.flows[0].Send(0, 250)
			s.flows[1].Send(0, 750)
		}, [][]base.Time{at(sec / 2), at(sec)}},
		{"one begins in the middle", make([]linkmodel.Config, 2), func(s *shared) {
			s.flows[0].Send(0, 1000)
			s.until(sec / 2)
			s.flows[1].Send(sec/2, 100)
		}, [][]base.Time{at(1100 * ms), at(700 * ms)}},
		// 100 B/s for the first, 450 for each of the others.
		{"own rates leave the rest to others", []linkmodel.Config{{}, capped(100), {}}, func(s *shared) {
			s.flows[0].Send(0, 450)
			s.flows[1].Send(0, 100)
			s.flows[2].Send(0, 450)
		}, [][]base.Time{at(sec), at(sec), at(sec)}},
		{"own rates that are over the share do not bind", []linkmodel.Config{capped(500), capped(501), capped(1 << 40)}, func(s *shared) {
			for _, d := range s.flows {
				d.Send(0, 1000)
			}
		}, [][]base.Time{at(3 * sec), at(3 * sec), at(3 * sec)}},
		// 100 + 300 + 600; then 300 + 700; then 700 of its own rate.
		{"filled progressively", []linkmodel.Config{capped(700), capped(100), capped(300)}, func(s *shared) {
			s.flows[0].Send(0, 600+700)
			s.flows[1].Send(0, 100)
			s.flows[2].Send(0, 600)
		}, [][]base.Time{at(2 * sec), at(sec), at(2 * sec)}},
		{"less asked than there is", []linkmodel.Config{capped(100), capped(200)}, func(s *shared) {
			s.flows[0].Send(0, 100)
			s.flows[1].Send(0, 200)
		}, [][]base.Time{at(sec), at(sec)}},
		{"who is stalled takes none", make([]linkmodel.Config, 2), func(s *shared) {
			s.flows[0].Send(0, 500)
			s.flows[1].Send(0, 500)
			s.flows[0].Stall(0)
			s.until(sec / 2)
			s.flows[0].Resume(sec / 2)
		}, [][]base.Time{at(sec), at(sec / 2)}},
		{"nor does who was dropped", make([]linkmodel.Config, 2), func(s *shared) {
			s.flows[0].Send(0, 500)
			s.flows[1].Send(0, 750)
			s.until(sec / 2)
			s.flows[0].Drop(sec / 2)
		}, [][]base.Time{nil, at(sec)}},
		{"a rate that changes", make([]linkmodel.Config, 2), func(s *shared) {
			s.flows[0].Send(0, 1000)
			s.flows[1].Send(0, 1000)
			s.until(sec)
			if err := s.b.SetRate(sec, 4000); err != nil {
				s.t.Fatalf("%v", err)
			}
		}, [][]base.Time{at(sec + sec/4), at(sec + sec/4)}},
		{"an own rate that changes", []linkmodel.Config{capped(100), {}}, func(s *shared) {
			s.flows[0].Send(0, 600)
			s.flows[1].Send(0, 1400)
			s.until(sec)
			rate(s.t, sec, 0).do(s.flows[0], sec)
		}, [][]base.Time{at(2 * sec), at(2 * sec)}},
	} {
		s := newShared(t, 1000, c.flows...)
		c.do(s)
		s.want(c.why, c.want...)
	}
}

// Any loads, own rates and stalls: against progressive filling in rational arithmetic.
func TestSharesAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 1_000_000).Draw(t, "rate")
		k := rapid.IntRange(1, 6).Draw(t, "flows")
		configs := make([]linkmodel.Config, k)
		for i := range configs {
			configs[i].Rate = rapid.SampledFrom([]int64{0, 1 + total/7, 1 + total/3, total, 2 * total}).Draw(t, "own rate")
		}
		s := newShared(t, total, configs...)
		m := newFilling(total, configs)
		gap := int64(ceilDiv(2000, uint64(base.Second), uint64(total)))
		now := base.Time(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now += base.Time(rapid.Int64Range(0, gap).Draw(t, "gap"))
			i := rapid.IntRange(0, k-1).Draw(t, "flow")
			s.until(now)
			m.until(now)
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				s.flows[i].Stall(now)
				m.flows[i].stalled = true
			case 1:
				s.flows[i].Resume(now)
				m.flows[i].stalled = false
			default:
				n := rapid.IntRange(1, 2000).Draw(t, "size")
				s.flows[i].Send(now, n)
				m.flows[i].left = append(m.flows[i].left, new(big.Rat).SetInt64(int64(n)))
			}
		}
		for i := range s.flows {
			s.until(now)
			s.flows[i].Resume(now)
			m.flows[i].stalled = false
		}
		m.until(base.Never)
		want := make([][]base.Time, k)
		for i := range want {
			want[i] = m.flows[i].gone
		}
		s.want("arrivals", want...)
	})
}

// filling is a bottleneck in rational arithmetic, worked out from one integer instant at which something happens to the next.
type filling struct {
	rate  *big.Rat
	now   base.Time
	flows []fill
}

type fill struct {
	own     *big.Rat // nil: none
	stalled bool
	left    []*big.Rat // bytes
	rate    *big.Rat
	gone    []base.Time
}

func newFilling(rate int64, configs []linkmodel.Config) *filling {
	m := &filling{rate: big.NewRat(rate, 1), flows: make([]fill, len(configs))}
	for i, c := range configs {
		if c.Rate > 0 {
			m.flows[i].own = big.NewRat(c.Rate, 1)
		}
	}
	return m
}

// fill raises all shares alike until the rate is used up or everybody has what it can take.
func (m *filling) fill() {
	open := map[int]bool{}
	for i := range m.flows {
		m.flows[i].rate = new(big.Rat)
		if f := &m.flows[i]; len(f.left) > 0 && !f.stalled {
			open[i] = true
		}
	}
	rest := new(big.Rat).Set(m.rate)
	for len(open) > 0 && rest.Sign() > 0 {
		rise := new(big.Rat).Quo(rest, big.NewRat(int64(len(open)), 1))
		for i := range open {
			if f := &m.flows[i]; f.own != nil {
				if room := new(big.Rat).Sub(f.own, f.rate); room.Cmp(rise) < 0 {
					rise = room
				}
			}
		}
		for i := range open {
			f := &m.flows[i]
			f.rate = new(big.Rat).Add(f.rate, rise)
			rest.Sub(rest, rise)
			if f.own != nil && f.rate.Cmp(f.own) == 0 {
				delete(open, i)
			}
		}
	}
}

// until carries bytes up to an instant. Shares change at the instants of the calls, and when the last message of a direction
// has left, rounded up.
func (m *filling) until(at base.Time) {
	for m.now < at {
		m.fill()
		next := at
		for i := range m.flows {
			if f := &m.flows[i]; f.rate.Sign() > 0 {
				next = min(next, ceil(f.end(m.now, len(f.left)-1)))
			}
		}
		for i := range m.flows {
			m.flows[i].carry(m.now, next)
		}
		if m.now = next; next == base.Never {
			return
		}
	}
}

// end returns when message i has left at the present rate.
func (f *fill) end(now base.Time, i int) *big.Rat {
	sum := new(big.Rat)
	for _, n := range f.left[:i+1] {
		sum.Add(sum, n)
	}
	sum.Mul(sum, big.NewRat(int64(base.Second), 1)).Quo(sum, f.rate)
	return sum.Add(sum, new(big.Rat).SetInt64(int64(now)))
}

func (f *fill) carry(from, to base.Time) {
	if f.rate.Sign() == 0 {
		return
	}
	until := new(big.Rat).SetInt64(int64(to))
	gone := 0
	for gone < len(f.left) && f.end(from, gone).Cmp(until) <= 0 {
		f.gone = append(f.gone, ceil(f.end(from, gone)))
		gone++
	}
	done := new(big.Rat).SetInt64(int64(to.Sub(from)))
	done.Mul(done, f.rate).Quo(done, big.NewRat(int64(base.Second), 1))
	for _, n := range f.left[:gone] {
		done.Sub(done, n)
	}
	f.left = f.left[gone:]
	if len(f.left) > 0 {
		f.left[0] = new(big.Rat).Sub(f.left[0], done)
	}
}

func TestWhoCannotShare(t *testing.T) {
	for _, rate := range []int64{0, -1, linkmodel.MaxBottleneckRate + 1} {
		if _, err := linkmodel.NewBottleneck(rate); !errors.Is(err, linkmodel.ErrConfig) {
			t.Errorf("a bottleneck of %d bytes per second: %v", rate, err)
		}
	}
	b, err := linkmodel.NewBottleneck(1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SetRate(0, 0); !errors.Is(err, linkmodel.ErrConfig) || b.Rate() != 1000 {
		t.Errorf("a rate of 0: %v, and %d is left", err, b.Rate())
	}
	used, taken := newDirection(t, linkmodel.Config{Latency: 1}), newDirection(t, linkmodel.Config{})
	used.Send(0, 1)
	if err := b.Join(taken, nil); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*linkmodel.Direction{
		used, taken, newDirection(t, linkmodel.Config{Quantum: 1}), newDirection(t, linkmodel.Config{Trace: newTrace(t, "1\n")}),
	} {
		if err := b.Join(d, nil); !errors.Is(err, linkmodel.ErrMember) {
			t.Errorf("%v joined: %v", d.Config(), err)
		}
	}
}
