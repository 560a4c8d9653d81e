package main

import (
	"fmt"
	"runtime"
	"time"

	"chordsim/sim/events"
)

// simCmd measures the simulator: what an event costs, and a delivery of the full chord stack.
type simCmd struct {
	JSON  bool `name:"json" help:"Print the figures as JSON."`
	Quick bool `hidden:"" help:"Short measurements and small worlds, to see that it works."`
}

// simPlan says how much is measured.
type simPlan struct {
	rounds   int           // of which the median counts
	block    time.Duration // of one round of one subject
	inFlight [3]int        // messages under way in the engine, the smallest first; the middle one is that of the comparison
	bubble   *float64      // as many times as fast as the bubble the engine must be; nil: blocks are too short to require it
}

// Blocks are long against the microsecond that clocks of CPU time tell apart, and against one round of the largest engine
// over all its links, which the block before pushed out of the caches.
var (
	fullSim  = simPlan{31, 25 * time.Millisecond, [3]int{10, 1_000, 100_000}, goal(requiredBubble)}
	quickSim = simPlan{3, time.Millisecond, [3]int{10, 100, 1_000}, nil}
)

// Run measures and prints the report.
func (c *simCmd) Run(e *env) error {
	plan := &fullSim
	if c.Quick {
		plan = &quickSim
	}
	report := &simReport{
		Bench:     "sim",
		Headline:  fmt.Sprintf("sim · one core, %s · medians of %d blocks of %v, side by side", simClock, plan.rounds, plan.block),
		Notes:     simNotes,
		Reproduce: "go run ./cmd/simrun bench sim",
	}
	p := newProgress(e.stderr)
	err := plan.run(report, p)
	p.done()
	if err != nil {
		return &brokenError{fmt.Errorf("bench sim: %w", err), report.Reproduce}
	}
	return report.write(e, c.JSON)
}

// simSubject is something that goes on in virtual time for as long as it is told to.
type simSubject interface {
	// run has n more steps happen; what a step is, is the subject's.
	run(n int) error
	// count returns how many events and messages there were so far. Without a queue there are no events.
	count() (events, messages int64)
	// inFlight returns how many messages are under way; 0: it does not say.
	inFlight() int64
	// end lets it come to its end, and says whether all was as it should be.
	end() error
}

// simCase is a line of the report, with how its subject is made.
type simCase struct {
	id, name string
	make     func() (simSubject, error)
}

// groups returns what is measured side by side. The engine and the bubble allocate nothing, and have no share in the
// collector's work on what the stacks leave behind.
func (plan *simPlan) groups() [][]simCase {
	small, middle, large := plan.inFlight[0], plan.inFlight[1], plan.inFlight[2]
	return [][]simCase{
		{
			engineCase("engine.small", "engine, fifo", events.FIFO, small),
			engineCase("engine.fifo", "engine, fifo", events.FIFO, middle),
			engineCase("engine.large", "engine, fifo", events.FIFO, large),
			engineCase("engine.random", "engine, random", events.Random, middle),
			{"bubble", "goroutines in a synctest bubble", func() (simSubject, error) { return newSimBubble(middle / simUnderWay), nil }},
		},
		{
			stackCase("stack.memory", "stack, memory links", memoryStack, false),
			stackCase("stack.memory.checked", "stack, memory links, checked", memoryStack, true),
			stackCase("stack.throttled", "stack, throttled links", throttledStack, false),
			stackCase("stack.throttled.checked", "stack, throttled links, checked", throttledStack, true),
		},
	}
}

// run measures everything on one core, and fills in the report.
func (plan *simPlan) run(report *simReport, p *progress) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	groups := plan.groups()
	total, done := 0, 0
	for _, g := range groups {
		total += plan.rounds + len(g)
	}
	step := func(what string) {
		p.show(done, total, what)
		done++
	}
	measured := simBlocks{}
	for _, g := range groups {
		if err := plan.measure(g, measured, step); err != nil {
			return err
		}
		for _, c := range g {
			report.Figures = append(report.Figures, measured.figure(&c))
		}
	}
	report.Goals = measured.goals(plan)
	return nil
}

// simBlock is what one block of a subject took, as a whole.
type simBlock struct {
	used, wall       time.Duration
	bytes, allocs    uint64
	events, messages int64
	inFlight         int64 // at its end
}

// simBlocks has the blocks of each subject by its id. Those of one round have the same index.
type simBlocks map[string][]simBlock

// measure runs the blocks of a group: in turn one of each subject. The first round, which warms up, does not count.
func (plan *simPlan) measure(group []simCase, into simBlocks, step func(string)) error {
	subjects, steps := make([]simSubject, len(group)), make([]int, len(group))
	for i, c := range group {
		step(c.name)
		var err error
		if subjects[i], err = c.make(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if steps[i], err = plan.calibrate(subjects[i]); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	runtime.GC()
	for round := range plan.rounds + 1 {
		if round > 0 {
			step(group[0].name)
		}
		for i, c := range group {
			block, err := measureSim(subjects[i], steps[i])
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				into[c.id] = append(into[c.id], block)
			}
		}
	}
	for i, c := range group {
		if err := subjects[i].end(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// calibrate returns how many steps a block has. A first run may take many times what later ones do, so that a number of
// steps has to prove itself in a run of its own.
func (plan *simPlan) calibrate(s simSubject) (int, error) {
	for n, proven := 1, false; ; {
		start := processTime()
		if err := s.run(n); err != nil {
			return 0, err
		}
		took := processTime() - start
		if took < plan.block/2 && n < maxBlockOps {
			n, proven = 2*n, false
			continue
		}
		if n = max(1, int(float64(n)*float64(plan.block)/float64(took))); proven {
			return n, nil
		}
		proven = true
	}
}

func measureSim(s simSubject, steps int) (simBlock, error) {
	var before, after runtime.MemStats
	events, messages := s.count()
	runtime.ReadMemStats(&before)
	wall, used := time.Now(), processTime()
	err := s.run(steps)
	b := simBlock{used: processTime() - used, wall: time.Since(wall)}
	runtime.ReadMemStats(&after)
	b.bytes, b.allocs = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	b.events, b.messages = s.count()
	b.events, b.messages = b.events-events, b.messages-messages
	b.inFlight = s.inFlight()
	if err == nil && b.messages == 0 {
		err = fmt.Errorf("no message arrived in a block of %d steps", steps)
	}
	return b, err
}
