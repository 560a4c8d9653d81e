// Package base holds what every part of chord and of its testbed shares: virtual time, the clock and scheduler that a
// host is given, keyed randomness, named limits and error codes.
//
// Nothing here reads a wall clock, starts a goroutine or draws from a global source. A program that embeds chord hands
// each host a [Scheduler]; the simulator hands out one that runs in virtual time.
//
//	rand := base.NewRand(seed)
//	jitter := rand.Stream("jitter", "tab.down")
//	d := base.Duration(jitter.Below(uint64(base.Millisecond)))
package base
