package link

import (
	"errors"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/wire"
	"pgregory.net/rapid"
)

var _ Sessions = (*end)(nil)

func (e *end) LinkSuspended(_ *Link, err error) { e.suspended = append(e.suspended, err) }
func (e *end) LinkResumed(*Link)                { e.resumed++ }

func (e *end) LinkWanted(_ *Link, _ wire.Header, body []byte) bool {
	return e.unwanted == "" || string(body) != e.unwanted
}

func (e *end) LinkContinued(_ *Link, hello *wire.Hello) (*Link, error) {
	if e.has == nil || e.has.link.Session() != hello.Session || !e.has.link.Continues(hello) {
		return nil, nil
	}
	return e.has.link, nil
}

func (e *end) LinkRenewed(*Link, error) *Link {
	if e.next == nil {
		return nil
	}
	return e.next.link
}

var errCut = errors.New("cut")

// newSessionPair is a pair after the handshake that keeps its session.
func newSessionPair(t testing.TB, limits base.Limits) *pair {
	t.Helper()
	return newPairOf(newEndThat(Dialer, limits, true), newEndThat(Acceptor, limits, true)).up(t)
}

// drop takes the transport away. What was written and not delivered is gone.
func (p *pair) drop() {
	for _, e := range []*end{p.a, p.b} {
		e.out.queue = nil
		e.link.TransportClosed(errCut)
	}
}

// reopen dials once more, and returns the end that is greeted.
func (p *pair) reopen() *end {
	for _, e := range []*end{p.a, p.b} {
		e.out = &pipe{room: -1}
	}
	greeted := newEndThat(Acceptor, p.b.link.limits, true)
	greeted.out, greeted.has = p.b.out, p.b
	greeted.link.Open(p.b.out)
	p.a.link.Reopen(p.a.out)
	p.a.turn()
	deliver(p.a, greeted, 1)
	p.b.turn()
	return greeted
}

// TestNothingIsLostOverTransports: what is sent over one transport after another, and while there is none, arrives once and in the
// order of its lane; credit too.
func TestNothingIsLostOverTransports(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModelOf(rt, t, true)
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.check,
			"control": m.sendControl,
			"state":   m.sendState,
			"bulk":    m.sendBulk,
			"forward": m.sendForward,
			"flush":   func(*rapid.T) { m.a.turn() },
			"credit":  m.creditSome,
			"deliver": func(t *rapid.T) { deliver(m.a, m.b, rapid.IntRange(1, 30).Draw(t, "chunks")) },
			"acks":    func(t *rapid.T) { deliver(m.b, m.a, rapid.IntRange(1, 30).Draw(t, "chunks")) },
			"transport": func(t *rapid.T) {
				m.a.give(rapid.SampledFrom([]int{1, 1, 2, 10, -1}).Draw(t, "room"))
			},
			"drop": func(t *rapid.T) {
				if m.a.link.transport == nil {
					t.Skip("there is no transport")
				}
				deliver(m.a, m.b, rapid.IntRange(0, 10).Draw(t, "chunks"))
				m.drop()
			},
			"reopen": func(t *rapid.T) {
				if m.a.link.transport != nil {
					t.Skip("there is a transport")
				}
				m.reopen()
				if rapid.Bool().Draw(t, "the welcome is lost") {
					m.drop()
				}
			},
		})
		m.finish(rt)
		if m.a.closed != nil || m.b.closed != nil {
			rt.Fatalf("closed: %v, %v", m.a.closed, m.b.closed)
		}
	})
}

// TestResume tells a session that goes on from one that does not.
func TestResume(t *testing.T) {
	t.Run("what was under way goes again, once", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{})
		for _, body := range []string{"one", "two", "three"} {
			p.a.control(wire.TypeCall, 0, body)
			p.b.control(wire.TypeResult, 0, strings.ToUpper(body))
		}
		p.a.turn()
		p.b.turn()
		deliver(p.a, p.b, 2)
		deliver(p.b, p.a, 1)
		p.drop()
		p.a.control(wire.TypeCall, 0, "four") // waits
		p.a.turn()
		p.reopen()
		p.settle()
		wantBodies(t, "at the acceptor", p.b, "one", "two", "three", "four")
		wantBodies(t, "at the dialer", p.a, "ONE", "TWO", "THREE")
		if again := p.a.link.Stats().ChunksAgain; again != 1 {
			t.Errorf("%d chunks of the dialer went again, want 1", again)
		}
		if len(p.a.suspended) != 1 || len(p.b.suspended) != 1 || p.a.resumed != 1 || p.b.resumed != 1 || p.a.closed != nil || p.b.closed != nil {
			t.Errorf("suspended %v %v, resumed %d %d, closed %v %v", p.a.suspended, p.b.suspended, p.a.resumed, p.b.resumed, p.a.closed, p.b.closed)
		}
	})
	t.Run("an ack within what goes again is not said twice", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{AckChunks: 2})
		p.b.control(wire.TypeResult, 0, "a result")
		p.b.turn()
		deliver(p.b, p.a, 1)
		p.a.control(wire.TypeCall, 0, "it carries the ack")
		p.a.turn()
		p.drop()
		p.reopen()
		p.settle()
		wantBodies(t, "at the acceptor", p.b, "it carries the ack")
		if p.b.closed != nil {
			t.Errorf("closed: %v", p.b.closed)
		}
	})
	t.Run("the acceptor has not noticed that the transport is gone", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{})
		old := p.b.out
		p.a.out.queue = nil
		p.a.link.TransportClosed(errCut)
		p.b.control(wire.TypeResult, 0, "into the void")
		p.b.turn()
		p.reopen()
		p.settle()
		wantBodies(t, "at the dialer", p.a, "into the void")
		if !old.closed || p.b.suspended != nil {
			t.Errorf("the older transport: closed %v, suspended %v", old.closed, p.b.suspended)
		}
	})
	t.Run("an older transport does not take over", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{})
		p.drop()
		p.reopen()
		p.settle()
		for generation, want := range map[uint64]bool{1: false, 2: false, 3: true} {
			hello := wire.Hello{Identity: wire.Identity{Version: 1}, Session: 7, Generation: generation}
			if got := p.b.link.Continues(&hello); got != want {
				t.Errorf("generation %d: %v, want %v", generation, got, want)
			}
		}
	})
	t.Run("what is not wanted any more goes as a void", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{})
		for _, body := range []string{"one", "two", "three"} {
			p.a.control(wire.TypeCall, 0, body)
		}
		p.a.turn()
		deliver(p.a, p.b, 1)
		p.drop()
		p.a.unwanted = "two"
		p.reopen()
		wantWritten(t, "the dialer, before it is welcomed", p.a, "hello")
		p.settle()
		wantWritten(t, "the dialer", p.a, "void", "call")
		wantBodies(t, "at the acceptor", p.b, "one", "", "three")
	})
	t.Run("the peer has forgotten the session", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{})
		p.a.next = newEndThat(Dialer, base.Limits{}, true)
		p.drop()
		p.a.control(wire.TypeCall, 0, "of the old session")
		p.a.next.control(wire.TypeHold, 0, "of the new one")
		old := p.b
		p.b = newEndThat(Acceptor, base.Limits{}, true) // another life, say
		p.a.out = &pipe{room: -1}
		p.b.link.Open(p.b.out)
		p.a.link.Reopen(p.a.out)
		p.settle()
		if len(p.a.closed) != 1 || base.CodeOf(p.a.closed[0]) != base.CodeDown || p.a.out.closed || p.a.next.ups != 1 {
			t.Fatalf("the old link closed %v, its transport %v; the new one is up %d times", p.a.closed, p.a.out.closed, p.a.next.ups)
		}
		p.a.next.out = p.a.out
		p.a = p.a.next
		p.settle()
		wantBodies(t, "in the new session", p.b, "of the new one")
		if old.closed != nil {
			t.Errorf("the other link closed: %v", old.closed)
		}
	})
	t.Run("more was written than is kept", func(t *testing.T) {
		p := newSessionPair(t, base.Limits{ResumeBytes: 100})
		p.a.control(wire.TypeCall, 0, strings.Repeat("x", 200))
		p.a.turn()
		if p.a.link.Resumable() {
			t.Error("resumable, with more under way than is kept")
		}
		p.settle()
		p.b.link.received.bytes = p.b.link.limits.AckBytes // an ack is due
		p.b.control(wire.TypeResult, 0, "")
		p.settle()
		if !p.a.link.Resumable() {
			t.Error("not resumable, once all was acknowledged")
		}
		p.a.control(wire.TypeCall, 0, strings.Repeat("x", 200))
		p.a.turn()
		p.drop()
		wantClosed(t, "the dialer", p.a, base.CodeApp)
		hello := wire.Hello{Identity: wire.Identity{Version: 1}, Session: 7, Generation: 2}
		if !p.b.link.Continues(&hello) {
			t.Error("the acceptor had nothing under way, and does not go on")
		}
	})
	t.Run("a dialer that was not answered", func(t *testing.T) {
		p := newPairOf(newEndThat(Dialer, base.Limits{}, true), newEndThat(Acceptor, base.Limits{}, true))
		p.a.control(wire.TypeHold, 0, "it waits")
		p.drop()
		if len(p.a.suspended) != 1 || p.a.link.Up() || len(p.b.closed) != 1 {
			t.Fatalf("suspended %v, up %v; the acceptor closed %v", p.a.suspended, p.a.link.Up(), p.b.closed)
		}
		p.b = newEndThat(Acceptor, base.Limits{}, true)
		p.b.link.Open(p.b.out)
		p.a.out = &pipe{room: -1}
		p.a.link.Reopen(p.a.out)
		p.settle()
		wantBodies(t, "at the acceptor", p.b, "it waits")
	})
	t.Run("a peer that keeps no sessions", func(t *testing.T) {
		p := newPairOf(newEndThat(Dialer, base.Limits{}, true), newEnd(Acceptor, base.Limits{})).up(t)
		p.drop()
		wantClosed(t, "the dialer", p.a, base.CodeApp)
		wantClosed(t, "the acceptor", p.b, base.CodeApp)
	})
	t.Run("a welcome that goes on elsewhere", func(t *testing.T) {
		for why, welcome := range map[string]wire.Welcome{
			"another session":       {Session: 8, Resumed: true},
			"more than was written": {Session: 7, Resumed: true, Received: 1},
		} {
			p := newSessionPair(t, base.Limits{})
			p.drop()
			p.a.out = &pipe{room: -1}
			p.a.link.Reopen(p.a.out)
			welcome.Identity = p.a.link.peer
			p.a.link.Receive(welcome.Append(wire.Binary, wire.Header{Type: wire.TypeWelcome}.Append(wire.Binary, nil)))
			wantClosed(t, why, p.a, base.CodeProtocol)
		}
	})
}
