package linkmodel

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

const (
	kilo = 1000
	mega = 1000 * kilo
	giga = 1000 * mega
	tera = 1000 * giga
)

// rateUnits is in an order in which no suffix hides a longer one, each kind from large to small. A bit is an eighth of
// a byte, so its units count eighths.
var rateUnits = []struct {
	suffix  string
	eighths uint64
}{
	{"TiB/s", 8 << 40}, {"GiB/s", 8 << 30}, {"MiB/s", 8 << 20}, {"KiB/s", 8 << 10},
	{"TB/s", 8 * tera}, {"GB/s", 8 * giga}, {"MB/s", 8 * mega}, {"kB/s", 8 * kilo}, {"KB/s", 8 * kilo}, {"B/s", 8},
	{"Tbit/s", tera}, {"Gbit/s", giga}, {"Mbit/s", mega}, {"kbit/s", kilo}, {"Kbit/s", kilo}, {"bit/s", 1},
}

// ParseRate reads a rate in bytes per second: a plain number of bytes, or a decimal number with one of the units B/s, kB/s
// (or KB/s), MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, bit/s, kbit/s (or Kbit/s), Mbit/s, Gbit/s, Tbit/s. "0" and
// "unlimited" are 0, which is unlimited. It is exact: a rate that is no whole number of bytes per second is an error.
func ParseRate(s string) (int64, error) {
	bad := func(why string) (int64, error) {
		return 0, fmt.Errorf("linkmodel: %q is not a rate (%s); write bytes per second or a unit, such as 65536, 64KiB/s or 1Gbit/s", s, why)
	}
	if s == "unlimited" {
		return 0, nil
	}
	number, eighths := s, uint64(8)
	for _, u := range rateUnits {
		if strings.HasSuffix(s, u.suffix) {
			number, eighths = strings.TrimSuffix(s, u.suffix), u.eighths
			break
		}
	}
	whole, frac, hasFrac := strings.Cut(number, ".")
	if !digits(whole) || hasFrac && !digits(frac) {
		return bad(whyNoNumber(number))
	}
	frac = strings.TrimRight(frac, "0")
	scale := uint64(1)
	for range frac {
		if scale > math.MaxUint64/10 {
			return bad("too many digits")
		}
		scale *= 10
	}
	n, err := strconv.ParseUint(whole+frac, 10, 64)
	if err != nil {
		return bad("too large")
	}
	hi, lo := bits.Mul64(n, eighths)
	denominator := scale * 8
	if hiScale, _ := bits.Mul64(scale, 8); hiScale != 0 {
		return bad("too many digits")
	}
	if hi >= denominator {
		return bad("too large")
	}
	rate, rest := bits.Div64(hi, lo, denominator)
	switch {
	case rate > math.MaxInt64:
		return bad("too large")
	case rest != 0:
		return bad("not a whole number of bytes per second")
	}
	return int64(rate), nil
}

// whyNoNumber says what is wrong with what stands before the unit.
func whyNoNumber(number string) string {
	switch {
	case number == "":
		return "no number"
	case strings.HasPrefix(number, "-"):
		return "negative"
	case number[0] >= '0' && number[0] <= '9' && strings.Trim(number, "0123456789.") != "":
		return "unknown unit"
	}
	return "no number"
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// FormatRate prints a rate in bytes per second exactly, in the largest unit of bytes of which it is a whole number, such as
// "64KiB/s" or "125MB/s"; 0 is "unlimited". [ParseRate] reads it back.
func FormatRate(rate int64) string {
	if rate == 0 {
		return "unlimited"
	}
	unit, name := uint64(1), "B/s"
	for _, u := range rateUnits {
		if size := u.eighths / 8; u.eighths%8 == 0 && strings.HasSuffix(u.suffix, "B/s") &&
			size > unit && rate%int64(size) == 0 {
			unit, name = size, u.suffix
		}
	}
	return strconv.FormatInt(rate/int64(unit), 10) + name
}
