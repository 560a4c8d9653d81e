package core_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim/netsim"
)

// TestCommitsDuringTheSnapshot streams while a large snapshot is under way: none of it is lost or comes twice (C11).
func TestCommitsDuringTheSnapshot(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(64*base.KiB))
	l.commit(text(100_000))
	var frames []core.Frame
	var r *core.Reference
	l.at(l.tab, func() {
		r = l.tab.Core().Get("View")
		r.Watch("notes", func(f core.Frame) { frames = append(frames, f) })
	})
	for i := range 200 {
		l.run(10 * base.Millisecond)
		l.commit(fmt.Sprintf("<%03d>", i))
	}
	wantState(t, r, core.StateLive)
	l.settle()
	wantReply(t, r, ownReply(l))
	if !frames[0].Snapshot || frames[0].Revision.Number != 1 {
		t.Errorf("the first frame is of revision %d (snapshot %v), want the snapshot of 1", frames[0].Revision.Number, frames[0].Snapshot)
	}
	for i := 1; i < len(frames); i++ {
		if frames[i].Base != frames[i-1].Revision {
			t.Errorf("frame %d leads from %d, the one before ended at %d", i, frames[i].Base.Number, frames[i-1].Revision.Number)
		}
	}
	if len(frames) < 10 {
		t.Errorf("%d frames, want the snapshot, one fold and the stream", len(frames))
	}
}

// TestASnapshotIsCreditedInQuartersOfItsWindow counts messages: each of its 25 chunks is a turn, and none needs a credit of its own.
func TestASnapshotIsCreditedInQuartersOfItsWindow(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(64*base.KiB))
	l.commit(text(100_000))
	r := l.hold(l.tab, "View")
	l.settle()
	wantState(t, r, core.StateLive)
	wantInt(t, "chunks", l.log.count["tab bound"]+l.log.count["tab bulk-more"], 25)
	wantInt(t, "credits", l.log.count["worker credit"], 6)
}

// TestASnapshotCrossesAnyWindow holds where the window is a chunk, less than one, or not a number of chunks.
func TestASnapshotCrossesAnyWindow(t *testing.T) {
	for _, limits := range []base.Limits{
		{BulkBytes: 4096}, {BulkBytes: 1000}, {BulkBytes: 10_000}, {BulkBytes: 4096, ChunkBytes: 2049}, {BulkBytes: 12_288, BulkSlots: 1},
	} {
		l := newLab(t, limits, slow(64*base.KiB))
		var refs []*core.Reference
		for i := range 3 {
			address := fmt.Sprintf("View%d", i)
			l.worker.Core().Expose(address, core.Object{State: core.Members{"notes": textDoc(30_000)}})
			refs = append(refs, l.hold(l.tab, address))
		}
		l.settle()
		for _, r := range refs {
			wantState(t, r, core.StateLive)
		}
	}
}

func TestHoldsRequestedWhileStreaming(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(256*base.KiB))
	var refs []*core.Reference
	for i := range 300 {
		l.run(base.Millisecond)
		l.commit(fmt.Sprintf("%d,", i))
		if i%10 == 0 {
			refs = append(refs, l.hold(l.tab, "View"))
		}
	}
	l.settle()
	for _, r := range refs {
		wantState(t, r, core.StateLive)
		wantReply(t, r, ownReply(l))
	}
}

// TestSmallHoldsPassAHugeOne binds 40 holds of mixed sizes over a slow link. A small one waits for others like it and for
// its turn on the link, not for the huge ones before it.
func TestSmallHoldsPassAHugeOne(t *testing.T) {
	const rate = 64 * base.KiB
	l := newLab(t, base.Limits{}, slow(rate))
	size := func(i int) int {
		switch {
		case i%10 == 0:
			return 600_000
		case i%3 == 0:
			return 20_000
		}
		return 300
	}
	var refs []*core.Reference
	live := map[int]base.Time{}
	for i := range 40 {
		address := fmt.Sprintf("View%d", i)
		l.worker.Core().Expose(address, core.Object{State: core.Members{"notes": textDoc(size(i))}})
		l.tab.Do(func() {
			r := l.tab.Core().Get(address)
			r.Watch("notes", func(core.Frame) { live[i] = l.world.Now() })
			refs = append(refs, r)
		})
	}
	l.settle()
	small := base.Time(0)
	for i, r := range refs {
		wantState(t, r, core.StateLive)
		if size(i) == 300 {
			small = max(small, live[i])
		}
	}
	// All small and middle ones are 240 KB; a huge one takes its turn, one chunk in eight at least.
	if limit := base.Time(8 * base.Second); small > limit {
		t.Errorf("the last small hold was live after %v, want %v: the huge ones take %v", small, limit, 4*600_000/rate*base.Second)
	}
	if live[0] > base.Time(14*base.Second) { // the small ones and this one take 13.5 s
		t.Errorf("the first huge hold was live after %v: it starved", live[0])
	}
}

func TestReleaseWhileTheSnapshotIsUnderWay(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(64*base.KiB))
	l.commit(text(200_000))
	r := l.hold(l.tab, "View")
	l.run(base.Second)
	wantState(t, r, core.StateResolving)
	seen := 0
	l.at(l.tab, func() {
		r.Watch("notes", func(core.Frame) { seen++ })
		r.Release()
	})
	l.commit("after")
	l.settle()
	wantInt(t, "frames after the release", seen, 0)
	wantInt(t, "released", l.log.count["tab released"], 1)
	wantInt(t, "state messages of a released hold", l.stats().StateMessages, 0)
	l.wantNothingHeld()
}

// TestReleasedComesAfterTheLastCredit releases with state in flight and looks at when the answer comes.
func TestReleasedComesAfterTheLastCredit(t *testing.T) {
	h, doc := rawView(t)
	p := h.dial()
	p.hold(0, "View")
	p.creditAll()
	h.do(func() { change(t, doc, "a") })
	h.do(func() { change(t, doc, "b") })
	p.out = nil
	p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, 0))
	h.do(func() { change(t, doc, "c") })
	if len(p.out) != 0 {
		t.Fatalf("%v were sent before the state was credited", p.types())
	}
	p.say(wire.TypeCredit, wire.Credit{State: 1}.Append(wire.Binary, nil))
	if len(p.out) != 0 {
		t.Fatalf("%v were sent before all state was credited", p.types())
	}
	p.say(wire.TypeCredit, wire.Credit{State: 1}.Append(wire.Binary, nil))
	if got := fmt.Sprint(p.types()); got != "[released]" {
		t.Fatalf("%s, want released", got)
	}
	p.hold(0, "View") // the id is free again
	p.body(wire.TypeBound)
}

func TestHoldIDsComeBackAfterReleased(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	for i := range 1000 { // hold, take two frames, release
		r := l.hold(l.tab, "View")
		frames := 0
		l.at(l.tab, func() { r.Watch("notes", func(core.Frame) { frames++ }) })
		l.commit("x")
		if _, id := r.Hold(); id != 0 {
			t.Fatalf("round %d: hold id %d, want 0 again", i, id)
		}
		wantInt(t, "frames", frames, 2)
		l.at(l.tab, r.Release)
	}
	r := l.hold(l.tab, "View")
	l.at(l.tab, r.Release) // at once: the id is taken until Released
	l.settle()
	wantInt(t, "outstanding", l.window().Outstanding, 0)
	l.wantNothingHeld()
}

func TestHoldIDIsTakenUntilReleased(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	r := l.hold(l.tab, "View")
	l.stall()
	l.commit("under way")
	l.at(l.tab, r.Release)
	second := l.hold(l.tab, "View")
	if _, id := second.Hold(); id != 1 {
		t.Errorf("hold id %d while the release of 0 is under way, want 1", id)
	}
	l.resume()
	third := l.hold(l.tab, "View")
	if _, id := third.Hold(); id != 0 {
		t.Errorf("hold id %d after Released came, want 0", id)
	}
	l.settle()
}

// wantNothingHeld looks for what a provider and a consumer keep of holds that were released.
func (l *lab) wantNothingHeld() {
	l.t.Helper()
	if l.tab.Core().Refers() {
		l.t.Error("the tab still refers to something")
	}
	if n := core.HoldCount(l.worker.Core()); n != 0 {
		l.t.Errorf("the worker keeps %d holds", n)
	}
	if n := core.SubscriptionCount(l.doc); n != 0 {
		l.t.Errorf("the document keeps %d subscriptions", n)
	}
}

func TestReleaseWithinAWatch(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	more := core.NewDocument(delta.Object())
	l.worker.Core().Expose("Two", core.Object{State: core.Members{"a": l.doc, "b": more}})
	r := l.hold(l.tab, "Two")
	released, after := false, 0
	l.at(l.tab, func() {
		r.Watch("a", func(f core.Frame) {
			if !f.Snapshot {
				r.Release()
				released = true
			}
		})
		count := func(core.Frame) {
			if released {
				after++
			}
		}
		r.Watch("a", count)
		r.Watch("b", count)
	})
	l.at(l.worker, func() {
		l.change("x")
		more.Change(nil, func(d *delta.Draft) error { return d.At("y").Set(1) })
	})
	l.settle()
	wantInt(t, "frames after the release", after, 0)
	l.wantNothingHeld()
}

// TestWatchWithinAWatch sets a watch of a member whose frame is still to be told in the same message.
func TestWatchWithinAWatch(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	more := core.NewDocument(delta.Object())
	l.worker.Core().Expose("Two", core.Object{State: core.Members{"a": l.doc, "b": more}})
	var r *core.Reference
	var b []core.Frame
	l.at(l.tab, func() {
		r = l.tab.Core().Get("Two")
		r.Watch("a", func(f core.Frame) {
			if len(b) == 0 {
				r.Watch("b", func(f core.Frame) { b = append(b, f) })
			}
		})
	})
	if len(b) != 1 || !b[0].Snapshot {
		t.Fatalf("a watch set while the bind is told got %d frames, want its first", len(b))
	}
	l.at(l.worker, func() { more.Change(nil, func(d *delta.Draft) error { return d.At("y").Set(1) }) })
	if len(b) != 2 || b[1].Base != b[0].Revision {
		t.Fatalf("%d frames, want the change as the second", len(b))
	}
	l.settle()
}

func TestSnapshotOverTheLimitIsRefused(t *testing.T) {
	l := newLab(t, base.Limits{MessageBytes: 20_000}, netsim.Memory)
	l.worker.Core().Expose("Fits", core.Object{State: core.Members{"notes": textDoc(19_000)}})
	l.worker.Core().Expose("Over", core.Object{State: core.Members{"notes": textDoc(20_000)}})
	over, fits := l.hold(l.tab, "Over"), l.hold(l.tab, "Fits")
	wantState(t, fits, core.StateLive)
	wantState(t, over, core.StateFailed)
	wantCode(t, "over the limit", over.Err(), base.CodeLimit)
	l.settle()
}
