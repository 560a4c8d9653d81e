package linkmodel

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"chordsim/core/base"
)

// ErrConfig is what every error of [Config.Validate] wraps.
var ErrConfig = errors.New("linkmodel: bad config")

// Config says what one direction of a link is like. The zero value is a direction that delivers everything at once.
type Config struct {
	// Rate is in bytes per second. Zero is unlimited, negative is an error.
	Rate int64
	// Latency is how long after its departure a message arrives, in nanoseconds. Zero is at once, negative is an error.
	Latency base.Duration
	// Jitter bounds what is added to the latency of each message: a draw from [0, Jitter], both ends included, in
	// nanoseconds. A message that would overtake the one ahead arrives together with it. Zero is none, negative is an error.
	Jitter base.Duration
	// Quantum makes deliveries happen at its multiples only, in nanoseconds. Zero is continuous, negative is an error.
	// Rate*Quantum must be at most 9,223,372,036 bytes, which is what a tick's budget holds.
	Quantum base.Duration
	// Trace replaces Rate and Quantum, which must then be zero, by recorded opportunities. Nil is no trace.
	Trace *Trace
}

// Validate returns nil, or an error that wraps [ErrConfig] and names the field and its value in one line.
func (c Config) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrConfig, fmt.Sprintf(format, args...))
	}
	switch {
	case c.Rate < 0:
		return bad("Rate is %d bytes per second; want 0 (unlimited) or more", c.Rate)
	case c.Latency < 0:
		return bad("Latency is %v; want 0s or more", c.Latency)
	case c.Jitter < 0:
		return bad("Jitter is %v; want 0s or more", c.Jitter)
	case c.Quantum < 0:
		return bad("Quantum is %v; want 0s (continuous) or more", c.Quantum)
	case c.Trace != nil && c.Trace.Marks() == 0:
		return bad("Trace has no marks; make it with ParseTrace")
	case c.Trace != nil && c.Rate != 0:
		return bad("Rate is %s beside the trace %s, which sets the rate; want 0", FormatRate(c.Rate), c.Trace.Name())
	case c.Trace != nil && c.Quantum != 0:
		return bad("Quantum is %v beside the trace %s, which sets the instants; want 0s", c.Quantum, c.Trace.Name())
	}
	if hi, lo := bits.Mul64(uint64(c.Rate), uint64(c.Quantum)); hi != 0 || lo > math.MaxInt64 {
		return bad("Quantum is %v, in which %s carries more than the 9223372036 bytes of a tick", c.Quantum, FormatRate(c.Rate))
	}
	return nil
}

// validateFor is Validate for a direction that draws its jitter from a stream.
func (c Config) validateFor(jitter *base.Stream) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Jitter > 0 && jitter == nil {
		return fmt.Errorf("%w: Jitter is %v without a stream to draw it from", ErrConfig, c.Jitter)
	}
	return nil
}

// String prints the rate, then what is not zero, such as "64KiB/s latency 20ms quantum 10ms" or "trace evdo latency 5ms".
func (c Config) String() string {
	var out strings.Builder
	if c.Trace != nil {
		out.WriteString("trace " + c.Trace.Name())
	} else {
		out.WriteString(FormatRate(c.Rate))
	}
	for _, part := range [...]struct {
		name  string
		value base.Duration
	}{{"latency", c.Latency}, {"jitter", c.Jitter}, {"quantum", c.Quantum}} {
		if part.value != 0 {
			out.WriteString(" " + part.name + " " + part.value.String())
		}
	}
	return out.String()
}
