package sim

import (
	"fmt"
	"strconv"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// Loss is what a crash took.
type Loss struct {
	Turns       int64 // inputs and posts that waited for the CPU
	Timers      int64 // that were set
	Connections int64 // that were open, or being made
	Messages    int64 // that were under way on them and will not arrive
	Bytes       int64 // of those
	Writes      int64 // changes of the store that were not synced, and not kept
}

// Crash ends a host's life as when its process dies: its core with all that it knew, what waits for its CPU, its timers.
// Its connections are reset: see [netsim.End.Abort]. Of the changes of its store that were not synced each is kept with a
// probability of keepPercent in 100, drawn under the host's name; what is kept are the oldest, as many as were drawn. A
// host that is down is left as it is.
func (w *World) Crash(h *Host, keepPercent int) Loss { return w.crash(h, keepPercent, false) }

// Vanish is Crash as when the whole machine dies: nothing more comes from it, and nobody at the other ends of its
// connections is told. To dial it brings no answer until it is back.
func (w *World) Vanish(h *Host, keepPercent int) Loss { return w.crash(h, keepPercent, true) }

func (w *World) crash(h *Host, keepPercent int, vanish bool) Loss {
	l := h.life
	if l.over {
		return Loss{}
	}
	how := "crashed"
	if vanish {
		how = "vanished"
	}
	w.fault(h, fmt.Sprintf("%s, keeps %d%% of what was not synced", how, keepPercent))
	loss := Loss{Turns: int64(h.inbox.Len())}
	for _, t := range l.timers {
		if t.set {
			loss.Timers++
		}
		t.rest()
	}
	keep := 0
	draws := w.rand.Stream("crash", h.name, strconv.FormatUint(l.number, 10))
	for range h.disk.pending {
		if draws.Below(100) < uint64(max(keepPercent, 0)) {
			keep++
		}
	}
	loss.Writes = int64(h.disk.crash(keep))
	if w.checks != nil && h.core != nil {
		w.checks.Crashed(h.core)
	}
	l.over, l.timers = true, nil
	h.vanished = vanish
	h.core, h.node = nil, nil
	h.inbox, h.busy = base.Ring[input]{}, false
	for _, s := range l.sides {
		s.cut(vanish, &loss)
	}
	l.sides = nil
	h.toll.Crashes++
	h.toll.TurnsLost += loss.Turns
	h.toll.TimersLost += loss.Timers
	h.toll.WritesLost += loss.Writes
	return loss
}

// cut ends a connection of a host that crashed.
func (s *side) cut(vanish bool, loss *Loss) {
	end := s.end()
	if end.Closed() {
		return
	}
	var lost netsim.Lost
	if vanish {
		lost = end.Vanish()
	} else {
		lost = end.Abort()
	}
	loss.Connections++
	loss.Messages += lost.Messages
	loss.Bytes += lost.Bytes
}

// Restart starts a host that is down: with a new core, whose incarnation is one more, and what [Host.OnStart] was given.
// It reports whether the host was down.
func (w *World) Restart(h *Host) bool {
	if !h.life.over {
		return false
	}
	w.fault(h, "restarted")
	h.live()
	return true
}

// Up reports whether the host lives.
func (h *Host) Up() bool { return !h.life.over }

// Incarnation counts the host's lives: 1 is the first one.
func (h *Host) Incarnation() uint64 { return h.life.number }

// OnStart has fn called in the first turn of each life: of the present one, behind what is posted already, and of each
// that a restart begins. Functions are called in the order in which they were given.
func (h *Host) OnStart(fn func(*Host)) {
	h.onStart = append(h.onStart, fn)
	if h.Up() {
		h.Do(func() { fn(h) })
	}
}

// live begins a life.
func (h *Host) live() {
	number := uint64(1)
	if h.life != nil {
		number = h.life.number + 1
	}
	l := &life{host: h, number: number}
	l.store = &Store{l}
	h.life, h.vanished = l, false
	if h.start != nil {
		h.node = h.start(h)
	} else {
		h.core = h.newCore(l)
	}
	for _, fn := range h.onStart {
		h.Do(func() { fn(h) })
	}
}

// newCore makes the chord host of a life.
func (h *Host) newCore(l *life) *core.Host {
	w := h.world
	cfg := core.Config{
		Limits: w.cfg.Limits, Probe: w.probe, Codec: w.cfg.Codec, Deflate: w.cfg.Deflate, OffloadOver: w.cfg.OffloadOver,
		Rand: w.rand, Reconnect: w.cfg.Reconnect,
	}
	if h.configure != nil {
		h.configure(&cfg)
	}
	cfg.Name, cfg.Scheduler, cfg.Incarnation = h.name, l, l.number
	return core.NewHost(cfg)
}

// fault records what was done to a host.
func (w *World) fault(h *Host, what string) {
	if w.record(trace.KindFault, h.index, trace.Bytes([]byte(what))) {
		w.tell(trace.Event{Kind: trace.KindFault, To: h.name, What: what})
	}
}
