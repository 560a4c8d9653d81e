package core_test

import (
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// resuming is who greets in the tests below: a host that keeps sessions, in its second life.
var resuming = wire.Identity{Version: wire.Version, MaxMessage: 1 << 26, Host: "raw", Incarnation: 2, Features: link.FeatureResume}

// greet connects a transport whose first chunk is a hello.
func (h *rawHost) greet(hello wire.Hello) *rawPeer {
	p := &rawPeer{host: h}
	p.conn = h.Accept(p)
	p.send(wire.Header{Type: wire.TypeHello}, hello.Append(wire.Binary, nil))
	return p
}

// welcomeOf returns the answer to a hello, and whether there was one.
func (p *rawPeer) welcomeOf(t *testing.T) (wire.Welcome, bool) {
	t.Helper()
	if !slices.Contains(p.types(), wire.TypeWelcome.String()) {
		return wire.Welcome{}, false
	}
	m, err := wire.ParseWelcome(wire.Binary, p.body(wire.TypeWelcome))
	if err != nil {
		t.Fatal(err)
	}
	return m, true
}

// TestWhoMayGoOnWithASession: the same host in the same life with the same credentials, over a transport that is newer than any before.
func TestWhoMayGoOnWithASession(t *testing.T) {
	for name, c := range map[string]struct {
		alter   func(*wire.Hello)
		resumed bool      // the session goes on
		code    base.Code // of the goodbye; none: there is an answer
		ended   bool      // what had the session before is closed
	}{
		"as before":            {func(*wire.Hello) {}, true, base.CodeNone, true},
		"another host":         {func(m *wire.Hello) { m.Host = "other" }, false, base.CodeNone, false},
		"an earlier life":      {func(m *wire.Hello) { m.Incarnation = 1 }, false, base.CodeClosed, false},
		"a later life":         {func(m *wire.Hello) { m.Incarnation = 3 }, false, base.CodeNone, true},
		"other credentials":    {func(m *wire.Hello) { m.Credentials = []byte("guess") }, false, base.CodeNone, false},
		"the same generation":  {func(m *wire.Hello) { m.Generation = 4 }, false, base.CodeClosed, false},
		"an older generation":  {func(m *wire.Hello) { m.Generation = 3 }, false, base.CodeClosed, false},
		"another session":      {func(m *wire.Hello) { m.Session++ }, false, base.CodeNone, false},
		"chunks of its future": {func(m *wire.Hello) { m.Received = 99 }, false, base.CodeNone, true},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := rawView(t)
			hello := wire.Hello{Identity: resuming, Generation: 1, Credentials: []byte("secret")}
			first, ok := h.greet(hello).welcomeOf(t)
			if !ok || first.Resumed {
				t.Fatalf("the first welcome is %+v", first)
			}
			hello.Session, hello.Generation = first.Session, 4
			before := h.greet(hello)
			if m, _ := before.welcomeOf(t); !m.Resumed {
				t.Fatalf("the second welcome is %+v", m)
			}
			hello.Generation = 5
			c.alter(&hello)
			after := h.greet(hello)
			m, ok := after.welcomeOf(t)
			if !ok && c.code == base.CodeNone || m.Resumed != c.resumed || ok && (m.Session == first.Session) != c.resumed {
				t.Errorf("it is answered %v, with %+v", ok, m)
			}
			if after.closed != (c.code != base.CodeNone) || after.closed && after.bye() != c.code {
				t.Errorf("it is closed: %v, with %v, want %v", after.closed, after.bye(), c.code)
			}
			if before.closed != c.ended {
				t.Errorf("the transport before is closed: %v, want %v", before.closed, c.ended)
			}
		})
	}
}

// TestATransportThatIsNotTheNewestIsNotHeard: what it still delivers belongs to a session that goes on elsewhere, and one that opens
// after its attempt was given up is closed.
func TestATransportThatIsNotTheNewestIsNotHeard(t *testing.T) {
	h, _ := rawView(t)
	hello := wire.Hello{Identity: resuming, Generation: 1}
	old := h.greet(hello)
	first, _ := old.welcomeOf(t)
	hello.Session, hello.Generation = first.Session, 2
	newest := h.greet(hello)
	if m, _ := newest.welcomeOf(t); !m.Resumed {
		t.Fatalf("the session does not go on: %+v", m)
	}
	old.hold(0, "View")
	wantInt(t, "holds after what the old one said", core.HoldCount(h.Host), 0)
	newest.hold(0, "View")
	wantInt(t, "holds after the same of the newest", core.HoldCount(h.Host), 1)

	tab := newRawHost(t, "tab", base.Limits{})
	d := &lateDialer{}
	tab.Dial(d)
	tab.sched.advance(10 * base.Second) // which an attempt takes at most
	tab.sched.advance(base.Second)
	if len(d.conns) < 2 {
		t.Fatalf("%d attempts", len(d.conns))
	}
	late := &rawPeer{host: tab, conn: d.conns[0]}
	d.conns[0].Opened(late)
	if !late.closed || len(late.out) != 0 {
		t.Errorf("a transport of an attempt that was given up is closed: %v, and was told %v", late.closed, late.types())
	}
}

// lateDialer keeps the attempts, which the test answers.
type lateDialer struct{ conns []*core.Conn }

func (d *lateDialer) Dial(c *core.Conn) { d.conns = append(d.conns, c) }
