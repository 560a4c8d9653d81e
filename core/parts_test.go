package core_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// codecs runs a test in each codec.
func codecs(t *testing.T, fn func(t *testing.T, codec wire.Codec)) {
	for _, c := range []wire.Codec{wire.Binary, wire.Text} {
		t.Run(c.String(), func(t *testing.T) { fn(t, c) })
	}
}

// prose is text that deflates, and does not repeat itself as a whole.
func prose(n int) string {
	draws := base.NewRand(1).Stream("prose")
	words := strings.Fields("the link stalls and a call waits until its turn comes round again with no bytes lost on 42 ways")
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[draws.Below(uint64(len(words)))])
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

// noise does not deflate.
func noise(n int) []byte {
	draws := base.NewRand(1).Stream("noise")
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(draws.Below(256))
	}
	return b
}

// partsLab has a worker that gives back what it is called with.
func partsLab(t *testing.T, cfg sim.Config) (*lab, *core.Reference) {
	l := newLabIn(t, cfg, netsim.Memory)
	l.worker.Core().Expose("Desk", core.Object{Methods: core.Methods{
		"bytes": func(c *core.Call) (delta.Value, error) { c.Attach(c.Bytes...); return c.Arg, nil },
		"fail":  func(c *core.Call) (delta.Value, error) { c.Attach(c.Bytes...); return fail(c) },
		"sum": func(c *core.Call) (delta.Value, error) {
			n := 0
			for _, b := range c.Bytes {
				n += len(b)
			}
			return delta.Int(n), nil
		},
	}})
	return l, l.hold(l.tab, "Desk")
}

func TestBytesTravelBesideTheValue(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l, desk := partsLab(t, sim.Config{Codec: codec})
		parts := [][]byte{{0xff, 0, '"', ']'}, {}, noise(100_000)}
		for _, sent := range [][][]byte{parts, parts[:1], nil} {
			var got delta.Value
			var pc *core.PendingCall
			l.at(l.tab, func() {
				pc = desk.Call("bytes", "beside \"]", func(v delta.Value, err error) {
					if err != nil {
						t.Error(err)
					}
					got = v
					if !slices.EqualFunc(pc.Bytes(), sent, bytes.Equal) {
						t.Errorf("%d parts came back for %d", len(pc.Bytes()), len(sent))
					}
				}, core.WithBytes(sent...))
			})
			l.settle()
			if got.Text().String() != "beside \"]" {
				t.Errorf("the value came back as %v", got)
			}
		}
	})
}

// TestBytesAreTheCallersOnceTheCallHasSettled: most of the call waits for the link when its deadline passes. It runs all the same,
// with the bytes that it was made with.
func TestBytesAreTheCallersOnceTheCallHasSettled(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec}, netsim.Config{Up: linkmodel.Config{Rate: 16 * base.KiB}})
		var got []byte
		l.worker.Core().Expose("Desk", core.Object{Methods: core.Methods{"take": func(c *core.Call) (delta.Value, error) {
			got = slices.Concat(c.Bytes...)
			return delta.Null(), nil
		}}})
		desk := l.hold(l.tab, "Desk")
		l.settle()
		part := noise(100_000)
		want := slices.Clone(part)
		var err error
		l.at(l.tab, func() {
			due := l.tab.Core().Now().Add(base.Second)
			desk.Call("take", nil, func(_ delta.Value, e error) { err = e }, core.WithBytes(part[:50_000], part[50_000:]), core.Deadline(due))
		})
		l.run(2 * base.Second)
		if base.CodeOf(err) != base.CodeTimeout {
			t.Fatalf("the call settled with %v", err)
		}
		clear(part)
		l.settle()
		if !bytes.Equal(got, want) {
			t.Errorf("the call ran with %d bytes that are not those that it was made with", len(got))
		}
	})
}

func TestAFailedCallHasNoBytes(t *testing.T) {
	l, desk := partsLab(t, sim.Config{})
	var pc *core.PendingCall
	var err error
	l.at(l.tab, func() {
		pc = desk.Call("fail", "x", func(_ delta.Value, e error) { err = e }, core.WithBytes([]byte{1}))
	})
	l.settle()
	if base.CodeOf(err) != base.CodeRefused || pc.Bytes() != nil {
		t.Errorf("bytes % x with %v", pc.Bytes(), err)
	}
}

func TestBytesAreBounded(t *testing.T) {
	l, desk := partsLab(t, sim.Config{Limits: base.Limits{MessageBytes: 20_000}})
	for why, parts := range map[string][][]byte{
		"too many": make([][]byte, wire.MaxByteParts+1), "too much": {make([]byte, 10_000), make([]byte, 10_000)},
	} {
		var err error
		l.at(l.tab, func() { desk.Call("sum", nil, func(_ delta.Value, e error) { err = e }, core.WithBytes(parts...)) })
		l.settle()
		if base.CodeOf(err) != base.CodeLimit {
			t.Errorf("%s: %v, want a limit", why, err)
		}
	}
}

// A megabyte of bytes is a megabyte on the wire, and its chunks' headers next to nothing.
func TestBytesCostWhatTheyAre(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l, desk := partsLab(t, sim.Config{Codec: codec})
		l.settle()
		l.at(l.tab, func() { desk.Call("sum", nil, nil, core.WithBytes(make([]byte, base.MiB))) })
		l.settle()
		total := l.log.bytes["worker call-bulk"] + l.log.bytes["worker call-more"]
		chunks := l.log.count["worker call-bulk"] + l.log.count["worker call-more"]
		headers := chunks * 2 // a type and a slot
		if codec == wire.Text {
			headers = chunks*len(`~0+c:`) + len(`["cb"`) - len(`+c:`) // and 2 less in the last
		}
		t.Logf("%v: %d bytes in %d chunks", codec, total, chunks)
		if over := total - base.MiB - headers; over > 24 {
			t.Errorf("%d bytes over a MiB and its chunks' headers", over)
		}
		if headers*500 > total {
			t.Errorf("headers of %d bytes are over 0.2 %% of %d", headers, total)
		}
	})
}

// snapshotLab is a world in which documents and results are deflated.
func snapshotLab(t *testing.T, cfg sim.Config) *lab {
	cfg.Deflate = true
	return newLabIn(t, cfg, netsim.Memory)
}

func TestSnapshotsChangesAndResultsAreDeflated(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		for _, over := range []int{0, 1} { // inflated at once, and beside the turns
			l := snapshotLab(t, sim.Config{Codec: codec, OffloadOver: over})
			l.commit(prose(40_000))
			ref := l.hold(l.tab, "View")
			l.commit("while the snapshot is under way")
			l.settle()
			down := l.log.bytes["tab bound"] + l.log.bytes["tab bulk-more"]
			if s := l.tab.Core().Stats(); s.Inflated != 1 || down > 20_000 {
				t.Errorf("%v, offload %d: %d parts inflated, a snapshot of %d bytes", codec, over, s.Inflated, down)
			}
			l.at(l.worker, func() { // two members' worth of change, in one state message
				if _, err := l.doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Set(prose(50_000)) }); err != nil {
					t.Error(err)
				}
			})
			l.settle()
			if s := l.tab.Core().Stats(); s.Inflated != 2 {
				t.Errorf("%v, offload %d: %d parts inflated, want 2", codec, over, s.Inflated)
			}
			var got []string
			l.at(l.tab, func() {
				for _, arg := range []string{prose(30_000), "small", string(noise(0)) + prose(16_000)} {
					ref.Call("echo", arg, func(v delta.Value, err error) {
						if err != nil || v.Text().String() != arg {
							t.Errorf("%d bytes came back as %d (%v)", len(arg), v.Len(), err)
						}
						got = append(got, arg)
					})
				}
			})
			l.settle()
			if s := l.tab.Core().Stats(); s.Inflated != 3 || len(got) != 3 {
				t.Errorf("%v, offload %d: %d parts inflated, want 3; %d results", codec, over, s.Inflated, len(got))
			}
			if s := l.worker.Core().Stats(); s.Deflated != 3 || s.Inflated != 0 {
				t.Errorf("the worker deflated %d parts and inflated %d, want 3 and none: arguments go up", s.Deflated, s.Inflated)
			}
		}
	})
}

// What comes while a message is inflated beside the turns waits for it, and is credited behind it.
func TestOffloadedInflatingKeepsTheOrder(t *testing.T) {
	l := snapshotLab(t, sim.Config{OffloadOver: 1})
	l.tab.SetCost(sim.Cost{Offloaded: base.Millisecond}) // 40 seconds for the snapshot
	l.commit(prose(40_000))
	ref := l.hold(l.tab, "View")
	second := l.hold(l.tab, "View")
	var order []string
	l.at(l.tab, func() {
		for _, r := range []*core.Reference{ref, second} {
			r.Watch("notes", func(f core.Frame) {
				order = append(order, "frame")
				if f.Snapshot {
					order[len(order)-1] = "snapshot"
				}
			})
		}
		ref.Call("stream", "!", func(delta.Value, error) { order = append(order, "result") })
	})
	l.run(10 * base.Second)
	if len(order) > 0 || ref.State() != core.StateResolving {
		t.Fatalf("seen before the snapshot was inflated: %v, %v", order, ref.State())
	}
	l.commit("meanwhile")
	l.settle()
	if ref.State() != core.StateLive || second.State() != core.StateLive {
		t.Fatalf("%v and %v, want both live", ref.State(), second.State())
	}
	first, last := slices.Index(order, "snapshot"), slices.Index(order, "result")
	if first != 0 || last < 0 || slices.Index(order, "frame") > last {
		t.Errorf("seen in the order %v", order)
	}
}

func TestALinkThatClosesWhileSomethingIsInflated(t *testing.T) {
	l := snapshotLab(t, sim.Config{OffloadOver: 1})
	l.tab.SetCost(sim.Cost{Offloaded: base.Millisecond})
	l.commit(prose(40_000))
	ref := l.hold(l.tab, "View")
	l.run(base.Second)
	l.conn.Dialed().Close()
	l.settle()
	if ref.State() != core.StateDown {
		t.Errorf("the reference is %v", ref.State())
	}
}

func TestAReferenceReleasedWhileItsSnapshotIsInflated(t *testing.T) {
	l := snapshotLab(t, sim.Config{OffloadOver: 1})
	l.tab.SetCost(sim.Cost{Offloaded: base.Millisecond})
	l.commit(prose(40_000))
	ref := l.hold(l.tab, "View")
	l.run(base.Second)
	l.at(l.tab, ref.Release)
	again := l.hold(l.tab, "View")
	l.settle()
	if ref.State() != core.StateReleased || again.State() != core.StateLive {
		t.Errorf("the references are %v and %v", ref.State(), again.State())
	}
}

func TestBytesOfAResultAreDeflatedOneByOne(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l, desk := partsLab(t, sim.Config{Codec: codec, Deflate: true})
		sent := [][]byte{noise(20_000), []byte(prose(20_000)), []byte(prose(16_384)), []byte(prose(16_385))}
		var pc *core.PendingCall
		l.at(l.tab, func() { pc = desk.Call("bytes", nil, nil, core.WithBytes(sent...)) })
		l.settle()
		if !slices.EqualFunc(pc.Bytes(), sent, bytes.Equal) {
			t.Error("other bytes came back")
		}
		if s := l.tab.Core().Stats(); s.Inflated != 2 {
			t.Errorf("%d parts inflated, want 2", s.Inflated)
		}
	})
}

// A part over the limit of its reader is refused before it is inflated, and closes the link.
func TestABombIsRefused(t *testing.T) {
	worker := sim.Config{Deflate: true, Limits: base.Limits{InflatedBytes: 100_000}}
	for size, want := range map[int]core.State{99_900: core.StateLive, 100_001: core.StateLive} {
		l := newLabIn(t, worker, netsim.Memory)
		l.commit(strings.Repeat("0", size))
		ref := l.hold(l.tab, "View")
		l.settle()
		if deflated := l.worker.Core().Stats().Deflated; ref.State() != want || deflated != int64(min(1, 100_000/size)) {
			t.Errorf("%d bytes: the reference is %v, %d parts deflated", size, ref.State(), deflated)
		}
	}
}
