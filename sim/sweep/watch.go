package sweep

import (
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
	abandon func(job Job, f repro.Failure, plan, work string) // does not return

	mu      sync.Mutex
	playing bool
	job     Job
	since   time.Time
	plan    string // of the run, once it has one
	work    string // and its workload
}

func newWatch(b Budget, abandon func(Job, repro.Failure, string, string)) *watch {
	return &watch{budget: b, abandon: abandon}
}

func (w *watch) begin(job Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.playing, w.job, w.since, w.plan, w.work = true, job, time.Now(), "", ""
}

// told notes the plan and the workload of the run that is played.
func (w *watch) told(plan, work string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plan, w.work = plan, work
}

// end returns the plan and the workload of the run. It waits while the watchdog takes its decision: a run that it gave up has no
// other outcome.
func (w *watch) end() (plan, work string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.playing = false
	return w.plan, w.work
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
		w.abandon(w.job, *stopped(repro.Hung, hungText(w.budget), samples), w.plan, w.work)
	}
	if heap := heapBytes(); heap > w.budget.Memory {
		w.abandon(w.job, *stopped(repro.Memory, memoryText(heap, w.budget), memorySamples), w.plan, w.work)
	}
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
