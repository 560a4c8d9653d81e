package main

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What lines carry in the bubble is what links carry in the engine: a message leaves in each millisecond, and is on its way
// so long that as many are under way at once, where those that wait to leave a link count too.
const (
	bubbleEvery   = time.Millisecond
	bubbleLatency = simUnderWay*bubbleEvery - bubbleEvery/2
)

// simBubble is the same traffic as goroutines would have it: for each line one that sleeps while a message leaves and hands
// it over, and one that sleeps until it is there. The time is that of a testing/synctest bubble.
type simBubble struct {
	lines []bubbleLine
	stop  atomic.Bool

	// Invariant: both are made outside of the bubble, so that nothing moves in it, its time neither, between two runs.
	orders chan int // for how many milliseconds to go on
	done   chan struct{}
}

type bubbleLine struct {
	onTheWay chan bubbleMessage
	// They are atomic for the race detector, to which time that goes by is no order: it takes a hundredth of a message.
	sent, received atomic.Int64
}

type bubbleMessage struct {
	due   time.Time
	bytes []byte
}

// newSimBubble makes the lines and lets time go by until all have as many messages under way as they will.
func newSimBubble(lines int) *simBubble {
	b := &simBubble{lines: make([]bubbleLine, lines), orders: make(chan int), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		// A bubble wants a test to be part of, but asks nothing of it before it fails. There is no other way to a bubble
		// outside of go test: testing.RunTests runs nothing there.
		synctest.Test(new(testing.T), func(*testing.T) { b.play() })
	}()
	b.goOn(2 * simUnderWay)
	return b
}

// play is the bubble's first goroutine.
func (b *simBubble) play() {
	var all sync.WaitGroup
	for i := range b.lines {
		l := &b.lines[i]
		l.onTheWay = make(chan bubbleMessage, 2*simUnderWay)
		all.Go(func() {
			time.Sleep(bubbleEvery * time.Duration(i) / time.Duration(len(b.lines)))
			l.send(&b.stop)
		})
		all.Go(l.receive)
	}
	for n := range b.orders {
		time.Sleep(time.Duration(n) * bubbleEvery)
		synctest.Wait() // what is due now is through
		b.done <- struct{}{}
	}
	b.stop.Store(true)
	all.Wait()
}

func (l *bubbleLine) send(stop *atomic.Bool) {
	defer close(l.onTheWay)
	for !stop.Load() {
		l.sent.Add(1)
		time.Sleep(bubbleEvery)
		l.onTheWay <- bubbleMessage{time.Now().Add(bubbleLatency), engineBytes[:]}
	}
}

func (l *bubbleLine) receive() {
	for m := range l.onTheWay {
		time.Sleep(time.Until(m.due))
		l.received.Add(1)
	}
}

// run has n milliseconds go by, in each of which every line brings a message.
func (b *simBubble) run(n int) error {
	b.goOn(n)
	return nil
}

func (b *simBubble) goOn(milliseconds int) {
	b.orders <- milliseconds
	<-b.done
}

func (b *simBubble) count() (events, messages int64) {
	for i := range b.lines {
		messages += b.lines[i].received.Load()
	}
	return 0, messages
}

func (b *simBubble) inFlight() int64 {
	n := int64(0)
	for i := range b.lines {
		n += b.lines[i].sent.Load() - b.lines[i].received.Load()
	}
	return n
}

// end has the goroutines end.
func (b *simBubble) end() error {
	close(b.orders)
	<-b.done
	return nil
}
