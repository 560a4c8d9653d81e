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
}

func compare(a, b entry) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie), cmp.Compare(a.seq, b.seq))
}

// pair is a queue and its model.
type pair struct {
	t       *rapid.T
	queue   *events.Queue
	random  bool
	ties    *base.Stream // draws what the queue draws
	waiting []entry
	now     base.Time
	seq     uint64
	stats   events.Stats
	last    base.Time

	fired []uint64 // since the last look
	burst int      // events to schedule from the next one that runs
}

// Fire schedules the burst, as handlers do.
func (p *pair) Fire(seq uint64) {
	p.fired = append(p.fired, seq)
	for ; p.burst > 0; p.burst-- {
		p.schedule(p.queue.Now().Add(base.Duration(rapid.Int64Range(-2, 3).Draw(p.t, "from handler"))))
	}
}

func (p *pair) schedule(at base.Time) {
	e := entry{at: max(at, p.queue.Now()), seq: p.seq}
	if p.random {
		e.tie = p.ties.Next()
	}
	p.seq++
	p.queue.Schedule(at, p, e.seq)
	p.waiting = append(p.waiting, e)
	p.stats.Peak = max(p.stats.Peak, len(p.waiting))
}

// step runs the least entry in both.
func (p *pair) step() {
	slices.SortFunc(p.waiting, compare)
	if len(p.waiting) == 0 {
		if p.queue.Step() {
			p.t.Fatalf("an empty queue runs an event")
		}
		return
	}
	want := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.now = want.at
	p.stats.Events++
	if want.at == p.last {
		p.stats.Ties++
	}
	p.last = want.at
	if !p.queue.Step() || len(p.fired) != 1 || p.fired[0] != want.seq {
		p.t.Fatalf("ran %v, want %d at %v", p.fired, want.seq, want.at)
	}
	p.fired = p.fired[:0]
}

func TestQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strategy := rapid.SampledFrom([]events.Strategy{events.FIFO, events.Random}).Draw(t, "strategy")
		rand := base.NewRand(rapid.Uint64().Draw(t, "seed"))
		p := &pair{
			t: t, queue: events.New(strategy, rand.Stream("tie")), ties: rand.Stream("tie"),
			random: strategy == events.Random, last: -1,
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
