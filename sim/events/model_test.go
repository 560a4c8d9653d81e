package events_test

import (
	"cmp"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/sim/events"

	"pgregory.net/rapid"
)

// entry is an event as the model has it: a line of a list that is sorted whenever it is looked at.
type entry struct {
	at       base.Time
	tie, seq uint64
	origin   uint64
}

func compare(a, b entry) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie), cmp.Compare(a.seq, b.seq))
}

// pair is a queue and its model.
type pair struct {
	t       *rapid.T
	queue   *events.Queue
	order   string       // of ties: a strategy's name, or "chosen"
	ties    *base.Stream // draws what the queue draws
	pct     *priorities
	waiting []entry
	now     base.Time
	seq     uint64
	stats   events.Stats
	last    base.Time

	fired  []uint64 // since the last look
	tied   int      // how many events the queue is to ask about next; 0: it is not to ask
	chosen int      // and which one it is told
	burst  int      // events to schedule from the next one that runs
}

// priorities is what the model knows of PCT.
type priorities struct {
	of      *base.Stream
	changes []int64
	behind  []uint64 // origins, the last one last of all
}

func newPriorities(ties *base.Stream) *priorities {
	p := &priorities{of: base.NewRand(ties.Next()).Stream("origin")}
	for range events.PCTChanges {
		low := int64(1) << ties.Below(16)
		p.changes = append(p.changes, low+int64(ties.Below(uint64(low))))
	}
	slices.Sort(p.changes)
	return p
}

// tie is the origin's priority now.
func (p *priorities) tie(origin uint64) uint64 {
	for i := range p.behind {
		if last := len(p.behind) - 1 - i; p.behind[last] == origin {
			return 1<<63 + uint64(last)
		}
	}
	return p.of.At(origin) >> 1
}

// source is an origin of events.
type source struct {
	*pair
	origin uint64
}

func (s source) Origin() uint64 { return s.origin }

// Choose says what the model runs next.
func (p *pair) Choose(at base.Time, n int) int {
	if n != p.tied || at != p.now {
		p.t.Fatalf("a choice of %d events at %v, want %d at %v", n, at, p.tied, p.now)
	}
	p.tied = 0
	return p.chosen
}

// Fire schedules the burst, as handlers do.
func (p *pair) Fire(seq uint64) {
	p.fired = append(p.fired, seq)
	for ; p.burst > 0; p.burst-- {
		p.schedule(p.queue.Now().Add(base.Duration(rapid.Int64Range(-2, 3).Draw(p.t, "from handler"))))
	}
}

func (p *pair) schedule(at base.Time) {
	e := entry{at: max(at, p.queue.Now()), seq: p.seq, origin: rapid.Uint64Range(0, 3).Draw(p.t, "origin")}
	if p.order == "random" {
		e.tie = p.ties.Next()
	}
	p.seq++
	var h events.Handler = source{p, e.origin}
	if e.origin == 0 {
		h = p
	}
	p.queue.Schedule(at, h, e.seq)
	p.waiting = append(p.waiting, e)
	p.stats.Peak = max(p.stats.Peak, len(p.waiting))
}

// sort puts the entries in the order in which they will run. A change point is passed first, if it is one.
func (p *pair) sort() {
	if p.pct != nil {
		for i := range p.waiting {
			p.waiting[i].tie = p.pct.tie(p.waiting[i].origin)
		}
	}
	slices.SortFunc(p.waiting, compare)
}

// step runs the least entry in both.
func (p *pair) step() {
	p.sort()
	if len(p.waiting) == 0 {
		if p.queue.Step() {
			p.t.Fatalf("an empty queue runs an event")
		}
		return
	}
	tied := 1
	for tied < len(p.waiting) && p.waiting[tied].at == p.waiting[0].at {
		tied++
	}
	if tied > 1 {
		p.stats.Choices++
		p.choice(tied)
	}
	want := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.now = want.at
	p.stats.Events++
	if want.at == p.last {
		p.stats.Ties++
	}
	p.last = want.at
	if !p.queue.Step() || len(p.fired) != 1 || p.fired[0] != want.seq || p.tied != 0 {
		p.t.Fatalf("ran %v, want %d at %v", p.fired, want.seq, want.at)
	}
	p.fired = p.fired[:0]
}

// choice has another of the first entries be next, if a change point or a chooser says so.
func (p *pair) choice(tied int) {
	switch {
	case p.order == "chosen":
		p.tied, p.chosen = tied, rapid.IntRange(0, tied-1).Draw(p.t, "chosen")
		e := p.waiting[p.chosen]
		p.waiting = slices.Insert(slices.Delete(p.waiting, p.chosen, p.chosen+1), 0, e)
	case p.pct != nil && len(p.pct.behind) < events.PCTChanges && p.pct.changes[len(p.pct.behind)] <= p.stats.Choices:
		p.pct.behind = append(p.pct.behind, p.waiting[0].origin)
		p.sort()
	}
}

func TestQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rand := base.NewRand(rapid.Uint64().Draw(t, "seed"))
		p := &pair{
			t: t, order: rapid.SampledFrom(append(events.Strategies, "chosen")).Draw(t, "order"), ties: rand.Stream("tie"), last: -1,
		}
		if p.order == "chosen" {
			p.queue = events.NewChosen(p)
		} else {
			strategy, _ := events.ParseStrategy(p.order)
			p.queue = events.New(strategy, rand.Stream("tie"))
		}
		if p.order == "pct" {
			p.pct = newPriorities(p.ties)
		}
		t.Repeat(map[string]func(*rapid.T){
			"schedule": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "events") {
					p.schedule(p.now.Add(base.Duration(rapid.Int64Range(-3, 12).Draw(t, "at"))))
				}
			},
			"step": func(*rapid.T) { p.step() },
			"step that schedules": func(t *rapid.T) {
				p.burst = rapid.IntRange(1, 4).Draw(t, "burst")
				p.step()
				p.burst = 0
			},
			"advance": func(*rapid.T) {
				to := p.now + 2
				if len(p.waiting) > 0 {
					to = slices.MinFunc(p.waiting, compare).at
				}
				p.queue.Advance(to)
				p.now = max(p.now, to)
			},
			"drain": func(*rapid.T) {
				for len(p.waiting) > 0 {
					p.step()
				}
			},
			"": func(t *rapid.T) {
				if p.queue.Now() != p.now || p.queue.Len() != len(p.waiting) || p.queue.Stats() != p.stats {
					t.Fatalf("at %v with %d waiting and %+v, want %v, %d, %+v",
						p.queue.Now(), p.queue.Len(), p.queue.Stats(), p.now, len(p.waiting), p.stats)
				}
				next, ok := p.queue.Next()
				if ok != (len(p.waiting) > 0) || ok && next != slices.MinFunc(p.waiting, compare).at {
					t.Fatalf("next at %v, %v with %d waiting", next, ok, len(p.waiting))
				}
			},
		})
	})
}
