package sweep

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"chordsim/sim"
	"chordsim/sim/sweep/repro"
)

// A guard tells apart how a run ends, and a run that shows signs of life does not hang.
func TestGuard(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	interrupt := make(chan os.Signal, 1)
	var g *Guard
	refusal := errors.New("seed 3 is not for me")
	for _, c := range []struct {
		name string
		run  func() (*sim.Report, error)
		kind repro.Kind // "": it comes to its end
		text string
		err  error
	}{
		{"well", func() (*sim.Report, error) { return &sim.Report{Hash: 7}, nil }, "", "", nil},
		{"refused", func() (*sim.Report, error) { return nil, refusal }, "", "", refusal},
		{"panic", func() (*sim.Report, error) { panic("on purpose") }, repro.Panicked, "on purpose", nil},
		{"hang", func() (*sim.Report, error) { <-stop; return nil, nil }, repro.Hung, "no end after 200ms of wall time", nil},
		{"alive", func() (*sim.Report, error) {
			for range 12 {
				time.Sleep(50 * time.Millisecond)
				g.Alive()
			}
			return &sim.Report{Hash: 7}, nil
		}, "", "", nil},
		{"interrupted", func() (*sim.Report, error) { interrupt <- os.Interrupt; <-stop; return nil, nil }, "", "", ErrInterrupted},
	} {
		g = &Guard{Budget: Budget{Wall: 200 * time.Millisecond, Memory: -1}, Interrupt: interrupt}
		report, failure, err := g.Play(func(*sim.Run) (*sim.Report, error) { return c.run() }, &sim.Run{})
		switch {
		case c.kind != "":
			if failure == nil || failure.Kind != c.kind || failure.Text != c.text || report != nil || err != nil {
				t.Errorf("%s: failure %+v, error %v", c.name, failure, err)
			} else if strings.Contains(strings.Join(failure.Stack, " "), "(*Guard)") {
				t.Errorf("%s: the guard itself is in the stack: %v", c.name, failure.Stack)
			}
		case c.err != nil:
			if err == nil || err.Error() != c.err.Error() || failure != nil || report != nil {
				t.Errorf("%s: failure %+v, error %v", c.name, failure, err)
			}
		case report == nil || report.Hash != 7 || failure != nil || err != nil:
			t.Errorf("%s: report %+v, failure %+v, error %v", c.name, report, failure, err)
		}
	}
}
