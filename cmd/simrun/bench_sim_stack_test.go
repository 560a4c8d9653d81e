package main

import (
	"errors"
	"testing"

	"chordsim/core"
	"chordsim/core/delta"
)

// TestSimStack wants each token to cross both links by itself, as state and as credit, whether checkers look or not, and the
// reply to begin anew.
func TestSimStack(t *testing.T) {
	for name, links := range map[string]stackLinks{"memory": memoryStack, "throttled": throttledStack} {
		var events [2]int64
		for checked := range 2 {
			s, err := newSimStack(links, checked == 1)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, before := s.count()
			const tokens = stackReply + 400
			if err := s.run(tokens); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n, after := s.count()
			events[checked] = n
			if s.tokens != tokens || after-before < 4*(tokens-4) || after-before > 5*tokens {
				t.Errorf("%s: %d deliveries of %d tokens, want some 4 for each of %d", name, after-before, s.tokens, tokens)
			}
			if stats := s.worker.Core().Stats(); stats.Folded != 0 || stats.StateMessages < tokens-4 {
				t.Errorf("%s: %d messages and %d folded of %d tokens", name, stats.StateMessages, stats.Folded, tokens)
			}
			if (s.world.Checks() != nil) != (checked == 1) {
				t.Errorf("%s: the checkers look in the wrong world", name)
			}
			if err := s.end(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			v, _ := s.view.Value("notes")
			reply, _ := v.At("reply")
			if got, want := reply.Text().Len(), len(stackToken)*(tokens-stackReply); got != want {
				t.Errorf("%s: the reply has %d characters, want %d", name, got, want)
			}
		}
		if events[0] != events[1] {
			t.Errorf("%s: %d events without checkers, %d with them", name, events[0], events[1])
		}
	}
}

// TestSimStackFails wants a tab that has something else than the worker to be told, and a commit that failed.
func TestSimStackFails(t *testing.T) {
	s, err := newSimStack(memoryStack, false)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	s.failed = broken
	if err := s.run(1); !errors.Is(err, broken) {
		t.Errorf("the error is %v, want that of the commit", err)
	}
	s.doc = core.NewDocument(delta.String("else"))
	if err := s.end(); !errors.Is(err, errReplica) {
		t.Errorf("the error is %v, want %v", err, errReplica)
	}
}

// BenchmarkSimStack is for profiles: a token from a worker through a server to a tab.
func BenchmarkSimStack(b *testing.B) {
	for _, c := range []struct {
		name    string
		checked bool
	}{{"unchecked", false}, {"checked", true}} {
		b.Run(c.name, func(b *testing.B) {
			s, err := newSimStack(memoryStack, c.checked)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			if err := s.run(b.N); err != nil {
				b.Fatal(err)
			}
		})
	}
}
