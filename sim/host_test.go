package sim

import (
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"

	"pgregory.net/rapid"
)

const (
	ms  = base.Time(base.Millisecond)
	sec = base.Time(base.Second)
)

// bench is a host with a peer that is only played: pings are put before the host as if they had arrived, and each is
// answered at the end of its turn, so that an answer says when the turn was.
type bench struct {
	t        *testing.T
	world    *World
	host     *Host
	side     *side
	answered []base.Time
	onAnswer func() // nil: nothing
}

func newBench(t *testing.T, c Cost) *bench {
	t.Helper()
	w := New(Config{Unchecked: true})
	b := &bench{t: t, world: w, host: w.Host("host")}
	conn := &Connection{world: w, from: b.host, to: b.host}
	b.side = &conn.accepted
	b.side.host, b.side.conn = b.host, conn
	b.side.life, b.side.up = b.host.life, true
	b.side.core = b.host.core.Accept(b)
	hello := wire.Hello{
		Identity:   wire.Identity{Version: wire.Version, Codec: wire.Binary, MaxMessage: 1, Host: "peer"},
		Generation: 1,
	}
	b.side.Deliver(hello.Append(wire.Binary, wire.Header{Type: wire.TypeHello}.Append(wire.Binary, nil)))
	b.answered = nil // the welcome
	b.host.SetCost(c)
	return b
}

// Write is the transport of the peer, which takes everything.
func (b *bench) Write([]byte) bool {
	b.answered = append(b.answered, b.world.Now())
	if b.onAnswer != nil {
		b.onAnswer()
	}
	return true
}

func (b *bench) Close() { b.t.Error("the link closed") }

// ping brings a chunk of n bytes that is answered at once: a ping of 1 byte, or a hold of 4 and more that is refused.
func (b *bench) ping(n int) {
	if n == 1 {
		b.side.Deliver(wire.Header{Type: wire.TypePing}.Append(wire.Binary, nil))
		return
	}
	hold := wire.Hold{Params: make([]byte, n-4)}.Append(wire.Binary, wire.Header{Type: wire.TypeHold}.Append(wire.Binary, nil))
	if len(hold) != n {
		b.t.Fatalf("a hold of %d bytes, want %d", len(hold), n)
	}
	b.side.Deliver(hold)
}

// action is a function as an event, outside of any turn.
type action func()

func (f action) Fire(uint64) { f() }

func (b *bench) at(t base.Time, fn func()) { b.world.queue.Schedule(t, action(fn), 0) }

func (b *bench) run() {
	b.t.Helper()
	if err := b.world.Settle(base.Hour); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) wantAnswers(what string, want ...base.Time) {
	b.t.Helper()
	if !slices.Equal(b.answered, want) {
		b.t.Errorf("%s: answered at %v, want %v", what, b.answered, want)
	}
}

func TestCostOfAMessage(t *testing.T) {
	all := Cost{PerMessage: 3, PerByte: 5, PerHandler: 7, PerTurn: 11}
	for _, c := range []struct {
		name string
		cost Cost
		n    int
		want base.Time
	}{
		{"nothing", Cost{}, 4096, 0},
		{"per message", Cost{PerMessage: 3 * base.Microsecond}, 100, 3000},
		{"per byte", Cost{PerByte: 5}, 1, 5},
		{"per byte of many", Cost{PerByte: 5}, 4096, 20_480},
		{"per turn", Cost{PerTurn: 11}, 100, 11},
		{"per handler, which it is not", Cost{PerHandler: 7}, 100, 0},
		{"all", all, 1000, 3 + 5000 + 11},
	} {
		b := newBench(t, c.cost)
		b.at(0, func() { b.ping(c.n) })
		b.run()
		b.wantAnswers(c.name, c.want)
	}
}

func TestCostOfOtherTurns(t *testing.T) {
	cost := Cost{PerMessage: 3, PerByte: 5, PerHandler: 7, PerTurn: 11}
	for work, want := range map[base.Work]base.Time{base.WorkPost: 11, base.WorkHandler: 18, base.WorkTimer: 11} {
		b := newBench(t, cost)
		ran := base.Time(-1)
		b.at(0, func() { b.host.Post(work, func() { ran = b.host.Now() }) })
		b.run()
		if ran != want {
			t.Errorf("%v ran at %v, want %v", work, ran, want)
		}
	}
}

// A burst waits for the CPU: the k-th of it is through after k times the cost, and so is what comes meanwhile.
func TestCostQueuesABurst(t *testing.T) {
	b := newBench(t, Cost{PerMessage: base.Millisecond})
	var want []base.Time
	b.at(sec, func() {
		for range 100 {
			b.ping(10)
		}
	})
	for k := range base.Time(100) {
		want = append(want, sec+(k+1)*ms)
	}
	b.at(sec+ms/2, func() { b.ping(10) })
	b.at(2*sec, func() { b.ping(10) }) // the CPU has been idle for long, and banked nothing
	b.run()
	b.wantAnswers("burst", append(want, sec+101*ms, 2*sec+ms)...)
}

// What a message waits behind is charged in full, whatever it is.
func TestCostOfWhatIsAhead(t *testing.T) {
	b := newBench(t, Cost{PerMessage: 1, PerByte: 1, PerHandler: 1000, PerTurn: 10})
	b.at(0, func() {
		b.ping(5) // 16
		b.host.Post(base.WorkHandler, func() {})
		b.ping(50) // 61
		b.side.Writable()
		b.ping(1) // 12
	})
	b.run()
	b.wantAnswers("mixed", 16, 16+1010+61, 16+1010+61+10+12)
}

// With a CPU that takes no time nothing waits: answers come in the events that bring the chunks.
func TestNoCostNoTime(t *testing.T) {
	b := newBench(t, Cost{})
	b.at(7, func() {
		for i := range 10 {
			b.ping(4096)
			if len(b.answered) != i+1 {
				t.Error("an idle CPU that takes no time lets a message wait")
			}
		}
	})
	b.run()
	b.wantAnswers("at once", 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)
}

// Inputs keep their order whatever they are and however they come, also behind posts that a turn made.
func TestInputsAreFIFO(t *testing.T) {
	for _, cost := range []Cost{{}, {PerTurn: 1}, {PerMessage: 5}} {
		b := newBench(t, cost)
		var order []int
		post := func(n int, more ...func()) {
			b.host.Post(base.WorkPost, func() {
				order = append(order, n)
				for _, fn := range more {
					fn()
				}
			})
		}
		b.onAnswer = func() { order = append(order, 0) }
		b.at(0, func() {
			post(1, func() { post(4, func() { post(6) }) }, func() { post(5) })
			post(2)
			b.ping(1)
			post(3)
		})
		b.run()
		if want := []int{1, 2, 0, 3, 4, 5, 6}; !slices.Equal(order, want) {
			t.Errorf("%+v: order %v, want %v", cost, order, want)
		}
	}
}

// The queue of inputs is used again from the front: posts that never end take no more room than those that wait.
func TestPostOrderOverManyTurns(t *testing.T) {
	b := newBench(t, Cost{PerTurn: 1})
	const waiting, turns = 100, 100_000
	next, posted := 0, 0
	var post func()
	post = func() {
		n := posted
		posted++
		b.host.Post(base.WorkPost, func() {
			if n != next {
				t.Fatalf("turn %d ran, want %d", n, next)
			}
			if next++; posted < turns {
				post()
			}
		})
	}
	for range waiting {
		post()
	}
	b.run()
	if next != turns || b.world.Now() != turns {
		t.Errorf("%d turns until %v, want %d", next, b.world.Now(), turns)
	}
	if n := b.host.inbox.Len(); n != 0 {
		t.Errorf("%d inputs are left", n)
	}
}

// A queue of one CPU in closed form: an input is through at max(arrival, the one ahead) + its cost.
func TestCPUIsAQueue(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string) base.Duration { return base.Duration(rapid.Int64Range(0, 20).Draw(t, what)) }
		cost := Cost{PerMessage: draw("message"), PerByte: draw("byte"), PerTurn: draw("turn")}
		b := newBench(outer, cost)
		var arrival, through base.Time
		var want []base.Time
		for range rapid.IntRange(1, 30).Draw(t, "pings") {
			arrival = arrival.Add(draw("gap") * 10)
			n := rapid.OneOf(rapid.Just(1), rapid.IntRange(4, 20)).Draw(t, "bytes")
			b.at(arrival, func() { b.ping(n) })
			through = max(through, arrival).Add(cost.PerTurn + cost.PerMessage + cost.PerByte*base.Duration(n))
			want = append(want, through)
		}
		b.run()
		if !slices.Equal(b.answered, want) {
			t.Fatalf("answered at %v, want %v", b.answered, want)
		}
	})
}

func TestWallIsMeasuredAndChangesNothing(t *testing.T) {
	clock := int64(0)
	run := func(wall func() int64) *World {
		w := New(Config{Unchecked: true, Wall: wall})
		h := w.Host("host")
		for i := range 3 {
			h.Do(func() { clock += int64(10 * (i + 1)) })
		}
		if err := w.Settle(base.Second); err != nil {
			t.Fatal(err)
		}
		return w
	}
	plain, measured := run(nil), run(func() int64 { return clock })
	if plain.Hash() != measured.Hash() || plain.Stats() != measured.Stats() {
		t.Error("measuring turns changes the run")
	}
	h := measured.Hosts()[0]
	if got, want := h.Wall(base.WorkPost), (Wall{Turns: 3, Total: 60, Longest: 30}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if h.ResetWall(); h.Wall(base.WorkPost) != (Wall{}) {
		t.Error("ResetWall leaves something")
	}
	if got := plain.Hosts()[0].Wall(base.WorkPost); got != (Wall{}) {
		t.Errorf("%+v without a clock", got)
	}
}
