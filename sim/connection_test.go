package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/events"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// tiny runs two hosts that shake hands over a link of 1,000 B/s, with a stall, a timer and a note, and end.
func tiny(t *testing.T) (lines string, w *sim.World) {
	t.Helper()
	var out strings.Builder
	sink := trace.NewWriter(&out)
	w = sim.New(sim.Config{Seed: 1, Trace: sink})
	tab, worker := w.Host("tab"), w.Host("worker")
	slow := linkmodel.Config{Rate: 1000, Latency: 20 * base.Millisecond}
	c, err := w.Connect(tab, worker, netsim.Config{Up: slow, Down: slow})
	if err != nil {
		t.Fatal(err)
	}
	worker.NewTimer(func() {}).Set(sec)
	mustRun(t, w, 50*base.Millisecond)
	w.StallFor(c.Link.Acceptor(), base.Second)
	mustRun(t, w, 2*base.Second)
	w.Note("a second later")
	tab.Do(func() {})
	worker.Post(base.WorkHandler, func() {})
	mustRun(t, w, base.Second)
	c.Dialed().Close()
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), w
}

// The run and its hash are written down. They change when a chunk of the handshake does, and then on purpose: repro files
// of before do not replay any more.
func TestTinyWorldIsAsWrittenDown(t *testing.T) {
	lines, w := tiny(t)
	const want = `
        time (s)  kind     from         to             bytes  what
     0.020000000  connect               worker             0  accept from tab
     0.040000000  connect               tab                0  connected to worker
     0.050000000  fault                 worker             0  stalled for 1s
     1.000000000  timer                 worker             0  timer
     1.076000000  deliver  tab          worker            16  hello
     1.115000000  deliver  worker       tab               19  welcome
     2.050000000  note                                     0  a second later
     2.050000000  post                  tab                0  post
     2.050000000  post                  worker             0  handler
     3.085000000  deliver  tab          worker            15  bye
`
	if got := "\n" + lines; got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	if got := fmt.Sprintf("%016x", w.Hash()); got != "cb8a95678565c699" {
		t.Errorf("hash %s", got)
	}
}

// A world without a link: no chunk is in its hash, and so nothing but the hash itself can change it.
func TestHashOfAWorldWithoutLinks(t *testing.T) {
	w := sim.New(sim.Config{Seed: 1})
	if w.Hash() != 0 {
		t.Errorf("%016x of a world in which nothing happened", w.Hash())
	}
	a, b := w.Host("a"), w.Host("b")
	b.NewTimer(func() { w.Note("b") }).Set(sec)
	a.Post(base.WorkPost, func() { w.Note("a") })
	a.Post(base.WorkHandler, func() {})
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%016x", w.Hash()); got != "54605f6a5ec160fe" {
		t.Errorf("hash %s", got)
	}
}

// The acceptor sees a connection after the latency of Up, the dialer after that of Down behind it.
func TestD2ConnectTakesARoundTrip(t *testing.T) {
	var seen []string
	w := sim.New(sim.Config{Trace: sinkFunc(func(e trace.Event) {
		if e.Kind == trace.KindConnect {
			seen = append(seen, fmt.Sprint(e.At, " ", e.To, " ", e.What))
		}
	})})
	a, b := w.Host("a"), w.Host("b")
	mustRun(t, w, base.Second)
	c, err := w.Connect(a, b, netsim.Config{
		Up:   linkmodel.Config{Latency: 100 * base.Millisecond},
		Down: linkmodel.Config{Latency: base.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	accepted := false
	c.OnAccept(func(*core.Conn) { accepted = c.Dialed() == nil && c.Accepted() != nil })
	if c.Accepted() != nil || c.Dialed() != nil || c.Link.Name() != "a-b" {
		t.Error("connected before any time has passed, or misnamed")
	}
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	if want := "[1.1s b accept from a 2.1s a connected to b]"; fmt.Sprint(seen) != want || !accepted {
		t.Errorf("%v, want %s", seen, want)
	}
	if !c.Dialed().Link().Up() || !c.Accepted().Link().Up() {
		t.Error("no hands were shaken")
	}
}

// What the acceptor does first may tie with the dialer's seeing the connection, and is never seen before that.
func TestCloseOnAccept(t *testing.T) {
	for _, latency := range []base.Duration{0, base.Second} {
		for seed := range uint64(20) {
			strategy := events.Random
			if seed == 0 {
				strategy = events.FIFO
			}
			w := sim.New(sim.Config{Seed: seed, Strategy: strategy})
			one := linkmodel.Config{Latency: latency}
			c, err := w.Connect(w.Host("a"), w.Host("b"), netsim.Config{Up: one, Down: one})
			if err != nil {
				t.Fatal(err)
			}
			c.OnAccept(func(conn *core.Conn) { conn.Close() })
			if err := w.Settle(base.Minute); err != nil {
				t.Fatal(err)
			}
			if !c.Dialed().Link().Closed() || !c.Accepted().Link().Closed() {
				t.Fatalf("seed %d, latency %v: the link is open at one side", seed, latency)
			}
		}
	}
}

// A host that is told of the other's end by the link alone is told once, and the trace has it.
func TestClosedIsInTheTrace(t *testing.T) {
	var seen []string
	w := sim.New(sim.Config{Trace: sinkFunc(func(e trace.Event) {
		if strings.HasPrefix(e.What, "closed") {
			seen = append(seen, fmt.Sprint(e.At, " ", e.Kind, " ", e.To, " ", e.What))
		}
	})})
	a, b := w.Host("a"), w.Host("b")
	c, err := w.Connect(a, b, netsim.Config{Up: linkmodel.Config{Latency: base.Second}})
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, w, 5*base.Second)
	before := w.Hash()
	c.Link.Dialer().Close() // without a goodbye
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	if want := "[6s connect b closed by a]"; fmt.Sprint(seen) != want {
		t.Errorf("%v, want %s", seen, want)
	}
	if w.Hash() == before {
		t.Error("the end is not in the hash")
	}
	if !c.Accepted().Link().Closed() {
		t.Error("the acceptor's link is open")
	}
}

func mustRunUntil(t *testing.T, w *sim.World, at base.Time) {
	t.Helper()
	if err := w.RunUntil(at); err != nil {
		t.Fatal(err)
	}
}

func ping() []byte { return wire.Header{Type: wire.TypePing}.Append(wire.Binary, nil) }

// Of two stalls that overlap the later end counts, and what was sent arrives.
func TestD2StallFor(t *testing.T) {
	for _, c := range []struct {
		name   string
		stalls [][2]base.Duration // after the start, for
		want   base.Time
	}{
		{"none", nil, sec},
		{"one", [][2]base.Duration{{500, 3000}}, 4 * sec},
		{"the second ends later", [][2]base.Duration{{500, 1000}, {1000, 3000}}, 4*sec + 500*ms},
		{"the second ends earlier", [][2]base.Duration{{500, 3000}, {1000, 100}}, 4 * sec},
		{"one behind the other", [][2]base.Duration{{100, 200}, {500, 3000}}, 4*sec + 200*ms},
		{"of no time", [][2]base.Duration{{0, 0}, {500, 0}}, sec},
		{"of less", [][2]base.Duration{{500, -200}}, sec},
		{"over before the start and again", [][2]base.Duration{{-3000, 1000}, {500, 3000}}, 4 * sec},
	} {
		var at []base.Time
		w := sim.New(sim.Config{Trace: sinkFunc(func(e trace.Event) {
			if e.Kind == trace.KindDeliver && e.What == "ping" {
				at = append(at, e.At)
			}
		})})
		conn, err := w.Connect(w.Host("a"), w.Host("b"), netsim.Config{Up: linkmodel.Config{Latency: base.Second}})
		if err != nil {
			t.Fatal(err)
		}
		const start = 10 * sec
		sent := false
		send := func() { sent = conn.Link.Dialer().Write(ping()) }
		for _, s := range c.stalls {
			when := start.Add(s[0] * base.Millisecond)
			if !sent && when >= start {
				mustRunUntil(t, w, start)
				send()
			}
			mustRunUntil(t, w, when)
			w.StallFor(conn.Link.Acceptor(), s[1]*base.Millisecond)
		}
		if !sent {
			mustRunUntil(t, w, start)
			send()
		}
		if err := w.Settle(base.Minute); err != nil {
			t.Fatal(err)
		}
		if len(at) != 1 || at[0] != start.Add(base.Duration(c.want)) {
			t.Errorf("%s: arrived at %v, want %v after %v", c.name, at, c.want, start)
		}
	}
}

// A second connection between two hosts is a link of its own: it draws its own jitter.
func TestSecondConnectionHasItsOwnName(t *testing.T) {
	w := sim.New(sim.Config{})
	a, b := w.Host("a"), w.Host("b")
	for _, want := range []string{"a-b", "a-b#2", "a-b#3"} {
		c, err := w.Connect(a, b, netsim.Memory)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Link.Name(); got != want {
			t.Errorf("the link is named %q, want %q", got, want)
		}
	}
}
