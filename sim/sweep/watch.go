package sweep

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"chordsim/sim/sweep/repro"
)

const (
	// lookEvery is how often the watchdog looks. In that time a world takes a few hundred MB at most.
	lookEvery = 20 * time.Millisecond
	// samples is how many stacks tell where a run hangs: what is on all of them goes on for ever.
	samples     = 8
	sampleEvery = 10 * time.Millisecond
	// memorySamples is fewer, as the memory grows meanwhile.
	memorySamples = 2
	// stackBytes is the most that is read of all stacks.
	stackBytes = 1 << 20
)

// watch looks after the run that a worker plays: its wall time and its memory.
type watch struct {
	budget  Budget
	abandon func(Job, repro.Failure) // does not return

	mu      sync.Mutex
	playing bool
	job     Job
	since   time.Time
}

func newWatch(b Budget, abandon func(Job, repro.Failure)) *watch {
	return &watch{budget: b, abandon: abandon}
}

func (w *watch) begin(job Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.playing, w.job, w.since = true, job, time.Now()
}

// end waits while the watchdog takes its decision: a run that it gave up has no other outcome.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.playing = false
}

func (w *watch) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.playing
}

func (w *watch) run() {
	for {
		time.Sleep(lookEvery)
		w.look()
	}
}

// look gives the run up if it is over its budget. The lock is held until the process ends.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.playing {
		return
	}
	if took := time.Since(w.since); took > w.budget.Wall {
		w.giveUp(repro.Hung, fmt.Sprintf("no end after %v of wall time", w.budget.Wall), samples)
	}
	if heap := heapBytes(); heap > w.budget.Memory {
		w.giveUp(repro.Memory, fmt.Sprintf("%d MiB of heap, of %d MiB that a run may take", heap>>20, w.budget.Memory>>20), memorySamples)
	}
}

func (w *watch) giveUp(kind repro.Kind, text string, samples int) {
	var stacks [][]repro.Frame
	for range samples {
		stacks = append(stacks, playingStack())
		time.Sleep(sampleEvery)
	}
	frames := repro.Common(stacks)
	w.abandon(w.job, repro.Failure{Kind: kind, Text: text, Place: repro.Place(frames), Stack: repro.Lines(frames)})
}

// heapBytes returns the bytes of objects on the heap, those included that the next collection will free. Near the memory
// limit of the process, which is the budget too, collections leave few of them.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// playing is the function that all frames of a run are below.
const playing = "chordsim/sim/sweep.guarded("

// playingStack returns the frames of the run that is played.
func playingStack() []repro.Frame {
	text := make([]byte, stackBytes)
	text = text[:runtime.Stack(text, true)]
	for stack := range strings.SplitSeq(string(text), "\n\n") {
		if strings.Contains(stack, playing) {
			return belowWorker(repro.ParseStack(stack))
		}
	}
	return nil
}

// belowWorker drops the frames of the worker itself, which called the run.
func belowWorker(frames []repro.Frame) []repro.Frame {
	for i, f := range frames {
		if f.Function == "sim/sweep.guarded" {
			return frames[:i]
		}
	}
	return frames
}
