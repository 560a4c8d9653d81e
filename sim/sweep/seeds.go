package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MaxSeed is the largest seed of a sweep: results are kept as signed integers.
const MaxSeed = math.MaxInt64

// Seeds is a range of seeds, both ends included.
type Seeds struct{ First, Last uint64 }

// ParseSeeds reads "1-20000", or a single seed such as "7".
func ParseSeeds(text string) (Seeds, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	var s Seeds
	for _, end := range []struct {
		text string
		into *uint64
	}{{first, &s.First}, {last, &s.Last}} {
		n, err := strconv.ParseUint(end.text, 10, 64)
		if err != nil || n > MaxSeed {
			return s, fmt.Errorf("%q: want seeds such as 7 or 1-20000, up to %d", text, uint64(MaxSeed))
		}
		*end.into = n
	}
	if s.Last < s.First {
		return s, fmt.Errorf("%q: the last seed is before the first", text)
	}
	return s, nil
}

// String prints the range as it is parsed.
func (s Seeds) String() string {
	if s.First == s.Last {
		return strconv.FormatUint(s.First, 10)
	}
	return fmt.Sprintf("%d-%d", s.First, s.Last)
}

// MaxShards is the most shards of a sweep.
const MaxShards = 100_000

// Shard is one of several parts of a sweep, which together are the whole: every Of-th seed, from the Index-th on. The zero
// value is the whole.
type Shard struct{ Index, Of int }

// ParseShard reads "1/4" to "4/4".
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || i < 1 || n > MaxShards || i > n {
		return Shard{}, fmt.Errorf("%q: want a shard such as 1/4, the first of four, of at most %d", text, MaxShards)
	}
	return Shard{i, n}, nil
}

// String prints the shard as it is parsed; the whole is 1/1.
func (s Shard) String() string {
	s = s.orWhole()
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

func (s Shard) orWhole() Shard {
	if s == (Shard{}) {
		return Shard{1, 1}
	}
	return s
}

// Job is one seed of one scenario.
type Job struct {
	Scenario int    `json:"scenario"` // its position among the sweep's
	Seed     uint64 `json:"seed"`
	Twice    bool   `json:"twice,omitempty"` // play it twice and compare
}

// jobs hands out the jobs of a sweep in order: by seed, and for each seed all scenarios, so that a sweep that is stopped
// early has seen all of them.
type jobs struct {
	scenarios int
	seeds     Seeds
	shard     Shard
	share     int // every so many seeds of the shard are played twice; 0: none

	turn     uint64 // how many seeds of the shard are through
	scenario int    // the next scenario of the current one
}

func newJobs(scenarios int, seeds Seeds, shard Shard, share int) *jobs {
	return &jobs{scenarios: scenarios, seeds: seeds, shard: shard.orWhole(), share: share}
}

// next returns the next job, or false when there is none left.
func (j *jobs) next() (Job, bool) {
	// Neither product nor sum overflows: turn·Of is at most the length of the range plus Of.
	offset := uint64(j.shard.Index-1) + j.turn*uint64(j.shard.Of)
	if offset > j.seeds.Last-j.seeds.First || j.scenarios == 0 {
		return Job{}, false
	}
	job := Job{
		Scenario: j.scenario, Seed: j.seeds.First + offset,
		Twice: j.share > 0 && j.turn%uint64(j.share) == 0,
	}
	if j.scenario++; j.scenario == j.scenarios {
		j.scenario = 0
		j.turn++
	}
	return job, true
}

// count returns how many jobs there are in all.
func (j *jobs) count() uint64 {
	span, first := j.seeds.Last-j.seeds.First, uint64(j.shard.Index-1)
	if first > span {
		return 0
	}
	return (1 + (span-first)/uint64(j.shard.Of)) * uint64(j.scenarios)
}
