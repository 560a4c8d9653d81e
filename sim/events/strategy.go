package events

import (
	"fmt"
	"strings"
)

// Strategy decides the order of events at one instant.
type Strategy uint8

// The strategies. A [Chooser] is one more, which tries orders one after the other over many runs.
const (
	FIFO   Strategy = iota // in the order in which they were scheduled
	Random                 // in an order drawn from the seed, event by event
	PCT                    // by priorities of their origins, drawn from the seed, of which a few change on the way
)

// Strategies lists the names that ParseStrategy takes.
var Strategies = []string{"fifo", "random", "pct"}

// ParseStrategy reads a strategy's name.
func ParseStrategy(name string) (Strategy, error) {
	for i, s := range Strategies {
		if s == name {
			return Strategy(i), nil
		}
	}
	last := len(Strategies) - 1
	return 0, fmt.Errorf("%q is not a strategy; there are %s and %s", name, strings.Join(Strategies[:last], ", "), Strategies[last])
}

// String returns the strategy's name.
func (s Strategy) String() string { return Strategies[s] }
