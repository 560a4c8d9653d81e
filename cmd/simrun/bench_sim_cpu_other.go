//go:build !unix

package main

import "time"

// simClock says what processTime counts.
const simClock = "wall time"

var processStart = time.Now()

// processTime returns the time since the process started, where no other clock is at hand.
func processTime() time.Duration { return time.Since(processStart) }
