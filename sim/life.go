package sim

import (
	"chordsim/core/base"
)

// life is one life of a host, from a start to a crash: the scheduler of the core that lives it, and what goes with it. What
// a core of an earlier life still asks for is not done, so that nothing of it reaches the next one.
type life struct {
	host   *Host
	number uint64 // 1 for the first one: the core's incarnation
	over   bool

	timers []*timer // that have an event in the queue, in any order; each knows its place
	sides  []*side  // of connections that were made in this life
	store  *Store
}

var (
	_ base.Worker  = (*life)(nil)
	_ base.Watcher = (*life)(nil)
)

// Now returns what the host's clock shows. It is not counted as read: a chord host looks at it for deadlines and for timers,
// which count if they come at other times.
func (l *life) Now() base.Time {
	if !l.host.clock.wrong {
		return l.host.world.Now()
	}
	return l.host.look()
}

// Post puts a turn behind those that wait.
func (l *life) Post(work base.Work, fn func()) {
	if l.over {
		l.host.toll.TurnsLost++
		return
	}
	l.host.enqueue(input{kind: inputFunc, work: work, fn: fn})
}

// NewTimer makes a timer that ends with this life.
func (l *life) NewTimer(fn func()) base.Timer {
	t := &timer{life: l, fn: fn}
	t.turn = t.run
	return t
}

// NewWatch makes a timer that ends with this life, and that [World.Settle] does not wait for.
func (l *life) NewWatch(fn func()) base.Timer {
	t := &timer{life: l, fn: fn, watch: true}
	t.turn = t.run
	return t
}

// Offload does the work, and posts done once the time that it takes is over.
func (l *life) Offload(size int, do, done func()) {
	do()
	w := l.host.world
	w.queue.Schedule(w.Now().Add(l.host.cost.Offloaded*base.Duration(size)), &offloaded{l, done}, 0)
}

// offloaded is work that was done beside the turns.
type offloaded struct {
	life *life
	done func()
}

// Fire hands the result to the host.
func (o *offloaded) Fire(uint64) { o.life.Post(base.WorkOffloaded, o.done) }
