package trace

import (
	"bufio"
	"fmt"
	"io"

	"chordsim/core/base"
)

// Event is one thing that happened, for people. Whoever records one says what it knows; what is empty or zero is not known
// or does not apply.
type Event struct {
	Number int64  // in its run, from 1. Set by what keeps the event. What is not hashed has that of the event before it
	Chain  uint64 // the hash over the run's events up to this one. Set by [Checkpoints]
	World  string // the name of the world in its run; time begins at 0 in each
	At     base.Time
	Kind   Kind
	From   string // the host that a chunk came from; empty otherwise
	To     string // the host that it is about
	Link   string // the link that it is about
	What   string // the type of the message, or what the event was
	Bytes  int    // that were delivered
	Origin uint64 // the host behind a relay that a message comes from or goes to; 0: none
	Holds  []Hold // that a message is about, in its order; at most MaxHolds
	Call   uint64 // the number of the call that a message is about; with HasCall
	Note   string // anything else

	HasCall bool
}

// MaxHolds is how many holds an event names. The note says how many more there are.
const MaxHolds = 8

// Hold is a hold that an event is about.
type Hold struct {
	ID     uint64 // on its link, of its origin
	Object string // its address, as the receiver of the hold sees it; empty: not known
}

// Sink takes the events of a run in order.
type Sink interface{ Event(Event) }

// Writer writes events as lines in columns: time in seconds, kind, from, to, bytes, what, note.
type Writer struct {
	w   *bufio.Writer
	err error
}

// NewWriter returns a Writer on w with its heading written.
func NewWriter(w io.Writer) *Writer {
	t := &Writer{w: bufio.NewWriterSize(w, 64<<10)}
	_, t.err = fmt.Fprintf(t.w, "%16s  %-8s %-12s %-12s %7s  %s\n", "time (s)", "kind", "from", "to", "bytes", "what")
	return t
}

// Event writes a line.
func (t *Writer) Event(e Event) {
	if t.err != nil {
		return
	}
	seconds, rest := e.At/base.Time(base.Second), e.At%base.Time(base.Second)
	note := e.Note
	if note != "" {
		note = "  " + note
	}
	_, t.err = fmt.Fprintf(t.w, "%6d.%09d  %-8s %-12s %-12s %7d  %s%s\n",
		int64(seconds), int64(rest), e.Kind, e.From, e.To, e.Bytes, e.What, note)
}

// Close writes what is left and returns the first error.
func (t *Writer) Close() error {
	if err := t.w.Flush(); t.err == nil {
		t.err = err
	}
	return t.err
}
