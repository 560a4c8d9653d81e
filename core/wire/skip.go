package wire

import "bytes"

// skipJSON returns where the JSON value at b[at:] ends, or at where there is none. It looks at strings and brackets only, so
// that what it passes over need not be valid: a parser finds out.
func skipJSON(b []byte, at int) int {
	depth := 0
	for i := at; i < len(b); {
		switch c := b[i]; c {
		case '"':
			end := skipString(b, i)
			if end < 0 {
				return at
			}
			i = end
		case '[', '{':
			depth++
			i++
			continue
		case ']', '}', ',', ':':
			if depth == 0 {
				return i // of what surrounds the value: it was a number or a word
			}
			i++
			if c == ',' || c == ':' {
				continue
			}
			depth--
		default:
			i++
			if depth == 0 && i < len(b) && !bytes.ContainsRune(valueEnds, rune(b[i])) {
				continue // within a number or a word
			}
		}
		if depth == 0 {
			return i
		}
	}
	return at
}

// valueEnds is what may follow a number or a word.
var valueEnds = []byte(",:]}")

// skipString returns where the string that begins at b[at] ends, or -1.
func skipString(b []byte, at int) int {
	for i := at + 1; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		slashes := 0
		for b[i-2-slashes] == '\\' { // ends at the opening quote at the latest
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
}

// skipToEnd returns where the list ends that b[at:] is inside of, behind its bracket, or 0.
func skipToEnd(b []byte, at int) int {
	for i := at; i < len(b); {
		switch b[i] {
		case ']':
			return i + 1
		case ',':
			i++
		default:
			end := skipJSON(b, i)
			if end == i {
				return 0
			}
			i = end
		}
	}
	return 0
}
