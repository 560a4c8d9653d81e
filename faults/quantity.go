package faults

import (
	"math"
	"strconv"
	"strings"

	"chordsim/core/base"
)

// sizeUnits is in an order in which no suffix hides a longer one.
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"KiB", base.KiB}, {"MiB", base.MiB}, {"GiB", base.KiB * base.MiB}, {"B", 1}, {"", 1}}

// parseSize reads a number of bytes, with a unit or without.
func parseSize(text string) (int64, bool) {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, ok := parseNumber(number)
		return n * u.bytes, ok && n <= math.MaxInt64/u.bytes && n >= 0
	}
	return 0, false
}

// parseNumber reads a whole number: digits, with a minus sign if it is negative.
func parseNumber(text string) (int64, bool) {
	if strings.HasPrefix(text, "+") {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// plural prints a number of things.
func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}
