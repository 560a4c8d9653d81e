package faults

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where the text of a plan is not one, and why.
type SyntaxError struct {
	Line, Column int    // from 1; columns are characters
	Found        string // what is there, such as `"stal"` or "the end of the line"
	Expected     string // what could have been there
	Hint         string // the word that may be meant; empty: none is near
}

// Error prints the error as one line.
func (e *SyntaxError) Error() string {
	hint := ""
	if e.Hint != "" {
		hint = "; did you mean " + strconv.Quote(e.Hint) + "?"
	}
	return fmt.Sprintf("line %d, column %d: found %s, expected %s%s", e.Line, e.Column, e.Found, e.Expected, hint)
}

// maxShown is how many bytes of what was found an error shows.
const maxShown = 40

// clip cuts a text that is too long to be shown.
func clip(text string) string {
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// orList joins alternatives: "a, b or c".
func orList(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
	return strings.Join(list, "")
}

// Nearest returns the word that is the fewest edits away from what was written, the first of several, or "" if none is near or
// what was written is long.
func Nearest(written string, words []string) string {
	if len(written) > maxShown {
		return ""
	}
	best, bestAt := "", 1+len(written)/2
	for _, word := range words {
		if d := distance(written, word); d < bestAt {
			best, bestAt = word, d
		}
	}
	return best
}

// distance is Levenshtein's: the least number of bytes put in, taken out or replaced.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
