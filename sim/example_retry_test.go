package sim_test

import (
	"fmt"
	"testing"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/simtest"
)

// A protocol of somebody else, with a bug: a client asks a server for the squares of 1, 2, 3 and so on, one at a time,
// and asks again when no answer came in time. Nothing here is chord's.

const (
	squaresAsked = 20
	askAgain     = 20 * base.Millisecond
	usualWork    = 3 * base.Millisecond
	longWork     = 40 * base.Millisecond // one piece of work in sixty
)

// squareServer answers one request after another.
type squareServer struct {
	host    *sim.Host
	work    *base.Stream
	waiting []job
	through base.Timer
}

type job struct {
	from    *sim.Conn
	request []byte
}

func (s *squareServer) Connected(*sim.Conn)     {}
func (s *squareServer) Writable(*sim.Conn)      {}
func (s *squareServer) Closed(*sim.Conn, error) {}

func (s *squareServer) Receive(from *sim.Conn, request []byte) {
	s.waiting = append(s.waiting, job{from, request})
	if len(s.waiting) == 1 {
		s.begin()
	}
}

func (s *squareServer) begin() {
	takes := usualWork
	if s.work.Below(60) == 0 {
		takes = longWork
	}
	s.through.Set(s.host.Now().Add(takes))
}

func (s *squareServer) answer() {
	j := s.waiting[0]
	var number, attempt int
	if _, err := fmt.Sscanf(string(j.request), "square %d, attempt %d", &number, &attempt); err == nil {
		j.from.Write(fmt.Appendf(nil, "%s: %d", j.request, number*number))
	}
	if s.waiting = s.waiting[1:]; len(s.waiting) > 0 {
		s.begin()
	}
}

// squareClient takes an answer for one to its present request if it has made an attempt of that number. So an answer to
// the second attempt of the request before passes for one to the second attempt of this.
type squareClient struct {
	host    *sim.Host
	exact   bool // looks at the request's number instead: the mended client
	server  *sim.Conn
	number  int // of the request, and what is to be squared
	attempt int
	again   base.Timer
	wrong   func(error)
}

func (c *squareClient) Writable(*sim.Conn)      {}
func (c *squareClient) Closed(*sim.Conn, error) {}

func (c *squareClient) Connected(server *sim.Conn) {
	c.server = server
	c.again = c.host.NewTimer(c.ask)
	c.next()
}

func (c *squareClient) next() {
	c.number, c.attempt = c.number+1, 0
	if c.number <= squaresAsked {
		c.ask()
	} else {
		c.again.Stop()
	}
}

func (c *squareClient) ask() {
	c.attempt++
	c.server.Write(fmt.Appendf(nil, "square %d, attempt %d", c.number, c.attempt))
	c.again.Set(c.host.Now().Add(askAgain))
}

func (c *squareClient) Receive(_ *sim.Conn, answer []byte) {
	var number, attempt, square int
	if _, err := fmt.Sscanf(string(answer), "square %d, attempt %d: %d", &number, &attempt, &square); err != nil {
		c.wrong(err)
		return
	}
	if c.exact && number != c.number || !c.exact && attempt > c.attempt {
		return
	}
	if square != c.number*c.number {
		c.wrong(fmt.Errorf("the square of %d is taken for %d", c.number, square))
	}
	c.next()
}

// squares is a world of the two. What it draws, how long each piece of work takes, it draws from its seed.
func squares(exact bool) func(*sim.World) {
	return func(w *sim.World) {
		server := w.Node("server", func(h *sim.Host) sim.Node {
			s := &squareServer{host: h, work: w.Rand().Stream("work")}
			s.through = h.NewTimer(s.answer)
			return s
		})
		var client *squareClient
		dialer := w.Node("client", func(h *sim.Host) sim.Node {
			client = &squareClient{host: h, exact: exact, wrong: func(err error) { w.Fail(err) }}
			return client
		})
		near := linkmodel.Config{Latency: base.Millisecond}
		if _, err := w.Connect(dialer, server, netsim.Config{Up: near, Down: near}); err != nil {
			w.Fail(err)
		}
		w.Eventually("all answers came", 10*base.Second, func() bool { return client.number > squaresAsked })
	}
}

// The seeds that are run by default do not show the bug, as most do not: -sim.seeds=500 finds it. TestExampleBugIsFound
// sees to it that it does.
func TestExampleRetry(t *testing.T) { simtest.Run(t, squares(false)) }

func TestExampleRetryMended(t *testing.T) { simtest.Run(t, squares(true)) }

func TestExampleBugIsFound(t *testing.T) {
	f := simtest.Find(500, squares(false))
	if f == nil {
		t.Fatal("500 seeds and no failure")
	}
	if again := simtest.Find(500, squares(false)); again == nil || again.Error() != f.Error() || again.Hash != f.Hash {
		t.Errorf("found\n%v\nand then\n%v", f, again)
	}
	if want := "missed: the square of # is taken for #"; f.Fingerprint() != want {
		t.Errorf("its fingerprint is %q, want %q", f.Fingerprint(), want)
	}
	if f.Seed <= simtest.DefaultSeeds {
		t.Errorf("TestExampleRetry fails by default, by seed %d; it is to show how a bug is found", f.Seed)
	}
	if f := simtest.Find(500, squares(true)); f != nil {
		t.Errorf("the mended client: %v", f)
	}
}
