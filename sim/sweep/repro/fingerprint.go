package repro

import (
	"regexp"
	"strings"
)

// MaxFingerprint is the most bytes of a fingerprint.
const MaxFingerprint = 160

// Fingerprint names the failure: the invariant's id if it has one, how the run failed, the place, and the text without
// what differs from run to run. Numbers with their units, hexadecimal digits and numbers of names become "#", what is
// quoted becomes "_". So "C11 violated at 64.31s at tab2: missed revision 4107 of notes" is
//
//	C11 violated at tab#: missed revision # of notes
//
// Failures of one fingerprint need not have one cause, nor one cause one fingerprint; it is a name to group by.
func (f Failure) Fingerprint() string {
	text := Line(Clip(f.Text, MaxText), MaxText)
	id, place := "", f.Place
	if m := violation.FindStringSubmatch(text); m != nil {
		id, place, text = m[1], m[2], m[3]
	} else if m := invariant.FindStringSubmatch(text); m != nil {
		id, text = m[1], m[2]
	}
	parts := []string{string(f.Kind)}
	if id != "" {
		parts = []string{id, string(f.Kind)}
	}
	if place != "" {
		if !f.Kind.atFunction() {
			place = plain(place) // a name that somebody gave
		}
		parts = append(parts, "at", place)
	}
	name := strings.Join(parts, " ")
	if text = plain(text); text != "" {
		name += ": " + text
	}
	return Clip(name, MaxFingerprint)
}

// atFunction reports whether the place of such failures is a function, which is a name as it is.
func (k Kind) atFunction() bool { return k == Panicked || k == Hung || k == Memory || k == Died }

// ID returns the invariant's id at the start of a fingerprint, or the kind of failure that it names.
func ID(fingerprint string) string {
	first, _, _ := strings.Cut(fingerprint, " ")
	return strings.TrimSuffix(first, ":")
}

var (
	// violation is how a checker puts it: id, time, host, what.
	violation = regexp.MustCompile(`^([CSJD]\d{1,2}) violated at \S+ at ([^:]+): (.*)$`)
	// invariant is how everybody else does: the package perhaps, the id, what.
	invariant = regexp.MustCompile(`^(?:[a-z/]+: )*([CSJD]\d{1,2})(?::| violated:?) *(.*)$`)
	isID      = regexp.MustCompile(`^[CSJD]\d{1,2}$`)

	quoted   = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|“[^”]*”")
	ticked   = regexp.MustCompile(`(^|[\s(\[=:,])'[^']*'`) // not the one of "it's"
	prefixed = regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b`)
	digits   = regexp.MustCompile(`\b[0-9a-f]{7,}\b`)
	numbered = regexp.MustCompile(`([\pL_][\pL_-]*?)[-_#]?\d[\w#-]*`)
	spans    = regexp.MustCompile(`\b(?:\d+(?:\.\d+)?(?:ns|µs|us|ms|s|m|h))+\b`)
	bare     = regexp.MustCompile(`[-+]?\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?(?:(?:[KMG]i?B|kB|B)(?:/s)?|%|×)?`)
	lists    = regexp.MustCompile(`#(?:[\s,;/|…-]+#)+`)
	plurals  = regexp.MustCompile(`# (\pL{2,}[^\Ws])s\b`)
	spaces   = regexp.MustCompile(`\s+`)
)

// isUnit holds the units that may stand behind a number and a space.
var isUnit = map[string]bool{
	"ns": true, "µs": true, "us": true, "ms": true, "s": true, "h": true, "B": true, "KiB": true, "MiB": true, "GiB": true,
	"KB": true, "MB": true, "%": true, "×": true, "B/s": true, "KiB/s": true, "MiB/s": true,
}

// plain takes out of a text what differs from run to run.
func plain(text string) string {
	text = quoted.ReplaceAllString(text, "_")
	text = ticked.ReplaceAllString(text, "${1}_")
	text = prefixed.ReplaceAllString(text, "#")
	text = digits.ReplaceAllStringFunc(text, func(s string) string {
		if strings.ContainsAny(s, "0123456789") {
			return "#"
		}
		return s
	})
	text = spans.ReplaceAllString(text, "#")
	text = numbered.ReplaceAllStringFunc(text, func(s string) string {
		if isID.MatchString(s) {
			return s
		}
		return numbered.ReplaceAllString(s, "${1}#")
	})
	text = replaceNumbers(text)
	text = lists.ReplaceAllString(text, "#")
	text = plurals.ReplaceAllString(text, "# $1")
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// replaceNumbers takes out numbers with their units and leaves the digits of ids.
func replaceNumbers(text string) string {
	words := strings.Split(text, " ")
	for i := 0; i < len(words); i++ {
		if isID.MatchString(strings.Trim(words[i], ".,;:()[]")) {
			continue
		}
		words[i] = bare.ReplaceAllString(words[i], "#")
		if i+1 < len(words) && strings.HasSuffix(words[i], "#") && isUnit[strings.TrimRight(words[i+1], ".,;:)]")] {
			words[i+1] = words[i+1][len(strings.TrimRight(words[i+1], ".,;:)]")):]
			words[i] += words[i+1]
			words = append(words[:i+1], words[i+2:]...)
		}
	}
	return strings.Join(words, " ")
}
