package sweep

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"
)

// Guard looks after runs that are played in this process, one at a time, as a worker's watchdog does after its own: a panic, a
// hang and too much memory are failures.
type Guard struct {
	// Budget is what a run may take. Its wall time is that from one sign of life to the next. Zero fields take their
	// defaults, those under zero set no bound.
	Budget Budget
	// Interrupt ends a run, with ErrInterrupted. Nil: nothing does.
	Interrupt <-chan os.Signal

	signs atomic.Int64
}

// ErrInterrupted is for a run that somebody did not wait for.
var ErrInterrupted = errors.New("interrupted")

// Alive is a sign of life of the run. Runs are watched by their events: a turn that does not end gives none.
func (g *Guard) Alive() { g.signs.Add(1) }

// Signs returns how many signs of life there were.
func (g *Guard) Signs() int64 { return g.signs.Load() }

// Play plays a run. What hangs, takes too much memory or is interrupted goes on, until the process ends: nothing can stop it.
// A failure without a report is about the run, an error about what it was given.
func (g *Guard) Play(play func(*sim.Run) (*sim.Report, error), r *sim.Run) (*sim.Report, *repro.Failure, error) {
	budget := g.Budget.withDefaults()
	if budget.Memory > 0 {
		before := debug.SetMemoryLimit(budget.Memory) // near it collections leave little garbage, which counts
		defer debug.SetMemoryLimit(before)
	}
	var report *sim.Report
	var failure *repro.Failure
	over := make(chan struct{})
	go func() {
		defer close(over) // also if the run ends its goroutine
		failure = &repro.Failure{Kind: repro.Died, Text: "the run ended its goroutine"}
		report, failure = guarded(play, r)
	}()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	signs, since := g.signs.Load(), time.Now()
	for {
		select {
		case <-over:
			if failure != nil && failure.Kind == repro.Refused {
				return nil, nil, errors.New(failure.Text)
			}
			return report, failure, nil
		case <-g.Interrupt:
			return nil, nil, ErrInterrupted
		case <-look.C:
		}
		if n := g.signs.Load(); n != signs {
			signs, since = n, time.Now()
		}
		switch heap := heapBytes(); {
		case budget.Wall > 0 && time.Since(since) > budget.Wall:
			return nil, stopped(repro.Hung, hungText(budget), samples), nil
		case budget.Memory > 0 && heap > budget.Memory:
			return nil, stopped(repro.Memory, memoryText(heap, budget), memorySamples), nil
		}
	}
}

func hungText(b Budget) string { return fmt.Sprintf("no end after %v of wall time", b.Wall) }

func memoryText(heap int64, b Budget) string {
	return fmt.Sprintf("%d MiB of heap, of %d MiB that a run may take", heap>>20, b.Memory>>20)
}

// stopped makes the failure of a run that has to be given up, with the place where it goes on.
func stopped(kind repro.Kind, text string, samples int) *repro.Failure {
	var stacks [][]repro.Frame
	for range samples {
		stacks = append(stacks, playingStack())
		time.Sleep(sampleEvery)
	}
	frames := repro.Common(stacks)
	return &repro.Failure{Kind: kind, Text: text, Place: repro.Place(frames), Stack: repro.Lines(frames)}
}
