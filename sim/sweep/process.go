package sweep

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"chordsim/sim/sweep/repro"
)

// maxComplaint is how much of what a worker writes to its standard error is kept: the first of it, where the cause is.
const maxComplaint = 64 << 10

// process is a worker as the sweep sees it.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan reply // closed when the worker is gone; then err is set
	err     error
	stderr  head
}

// head keeps the first bytes that are written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, b[:min(len(b), maxComplaint-len(h.text))]...)
	return len(b), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// startWithin is how long a worker may take to be ready.
const startWithin = time.Minute

// start starts a worker and waits until it is ready. The context of the wait is kill: closed, it ends the worker.
func start(command func() *exec.Cmd, setups []Setup, budget Budget, kill <-chan struct{}) (*process, error) {
	p := &process{cmd: command(), replies: make(chan reply)}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("sweep: a worker's pipe: %w", err)
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("sweep: a worker's pipe: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("sweep: a worker does not start: %w", err)
	}
	go p.read(out)
	if err := writeLine(p.in, request{Setups: setups, Budget: budget}); err == nil {
		select {
		case r, ok := <-p.replies:
			switch {
			case ok && r.Ready:
				return p, nil
			case ok && r.Refused != "":
				p.end()
				return nil, errors.New(repro.Line(r.Refused, repro.MaxText))
			}
		case <-time.After(startWithin):
		case <-kill:
		}
	}
	p.end()
	return nil, fmt.Errorf("sweep: a worker does not get ready: %s", repro.Line(p.how()+": "+p.stderr.String(), 400))
}

// read passes the replies on until the worker is gone.
func (p *process) read(out io.Reader) {
	lines := newLineReader(out)
	var err error
	for err == nil {
		var r reply
		if err = lines.next(&r); err == nil {
			p.replies <- r
		}
	}
	if !errors.Is(err, io.EOF) { // it talks nonsense
		p.cmd.Process.Kill()
		io.Copy(io.Discard, out)
		p.err = errors.Join(err, p.cmd.Wait())
	} else {
		p.err = p.cmd.Wait()
	}
	close(p.replies)
}

// end kills the worker and waits until it is gone.
func (p *process) end() {
	p.in.Close()
	p.cmd.Process.Kill()
	p.drain()
}

// leave lets the worker end by itself, which it does at the end of its input.
func (p *process) leave() {
	p.in.Close()
	p.drain()
}

func (p *process) drain() {
	for range p.replies {
	}
}

// how says how a worker that is gone ended.
func (p *process) how() string {
	if state := p.cmd.ProcessState; state != nil {
		return state.String()
	}
	return "no status"
}

// lastWords makes a failure of how a worker ended that was to play a job.
func (p *process) lastWords() repro.Failure {
	text := p.stderr.String()
	f := repro.Failure{Kind: repro.Died, Text: "the process ended: " + p.how()}
	if p.err != nil && errors.Is(p.err, errMessage) {
		f.Text = "the process wrote what is no answer"
	}
	if cause := fatalLine(text); cause != "" {
		f.Text = cause
		if _, stack, ok := strings.Cut(text, "\ngoroutine "); ok {
			stack, _, _ = strings.Cut(stack, "\n\n")
			frames := belowWorker(repro.AfterPanic(repro.ParseStack(stack)))
			f.Place, f.Stack = repro.Place(frames), repro.Lines(frames)
		}
	}
	f.Text = repro.Clip(f.Text, repro.MaxText)
	return f
}

// fatalLine returns the line with which the Go runtime says why it ends the process, or "".
func fatalLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "runtime: goroutine stack exceeds") {
			return line
		}
	}
	return ""
}
