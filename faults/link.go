package faults

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Direction is one of the directions of a link, or both.
type Direction uint8

// The directions.
const (
	Both Direction = iota
	Up             // from the dialer
	Down           // towards the dialer
)

var directionNames = [...]string{"", ".up", ".down"}

// String returns the direction as it is written behind a name: "", ".up" or ".down".
func (d Direction) String() string {
	if int(d) >= len(directionNames) {
		return ".?"
	}
	return directionNames[d]
}

// Link names the links that a fault is about.
type Link struct {
	Name      string // of a link, or of the host that dialed; empty with All
	All       bool   // all links
	Direction Direction
}

// String prints the name and the direction.
func (l Link) String() string {
	if l.All {
		return "all links" + l.Direction.String()
	}
	return quoteName(l.Name) + l.Direction.String()
}

// quoteName prints a name: as it is if it is one word of letters, digits, "_", "-" and "#", else in quotes.
func quoteName(name string) string {
	if plainName(name) {
		return name
	}
	return strconv.Quote(name)
}

// reserved is what a name cannot be without quotes, since it means something where names are.
const reserved = "all"

func plainName(name string) bool {
	if name == "" || name == reserved || name[0] == '#' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == utf8.RuneError || r != '_' && r != '-' && r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// checkName says what is wrong with a name, or "".
func checkName(what, name string) string {
	switch {
	case name == "":
		return "it lacks " + what
	case len(name) > MaxName:
		return what + " has a name of " + strconv.Itoa(len(name)) + " bytes; want at most " + strconv.Itoa(MaxName)
	case !utf8.ValidString(name):
		return what + " has a name that is no UTF-8"
	}
	return ""
}
