package simtest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/sweep/repro"
)

const (
	// DefaultHang is how long a world may take by the wall clock, unless -sim.hang says otherwise.
	DefaultHang = time.Minute
	// hangMargin is how long before go test's own -timeout a world that still runs is given up: enough to say so. Of a
	// short -timeout it is a quarter.
	hangMargin = 2 * time.Second
	// hangSamples is how many stacks tell where a world hangs: what is on all of them goes on for ever.
	hangSamples     = 6
	hangSampleEvery = 10 * time.Millisecond
	// stackBytes is the most that is read of all stacks.
	stackBytes = 1 << 20
)

// guard looks after one world while it is played: if that does not end in its wall time, the guard says which world it is,
// and ends the process. A goroutine that never ends cannot be ended in another way.
type guard struct {
	trial *trial
	world *sim.World
	id    string // of the goroutine, as stacks have it
	began time.Time
	span  time.Duration
	timed bool        // the span is what is left of go test's -timeout
	over  atomic.Bool // the world ended, or the guard gave it up
	timer *time.Timer
}

// watch begins to guard a world that this goroutine plays. What it returns ends that.
func (tr *trial) watch(w *sim.World) (done func()) {
	off := label(tr.line())
	g := &guard{trial: tr, world: w, began: time.Now()}
	deadline := time.Time{}
	if t, ok := tr.t.(interface{ Deadline() (time.Time, bool) }); ok {
		deadline, _ = t.Deadline()
	}
	if g.span, g.timed = hangAfter(flags.hang, g.began, deadline); g.span == 0 {
		return off
	}
	g.id = goroutine()
	g.timer = time.AfterFunc(g.span, g.expired)
	return func() {
		off()
		g.timer.Stop()
		if !g.over.CompareAndSwap(false, true) {
			select {} // it has been given up, and the process is about to end
		}
	}
}

// hangAfter returns how long a world may run that begins now, and whether it is go test's -timeout that says so; 0: as long
// as it likes.
func hangAfter(hang time.Duration, now, deadline time.Time) (span time.Duration, timed bool) {
	if hang == 0 || deadline.IsZero() {
		return hang, false
	}
	left := deadline.Sub(now)
	left = max(left-min(hangMargin, left/4), 1)
	return min(hang, left), left < hang
}

// goroutine returns the number of the one that calls it.
func goroutine() string {
	var head [40]byte
	text, _ := strings.CutPrefix(string(head[:runtime.Stack(head[:], false)]), "goroutine ")
	id, _, _ := strings.Cut(text, " ")
	return id
}

// expired gives the world up.
func (g *guard) expired() {
	if !g.over.CompareAndSwap(false, true) {
		return
	}
	why := fmt.Errorf("no end after %v of wall time", g.span)
	if g.timed {
		why = fmt.Errorf("no end after %v of wall time, and go test's -timeout is about to end", g.span.Round(time.Millisecond))
	}
	var stacks [][]repro.Frame
	room := make([]byte, stackBytes)
	for range hangSamples {
		stacks = append(stacks, g.stack(room))
		time.Sleep(hangSampleEvery)
	}
	f := &Failure{Seed: g.trial.seed, Err: why, kind: repro.Hung, frames: repro.Common(stacks)}
	f.Virtual, f.Events = reached(g.world)
	text := fmt.Sprintf("hang: %v\n%s", f, strings.Join(repro.Lines(f.frames), "\n"))
	fmt.Fprintf(os.Stderr, "--- FAIL: %s (%.2fs)\n    %s\n", g.trial.t.Name(), time.Since(g.began).Seconds(),
		strings.ReplaceAll(text+"\n"+g.trial.keep(f), "\n", "\n    "))
	os.Exit(1)
}

// reached reads how far a world came that another goroutine is stuck in. That one writes nothing of it any more, or whatever
// is read is as good as what was there a moment before; so it is not taken for a race.
//
//go:norace
func reached(w *sim.World) (base.Time, int64) { return w.Now(), w.Stats().Events }

// stack returns the frames of the goroutine that plays the world, without those of whoever called the test's function.
func (g *guard) stack(room []byte) []repro.Frame {
	text := room[:runtime.Stack(room, true)]
	for one := range strings.SplitSeq(string(text), "\n\n") {
		if strings.HasPrefix(one, "goroutine "+g.id+" ") {
			return belowTrial(repro.ParseStack(one))
		}
	}
	return nil
}

// belowTrial drops the frames of this package, and of what called it.
func belowTrial(frames []repro.Frame) []repro.Frame {
	for i, f := range frames {
		if strings.HasPrefix(f.Function, "sim/simtest.") {
			return frames[:i]
		}
	}
	return frames
}
