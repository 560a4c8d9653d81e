package main

import (
	"runtime"
	"slices"
	"time"
)

// warmHeap collects what there is and leaves free memory that was in use before. A page that a process touches for the first time
// costs what the system takes for it, which is more than most operations cost and says nothing of them.
func warmHeap(bytes int) {
	const page = 4096
	block := make([]byte, bytes)
	for i := 0; i < len(block); i += page {
		block[i] = 1
	}
	runtime.KeepAlive(block)
	block = nil
	runtime.GC()
}

// benchBlock is what some operations took together.
type benchBlock struct {
	ns, bytes, allocs float64 // each for one operation
}

// measureBlock runs ops operations and measures them together. Allocations are counted to the byte, the time is that of the
// monotonic clock.
func measureBlock(ops int, run func(ops int) error) (benchBlock, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := run(ops)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	n := float64(ops)
	return benchBlock{
		ns:     float64(took) / n,
		bytes:  float64(after.TotalAlloc-before.TotalAlloc) / n,
		allocs: float64(after.Mallocs-before.Mallocs) / n,
	}, err
}

// median returns the middle of what get returns for each block, 0 for none.
func median[E any](of []E, get func(E) float64) float64 {
	if len(of) == 0 {
		return 0
	}
	all := make([]float64, len(of))
	for i, e := range of {
		all[i] = get(e)
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// medianRatio returns the median of the ratios of blocks that were run side by side, so that what slows the machine for a
// while slows both of a pair. Invariant: there are as many of one as of the other.
func medianRatio(of, to []benchBlock, get func(benchBlock) float64) float64 {
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = get(of[i]) / get(to[i])
	}
	return median(ratios, func(r float64) float64 { return r })
}
