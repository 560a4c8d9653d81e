package main

import (
	"fmt"
	"time"

	"chordsim/sim/sweep"
)

// limits is what a run may take that is played in this process, as flags of its command.
type limits struct {
	Hang   time.Duration `default:"1m" placeholder:"1m" help:"Wall time without an event after which the run hangs (default ${default}; 0: never)."`
	Memory int           `default:"1024" placeholder:"MIB" help:"Memory that the run may take, in MiB (default ${default}; 0: all there is)."`
}

// budget checks the flags. In a budget no bound is a negative one.
func (l limits) budget() (sweep.Budget, error) {
	const most = 1 << 20
	if l.Hang < 0 || l.Memory < 0 || l.Memory > 0 && l.Memory < 16 || l.Memory > most {
		return sweep.Budget{}, fmt.Errorf("--hang %v, --memory %d: want no time under 0, and 0 or 16 to %d MiB", l.Hang, l.Memory, most)
	}
	b := sweep.Budget{Wall: l.Hang, Memory: int64(l.Memory) << 20}
	if b.Wall == 0 {
		b.Wall = -1
	}
	if b.Memory == 0 {
		b.Memory = -1
	}
	return b, nil
}
