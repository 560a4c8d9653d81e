package link

import (
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
)

func TestHandshake(t *testing.T) {
	p := newPair(base.Limits{})
	p.a.control(wire.TypeHold, 0, "early")
	p.a.turn()
	wantWritten(t, "before the welcome", p.a, "hello")
	if p.b.ups != 0 || len(p.b.out.log) != 0 {
		t.Error("the acceptor spoke first")
	}
	p.settle()
	for _, e := range []*end{p.a, p.b} {
		if e.ups != 1 || !e.link.Up() || e.link.Closed() {
			t.Errorf("%v: up %d times", e.link.Peer(), e.ups)
		}
	}
	if got := string(p.b.link.Credentials()); got != "secret" {
		t.Errorf("credentials %q", got)
	}
	limits := base.Limits{}.WithDefaults()
	want := wire.Identity{Version: 1, MaxMessage: uint64(limits.MessageBytes), Host: "acceptor", Incarnation: 3}
	if got := p.a.link.Peer(); got != want {
		t.Errorf("the dialer met %+v, want %+v", got, want)
	}
	if got := p.b.link.Peer().Host; got != "dialer" {
		t.Errorf("the acceptor met %q", got)
	}
	if !p.a.link.Dialed() || p.b.link.Dialed() {
		t.Error("roles are mixed up")
	}
	wantBodies(t, "what waited for the link", p.b, "early")
}

// greeting returns a chunk.
func greeting(h wire.Header, m interface {
	Append(wire.Codec, []byte) []byte
}) []byte {
	return m.Append(wire.Binary, h.Append(wire.Binary, nil))
}

func TestAcceptorRefuses(t *testing.T) {
	hello := wire.Hello{Identity: wire.Identity{Version: 1, MaxMessage: 1, Host: "x"}, Generation: 1}
	with := func(change func(*wire.Hello)) []byte {
		m := hello
		change(&m)
		return greeting(wire.Header{Type: wire.TypeHello}, m)
	}
	cases := []struct {
		why   string
		chunk []byte
		code  base.Code
	}{
		{"a call first", greeting(wire.Header{Type: wire.TypeCall}, wire.Call{}), base.CodeProtocol},
		{"a welcome first", greeting(wire.Header{Type: wire.TypeWelcome}, wire.Welcome{Identity: hello.Identity, Session: 1}), base.CodeProtocol},
		{"a ping first", []byte{byte(wire.TypePing)}, base.CodeProtocol},
		{"an ack first", wire.Header{Type: wire.TypeAck, Ack: 1}.Append(wire.Binary, nil), base.CodeProtocol},
		{"no version", with(func(m *wire.Hello) { m.Version = 0 }), base.CodeProtocol},
		{"another codec", with(func(m *wire.Hello) { m.Codec = wire.Text }), base.CodeVersion},
		{"no message size", with(func(m *wire.Hello) { m.MaxMessage = 0 }), base.CodeProtocol},
		{"an origin", greeting(wire.Header{Type: wire.TypeHello, Origin: 1}, hello), base.CodeProtocol},
		{"an ack", greeting(wire.Header{Type: wire.TypeHello, Ack: 1}, hello), base.CodeProtocol},
		{"credentials over the limit", with(func(m *wire.Hello) { m.Credentials = make([]byte, wire.MaxCredentials+1) }), base.CodeLimit},
		{"rubbish", []byte{0xff, 0xff}, base.CodeProtocol},
		{"nothing", nil, base.CodeProtocol},
		{"a hello that is cut short", with(func(*wire.Hello) {})[:5], base.CodeProtocol},
	}
	for _, c := range cases {
		e := newEnd(Acceptor, base.Limits{})
		e.link.Open(e.out)
		e.link.Receive(c.chunk)
		e.turn()
		wantBye(t, c.why, e, c.code)
		wantClosed(t, c.why, e, c.code)
		if e.ups != 0 || len(e.out.log) != 1 {
			t.Errorf("%s: up %d times, wrote %v", c.why, e.ups, e.out.written())
		}
	}
}

func TestDialerRefuses(t *testing.T) {
	welcome := wire.Welcome{Identity: wire.Identity{Version: 1, MaxMessage: 1, Host: "x"}, Session: 1}
	with := func(change func(*wire.Welcome)) []byte {
		m := welcome
		change(&m)
		return greeting(wire.Header{Type: wire.TypeWelcome}, m)
	}
	cases := []struct {
		why   string
		chunk []byte
		code  base.Code
	}{
		{"a hello in answer", greeting(wire.Header{Type: wire.TypeHello}, wire.Hello{Identity: welcome.Identity}), base.CodeProtocol},
		{"a bound before the welcome", greeting(wire.Header{Type: wire.TypeBound}, wire.Bound{}), base.CodeProtocol},
		{"no version", with(func(m *wire.Welcome) { m.Version = 0 }), base.CodeVersion},
		{"a version that is not spoken", with(func(m *wire.Welcome) { m.Version = 2 }), base.CodeVersion},
		{"another codec", with(func(m *wire.Welcome) { m.Codec = wire.Text }), base.CodeVersion},
		{"no session", with(func(m *wire.Welcome) { m.Session = 0 }), base.CodeProtocol},
		{"a session that nobody asked to resume", with(func(m *wire.Welcome) { m.Resumed = true }), base.CodeProtocol},
		{"chunks received of a new session", with(func(m *wire.Welcome) { m.Received = 1 }), base.CodeProtocol},
	}
	for _, c := range cases {
		e := newEnd(Dialer, base.Limits{})
		e.link.Open(e.out)
		e.link.Receive(c.chunk)
		e.turn()
		wantBye(t, c.why, e, c.code)
		wantClosed(t, c.why, e, c.code)
		if e.ups != 0 {
			t.Errorf("%s: up", c.why)
		}
	}
}

func TestANewerDialerIsAnsweredWithOurVersion(t *testing.T) {
	e := newEnd(Acceptor, base.Limits{})
	e.link.Open(e.out)
	e.link.Receive(greeting(wire.Header{Type: wire.TypeHello}, wire.Hello{Identity: wire.Identity{Version: 99, MaxMessage: 1}}))
	_, body, _ := wire.ParseHeader(wire.Binary, e.out.queue[0])
	if m, err := wire.ParseWelcome(wire.Binary, body); err != nil || m.Version != wire.Version || m.Session != 7 || m.Resumed {
		t.Errorf("answered %+v (%v)", m, err)
	}
}

func TestASecondHandshakeIsRefused(t *testing.T) {
	for _, typ := range []wire.Type{wire.TypeHello, wire.TypeWelcome} {
		p := newUpPair(t, base.Limits{})
		p.b.link.Receive(greeting(wire.Header{Type: typ}, wire.Hello{Identity: wire.Identity{Version: 1, MaxMessage: 1}}))
		wantBye(t, typ.String(), p.b, base.CodeProtocol)
		wantClosed(t, typ.String(), p.b, base.CodeProtocol)
	}
}

func TestByeEndsTheLinkInEveryPhase(t *testing.T) {
	bye := greeting(wire.Header{Type: wire.TypeBye}, wire.Bye{Failure: wire.Failure{Code: base.CodeRefused, Detail: "no"}})
	greetingEnd := newEnd(Dialer, base.Limits{})
	greetingEnd.link.Open(greetingEnd.out)
	upEnd := newUpPair(t, base.Limits{}).a
	for why, e := range map[string]*end{"while greeting": greetingEnd, "while up": upEnd} {
		e.link.Receive(bye)
		e.link.Receive(bye)
		wantClosed(t, why, e, base.CodeRefused)
		if err, ok := e.closed[0].(*base.PeerError); !ok || err.Detail != "no" {
			t.Errorf("%s: %v is not what the peer said", why, e.closed[0])
		}
	}
	bad := newUpPair(t, base.Limits{}).a
	bad.link.Receive(append(bye, strings.Repeat("x", wire.MaxDetail)...))
	wantClosed(t, "a bye that is none", bad, base.CodeProtocol)
}

func TestCloseSaysByeBehindWhatWasSent(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.a.control(wire.TypeHold, 0, "last words")
	p.a.link.Close(base.CodeClosed, "done")
	p.a.link.Close(base.CodeClosed, "again")
	wantWritten(t, "closing", p.a, "hold", "bye")
	wantClosed(t, "this side", p.a, base.CodeClosed)
	p.settle()
	wantBodies(t, "the other side", p.b, "last words")
	wantClosed(t, "the other side", p.b, base.CodeClosed)
}

func TestClosingWhileMessagesWait(t *testing.T) {
	for why, closing := range map[string]func(*Link){
		"by us":            func(l *Link) { l.Close(base.CodeClosed, "") },
		"by the transport": func(l *Link) { l.TransportClosed(nil) },
	} {
		p := newUpPair(t, base.Limits{})
		p.a.give(1)
		o := &owner{}
		send := func() {
			p.a.control(wire.TypeHold, 0, "x")
			p.a.state(3, strings.Repeat("x", 9000), o)
			p.a.bulk(wire.TypeBound, 3, strings.Repeat("x", 9000), o)
			p.a.turn()
		}
		send()
		closing(p.a.link)
		wrote := len(p.a.out.log)
		if p.a.out.beyond > 1 || wrote > 2 {
			t.Errorf("%s: %d chunks, %d beyond what the transport took", why, wrote, p.a.out.beyond)
		}
		send()
		p.a.link.Writable()
		p.a.link.Receive([]byte{byte(wire.TypePing)})
		p.a.turn()
		if len(p.a.out.log) != wrote || p.a.pending {
			t.Errorf("%s: the link goes on after it was closed", why)
		}
		if len(p.a.closed) != 1 {
			t.Errorf("%s: closed %d times", why, len(p.a.closed))
		}
	}
}

// TestATransportMayCloseWithinAWrite checks that the link is closed once then, and writes nothing more.
func TestATransportMayCloseWithinAWrite(t *testing.T) {
	for _, at := range []int{1, 2, 3} {
		p := newUpPair(t, base.Limits{})
		writes := 0
		p.a.out.write = func() {
			if writes++; writes == at {
				p.a.link.TransportClosed(nil)
			}
		}
		p.a.control(wire.TypeHold, 0, "1")
		p.a.control(wire.TypeHold, 0, "2")
		p.a.link.Close(base.CodeClosed, "")
		if writes != at || len(p.a.closed) != 1 {
			t.Errorf("closed in write %d: %d writes, closed %d times", at, writes, len(p.a.closed))
		}
	}
}

func TestHandlersErrorClosesTheLink(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.b.refuse = func(wire.Header, []byte) error { return base.Errorf(base.CodeLimit, "too much") }
	p.a.control(wire.TypeHold, 0, "x")
	p.settle()
	wantClosed(t, "the handler's side", p.b, base.CodeLimit)
	wantClosed(t, "the peer", p.a, base.CodeLimit)
}

func TestPingsAreAnsweredWithinTheTransportsRoom(t *testing.T) {
	p := newUpPair(t, base.Limits{})
	p.b.link.Receive([]byte{byte(wire.TypePing)})
	p.b.turn()
	wantWritten(t, "one ping", p.b, "pong")
	p.b.give(1)
	p.b.control(wire.TypeReleased, 0, "fills it")
	p.b.turn()
	for range 100 {
		p.b.link.Receive([]byte{byte(wire.TypePing)})
		p.b.turn()
	}
	wantWritten(t, "pings while the transport takes nothing", p.b, "released")
	p.b.give(-1)
	wantWritten(t, "once it takes chunks again", p.b, "pong")
	p.settle()
	if !p.a.link.Up() {
		t.Errorf("a pong closed the link: %v", p.a.closed)
	}
}
