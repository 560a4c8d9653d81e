package netsim_test

import (
	"math/bits"
	"strings"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
)

const (
	ms  = base.Time(base.Millisecond)
	sec = base.Time(base.Second)
)

// tester is what *testing.T and *rapid.T share here.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// lab is a link between two recorders, and nothing else: what it shows is netsim's doing alone.
type lab struct {
	t     tester
	queue *events.Queue
	link  *netsim.Link
	tap   tap
	up    recorder // at the acceptor: what Up brought
	down  recorder // at the dialer: what Down brought
}

// labSetup is what a lab is made of. The zero value has seed 0 and keeps the order of ties.
type labSetup struct {
	seed     uint64
	strategy events.Strategy
	config   netsim.Config
}

func newLab(t tester, cfg netsim.Config) *lab {
	t.Helper()
	return newLabWith(t, labSetup{config: cfg})
}

func newLabWith(t tester, s labSetup) *lab {
	t.Helper()
	rand := base.NewRand(s.seed)
	return newLabOn(t, events.New(s.strategy, rand.Stream("tie")), rand, s.config)
}

// newLabOn makes a lab on a queue that others may share.
func newLabOn(t tester, queue *events.Queue, rand base.Rand, cfg netsim.Config) *lab {
	t.Helper()
	b := &lab{t: t, queue: queue}
	link, err := netsim.New(queue, rand, cfg, &b.tap)
	if err != nil {
		t.Fatalf("%v", err)
	}
	b.link = link
	b.up.queue, b.down.queue = queue, queue
	link.Acceptor().Attach(&b.up, nil)
	link.Dialer().Attach(&b.down, nil)
	return b
}

// tap counts what crosses a link, both ways together.
type tap struct{ wrote, arrived int }

func (p *tap) Wrote(*netsim.End, []byte)   { p.wrote++ }
func (p *tap) Arrived(*netsim.End, []byte) { p.arrived++ }

// recorder notes when an end is told of something.
type recorder struct {
	queue    *events.Queue
	arrivals []base.Time
	chunks   [][]byte
	writable []base.Time
	closed   []base.Time
	errs     []error // that the end was closed with

	onWritable func()
	onDeliver  func()
}

func (r *recorder) Deliver(chunk []byte) {
	r.arrivals, r.chunks = append(r.arrivals, r.queue.Now()), append(r.chunks, chunk)
	if r.onDeliver != nil {
		r.onDeliver()
	}
}

func (r *recorder) Writable() {
	r.writable = append(r.writable, r.queue.Now())
	if r.onWritable != nil {
		r.onWritable()
	}
}

func (r *recorder) Closed(err error) {
	r.closed, r.errs = append(r.closed, r.queue.Now()), append(r.errs, err)
}

// action is a function as an event.
type action func()

func (f action) Fire(uint64) { f() }

// at has fn run at an instant. What was put down first runs first, before what it leads to at that instant.
func (b *lab) at(t base.Time, fn func()) { b.queue.Schedule(t, action(fn), 0) }

// sendAt has the dialer write a message of n bytes.
func (b *lab) sendAt(t base.Time, n int) { b.at(t, func() { b.link.Dialer().Write(chunk(n)) }) }

// run goes on until nothing is left to happen.
func (b *lab) run() {
	for b.queue.Step() {
	}
}

// runUntil goes on until nothing is left to happen up to an instant, and leaves the time there.
func (b *lab) runUntil(t base.Time) {
	for {
		if next, ok := b.queue.Next(); !ok || next > t {
			b.queue.Advance(t)
			return
		}
		b.queue.Step()
	}
}

var zeros = make([]byte, 1<<20)

// chunk returns n bytes. Nobody looks at them, so that all share theirs.
func chunk(n int) []byte {
	if n > len(zeros) {
		zeros = make([]byte, n)
	}
	return zeros[:n:n]
}

func rated(rate int64, latency base.Duration) linkmodel.Config {
	return linkmodel.Config{Rate: rate, Latency: latency}
}

func newTrace(t tester, text string) *linkmodel.Trace {
	t.Helper()
	trace, err := linkmodel.ParseTrace("test", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return trace
}

// wantClosed checks when an end was told that the connection is over, and of what. No instant: it was not told.
func wantClosed(t tester, what string, r *recorder, err error, at ...base.Time) {
	t.Helper()
	wantTimes(t, what+": closed", r.closed, at...)
	if len(at) > 0 && r.errs[0] != err {
		t.Fatalf("%s: closed with %v, want %v", what, r.errs[0], err)
	}
}

func wantLost(t tester, what string, got netsim.Lost, messages, bytes int64) {
	t.Helper()
	if want := (netsim.Lost{Messages: messages, Bytes: bytes}); got != want {
		t.Fatalf("%s: lost %+v, want %+v", what, got, want)
	}
}

func wantTimes(t tester, what string, got []base.Time, want ...base.Time) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d instants %v, want %d: %v", what, len(got), got, len(want), want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: number %d of %d at %v, want %v", what, i, len(want), got[i], want[i])
		}
	}
}

// carryTime returns ceil(n*1e9/rate) in nanoseconds, worked out here and not by the code under test.
func carryTime(n, rate int64) base.Duration {
	hi, lo := bits.Mul64(uint64(n), 1_000_000_000)
	quo, rem := bits.Div64(hi, lo, uint64(rate))
	if rem > 0 {
		quo++
	}
	return base.Duration(quo)
}

// send is a message of so many bytes, handed over at an instant.
type send struct {
	at   base.Time
	size int64
}

// departures is the closed form of a continuous direction: in a busy period that began at t0, the message that ends after
// N bytes has left at t0 + ceil(N*1e9/R).
func departures(rate int64, sends []send) []base.Time {
	out := make([]base.Time, len(sends))
	var began, free base.Time
	var carried int64
	for i, s := range sends {
		if free <= s.at {
			began, carried = s.at, 0
		}
		carried += s.size
		free = began.Add(carryTime(carried, rate))
		out[i] = free
	}
	return out
}

func shifted(times []base.Time, by base.Duration) []base.Time {
	out := make([]base.Time, len(times))
	for i, t := range times {
		out[i] = t.Add(by)
	}
	return out
}
