package simtest

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

// DefaultSeeds is how many seeds a test runs that is told nothing else, so that go test ./... stays fast.
const DefaultSeeds = 10

// options is what flags and environment say. A field that is not set has its zero value.
type options struct {
	seeds uint64
	one   bool // seed alone
	seed  uint64
	span  time.Duration
	twice bool
	hang  time.Duration // 0: worlds may run as long as they like
	order string        // of ties, for Exhaustive; empty: all
	repro string        // the file to play
	out   string        // the folder for repro files
}

// flags is filled in by package flag before the first test runs.
var flags = register(flag.CommandLine, os.Getenv)

// register makes the flags, with what the environment says as their defaults.
func register(set *flag.FlagSet, env func(string) string) *options {
	o := &options{}
	give := func(name, variable, help string, take func(string) error) {
		set.Func(name, help, take)
		if text := env(variable); text != "" {
			if err := take(text); err != nil {
				panic(fmt.Sprintf("simtest: %s=%q: %v", variable, text, err))
			}
		}
	}
	give("sim.seeds", "CHORDSIM_SEEDS", "run worlds with the seeds 1 to `N`", func(s string) (err error) {
		if o.seeds, err = strconv.ParseUint(s, 0, 32); err == nil && o.seeds == 0 {
			err = fmt.Errorf("want 1 or more")
		}
		return err
	})
	give("sim.seed", "CHORDSIM_SEED", "run the world of one `seed`, such as 42 or 0x2a", func(s string) (err error) {
		o.seed, err = strconv.ParseUint(s, 0, 64)
		o.one = err == nil
		return err
	})
	give("sim.for", "CHORDSIM_FOR", "run worlds with further seeds for a `span` of wall time, such as 30s", func(s string) (err error) {
		if o.span, err = time.ParseDuration(s); err == nil && o.span <= 0 {
			err = fmt.Errorf("want a positive span")
		}
		return err
	})
	o.hang = DefaultHang
	give("sim.hang", "CHORDSIM_HANG", "give a world up after a `span` of wall time, such as 30s; 0: never", func(s string) (err error) {
		if o.hang, err = time.ParseDuration(s); err == nil && o.hang < 0 {
			err = fmt.Errorf("want a positive span, or 0")
		}
		return err
	})
	set.BoolVar(&o.twice, "sim.twice", false, "run each world twice and compare")
	if text := env("CHORDSIM_TWICE"); text != "" {
		var err error
		if o.twice, err = strconv.ParseBool(text); err != nil {
			panic(fmt.Sprintf("simtest: CHORDSIM_TWICE=%q: want true or false", text))
		}
	}
	set.StringVar(&o.order, "sim.order", "", "play one `order` of ties, such as 0.2.1, where a test walks all")
	set.StringVar(&o.repro, "sim.repro", "", "play the world of a repro `file`")
	set.StringVar(&o.out, "sim.out", "testdata/repro", "the `folder` for repro files")
	return o
}

// seeds goes through the seeds to run.
type seeds struct {
	options *options
	now     func() time.Time
	start   time.Time
	seed    uint64 // the present one
	count   uint64 // with the present one
}

func (o *options) each(now func() time.Time) *seeds {
	return &seeds{options: o, now: now, start: now()}
}

// next goes on to the next seed and reports whether there is one. It reads the clock if a time is to be kept.
func (s *seeds) next() bool {
	o := s.options
	last := o.seeds
	switch {
	case o.one:
		s.seed, s.count = o.seed, s.count+1
		return s.count == 1
	case o.span > 0 && s.now().Sub(s.start) >= o.span:
		return false
	case last == 0 && o.span == 0:
		last = DefaultSeeds
	}
	if last > 0 && s.count == last {
		return false
	}
	s.count++
	s.seed = s.count
	return true
}
