package base

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Time is an instant in nanoseconds since the start of a run. The zero value is the start.
type Time int64

// Duration is a span of time in nanoseconds. The zero value is no time at all.
type Duration int64

// The usual units.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)

// Never is the last instant: a deadline that does not come.
const Never Time = math.MaxInt64

// Forever is the longest span.
const Forever Duration = math.MaxInt64

// Add returns t+d. It saturates at [Never] instead of wrapping, so that a deadline far away stays far away.
func (t Time) Add(d Duration) Time {
	s := int64(t) + int64(d)
	if d > 0 && s < int64(t) {
		return Never
	}
	if d < 0 && s > int64(t) {
		return Time(math.MinInt64)
	}
	return Time(s)
}

// Sub returns t-u, saturating at both ends.
func (t Time) Sub(u Time) Duration {
	d := int64(t) - int64(u)
	if (int64(t) >= 0) != (int64(u) >= 0) && (d >= 0) != (int64(t) >= 0) {
		if t > u {
			return Forever
		}
		return Duration(math.MinInt64)
	}
	return Duration(d)
}

// String prints the instant as seconds with as many digits as it needs.
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	return Duration(t).String()
}

// String prints the span in its largest fitting unit, exactly, such as "1.5s", "10ms" or "732422ns".
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	if d == Forever {
		return "forever"
	}
	neg, n := "", uint64(d)
	if d < 0 {
		neg, n = "-", -n
	}
	unit, name := uint64(1), "ns"
	switch {
	case n >= uint64(Second):
		unit, name = uint64(Second), "s"
	case n >= uint64(Millisecond):
		unit, name = uint64(Millisecond), "ms"
	case n >= uint64(Microsecond):
		unit, name = uint64(Microsecond), "us"
	}
	out := strconv.FormatUint(n/unit, 10)
	if rest := n % unit; rest != 0 {
		digits := strconv.FormatUint(unit+rest, 10)[1:]
		out += "." + strings.TrimRight(digits, "0")
	}
	return neg + out + name
}

// ParseDuration reads what [Duration.String] prints: a decimal number with a unit of ns, us, ms, s, m or h, or a plain 0.
// It is exact: more digits than a nanosecond has are an error, as is a span of over 292 years.
func ParseDuration(s string) (Duration, error) {
	bad := func(why string) (Duration, error) {
		return 0, fmt.Errorf("%q is not a duration (%s); write a number with a unit, such as 10ms or 1.5s", s, why)
	}
	rest, neg := s, false
	if strings.HasPrefix(rest, "-") {
		neg, rest = true, rest[1:]
	}
	if rest == "0" {
		return 0, nil
	}
	unit, cut := Duration(0), 0
	for _, u := range durationUnits {
		if strings.HasSuffix(rest, u.suffix) {
			unit, cut = u.unit, len(u.suffix)
			break
		}
	}
	if unit == 0 {
		return bad("no unit")
	}
	whole, frac, hasFrac := strings.Cut(rest[:len(rest)-cut], ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || (hasFrac && frac == "") {
		return bad("no number")
	}
	hi, total := bits.Mul64(n, uint64(unit))
	if hi != 0 || total > math.MaxInt64 {
		return bad("too long")
	}
	scale := uint64(unit)
	for _, c := range frac {
		if c < '0' || c > '9' {
			return bad("no number")
		}
		if scale%10 != 0 {
			return bad("finer than a nanosecond")
		}
		scale /= 10
		total += uint64(c-'0') * scale
	}
	if total > math.MaxInt64 {
		return bad("too long")
	}
	if neg {
		return -Duration(total), nil
	}
	return Duration(total), nil
}

// durationUnits is in an order in which no suffix hides a longer one.
var durationUnits = []struct {
	suffix string
	unit   Duration
}{
	{"ns", Nanosecond}, {"us", Microsecond}, {"ms", Millisecond},
	{"s", Second}, {"m", Minute}, {"h", Hour},
}

// MulDiv returns a*b/c and the remainder, through a 128-bit product. It saturates at the largest quotient when the result
// does not fit, and c must not be zero.
func MulDiv(a, b, c uint64) (quo, rem uint64) {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return math.MaxUint64, 0
	}
	return bits.Div64(hi, lo, c)
}
