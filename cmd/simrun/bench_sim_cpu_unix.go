//go:build unix

package main

import (
	"syscall"
	"time"
)

// simClock says what processTime counts.
const simClock = "CPU time"

// processTime returns the time that cores have spent on this process, for itself and in the system on its behalf. Unlike a
// wall clock, it does not count what other processes took of a core that is shared.
func processTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic("bench sim: getrusage: " + err.Error()) // it can only refuse its arguments
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
