package scenarios

import (
	"slices"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/sim"
)

// churnServer is the host that relays. It knows a worker by the newest connection that it accepted from it and that shook
// hands, or by the newest of all while none has: a dial that was given up may be the last to arrive.
type churnServer struct {
	w      *churnWorld
	host   *sim.Host
	routes [churnWorkers][]*core.Conn     // of the present life, oldest first
	asked  [churnWorkers][]*relay.Request // wait for the worker to dial
	waits  *base.Stream                   // of whether they do
}

func newChurnServer(w *churnWorld) *churnServer {
	s := &churnServer{w: w, host: w.host("server"), waits: w.draws("server", "route")}
	s.host.OnStart(s.start)
	return s
}

// start begins a life: all routes are gone with the one before.
func (s *churnServer) start(h *sim.Host) {
	for i := range s.routes {
		s.routes[i] = slices.DeleteFunc(s.routes[i], func(c *core.Conn) bool { return c.Host() != h.Core() })
		s.asked[i] = nil
	}
	h.Core().Expose("Health", core.Object{Methods: core.Methods{
		"ping": func(*core.Call) (delta.Value, error) { return delta.Null(), nil },
	}})
	h.Core().Route("Session", s.route)
}

// route finds the worker that a key names. Half of those who ask while it is away wait for it.
func (s *churnServer) route(q *relay.Request) {
	i := int(q.Key[0] - '1')
	switch c := s.worker(i); {
	case c != nil:
		q.To(c.Link())
	case s.waits.Below(2) == 0:
		s.asked[i] = append(s.asked[i], q)
	default:
		q.Fail(base.Errorf(base.CodeDown, "%s is away", churnWorkerName(i)))
	}
}

// worker returns the connection that a worker is known by, or nil.
func (s *churnServer) worker(i int) *core.Conn {
	s.routes[i] = slices.DeleteFunc(s.routes[i], func(c *core.Conn) bool { return c.Link().Closed() })
	for _, c := range slices.Backward(s.routes[i]) {
		if c.Link().Up() {
			return c
		}
	}
	if n := len(s.routes[i]); n > 0 {
		return s.routes[i][n-1]
	}
	return nil
}

// accepted is told of a connection of a worker.
func (s *churnServer) accepted(i int, c *core.Conn) {
	s.routes[i] = append(s.routes[i], c)
	s.host.Do(func() {
		asked := s.asked[i]
		s.asked[i] = nil
		for _, q := range asked {
			q.To(c.Link())
		}
	})
}
