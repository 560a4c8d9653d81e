//go:build unix

package netsim_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/sim/netsim"
)

// The same calls are made of a connection of the kernel over loopback and of netsim's, whole messages or byte streams, with either
// end as the dialer. What each end has read at the end, and how the connection ended for it, is the same.

// step is a call of one of the ends, "a" or "b".
type step struct {
	end, what string // "write", "read" (all that was written to it so far), "close", "abort"
}

// tcpCases have each step as "a write". What comes of them is written down too, so that both sides are checked.
var tcpCases = []struct {
	name, steps string
	a, b        string // messages read, and how it ended: "eof", "reset", or "own" for who ended it
}{
	{"close delivers what was sent", "a write, a write, a close", "0 own", "2 eof"},
	{"close when all was read", "a write, b read, b write, a read, a close", "1 own", "1 eof"},
	{"close with something unread is a reset", "a write, b close", "0 reset", "0 own"},
	{"and what was sent before it still comes", "b write, a write, b close", "1 reset", "0 own"},
	{"close with something unread, after some was read", "a write, b read, a write, b close", "0 reset", "1 own"},
	{"an abort comes behind what had left", "a write, a abort", "0 own", "1 reset"},
	{"an abort with nothing sent", "b write, a read, a abort", "1 own", "0 reset"},
	{"an abort with something unread", "b write, a abort", "0 own", "0 reset"},
	{"both close", "a close, b close", "0 own", "0 own"},
	{"both close with something unread", "a write, b write, a close, b close", "0 own", "0 own"},
	{"close behind a close", "a write, a close, b read, b close", "0 own", "1 own"},
	{"an answer to one that closed", "a write, a close, b write, b read", "0 own", "1 reset"},
}

// plumbing is what makes the calls.
type plumbing interface {
	do(s step) error
	// outcome reads what there still is at an end that has not ended the connection itself.
	outcome(end string) string
}

func TestConnectionsEndAsThoseOfTCP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer listener.Close()
	for _, c := range tcpCases {
		for _, dialer := range []string{"a", "b"} {
			kernel := newKernelPair(t, listener, dialer)
			pairs := map[string]plumbing{
				"the kernel": kernel, "messages": newSimPair(t, dialer, nil),
				"a byte stream": newSimPair(t, dialer, &netsim.StreamConfig{Min: 1, Max: 30}),
			}
			for what, p := range pairs {
				for text := range strings.SplitSeq(c.steps, ", ") {
					end, do, _ := strings.Cut(text, " ")
					if err := p.do(step{end, do}); err != nil {
						t.Fatalf("%s: %s: %s: %v", c.name, what, text, err)
					}
				}
				if a, b := p.outcome("a"), p.outcome("b"); a != c.a || b != c.b {
					t.Errorf("%s, %s dials: %s: a %q, b %q, want %q and %q", c.name, dialer, what, a, b, c.a, c.b)
				}
			}
			kernel.close()
		}
	}
}

const tcpMessage = 100 // bytes

// kernelPair is a connection over loopback.
type kernelPair struct {
	ends  map[string]*net.TCPConn
	wrote map[string]int // messages
	read  map[string]int
	own   map[string]bool
}

func newKernelPair(t *testing.T, l net.Listener, dialer string) *kernelPair {
	t.Helper()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	p := &kernelPair{ends: map[string]*net.TCPConn{}, wrote: map[string]int{}, read: map[string]int{}, own: map[string]bool{}}
	p.ends[dialer], p.ends[other(dialer)] = dialed.(*net.TCPConn), accepted.(*net.TCPConn)
	return p
}

func other(end string) string { return map[string]string{"a": "b", "b": "a"}[end] }

func (p *kernelPair) close() {
	for _, c := range p.ends {
		_ = c.Close()
	}
}

func (p *kernelPair) do(s step) error {
	c := p.ends[s.end]
	switch s.what {
	case "write":
		p.wrote[s.end]++
		if _, err := c.Write(make([]byte, tcpMessage)); err != nil {
			return err
		}
		if p.own[other(s.end)] {
			return nil
		}
		return p.waitFor(other(s.end), (p.wrote[s.end]-p.read[other(s.end)])*tcpMessage)
	case "read":
		n := p.wrote[other(s.end)] - p.read[s.end]
		p.read[s.end] += n
		_, err := io.ReadFull(c, make([]byte, n*tcpMessage))
		return err
	case "abort":
		if err := c.SetLinger(0); err != nil {
			return err
		}
	}
	p.own[s.end] = true
	return c.Close()
}

// waitFor waits until so many bytes can be read at an end, and reads none.
func (p *kernelPair) waitFor(end string, n int) error {
	raw, err := p.ends[end].SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		got, _, err := syscall.Recvfrom(int(fd), make([]byte, n), syscall.MSG_PEEK)
		if err != nil && !errors.Is(err, syscall.EAGAIN) {
			failed = err
			return true
		}
		return got == n
	})
	return errors.Join(err, failed)
}

func (p *kernelPair) outcome(end string) string {
	if p.own[end] {
		return fmt.Sprint(p.read[end], " own")
	}
	n, err := io.Copy(io.Discard, p.ends[end])
	how := "eof"
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		how = "reset"
	case err != nil:
		how = err.Error()
	case p.wrote[end] > 0:
		// The kernel tells a reset that comes behind the end only to who writes again. Netsim tells an end one thing, once.
		if _, err := p.ends[end].Write(make([]byte, 1)); err != nil {
			how = "reset"
		}
	}
	return fmt.Sprint(p.read[end]+int(n)/tcpMessage, " ", how)
}

// simPair is a link that takes 10 ms each way. What is not read is still under way.
type simPair struct {
	*lab
	ends map[string]*netsim.End
	got  map[string]*recorder
	own  map[string]bool
}

func newSimPair(t *testing.T, dialer string, stream *netsim.StreamConfig) *simPair {
	way := rated(0, 10*base.Millisecond)
	b := newLab(t, netsim.Config{Name: "a", Up: way, Down: way, Stream: stream})
	return &simPair{
		lab: b, own: map[string]bool{},
		ends: map[string]*netsim.End{dialer: b.link.Dialer(), other(dialer): b.link.Acceptor()},
		got:  map[string]*recorder{dialer: &b.down, other(dialer): &b.up},
	}
}

func (p *simPair) do(s step) error {
	e := p.ends[s.end]
	switch s.what {
	case "write":
		e.Write(make([]byte, tcpMessage))
	case "read":
		p.run()
	case "abort":
		p.own[s.end] = true
		e.Abort()
	case "close":
		p.own[s.end] = true
		e.Close()
	}
	return nil
}

func (p *simPair) outcome(end string) string {
	p.run()
	r := p.got[end]
	switch {
	case p.own[end]:
		return fmt.Sprint(len(r.chunks), " own")
	case len(r.errs) == 0:
		return fmt.Sprint(len(r.chunks), " open")
	case errors.Is(r.errs[0], netsim.ErrReset):
		return fmt.Sprint(len(r.chunks), " reset")
	case r.errs[0] != nil:
		return r.errs[0].Error()
	}
	return fmt.Sprint(len(r.chunks), " eof")
}

// To dial where nobody listens is refused; who is accepted and closed at once is told so behind the connection.
func TestConnectionsBeginAsThoseOfTCP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	for _, c := range []struct {
		name   string
		kernel func(*net.TCPConn) error
		sim    func(*netsim.End)
		want   string
	}{
		{"accepted and closed", (*net.TCPConn).Close, (*netsim.End).Close, "connected, eof"},
		{"accepted and aborted", func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) },
			func(e *netsim.End) { e.Abort() }, "connected, reset"},
		{"nobody listens", nil, nil, "reset"},
	} {
		got := ""
		if c.kernel == nil {
			_ = listener.Close()
		}
		if dialed, err := net.Dial("tcp", listener.Addr().String()); errors.Is(err, syscall.ECONNREFUSED) {
			got = "reset" // a refusal is a reset that answers the request
		} else if err != nil {
			t.Fatal(err)
		} else {
			accepted, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.kernel(accepted.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
			got = "connected, eof"
			if _, err := io.Copy(io.Discard, dialed); errors.Is(err, syscall.ECONNRESET) {
				got = "connected, reset"
			}
			_ = dialed.Close()
		}
		if got != c.want {
			t.Errorf("%s: the kernel: %s, want %s", c.name, got, c.want)
		}
		for _, stream := range []*netsim.StreamConfig{nil, {Min: 1, Max: wire.MaxFrame}} {
			b := newLab(t, netsim.Config{Up: rated(0, base.Second), Down: rated(0, base.Second), Stream: stream})
			dialed := ""
			b.link.Connect(func() { c.sim(b.link.Acceptor()) }, func() { dialed = "connected, " })
			if c.sim == nil {
				b.link.Acceptor().Close()
			}
			b.run()
			if got := dialed + map[bool]string{true: "reset", false: "eof"}[errors.Is(b.down.errs[0], netsim.ErrReset)]; got != c.want {
				t.Errorf("%s: netsim: %s, want %s", c.name, got, c.want)
			}
		}
	}
}
