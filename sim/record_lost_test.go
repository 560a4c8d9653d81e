package sim_test

import (
	"errors"
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// What a reset loses is in the trace, message by message, and so is what was found wrong, behind the event in which it was.
// Neither is in the hash.
func TestTraceOfWhatHasNoNumber(t *testing.T) {
	var lost, failed []trace.Event
	var behind string // the event before the newest failure
	last := ""
	play := func(sink trace.Sink) (hash uint64, loss netsim.Lost) {
		w := sim.New(sim.Config{Seed: 1, Name: "world", Trace: sink})
		worker, tab := w.Host("worker"), w.Host("tab")
		notes := core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String("")}))
		worker.Core().Expose("View", core.Object{State: core.Members{"notes": notes}})
		link, err := w.Connect(tab, worker, slowLink)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.RunFor(150 * base.Millisecond) // connects
		tab.Do(func() { tab.Core().Get("View").Watch("notes", func(core.Frame) {}) })
		stream := w.Every(5*base.Millisecond, func() {
			worker.Do(func() { notes.Change(nil, func(d *delta.Draft) error { return d.At("text").Append("a word") }) })
		})
		w.At(base.Time(780*base.Millisecond), func() {
			tab.Do(func() {
				for range 3 {
					tab.Core().Get("View").Call("none", nil, func(delta.Value, error) {})
				}
			})
		})
		w.At(base.Time(800*base.Millisecond), func() { loss = link.Link.Reset(); stream.Stop() })
		w.At(base.Time(900*base.Millisecond), func() { w.Note("here"); w.Mark(tab, "this is wrong"); w.Note("there") })
		w.At(base.Time(base.Second), func() { w.Note("last"); w.Fail(errors.New("a goal")) })
		_ = w.RunFor(2 * base.Second)
		(&sim.Report{}).Add(w)
		return w.Hash(), loss
	}
	without, _ := play(nil)
	with, loss := play(sinkFunc(func(e trace.Event) {
		switch e.Kind {
		case trace.KindLost:
			lost = append(lost, e)
		case trace.KindFailed:
			failed = append(failed, e)
			behind += last + "; "
		default:
			last = e.What
		}
	}))
	if without != with {
		t.Errorf("a trace changes the hash: %x and %x", without, with)
	}
	bytes := 0
	for _, e := range lost {
		bytes += e.Bytes
		if e.World != "world" || e.Link != "tab-worker" || e.From == e.To || e.At != base.Time(800*base.Millisecond) || e.What == "" {
			t.Errorf("%+v", e)
		}
	}
	if loss.Messages < 3 || int64(len(lost)) != loss.Messages || int64(bytes) != loss.Bytes {
		t.Errorf("%d messages of %d bytes are lost in the trace, %+v of the link", len(lost), bytes, loss)
	}
	got := ""
	for _, e := range failed {
		got += fmt.Sprintf("%v at %q: %s; ", e.At, e.To, e.What)
	}
	if want := `900ms at "tab": this is wrong; 1s at "": a goal; `; got != want || behind != "here; last; " {
		t.Errorf("found wrong: %s behind %s, want %s", got, behind, want)
	}
}

// slowLink has several messages under way at once.
var slowLink = func() (c netsim.Config) {
	c.Up.Latency, c.Down.Latency = 50*base.Millisecond, 50*base.Millisecond
	return c
}()
