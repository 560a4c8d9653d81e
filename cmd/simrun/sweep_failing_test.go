package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/workload"
)

// mainFailing is the command "simfail" of the scripts: simrun with scenarios that fail on purpose, each in its way. The
// binary that people build has none of them.
func mainFailing() {
	findScenario = findFailing
	main()
}

func findFailing(name string) (*sim.Scenario, string) {
	i := slices.IndexFunc(failing, func(s *sim.Scenario) bool { return s.Name == name })
	if i < 0 {
		return nil, ""
	}
	return failing[i], ""
}

// failing is the scenarios. Unless they say otherwise, they fail at seeds that are divisible by three.
var failing = []*sim.Scenario{
	{Name: "holds", Run: func(r *sim.Run) (*sim.Report, error) { return played(r, false) }},
	{Name: "violates", Run: func(r *sim.Run) (*sim.Report, error) {
		report, err := played(r, false)
		if r.Seed%3 == 0 {
			report.Violations = []string{fmt.Sprintf("C11 violated at %dms at tab%d: missed revision %d of \"notes%d\"", r.Seed, r.Seed, 100*r.Seed, r.Seed)}
		}
		return report, err
	}},
	{Name: "misses", Run: func(r *sim.Run) (*sim.Report, error) {
		report, err := played(r, false)
		if r.Seed%3 == 0 {
			report.Failures = []string{fmt.Sprintf("direct %d s: caught up in %dms, goal 20ms", r.Seed, r.Seed)}
		}
		return report, err
	}},
	{Name: "stalls", Run: func(r *sim.Run) (*sim.Report, error) {
		report, err := played(r, false)
		if r.Seed%3 == 0 {
			report.Stuck = []string{fmt.Sprintf("direct: the tab did not catch up within %ds", r.Seed)}
		}
		return report, err
	}},
	{Name: "loops", Run: func(r *sim.Run) (*sim.Report, error) { return played(r, r.Seed%3 == 0) }},
	{Name: "panics", Run: func(r *sim.Run) (*sim.Report, error) {
		return inTurn(r, func() { breakAt(nil, int(r.Seed)) })
	}},
	{Name: "spins", Run: func(r *sim.Run) (*sim.Report, error) { return inTurn(r, spin) }},
	{Name: "hogs", Run: func(r *sim.Run) (*sim.Report, error) { return inTurn(r, hog) }},
	{Name: "recurses", Run: func(r *sim.Run) (*sim.Report, error) { return inTurn(r, func() { sink += depth(1) }) }},
	{Name: "exits", Run: func(r *sim.Run) (*sim.Report, error) { return inTurn(r, func() { os.Exit(7) }) }},
	{Name: "dies", Run: func(r *sim.Run) (*sim.Report, error) { // as if the machine had no memory left
		return inTurn(r, func() {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			panic(err)
		})
	}},
	{Name: "refuses", Run: func(r *sim.Run) (*sim.Report, error) {
		if r.Seed%3 == 0 {
			return nil, fmt.Errorf("seed %d is not for me", r.Seed)
		}
		return played(r, false)
	}},
	{Name: "prints", Run: func(r *sim.Run) (*sim.Report, error) {
		fmt.Println(`{"outcome":{"scenario":0,"seed":1}}`)
		return played(r, false)
	}},
	{Name: "differs", Run: func(r *sim.Run) (*sim.Report, error) {
		plays++
		if r.Seed%3 == 0 {
			return played(r, false, fmt.Sprint("play ", plays))
		}
		return played(r, false)
	}},
	{Name: "many", Run: func(r *sim.Run) (*sim.Report, error) { // a fingerprint a seed, each as long as one can be
		report, err := played(r, false)
		word := ""
		for n := r.Seed; n > 0; n /= 26 {
			word += string(rune('a' + n%26))
		}
		report.Violations = []string{fmt.Sprintf("C1 violated at 1s at tab: %s %0900d", word, 0)}
		for range 40 {
			report.Violations[0] += " and so on, with words"
		}
		return report, err
	}},
	{Name: "works", Workloads: true, Check: func(r *sim.Run) error {
		_, err := workload.Parse(r.Workload)
		return err
	}, Run: runWorks},
	{Name: "waits", Run: func(r *sim.Run) (*sim.Report, error) {
		if err := waitForTest(); err != nil {
			return nil, err
		}
		report, err := played(r, false)
		if r.Seed%2 == 0 {
			report.Violations = []string{"C2 violated at 1s at tab: a gap"}
		}
		return report, err
	}},
}

// runWorks plays a workload, whose generator draws one value more if the environment says so. Too much of it is a violation.
func runWorks(r *sim.Run) (*sim.Report, error) {
	cfg := r.Config("works")
	if r.Workload != "" {
		var err error
		if cfg.Workload, err = workload.Parse(r.Workload); err != nil {
			return nil, err
		}
	}
	w := sim.New(cfg)
	h := w.Host("tab")
	list := w.Workload("works", func(rand base.Rand) (list workload.List) {
		draws := rand.Stream("works", "at")
		if os.Getenv("SIMFAIL_MORE_DRAWS") != "" {
			draws.Next()
		}
		for range 200 {
			list = append(list, workload.Item{At: base.Time(draws.Below(1e9)), Host: "tab", Verb: "post", Operands: []uint64{draws.Below(100)}})
		}
		return list
	})
	if r.Begun != nil {
		r.Begun("", w.Workloads().String())
	}
	for i := range list {
		w.At(list[i].At, func() {
			h.Do(func() {
				if r.Seed == 5 && i == 50 {
					breakAt(nil, 5)
				}
			})
		})
	}
	report := &sim.Report{Headline: "works"}
	if err := w.Settle(base.Minute); err != nil {
		return nil, err
	}
	report.Add(w)
	report.Violations = []string{"C2 violated at 1s at tab: a gap"}
	return report, nil
}

// plays is what no scenario may have: something that outlives its world.
var plays int

// played runs a small world: ten seconds of it or, if endless, an event that comes again at once.
func played(r *sim.Run, endless bool, notes ...string) (*sim.Report, error) {
	cfg := r.Config("world")
	cfg.MaxEvents = 1000
	w := sim.New(cfg)
	h := w.Host("tab")
	left := int(10 + r.Seed%7)
	var again func()
	again = func() {
		if left--; endless || left > 0 {
			h.Post(base.WorkTimer, again)
		}
	}
	h.Do(again)
	for _, n := range notes {
		w.Note(n)
	}
	w.Rand().Stream("draw").Next()
	report := &sim.Report{Headline: fmt.Sprintf("a small world · seed %d", r.Seed)}
	if err := w.RunFor(10 * base.Second); err != nil {
		report.Stuck = []string{err.Error()}
	}
	report.Add(w)
	report.Events = int64(10 + r.Seed%7)
	return report, nil
}

// inTurn runs something in a turn of a host, at the seeds that fail.
func inTurn(r *sim.Run, fn func()) (*sim.Report, error) {
	if r.Seed%3 == 0 {
		w := sim.New(r.Config("world"))
		w.Host("tab").Do(fn)
		return nil, errors.Join(w.RunFor(base.Second), errors.New("it went on"))
	}
	return played(r, false)
}

func breakAt(list []int, i int) int { return list[i] }

var sink uint64

func spin() {
	for i := uint64(0); ; i++ {
		sink += spun(i)
	}
}

//go:noinline
func spun(i uint64) uint64 { return i * i }

var hoard [][]byte

func hog() {
	for {
		b := make([]byte, 1<<20)
		for i := range b {
			b[i] = 1
		}
		hoard = append(hoard, b)
	}
}

// depth has no end that a stack could reach.
func depth(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return depth(n+1) + 1
}

// waitForTest tells the test that a run is under way, and waits until that lets it go on.
func waitForTest() error {
	c, err := net.Dial("unix", os.Getenv("SIMFAIL_SOCKET"))
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
