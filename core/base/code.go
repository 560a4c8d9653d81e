package base

import (
	"errors"
	"fmt"
)

// Code says on the wire, and to a program, why something was refused or ended. The numbers are part of the protocol.
type Code uint32

// The codes. A code that a peer sends and this build does not know reads as its number.
const (
	CodeNone       Code = 0  // nothing is wrong
	CodeProtocol   Code = 1  // the peer broke the protocol
	CodeVersion    Code = 2  // no common protocol version
	CodeNotFound   Code = 3  // no such object, member or method
	CodeRefused    Code = 4  // the authority said no
	CodeLimit      Code = 5  // over a named limit
	CodeCancelled  Code = 6  // the caller cancelled
	CodeTimeout    Code = 7  // a deadline passed
	CodeUnknown    Code = 8  // sent, and its outcome cannot be known
	CodeDown       Code = 9  // the link or the provider is down
	CodeRetired    Code = 10 // the object is gone for good
	CodeReleased   Code = 11 // the reference was released
	CodeApp        Code = 12 // the handler returned an error
	CodeRoute      Code = 13 // the route could not be resolved
	CodeClosed     Code = 14 // closed in good order
	CodeInternal   Code = 15 // our own bug, contained
	CodeUnresolved Code = 16 // nothing to send the request to: no parent link
	CodeConflict   Code = 17 // what was to be changed had changed
)

var codeNames = [...]string{
	"none", "protocol", "version", "not-found", "refused", "limit", "cancelled", "timeout", "unknown-outcome", "down",
	"retired", "released", "application", "route", "closed", "internal", "unresolved", "conflict",
}

// String returns the code's name, such as "not-found".
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("code-%d", uint32(c))
}

// Error is an error of our own with a code. What a peer reports is a [PeerError] instead.
type Error struct {
	Code   Code
	Detail string
}

// Errorf returns an error with a code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string { return "chord: " + e.Code.String() + ": " + e.Detail }

// PeerError is what the other side said went wrong.
type PeerError struct {
	Code   Code
	Detail string
}

func (e *PeerError) Error() string { return "chord: peer: " + e.Code.String() + ": " + e.Detail }

// CodeOf returns the code that err carries, CodeNone for nil and CodeApp for an error without one.
func CodeOf(err error) Code {
	if err == nil {
		return CodeNone
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Code
	}
	if peer, ok := errors.AsType[*PeerError](err); ok {
		return peer.Code
	}
	return CodeApp
}
