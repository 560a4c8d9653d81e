package core_test

import (
	"fmt"
	"slices"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// Consumers of one document whose links are written in different codecs each get their own bytes in the same turn, in
// whatever order they came; those of one codec that follow one another share them.
func TestConsumersOfDifferentCodecs(t *testing.T) {
	const b, x = wire.Binary, wire.Text
	for _, deflate := range []bool{false, true} {
		for _, row := range []struct {
			codecs    []wire.Codec
			encodings int64 // of a change that all were told the same for
		}{
			{[]wire.Codec{b, x}, 2}, {[]wire.Codec{x, b}, 2}, {[]wire.Codec{b, b, x, x}, 2}, {[]wire.Codec{x, b, x, b}, 4},
		} {
			why := fmt.Sprintf("%v, deflate %v", row.codecs, deflate)
			l := newLabIn(t, sim.Config{Deflate: deflate}, netsim.Memory)
			var refs []*core.Reference
			for i, codec := range row.codecs {
				tab := l.world.HostWith(fmt.Sprint("tab", i), func(c *core.Config) { c.Codec = codec })
				l.connect(tab, l.worker, netsim.Memory)
				refs = append(refs, l.hold(tab, "View"))
			}
			l.settle()
			for i, s := range []string{"a", "b", "c", "\"é\x00", prose(20_000), "d"} {
				before := l.doc.Encodings()
				l.at(l.worker, func() {
					if _, err := l.doc.Change(nil, func(d *delta.Draft) error {
						return d.At("reply").Append(s)
					}); err != nil {
						t.Error(err)
					}
				})
				wantInt(t, fmt.Sprint(why, ": encodings of change ", i), l.doc.Encodings()-before, row.encodings)
				for _, r := range refs {
					wantState(t, r, core.StateLive)
					wantReply(t, r, ownReply(l))
				}
			}
			l.at(l.worker, func() {
				if _, err := l.doc.Change(nil, func(d *delta.Draft) error {
					return d.At("entries").Set([]any{map[string]any{"id": 1, "who": "é"}, map[string]any{"id": 2, "who": nil}})
				}); err != nil {
					t.Error(err)
				}
			})
			l.settle()
			for _, r := range refs {
				if v, _ := r.Value("notes"); !v.Equal(l.doc.Value()) {
					t.Errorf("%s: %s has another value", why, r.Host().Name())
				}
			}
		}
	}
}

// A hold that is released while its snapshot is under way stays until the snapshot was credited: the word that its id is
// free is the last that is said of it (C12).
func TestAReleaseWhileTheSnapshotIsUnderWay(t *testing.T) {
	for why, size := range map[string]int{"written": 100, "written in part": 40_000} {
		h := newRawHost(t, "worker", base.Limits{BulkBytes: 8192})
		doc := textDoc(size)
		h.Expose("Doc", core.Object{State: core.Members{"notes": doc}})
		p := h.dial()
		p.hold(0, "Doc")
		p.say(wire.TypeRelease, wire.AppendHoldID(wire.Binary, nil, 0))
		wantInt(t, why+": holds that follow the document", core.SubscriptionCount(doc), 0)
		var said []string
		for len(p.out) > 0 {
			types, bulk := p.types(), uint64(0)
			if slices.Contains(types, "released") && len(types) > 1 {
				t.Errorf("%s: %v is said before the snapshot is credited", why, types)
			}
			for _, typ := range types {
				if typ == "bound" || typ == "bulk-more" {
					bulk++
				}
			}
			said, p.out = append(said, types...), nil
			if bulk > 0 {
				p.say(wire.TypeCredit, wire.Credit{Bulk: bulk}.Append(wire.Binary, nil))
			}
		}
		if n := len(said); said[0] != "bound" || slices.Index(said, "released") != n-1 || n != 2+size/wire.MaxChunk {
			t.Errorf("%s: %v was said, want the snapshot and then that the hold is released", why, said)
		}
		wantInt(t, why+": holds that are kept", core.HoldCount(h.Host), 0)
		p.hold(0, "Doc") // its id is free
		if got := p.types(); len(got) == 0 || got[0] != "bound" {
			t.Errorf("%s: held again, %v was said", why, got)
		}
	}
}

// A change of more ops than a batch may have goes as a replacement, whether a commit has so many or several come to it.
func TestAChangeOfTooManyOpsIsAReplacement(t *testing.T) {
	const fields = 2 * delta.MaxOps
	key := func(i int) string { return fmt.Sprintf("key%05d", i) }
	for why, row := range map[string]struct {
		commits []int // ops of each
		ops     int
	}{
		"a commit":                    {[]int{delta.MaxOps}, delta.MaxOps},
		"a commit of one too many":    {[]int{delta.MaxOps + 1}, 1},
		"a fold":                      {[]int{delta.MaxOps / 2, delta.MaxOps / 2}, delta.MaxOps},
		"a fold of one too many":      {[]int{delta.MaxOps, 1}, 1},
		"a fold that grows still":     {[]int{delta.MaxOps, 1, 1, 10}, 1},
		"a fold of one, and too many": {[]int{1, delta.MaxOps}, 1},
	} {
		codecs(t, func(t *testing.T, codec wire.Codec) {
			l := newLabIn(t, sim.Config{Codec: codec, Limits: base.Limits{WindowMessages: 1}}, netsim.Memory)
			list := make([]delta.Field, fields)
			for i := range list {
				list[i] = delta.Field{Key: key(i), Value: delta.String(text(20))}
			}
			doc := core.NewDocument(delta.Object(list...))
			l.worker.Core().Expose("Wide", core.Object{State: core.Members{"m": doc}})
			r, view := l.hold(l.tab, "Wide"), l.hold(l.tab, "View")
			l.settle()
			var frames []core.Frame
			l.at(l.tab, func() { r.Watch("m", func(f core.Frame) { frames = append(frames, f) }) })
			frames = nil // the snapshot
			l.stall()
			l.commit("fills the window")
			at := 0
			for _, ops := range row.commits {
				l.at(l.worker, func() {
					if _, err := doc.Change(nil, func(d *delta.Draft) error {
						for range ops {
							if err := d.At(key(at)).Set(nil); err != nil {
								return err
							}
							at++
						}
						return nil
					}); err != nil {
						t.Error(err)
					}
				})
			}
			l.resume()
			l.settle()
			wantState(t, view, core.StateLive)
			wantState(t, r, core.StateLive)
			if len(frames) != 1 || len(frames[0].Ops) != row.ops || (frames[0].Ops[0].Code == delta.OpReplace) != (row.ops == 1) {
				t.Fatalf("%s: %d frames, the first of %d ops, want one of %d", why, len(frames), len(frames[0].Ops), row.ops)
			}
			if v, _ := r.Value("m"); !v.Equal(doc.Value()) {
				t.Errorf("%s: the replica differs", why)
			}
		})
	}
}
