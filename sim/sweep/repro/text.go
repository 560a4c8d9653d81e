package repro

import "strings"

// Text is a text in a file, as its lines, which people read and edit. The zero value is no text.
type Text []string

// TextOf takes a text apart. The end of its last line need not be there.
func TextOf(text string) Text {
	var l Text
	for line := range strings.Lines(text) {
		l = append(l, strings.TrimSuffix(line, "\n"))
	}
	return l
}

// String puts the text together: each line with its end.
func (l Text) String() string {
	if len(l) == 0 {
		return ""
	}
	return strings.Join(l, "\n") + "\n"
}
