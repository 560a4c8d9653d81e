package base

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDurationPrintsAndParsesBack(t *testing.T) {
	for d, want := range map[Duration]string{
		0: "0s", 1: "1ns", 1500: "1.5us", 10 * Millisecond: "10ms", Second: "1s", 90 * Second: "90s",
		Second + 1: "1.000000001s", -Millisecond: "-1ms", 732422: "732.422us", Hour: "3600s",
	} {
		if got := d.String(); got != want {
			t.Errorf("%d ns prints as %q, want %q", int64(d), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := Duration(rapid.Int64Range(-math.MaxInt64+1, math.MaxInt64-1).Draw(t, "d"))
		if got, err := ParseDuration(d.String()); err != nil || got != d {
			t.Fatalf("%q parses as %d, %v; want %d", d, got, err, d)
		}
	})
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]Duration{
		"0": 0, "1h": Hour, "2m": 2 * Minute, "1.5s": 1500 * Millisecond, "0.000000001s": 1, "-3ms": -3 * Millisecond,
		"9223372036854775807ns": Forever,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for text, why := range map[string]string{
		"": "no unit", "5": "no unit", "s": "no number", "1.s": "no number", "x s": "no number", "1.0000000001s": "finer",
		"0.1ns": "finer", "300000h": "", "9223372037s": "too long", "1e3s": "no number", "--1s": "no number", "1.-5s": "no number",
	} {
		got, err := ParseDuration(text)
		if why == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "write a number with a unit") {
			t.Errorf("%q is %v, %v; want an error with %q that says what to write", text, got, err, why)
		}
	}
}

func TestTimeSaturates(t *testing.T) {
	if got := Time(5).Add(Forever); got != Never {
		t.Errorf("a deadline beyond the last instant is %v", got)
	}
	if got := Never.Add(-1); got != Never-1 {
		t.Errorf("Never - 1 is %v", int64(got))
	}
	if got := Time(math.MinInt64).Add(-1); got != math.MinInt64 {
		t.Errorf("before the first instant is %v", int64(got))
	}
	if got := Never.Sub(-1); got != Forever {
		t.Errorf("a span over the largest is %v", int64(got))
	}
	if got := Time(math.MinInt64).Sub(1); got != math.MinInt64 {
		t.Errorf("a span under the least is %v", int64(got))
	}
	if got := Time(10).Sub(3); got != 7 {
		t.Errorf("10 - 3 is %v", int64(got))
	}
}

// The 128-bit product divides as the definition says: a*b = quo*c + rem.
func TestMulDiv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, c := rapid.Uint64().Draw(t, "a"), rapid.Uint64Min(1).Draw(t, "c")
		b := rapid.Uint64Max(c).Draw(t, "b") // a*b/c fits
		quo, rem := MulDiv(a, b, c)
		if b == c && (quo != a || rem != 0) {
			t.Fatalf("%d·%d/%d is %d rest %d", a, b, c, quo, rem)
		}
		if rem >= c {
			t.Fatalf("rest %d of a division by %d", rem, c)
		}
		if lo := quo*c + rem; lo != a*b { // both modulo 2^64
			t.Fatalf("%d·%d/%d is %d rest %d, which gives back %d", a, b, c, quo, rem, lo)
		}
	})
	if quo, _ := MulDiv(math.MaxUint64, 2, 1); quo != math.MaxUint64 {
		t.Errorf("a quotient over 64 bits is %d, want the largest", quo)
	}
}
