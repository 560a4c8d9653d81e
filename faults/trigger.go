package faults

import (
	"strconv"
	"strings"

	"chordsim/core/base"
)

// TriggerKind is what a fault waits for.
type TriggerKind uint8

// The triggers. After each, its form in the language.
const (
	_           TriggerKind = iota
	At                      // at T
	From                    // from T: at T, and to the heal
	Every                   // every D [from T] count N: N times; first at T + D
	OnMessage               // when message TYPE [from HOST] [to HOST] count N: once, as the N-th of them is sent; TYPE may be "any"
	OnEvent                 // when event count N: once, behind the world's N-th event
	OnViolation             // when violation ID: once, when the invariant is first seen violated
)

// AnyMessage is the type of [OnMessage] that all messages have.
const AnyMessage = "any"

// Trigger says when a fault happens. Which fields it has depends on its kind; the others are zero.
type Trigger struct {
	Kind      TriggerKind
	Time      base.Time     // of At and From; when Every starts
	Period    base.Duration // of Every, in nanoseconds
	Count     int64         // how often Every comes; which message or event it is, from 1
	Message   string        // the type of OnMessage
	From, To  string        // the hosts of OnMessage: who sends it, to whom; empty: anybody
	Violation string        // the invariant of OnViolation, such as "C11"
}

// String prints the trigger as the language has it.
func (t Trigger) String() string {
	var out strings.Builder
	t.print(&out)
	return out.String()
}

func (t *Trigger) print(out *strings.Builder) {
	switch t.Kind {
	case At:
		out.WriteString("at " + t.Time.String())
	case From:
		out.WriteString("from " + t.Time.String())
	case Every:
		out.WriteString("every " + t.Period.String())
		if t.Time != 0 {
			out.WriteString(" from " + t.Time.String())
		}
		out.WriteString(" count " + strconv.FormatInt(t.Count, 10))
	case OnMessage:
		out.WriteString("when message " + quoteName(t.Message))
		if t.From != "" {
			out.WriteString(" from " + quoteName(t.From))
		}
		if t.To != "" {
			out.WriteString(" to " + quoteName(t.To))
		}
		out.WriteString(" count " + strconv.FormatInt(t.Count, 10))
	case OnEvent:
		out.WriteString("when event count " + strconv.FormatInt(t.Count, 10))
	case OnViolation:
		out.WriteString("when violation " + quoteName(t.Violation))
	default:
		out.WriteString("never")
	}
}

// check says what is wrong with the trigger, or "".
func (t *Trigger) check() string {
	want := Trigger{Kind: t.Kind}
	switch t.Kind {
	case At, From:
		want.Time = t.Time
	case Every:
		want.Time, want.Period, want.Count = t.Time, t.Period, t.Count
		if t.Period <= 0 || t.Period == base.Forever {
			return "it lacks how often it comes"
		}
	case OnMessage:
		want.Message, want.From, want.To, want.Count = t.Message, t.From, t.To, t.Count
		if why := checkName("the type of messages", t.Message); why != "" {
			return why
		}
		for _, host := range [...]string{t.From, t.To} {
			if host == "" {
				continue
			}
			if why := checkName("a host", host); why != "" {
				return why
			}
		}
	case OnEvent:
		want.Count = t.Count
	case OnViolation:
		want.Violation = t.Violation
		if why := checkName("the invariant", t.Violation); why != "" {
			return why
		}
	default:
		return "it lacks a trigger"
	}
	switch {
	case *t != want:
		return "its trigger has more than " + strconv.Quote(want.String()) + " says"
	case t.Time < 0 || t.Time == base.Never:
		return "its time is " + t.Time.String() + "; want one from 0s on"
	case (t.Kind == Every || t.Kind == OnMessage || t.Kind == OnEvent) && (t.Count < 1 || t.Count > MaxCount):
		return "its count is " + strconv.FormatInt(t.Count, 10) + "; want 1 to " + strconv.FormatInt(MaxCount, 10)
	}
	return ""
}
