package sweep

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func all(j *jobs) (list []Job) {
	for {
		job, ok := j.next()
		if !ok {
			return list
		}
		list = append(list, job)
	}
}

// The shards of a sweep have each job of the whole exactly once, also at the end of all seeds.
func TestShardsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scenarios, of := rapid.IntRange(1, 3).Draw(t, "scenarios"), rapid.IntRange(1, 20).Draw(t, "of")
		first := rapid.Uint64Range(0, 50).Draw(t, "first")
		if rapid.Bool().Draw(t, "high") {
			first = MaxSeed - 100 + first
		}
		seeds := Seeds{first, first + rapid.Uint64Range(0, 50).Draw(t, "more")}
		seen := map[Job]int{}
		count := uint64(0)
		for i := 1; i <= of; i++ {
			j := newJobs(scenarios, seeds, Shard{i, of}, 0)
			count += j.count()
			for _, job := range all(j) {
				seen[job]++
			}
		}
		whole := all(newJobs(scenarios, seeds, Shard{}, 0))
		for _, job := range whole {
			if seen[job] != 1 {
				t.Fatalf("%+v is %d times in the shards", job, seen[job])
			}
		}
		if len(seen) != len(whole) || count != uint64(len(whole)) {
			t.Fatalf("%d jobs in the shards, which count %d; the whole has %d", len(seen), count, len(whole))
		}
	})
}

// Each shard plays its share twice, whatever the numbers of both.
func TestEachShardComparesItsShare(t *testing.T) {
	for _, of := range []int{1, 2, 5, 10, 20} {
		for i := 1; i <= of; i++ {
			twice := 0
			list := all(newJobs(2, Seeds{1, 2000}, Shard{i, of}, 10))
			for _, job := range list {
				if job.Twice {
					twice++
				}
			}
			if twice*10 != len(list) {
				t.Errorf("shard %d/%d: %d of %d jobs twice, want a tenth", i, of, twice, len(list))
			}
		}
	}
}

func TestJobsOfAllSeeds(t *testing.T) {
	j := newJobs(1, Seeds{1, MaxSeed}, Shard{}, 0)
	if got := j.count(); got != math.MaxInt64 {
		t.Errorf("%d jobs", got)
	}
	if got := all(newJobs(1, Seeds{MaxSeed, MaxSeed}, Shard{2, 2}, 0)); len(got) != 0 {
		t.Errorf("the second of two shards of one seed has %v", got)
	}
}

func TestParseSeedsAndShards(t *testing.T) {
	for text, want := range map[string]Seeds{
		"7": {7, 7}, "0": {0, 0}, "1-20000": {1, 20000}, "5-5": {5, 5}, "9223372036854775807": {MaxSeed, MaxSeed},
	} {
		if got, err := ParseSeeds(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", "1-", "-1", "2-1", "x", "1-2-3", "9223372036854775808", "1..2", " 1"} {
		if got, err := ParseSeeds(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	if got, err := ParseShard("4/4"); err != nil || got != (Shard{4, 4}) || got.String() != "4/4" {
		t.Errorf("4/4: %v, %v", got, err)
	}
	for _, text := range []string{"", "/", "0/1", "2/1", "1", "1/0", "-1/2", "1/100001", "a/b"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
