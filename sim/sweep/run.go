package sweep

import (
	"errors"
	"os/exec"
	"sync"
	"time"

	"chordsim/sim/sweep/repro"
)

// Config is a sweep.
type Config struct {
	Setups []Setup
	Seeds  Seeds
	Shard  Shard // zero: the whole
	// Share is of how many seeds one is played twice and compared (D1). Zero: none; 1: all.
	Share int
	// For is the wall time after which no more jobs are handed out. Zero: no limit.
	For time.Duration
	// Workers is how many worker processes play at once. At least 1.
	Workers int
	Budget  Budget
	// Command makes the command of a worker process, in which [Work] is called. Its standard files are set by the sweep.
	Command func() *exec.Cmd
	// Stop, once closed, ends the sweep early: runs that are under way have Grace to end, and are not counted if they do
	// not. Kill, once closed, ends it at once. Nil: neither happens.
	Stop, Kill <-chan struct{}
}

// Jobs returns how many jobs the sweep has in all.
func (c *Config) Jobs() uint64 { return newJobs(len(c.Setups), c.Seeds, c.Shard, 0).count() }

// Grace is how long runs that are under way may go on when a sweep is stopped.
const Grace = 3 * time.Second

// Ending is why a sweep ended.
type Ending string

// The endings.
const (
	Complete    Ending = "complete"    // every job was played
	TimeUp      Ending = "time up"     // the time for it was over
	Interrupted Ending = "interrupted" // somebody stopped it
)

// Jobs are handed out in batches of so many that one takes about batchTime: few enough that a stop is quick and all
// workers end at the same time, many enough that nobody waits for a pipe.
const (
	batchTime = 50 * time.Millisecond
	maxBatch  = 64
)

// silence is how long a worker may be silent beyond a job's budget, in which its own watchdog has to act.
const silence = 10 * time.Second

// run is a sweep under way.
type run struct {
	cfg      Config
	outcomes chan Outcome
	stop     chan struct{} // closed: no more jobs
	kill     chan struct{} // closed: no more waiting

	mu      sync.Mutex
	jobs    *jobs
	again   []Job // of a batch whose worker ended
	stopped bool
	ending  Ending
	err     error // the first one, of starting a worker
}

// Run plays the jobs of a sweep and hands each outcome to each, from one goroutine, in the order in which they come. An
// error is of the sweep itself or the first that each returns; failures of runs are in the outcomes.
func Run(cfg Config, each func(Outcome) error) (Ending, error) {
	cfg.Budget = cfg.Budget.withDefaults()
	r := &run{
		cfg: cfg, outcomes: make(chan Outcome, 256), stop: make(chan struct{}), kill: make(chan struct{}),
		jobs: newJobs(len(cfg.Setups), cfg.Seeds, cfg.Shard, cfg.Share), ending: Complete,
	}
	over := make(chan struct{})
	go r.await(over)
	var workers sync.WaitGroup
	for range max(cfg.Workers, 1) {
		workers.Go(r.work)
	}
	go func() {
		workers.Wait()
		close(r.outcomes)
	}()
	var err error
	for o := range r.outcomes {
		if err == nil {
			if err = each(o); err != nil {
				r.halt(Interrupted)
			}
		}
	}
	close(over)
	return r.ending, errors.Join(err, r.err)
}

// await stops the sweep when it is time to.
func (r *run) await(over <-chan struct{}) {
	var timeUp <-chan time.Time
	if r.cfg.For > 0 {
		timeUp = time.After(r.cfg.For)
	}
	select {
	case <-over:
		return
	case <-timeUp:
		r.halt(TimeUp)
	case <-r.cfg.Stop:
		r.halt(Interrupted)
	case <-r.cfg.Kill:
		r.halt(Interrupted)
	case <-r.stop:
	}
	select {
	case <-over:
	case <-time.After(Grace):
		close(r.kill)
	case <-r.cfg.Kill:
		close(r.kill)
	}
}

// halt hands out no more jobs.
func (r *run) halt(why Ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.stopped, r.ending = true, why
		close(r.stop)
	}
}

// take returns up to n jobs, none once the sweep is at its end.
func (r *run) take(n int) []Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	var batch []Job
	for !r.stopped && len(batch) < n {
		if len(r.again) > 0 {
			batch, r.again = append(batch, r.again[0]), r.again[1:]
			continue
		}
		job, ok := r.jobs.next()
		if !ok {
			break
		}
		batch = append(batch, job)
	}
	return batch
}

func (r *run) giveBack(batch []Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again = append(r.again, batch...)
}

func (r *run) fail(err error) {
	r.halt(Interrupted)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// stopWithin is how long a worker that did not start waits for word that the sweep is to stop, which may be why.
const stopWithin = time.Second

// work keeps one worker process at work, and replaces it when it ends.
func (r *run) work() {
	var p *process
	size := 1
	for {
		batch := r.take(size)
		if len(batch) == 0 {
			break
		}
		if p == nil {
			var err error
			if p, err = start(r.cfg.Command, r.cfg.Setups, r.cfg.Budget, r.kill); err != nil {
				select {
				case <-r.stop: // a terminal interrupts the workers as well
				case <-time.After(stopWithin):
					r.fail(err)
				}
				return
			}
		}
		begin := time.Now()
		rest, alive := r.play(p, batch)
		if !alive {
			p = nil
			r.giveBack(rest)
		}
		switch took := time.Since(begin); {
		case took > batchTime:
			size = max(size/2, 1)
		case took < batchTime/2 && len(rest) == 0:
			size = min(2*size, maxBatch)
		}
	}
	if p != nil {
		p.leave()
	}
}

// play has a worker play a batch. It returns the jobs that it did not come to, and whether the worker lives.
func (r *run) play(p *process, batch []Job) ([]Job, bool) {
	if err := writeLine(p.in, request{Jobs: batch}); err != nil {
		p.end()
		return r.lost(p, batch, p.lastWords())
	}
	for len(batch) > 0 {
		select {
		case reply, ok := <-p.replies:
			switch {
			case !ok:
				return r.lost(p, batch, p.lastWords())
			case reply.Outcome == nil || reply.Outcome.Job != batch[0]:
				p.end()
				return r.lost(p, batch, repro.Failure{Kind: repro.Died, Text: "the process gave an answer that nobody asked for"})
			}
			r.outcomes <- *reply.Outcome
			batch = batch[1:]
			if reply.Outcome.Last {
				p.leave()
				return batch, false
			}
		case <-time.After(r.patience(batch[0])):
			p.end()
			return r.lost(p, batch, repro.Failure{
				Kind: repro.Hung, Text: "no end after " + r.cfg.Budget.Wall.String() + " of wall time, and no word of the process's own watchdog",
			})
		case <-r.kill:
			p.end()
			return nil, false
		}
	}
	return nil, true
}

// patience is how long to wait for the outcome of a job: its plays, and one more to look at what failed.
func (r *run) patience(j Job) time.Duration {
	plays := time.Duration(2)
	if j.Twice {
		plays = 3
	}
	return plays*r.cfg.Budget.Wall + silence
}

// lost reports the job during which a worker ended.
func (r *run) lost(p *process, batch []Job, f repro.Failure) ([]Job, bool) {
	select {
	case <-r.kill: // it is our doing, or an interrupt that all processes got
		return nil, false
	default:
	}
	r.outcomes <- Outcome{Job: batch[0], Failure: &f}
	return batch[1:], false
}
