package sweep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"
)

// Find returns the scenario of a name, or nil.
type Find func(name string) *sim.Scenario

// maxStack bounds a goroutine's stack in a worker, so that an endless recursion ends before the memory does.
const maxStack = 64 << 20

// worker is one process that plays jobs, one world at a time.
type worker struct {
	setups []prepared
	watch  *watch

	mu  sync.Mutex // of out: the watchdog writes the last answer
	out io.Writer
}

// prepared is a setup that was looked up.
type prepared struct {
	scenario *sim.Scenario
	values   sim.Values
	plan     string
	workload string
}

// gcPercent is how much a worker's heap may grow between two collections, in percent; the memory limit holds all the same.
const gcPercent = 400

// Work is the whole life of a worker process: it reads jobs from in until that ends, and writes their outcomes to out. It
// returns when in ends between two jobs. Within a job it ends the process: the one who reads the outcomes is gone.
func Work(in io.Reader, out io.Writer, find Find) error {
	debug.SetMaxStack(maxStack)
	w := &worker{out: out}
	lines := newLineReader(in)
	var first request
	if err := lines.next(&first); err != nil {
		return fmt.Errorf("sweep: a worker is started by a sweep, which tells it what to play: %w", err)
	}
	if err := w.prepare(first.Setups, find); err != nil {
		return w.answer(reply{Refused: err.Error()})
	}
	budget := first.Budget.withDefaults()
	debug.SetMemoryLimit(budget.Memory)
	// A world is one thread, and there is a worker for each processor: a collector that wants others disturbs its neighbours
	// (a third of the processor time of churn), and collecting a small heap often is most of what it costs.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	w.watch = newWatch(budget, w.abandon)
	go w.watch.run()
	if err := w.answer(reply{Ready: true}); err != nil {
		return err
	}
	batches := make(chan []Job)
	go w.read(lines, batches)
	for batch := range batches {
		for _, job := range batch {
			o := w.play(job)
			if err := w.answer(reply{Outcome: &o}); err != nil {
				return err
			}
			if o.Last {
				return nil
			}
		}
	}
	return nil
}

// read hands the batches over. The end of the input ends the process even while a job is played, be it for ever.
func (w *worker) read(lines *lineReader, batches chan<- []Job) {
	for {
		var r request
		if err := lines.next(&r); err != nil {
			if w.watch.busy() {
				os.Exit(0)
			}
			close(batches)
			return
		}
		batches <- r.Jobs
	}
}

func (w *worker) answer(r reply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return writeLine(w.out, r)
}

func (w *worker) prepare(setups []Setup, find Find) error {
	for _, s := range setups {
		p := prepared{scenario: find(s.Scenario), plan: s.Plan, workload: s.Workload}
		if p.scenario == nil {
			return fmt.Errorf("%s: there is no such scenario", s.Scenario)
		}
		values, err := sim.ParseValues(p.scenario.Parameters(), s.Settings)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Scenario, err)
		}
		p.values = values
		w.setups = append(w.setups, p)
	}
	if len(setups) == 0 {
		return errors.New("nothing to play")
	}
	return nil
}

// play plays a job once, or twice.
func (w *worker) play(job Job) Outcome {
	o := Outcome{Job: job}
	if job.Scenario < 0 || job.Scenario >= len(w.setups) {
		o.fail(repro.Failure{Kind: repro.Refused, Text: "there is no scenario of number " + strconv.Itoa(job.Scenario)}, nil)
		return o
	}
	p := &w.setups[job.Scenario]
	start := time.Now()
	w.once(p, &o)
	if job.Twice && o.Runs == 1 {
		second := Outcome{Job: job}
		w.once(p, &second)
		o.compare(p.scenario.Name, &second)
	}
	if o.Failure != nil && !o.Last && o.Runs > 0 && time.Since(start) < w.watch.budget.Wall/4 {
		w.observe(p, &o) // which takes longer than what was within its time, and must not turn it into a hang
	}
	o.Wall = int64(time.Since(start))
	return o
}

// once plays a run in a fresh world under the eyes of the watchdog.
func (w *worker) once(p *prepared, o *Outcome) {
	r := p.run(o.Seed)
	r.Begun = w.watch.told
	w.watch.begin(o.Job)
	report, failure := guarded(p.scenario.Run, r)
	o.plan, o.work = w.watch.end()
	if failure != nil {
		o.fail(*failure, report)
		o.keep()
		o.Last = failure.Kind == repro.Panicked // it may have left anything behind
		return
	}
	o.report(report)
}

// run makes what a run is given.
func (p *prepared) run(seed uint64) *sim.Run {
	return &sim.Run{Seed: seed, Values: p.values, Plan: p.plan, Workload: p.workload}
}

// observe plays a run that failed once more, with an eye on what it draws at random, for its repro file. Of two that differ
// it looks for the first difference. It is given the plan and the workload that it had, as a replay of the file is: what was
// drawn to make those is no decision. If it should panic now, the outcome has no decisions, and the worker ends.
func (w *worker) observe(p *prepared, o *Outcome) {
	again := func() *sim.Run {
		r := p.run(o.Seed)
		if o.Plan != "" && p.scenario.Plans {
			r.Plan = o.Plan
		}
		if o.Workload != "" && p.scenario.Workloads {
			r.Workload = o.Workload
		}
		return r
	}
	twice := sim.NewTwice(p.scenario, again)
	w.watch.begin(o.Job)
	defer w.watch.end()
	_, failure := guarded(twice.Play, again())
	if failure == nil && o.Failure.Kind == repro.Differs {
		_, failure = guarded(twice.Play, again())
		if failure == nil {
			_, failure = guarded(func(*sim.Run) (*sim.Report, error) {
				d, err := twice.Difference()
				if d != nil {
					o.Failure.Stack = repro.SplitLines(d.String())
				}
				return nil, err
			}, nil)
		}
	}
	if failure != nil {
		o.Last = failure.Kind == repro.Panicked
		return
	}
	o.Decisions = twice.Decisions().Labels()
}

// guarded plays a run, and catches its panic.
func guarded(play func(*sim.Run) (*sim.Report, error), r *sim.Run) (report *sim.Report, failure *repro.Failure) {
	defer func() {
		if caught := recover(); caught != nil {
			failure = panicked(caught, string(debug.Stack()))
		}
	}()
	report, err := play(r)
	if err != nil {
		return nil, &repro.Failure{Kind: repro.Refused, Text: repro.Clip(err.Error(), repro.MaxText)}
	}
	return report, nil
}

func panicked(caught any, stack string) *repro.Failure {
	frames := belowWorker(repro.AfterPanic(repro.ParseStack(stack)))
	return &repro.Failure{
		Kind: repro.Panicked, Text: repro.Clip(fmt.Sprint(caught), repro.MaxText),
		Place: repro.Place(frames), Stack: repro.Lines(frames),
	}
}

// compare makes the outcome a failure of determinism if a second run of the job went another way.
func (o *Outcome) compare(scenario string, second *Outcome) {
	o.Runs += second.Runs
	o.Last = second.Last
	var text string
	switch {
	case second.Runs == 0:
		text = "D1: the second run of a seed ended in " + string(second.Failure.Kind) + ", the first did not: " + second.Failure.Text
	case second.plan != o.plan || second.work != o.work: // a file without them, so that its replay makes them again
		text = "D1: two runs of one seed have another plan or workload"
		o.plan, o.work = "", ""
	case second.Hash != o.Hash:
		text = fmt.Sprintf("D1: two runs of one seed differ: hashes %s and %s, %d and %d events", o.Hash, second.Hash, o.Events, second.Events)
	case second.Events != o.Events || second.verdict() != o.verdict():
		text = fmt.Sprintf("D1: two runs of one seed have one hash and differ: %d and %d events, %q and %q",
			o.Events, second.Events, o.verdict(), second.verdict())
	default:
		return
	}
	o.Failure = &repro.Failure{Kind: repro.Differs, Text: repro.Clip(text, repro.MaxText), Place: scenario}
	o.Plan, o.Workload = "", ""
	o.keep()
}

func (o *Outcome) verdict() string {
	if o.Failure == nil {
		return "all held"
	}
	return o.Failure.Fingerprint()
}

// abandon answers for a job that does not end by itself, and ends the process.
func (w *worker) abandon(job Job, f repro.Failure, plan, work string) {
	o := Outcome{Job: job, Last: true}
	o.fail(f, nil)
	o.plan, o.work = plan, work
	o.keep()
	if w.answer(reply{Outcome: &o}) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func hashText(h uint64) string { return fmt.Sprintf("%016x", h) }
