package core_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/core/link"
	"chordsim/core/wire"
)

// TestWhoShakesHandsAndClosesIsDialedLessAndLess: a server that is over its limits takes each connection, and ends it with a goodbye or
// without one. A host that was heard before is dialed soon.
func TestWhoShakesHandsAndClosesIsDialedLessAndLess(t *testing.T) {
	for name, end := range map[string]func(*rawPeer){
		"goodbye": func(p *rawPeer) {
			p.say(wire.TypeBye, wire.Bye{Failure: wire.Failure{Code: base.CodeLimit, Detail: "too many"}}.Append(wire.Binary, nil))
		},
		"nothing": func(p *rawPeer) { p.conn.Closed(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newRawHost(t, "tab", base.Limits{})
			d := &rawDialer{host: h}
			h.Dial(d)
			h.do(func() { h.Get("A") })
			p := d.welcomed(1)
			p.say(wire.TypeBound, wire.Bound{}.Append(wire.Binary, nil))
			p.say(wire.TypePong, wire.Binary.AppendEnd(nil, wire.TypePong))
			end(p)
			h.sched.advance(100 * base.Millisecond)
			wantInt(t, "dials once it was heard", len(d.peers), 2)
			for range 6 * 60 * 100 {
				if p := d.newest(); !p.closed && p.conn.Heard() {
					p.welcome(uint64(len(d.peers)))
					end(p)
				}
				h.sched.advance(10 * base.Millisecond)
			}
			// Six minutes of waits of up to 10 s, behind seven that double from 100 ms.
			if n := len(d.peers); n < 36 || n > 36*2+10 {
				t.Errorf("%d dials, want one every 5 to 10 s", n)
			}
		})
	}
}

// TestALaterLifeIsOfTheSameCredentials: who names a host and a later life of it, and does not have its credentials, closes nothing.
func TestALaterLifeIsOfTheSameCredentials(t *testing.T) {
	h, _ := rawView(t)
	greet := func(life uint64, credentials string) *rawPeer {
		p := &rawPeer{host: h}
		p.conn = h.Accept(p)
		who := rawIdentity
		who.Features |= link.FeatureResume
		who.Incarnation = life
		p.send(wire.Header{Type: wire.TypeHello}, wire.Hello{Identity: who, Generation: 1, Credentials: []byte(credentials)}.Append(wire.Binary, nil))
		return p
	}
	first := greet(1, "secret")
	other := greet(1<<40, "guess")
	if first.closed || other.closed {
		t.Errorf("closed by a guess: %v, who guessed: %v", first.closed, other.closed)
	}
	if greet(2, "secret"); !first.closed || first.bye() != base.CodeClosed {
		t.Errorf("a later life has come, and the session of the one before is closed: %v, with %v", first.closed, first.bye())
	}
}
