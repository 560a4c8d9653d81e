package link

import (
	"chordsim/core/base"
	"chordsim/core/wire"
)

// greet takes the chunk that must be a handshake's.
func (l *Link) greet(h wire.Header, body []byte) error {
	if h.Origin != 0 || h.Ack != 0 {
		return base.Errorf(base.CodeProtocol, "%v with an origin or an ack", h.Type)
	}
	switch {
	case h.Type == wire.TypeBye:
		bye, err := wire.ParseBye(l.codec, body)
		if err != nil {
			return err
		}
		l.close(&base.PeerError{Code: bye.Code, Detail: bye.Detail})
		return nil
	case l.cfg.Role == Acceptor && h.Type == wire.TypeHello:
		return l.welcome(body)
	case l.cfg.Role == Dialer && h.Type == wire.TypeWelcome:
		return l.welcomed(body)
	}
	return base.Errorf(base.CodeProtocol, "%v before the handshake", h.Type)
}

func (l *Link) welcome(body []byte) error {
	hello, err := wire.ParseHello(l.codec, body)
	if err != nil {
		return err
	}
	if err := l.meet(hello.Identity); err != nil {
		return err
	}
	if hello.Session != 0 && l.cfg.Sessions != nil {
		of, err := l.cfg.Sessions.LinkContinued(l, &hello)
		if err != nil {
			return err
		}
		if of != nil {
			t, writable := l.transport, l.writable
			l.transport, l.phase = nil, phaseClosed
			of.takeOver(t, writable, &hello)
			return nil
		}
	}
	l.credentials = hello.Credentials
	l.session = l.cfg.Session
	answer := wire.Welcome{Identity: l.cfg.Identity, Session: l.session}
	answer.Features &= hello.Features
	answer.Version = min(hello.Version, wire.Version)
	l.writeLink(wire.TypeWelcome, answer.Append(l.codec, l.Buffer()))
	l.up()
	return nil
}

func (l *Link) welcomed(body []byte) error {
	welcome, err := wire.ParseWelcome(l.codec, body)
	if err != nil {
		return err
	}
	if welcome.Version > wire.Version {
		return base.Errorf(base.CodeVersion, "the peer chose protocol version %d, spoken here: %d", welcome.Version, wire.Version)
	}
	if err := l.meet(welcome.Identity); err != nil {
		return err
	}
	if l.session != 0 {
		return l.resumed(&welcome)
	}
	return l.begin(&welcome)
}

// begin begins the session that a dialer was answered with.
func (l *Link) begin(welcome *wire.Welcome) error {
	if welcome.Resumed || welcome.Received != 0 {
		return base.Errorf(base.CodeProtocol, "a new session that is already under way")
	}
	l.peer, l.session = welcome.Identity, welcome.Session
	l.up()
	return nil
}

func (l *Link) meet(peer wire.Identity) error {
	switch {
	case peer.Version == 0:
		return base.Errorf(base.CodeVersion, "the peer speaks no protocol version")
	case peer.Codec != l.codec:
		return base.Errorf(base.CodeVersion, "the peer names codec %d in a message of codec %d (%v)", peer.Codec, l.codec, l.codec)
	case peer.MaxMessage == 0:
		return base.Errorf(base.CodeProtocol, "the peer takes no message of any size")
	}
	l.peer = peer
	return nil
}

func (l *Link) up() {
	l.phase = phaseUp
	l.cfg.Handler.LinkUp(l)
	l.markPending()
}
