package main

import (
	"testing"
	"time"
)

// TestSimBubble wants the bubble to bring what the engine's links do in the same span, with as much under way, to stand
// still between two runs, and to come to its end.
func TestSimBubble(t *testing.T) {
	const lines = 20
	b := newSimBubble(lines)
	_, before := b.count()
	for range 3 {
		if err := b.run(50); err != nil {
			t.Fatal(err)
		}
	}
	_, after := b.count()
	if n := after - before; n != 150*lines {
		t.Errorf("%d messages in 150 ms, want %d", n, 150*lines)
	}
	if n := b.inFlight(); n < lines*simUnderWay || n > lines*(simUnderWay+1) {
		t.Errorf("%d messages under way, want some %d", n, lines*simUnderWay)
	}
	ended := make(chan error)
	go func() { ended <- b.end() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second): // only a bubble that hangs comes to it
		t.Fatal("the bubble does not end")
	}
	if n := b.inFlight(); n != 0 {
		t.Errorf("%d messages are under way at the end", n)
	}
}
