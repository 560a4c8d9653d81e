package sweep

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Setup is a scenario with what every run of it is given.
type Setup struct {
	Scenario string   `json:"scenario"`
	Settings []string `json:"settings,omitempty"`  // name=value
	Plan     string   `json:"plan,omitempty"`      // empty: what the scenario draws
	Workload string   `json:"workload,omitempty"`  // empty: what the scenario generates
	PlanFile string   `json:"plan_file,omitempty"` // where the plan was read; empty: nowhere
}

// Budget is what a run may take. Zero fields take their defaults.
type Budget struct {
	Wall   time.Duration `json:"wall_ns"`      // of one play; default DefaultWall
	Memory int64         `json:"memory_bytes"` // live heap; default DefaultMemory
}

// The default budget of a run. It is for runs that went wrong: a small scenario takes milliseconds and a few MB.
const (
	DefaultWall   = time.Minute
	DefaultMemory = 1 << 30
)

func (b Budget) withDefaults() Budget {
	if b.Wall == 0 {
		b.Wall = DefaultWall
	}
	if b.Memory == 0 {
		b.Memory = DefaultMemory
	}
	return b
}

// request is what a worker is told: first what it plays, then jobs. Each message is one line of JSON.
type request struct {
	Setups []Setup `json:"setups,omitempty"`
	Budget Budget  `json:"budget,omitzero"`
	Jobs   []Job   `json:"jobs,omitempty"`
}

// reply is what a worker answers: that it is ready or why not, then an outcome for each job, in order.
type reply struct {
	Ready   bool     `json:"ready,omitempty"`
	Refused string   `json:"refused,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// maxMessage is the most bytes of a line between the two processes.
const maxMessage = 4 << 20

var errMessage = errors.New("sweep: a message that is too long")

// lineReader reads messages.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader { return &lineReader{bufio.NewReaderSize(r, 64<<10)} }

// next reads one message. It returns io.EOF at the end, and at one within a message.
func (l *lineReader) next(into any) error {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxMessage {
			return errMessage
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("sweep: what came is no message: %w", err)
	}
	return nil
}

// writeLine writes one message.
func writeLine(w io.Writer, message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
