package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows on a terminal how far a run is, once it has taken a while. In a pipe it is silent.
type progress struct {
	w     io.Writer
	start time.Time
	shown bool
}

// quiet is how long a run may take before its progress is shown.
const quiet = time.Second

// newProgress shows progress on a writer, if it is a terminal: standard error, beside whatever goes to standard output.
func newProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); !ok || !isTerminal(f) {
		w = nil
	}
	return &progress{w: w, start: time.Now()}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) show(done, total int, what string) {
	if p.w != nil && time.Since(p.start) > quiet {
		p.shown = true
		fmt.Fprintf(p.w, "\r\x1b[K%d of %d: %s", done, total, what)
	}
}

func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
