package linkmodel_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"

	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	trace := newTrace(t, "10\n")
	for _, c := range []struct {
		config linkmodel.Config
		want   string // a part of the error, "" for none
	}{
		{linkmodel.Config{}, ""},
		{linkmodel.Config{Rate: 1 << 62, Latency: base.Forever, Jitter: base.Forever}, ""},
		{linkmodel.Config{Quantum: base.Forever}, ""},
		{linkmodel.Config{Trace: trace, Latency: 1}, ""},
		{linkmodel.Config{Rate: -5}, "Rate is -5 bytes per second"},
		{linkmodel.Config{Latency: -base.Millisecond}, "Latency is -1ms"},
		{linkmodel.Config{Jitter: -1}, "Jitter is -1ns"},
		{linkmodel.Config{Quantum: -base.Second}, "Quantum is -1s"},
		{linkmodel.Config{Trace: trace, Rate: 64 * base.KiB}, "Rate is 64KiB/s beside the trace test"},
		{linkmodel.Config{Trace: trace, Quantum: base.Second}, "Quantum is 1s beside the trace test"},
		{linkmodel.Config{Trace: &linkmodel.Trace{}}, "Trace has no marks"},
		{linkmodel.Config{Rate: 9_223_372_036, Quantum: base.Second}, ""},
		{linkmodel.Config{Rate: 9_223_372_037, Quantum: base.Second}, "Quantum is 1s, in which 9223372037B/s carries more"},
	} {
		err := c.config.Validate()
		_, made := linkmodel.NewDirection(c.config, base.NewRand(1).Stream("j"))
		if (made == nil) != (err == nil) {
			t.Errorf("Validate says %v, NewDirection %v", err, made)
		}
		if c.want == "" {
			if err != nil {
				t.Errorf("unexpected: %v", err)
			}
			continue
		}
		if !errors.Is(err, linkmodel.ErrConfig) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line with %q", err, c.want)
		}
	}
	if _, err := linkmodel.NewDirection(linkmodel.Config{Jitter: 1}, nil); !errors.Is(err, linkmodel.ErrConfig) {
		t.Errorf("jitter without a stream: %v", err)
	}
}

func TestConfigString(t *testing.T) {
	for _, c := range []struct {
		config linkmodel.Config
		want   string
	}{
		{linkmodel.Config{}, "unlimited"},
		{linkmodel.Config{Rate: 65536, Latency: 20 * base.Millisecond, Jitter: 1, Quantum: base.Second},
			"64KiB/s latency 20ms jitter 1ns quantum 1s"},
		{linkmodel.Config{Trace: newTrace(t, "1\n"), Latency: 5}, "trace test latency 5ns"},
	} {
		if got := c.config.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestParseRate(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"0", 0}, {"unlimited", 0}, {"65536", 65536}, {"64KiB/s", 65536}, {"1Gbit/s", 125_000_000}, {"10MB/s", 10_000_000},
		{"8bit/s", 1}, {"1.5Mbit/s", 187_500}, {"0.5KiB/s", 512}, {"1.50kB/s", 1500}, {"63.5KiB/s", 65024}, {"1TiB/s", 1 << 40},
		{"9223372036854775807", math.MaxInt64}, {"9223372.036854775807TB/s", math.MaxInt64}, {"2.000", 2}, {"0Gbit/s", 0},
		{"10KB/s", 10_000}, {"1B/s", 1}, {"3GB/s", 3e9}, {"1Tbit/s", 125e9}, {"64Kbit/s", 8000},
	} {
		if got, err := linkmodel.ParseRate(c.text); got != c.want || err != nil {
			t.Errorf("%q: %d, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, c := range [][2]string{
		{"", "no number"}, {"KiB/s", "no number"}, {"-1", "negative"}, {"-64KiB/s", "negative"}, {"64KiB", "unknown unit"},
		{"1Gb/s", "unknown unit"}, {"1bit/s", "not a whole number"}, {"0.5", "not a whole number"}, {"1.2.3", "no number"},
		{"1.", "no number"}, {".5KiB/s", "no number"}, {"fast", "no number"}, {"9223372036854775808", "too large"},
		{"99999999999999999999", "too large"}, {"9000000000TiB/s", "too large"}, {"1e9", "unknown unit"}, {" 1", "no number"},
		{"0.00000000000000000000001TB/s", "too many digits"}, {"0.0000000000000000001TB/s", "too many digits"}, {"+1", "no number"},
	} {
		got, err := linkmodel.ParseRate(c[0])
		if err == nil || !strings.Contains(err.Error(), c[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %d, %v, want an error with %q", c[0], got, err, c[1])
		}
	}
}

func TestRateRoundTrip(t *testing.T) {
	for _, c := range []struct {
		rate int64
		want string
	}{
		{0, "unlimited"}, {1, "1B/s"}, {65536, "64KiB/s"}, {125_000_000, "125MB/s"}, {1500, "1500B/s"}, {3000, "3kB/s"},
		{1024_000, "1000KiB/s"}, {-5, "-5B/s"}, {1 << 40, "1TiB/s"},
	} {
		if got := linkmodel.FormatRate(c.rate); got != c.want {
			t.Errorf("%d: %q, want %q", c.rate, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(0, math.MaxInt64>>30).Draw(t, "rate") * rapid.SampledFrom([]int64{1, 1000, 1024, 1 << 30}).Draw(t, "unit")
		if got, err := linkmodel.ParseRate(linkmodel.FormatRate(rate)); got != rate || err != nil {
			t.Fatalf("%d prints as %s and parses as %d, %v", rate, linkmodel.FormatRate(rate), got, err)
		}
	})
}
