package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// Nothing of a life fires in the next one: not what waited for the CPU, no timer, nothing that was done beside the turns,
// no post or timer of a core that somebody still holds.
func TestCrashEndsALife(t *testing.T) {
	w := sim.New(sim.Config{})
	h, n := speak(w, "h", nil)
	h.SetCost(sim.Cost{PerTurn: base.Second, Offloaded: base.Second})
	var ran []string
	say := func(what string) func() { return func() { ran = append(ran, what) } }
	h.Do(say("first"))
	h.Do(say("second"))
	old := h.NewTimer(say("timer"))
	old.Set(5 * sec)
	h.NewTimer(say("never set"))
	h.Offload(4, say("offload"), say("offloaded"))
	mustRun(t, w, 1500*base.Millisecond)
	first := *n
	loss := w.Crash(h, 100)
	if want := (sim.Loss{Turns: 1, Timers: 1}); loss != want {
		t.Errorf("%+v, want %+v", loss, want)
	}
	if h.Up() || h.Node() != nil || w.Crash(h, 0) != (sim.Loss{}) {
		t.Error("it is up, or crashes again")
	}
	h.Do(say("down"))
	h.NewTimer(say("timer of a host that is down")).Set(3 * sec)
	mustRunUntil(t, w, 2*sec)
	if !w.Restart(h) || w.Restart(h) || !h.Up() || h.Incarnation() != 2 || *n == first {
		t.Error("no second life")
	}
	old.Set(6 * sec)
	h.Do(say("new"))
	mustSettle(t, w)
	if want := []string{"offload", "first", "new"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	if toll := h.Toll(); toll.Crashes != 1 || toll.TurnsLost != 3 || toll.TimersLost != 1 { // second, down, offloaded
		t.Errorf("%+v", toll)
	}
}

// What a turn does after the crash that it led to is not done.
func TestCrashInATurn(t *testing.T) {
	w := sim.New(sim.Config{})
	ann, a := speak(w, "ann", nil)
	bob, b := speak(w, "bob", nil)
	mustConnect(t, w, ann, bob, netsim.Memory)
	mustSettle(t, w)
	bob.Do(func() {
		old, store := *b, bob.Store()
		w.Crash(bob, 100)
		w.Restart(bob)
		old.say("from beyond")
		if err := store.Put("k", []byte("from beyond")); err != nil {
			t.Error(err)
		}
		store.Sync()
	})
	bob.Do(func() { t.Error("it waited for the CPU at the crash") })
	mustSettle(t, w)
	(*a).want(t, "0s connected to bob", "0s bob is gone: netsim: connection reset")
	(*b).want(t)
	if keys := bob.Store().Keys(); len(keys) != 0 {
		t.Errorf("the store has %q", keys)
	}
}

// The other end of a process that died is told, with what had left it before; that of a machine that died is not.
func TestCrashEndsConnections(t *testing.T) {
	for _, vanish := range []bool{false, true} {
		w := sim.New(sim.Config{})
		ann, a := speak(w, "ann", nil)
		bob, b := speak(w, "bob", nil)
		c := mustConnect(t, w, ann, bob, aSecond)
		var over []error
		c.OnClosed(func(err error) { over = append(over, err) })
		mustRunUntil(t, w, 10*sec)
		(*a).say("lost")
		crash := w.Crash
		if vanish {
			crash = w.Vanish
		}
		loss := crash(bob, 0)
		mustRunUntil(t, w, 20*sec)
		(*a).say("into the dark")
		w.Restart(bob)
		mustSettle(t, w)
		(*b).want(t)
		if loss.Connections != 1 {
			t.Errorf("%+v", loss)
		}
		if vanish {
			(*a).want(t, "2s connected to bob")
		} else {
			(*a).want(t, "2s connected to bob", "11s bob is gone: netsim: connection reset")
		}
		if want := map[bool]int{false: 1, true: 0}[vanish]; len(over) != want {
			t.Errorf("told %v, want %d", over, want)
		}
	}
}

func TestDialAHostThatIsDown(t *testing.T) {
	w := sim.New(sim.Config{})
	ann, a := speak(w, "ann", nil)
	bob, b := speak(w, "bob", nil)
	w.Crash(bob, 0)
	c := mustConnect(t, w, ann, bob, aSecond)
	var over []error
	c.OnClosed(func(err error) { over = append(over, err) })
	mustSettle(t, w)
	(*a).want(t, "2s bob is gone: sim: connection refused")
	w.Restart(bob)
	w.Vanish(bob, 0)
	if _, err := c.Redial(); err != nil {
		t.Fatal(err)
	}
	mustSettle(t, w)
	(*a).want(t, "2s bob is gone: sim: connection refused", "32s bob is gone: sim: no answer")
	if want := []error{sim.ErrRefused, sim.ErrNoAnswer}; !slices.Equal(over, want) {
		t.Errorf("told %v, want %v", over, want)
	}
	(*b).want(t)
	if _, err := w.Connect(bob, ann, netsim.Memory); err == nil || !strings.Contains(err.Error(), "bob is down") {
		t.Errorf("a host that is down dials: %v", err)
	}
}

// Either end may crash at any time of connecting.
func TestCrashWhileConnecting(t *testing.T) {
	for _, c := range []struct {
		who string
		at  base.Time
		ann string
		bob string
	}{
		{"ann", sec / 2, "", "1s connected from ann,1.5s ann is gone: netsim: connection reset"},
		{"ann", sec + sec/2, "", "1s connected from ann,2.5s ann is gone: netsim: connection reset"},
		{"bob", sec / 2, "2s bob is gone: sim: connection refused", ""},
		{"bob", sec + sec/2, "2s connected to bob,2.5s bob is gone: netsim: connection reset", "1s connected from ann"},
	} {
		w := sim.New(sim.Config{})
		ann, a := speak(w, "ann", nil)
		bob, b := speak(w, "bob", nil)
		mustConnect(t, w, ann, bob, aSecond)
		mustRunUntil(t, w, c.at)
		annThen, bobThen := *a, *b
		w.Crash(map[string]*sim.Host{"ann": ann, "bob": bob}[c.who], 0)
		mustSettle(t, w)
		got := strings.Join(annThen.heard, ",") + ";" + strings.Join(bobThen.heard, ",")
		if want := c.ann + ";" + c.bob; got != want {
			t.Errorf("%s crashes at %v: heard %s, want %s", c.who, c.at, got, want)
		}
	}
}

func TestOnStart(t *testing.T) {
	w := sim.New(sim.Config{})
	var lives []string
	h := w.Host("h")
	h.Do(func() { lives = append(lives, "posted before") })
	for _, name := range []string{"one", "two"} {
		h.OnStart(func(h *sim.Host) { lives = append(lives, fmt.Sprint(name, h.Incarnation(), h.Core() != nil)) })
	}
	mustSettle(t, w)
	w.Crash(h, 0)
	h.OnStart(func(*sim.Host) { lives = append(lives, "three") })
	w.Restart(h)
	h.Do(func() { lives = append(lives, "posted after") })
	mustSettle(t, w)
	want := []string{"posted before", "one1 true", "two1 true", "one2 true", "two2 true", "three", "posted after"}
	if !slices.Equal(lives, want) {
		t.Errorf("%q, want %q", lives, want)
	}
}

// A chord worker that keeps its notes in its store crashes at any time; a tab that dials again sees all that was synced,
// in an epoch of its own. The checkers find nothing wrong, and a seed is one run.
func TestChordHostCrashes(t *testing.T) {
	run := func(at base.Time, vanish bool) (uint64, int) {
		w := sim.New(sim.Config{Seed: 1})
		worker, tab := w.Host("worker"), w.Host("tab")
		var notes *core.Document
		worker.OnStart(func(h *sim.Host) {
			text, _ := h.Store().Get("reply")
			notes = core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String(string(text))}))
			h.Core().Expose("View", core.Object{State: core.Members{"notes": notes}})
		})
		tick := w.Every(10*base.Millisecond, func() {
			worker.Do(func() {
				text, _ := worker.Store().Get("reply")
				if err := worker.Store().Put("reply", append(text, '.')); err != nil {
					t.Error(err)
				}
				worker.Store().Sync()
				if _, err := notes.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(".") }); err != nil {
					t.Error(err)
				}
			})
		})
		w.At(3*sec, tick.Stop)
		mustRun(t, w, 0)
		var view *core.Reference
		hold := func() { tab.Do(func() { view = tab.Core().Get("View") }) }
		c := mustConnect(t, w, tab, worker, aSecond)
		c.OnClosed(func(error) {
			w.At(w.Now().Add(100*base.Millisecond), func() {
				if _, err := c.Redial(); err != nil {
					t.Error(err)
				}
			})
		})
		took := func(*sim.Connection) { w.At(w.Now().Add(3*base.Second), hold) }
		c.OnRedial(took)
		took(c)
		w.At(at, func() {
			if vanish {
				w.Vanish(worker, 0)
			} else {
				w.Crash(worker, 0)
			}
		})
		w.At(at.Add(500*base.Millisecond), func() {
			w.Restart(worker)
			if vanish { // nobody tells the tab
				c.Link.Dialer().Close()
				tab.Do(func() {})
			}
		})
		mustSettle(t, w)
		text, _ := worker.Store().Get("reply")
		if !vanish {
			got, _ := view.Value("notes")
			reply, _ := got.At("reply")
			if reply.Len() != len(text) || view.State() != core.StateLive {
				t.Errorf("crash at %v: the tab has %d units and is %v, the store %d", at, reply.Len(), view.State(), len(text))
			}
		}
		return w.Hash(), len(text)
	}
	for _, at := range []base.Time{0, sec / 2, sec, 2*sec + 1, 2500 * ms, 6 * sec} {
		hash, written := run(at, false)
		if again, _ := run(at, false); again != hash {
			t.Errorf("crash at %v: two runs differ", at)
		}
		if written < 200 || written > 301 {
			t.Errorf("crash at %v: %d notes", at, written)
		}
		run(at, true)
	}
}

// What others are told of a host that was restarted is that it is a later life of it.
func TestRestartIsALaterIncarnation(t *testing.T) {
	w := sim.New(sim.Config{})
	tab := w.Host("tab")
	worker := w.HostWith("worker", func(c *core.Config) { c.Incarnation = 77 })
	for life := range uint64(3) {
		c := mustConnect(t, w, tab, worker, netsim.Memory)
		mustSettle(t, w)
		if got := c.Dialed().Link().Peer().Incarnation; got != life+1 || worker.Incarnation() != life+1 {
			t.Errorf("incarnation %d in the handshake of life %d", got, life+1)
		}
		w.Crash(worker, 0)
		w.Restart(worker)
	}
}
