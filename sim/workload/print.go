package workload

import (
	"strconv"
	"strings"

	"chordsim/core/base"
)

// lineBytes is how long a line gets before a host's next item begins a new one.
const lineBytes = 180

// keyword begins the line with the name of a workload.
const keyword = "workload"

// String prints the workloads. [Parse] reads that back to the same.
func (s Set) String() string {
	var out []byte
	for i := range s {
		out = append(append(append(append(out, keyword...), ' '), s[i].Name...), '\n')
		out = s[i].List.append(out)
	}
	return string(out)
}

// String prints the items: lines of a host each, by the time of their first item.
func (l List) String() string { return string(l.append(nil)) }

// run is what stands in a line: items of a host, by their numbers.
type run struct {
	first int
	text  []byte
}

func (l List) append(out []byte) []byte {
	var runs []run
	open := map[string]*writer{} // by host
	for i := range l {
		w := open[l[i].Host]
		if w == nil {
			w = &writer{}
			open[l[i].Host] = w
		}
		if w.run == 0 || len(runs[w.run-1].text) >= lineBytes {
			runs = append(runs, run{first: i, text: make([]byte, 0, lineBytes+32)})
			w.run = len(runs)
			w.at = -1
		}
		r := &runs[w.run-1]
		r.text = w.item(r.text, &l[i])
	}
	for _, r := range runs { // the order of their first items is by time, then by host
		out = append(append(out, r.text...), '\n')
	}
	return out
}

// writer is where a host's newest line stands.
type writer struct {
	run int       // its number, from 1; 0: none
	at  base.Time // of its last item; -1: it has none
}

func (w *writer) item(text []byte, it *Item) []byte {
	switch {
	case w.at < 0:
		text = appendName(text, it.Host)
		text = append(append(append(text, ' '), base.Duration(it.At).String()...), ' ')
	case it.At == w.at:
		text = append(text, ' ')
	default:
		text = append(appendMillis(append(text, ' '), it.At.Sub(w.at)), ':')
	}
	w.at = it.At
	text = append(text, it.Verb...)
	for _, n := range it.Operands {
		text = strconv.AppendUint(append(text, ' '), n, 10)
	}
	return text
}

// appendName prints a host's name, in quotes if it could be taken for something else.
func appendName(text []byte, name string) []byte {
	if name == keyword || !plainName(name) {
		return strconv.AppendQuote(text, name)
	}
	return append(text, name...)
}

func plainName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	})
}

// appendMillis prints a span in milliseconds, exactly.
func appendMillis(text []byte, d base.Duration) []byte {
	text = strconv.AppendInt(text, int64(d/base.Millisecond), 10)
	rest := int64(d % base.Millisecond)
	if rest == 0 {
		return text
	}
	text = append(text, '.')
	for scale := int64(base.Millisecond / 10); rest > 0; scale /= 10 {
		text = append(text, byte('0'+rest/scale))
		rest %= scale
	}
	return text
}
