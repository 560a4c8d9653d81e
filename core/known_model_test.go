package core_test

import (
	"testing"

	"pgregory.net/rapid"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
)

// knownModel is a tab that loses its session again and again, and a provider of a short history that goes on committing.
type knownModel struct {
	*uplinkLab
	codec   wire.Codec
	watched []*seen // of all its references
}

// boundBytes is what a bind may take besides the snapshot of its member, in bytes: its header and revision, the check and the
// headers of further chunks.
const boundBytes = 64

func (m *knownModel) edit(t *rapid.T) {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	kind := rapid.SampledFrom([]string{"append", "append", "truncate", "push", "set", "delete", "replace"}).Draw(t, "kind")
	m.at(m.worker, func() {
		_, err := m.doc.Change(nil, func(d *delta.Draft) error {
			entries, _ := d.At("entries").Value()
			switch {
			case kind == "append":
				return d.At("reply").Append(text(n))
			case kind == "truncate":
				reply, _ := d.At("reply").Value()
				return d.At("reply").Truncate(min(n, reply.Text().Len()))
			case kind == "replace":
				return d.At("reply").Set(text(n))
			case kind == "push" || entries.Len() == 0:
				return d.At("entries").Push(text(n))
			case kind == "set":
				return d.At("entries", n%entries.Len()).Set(n)
			}
			return d.At("entries", n%entries.Len()).Delete()
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// lose loses the session while anything may be under way, has commits happen without it, and wants the bind that follows to be no
// larger than a snapshot.
func (m *knownModel) lose(t *rapid.T) {
	m.run(base.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * base.Millisecond)
	m.way.SetDown(true)
	m.drop()
	m.run(1500 * base.Millisecond) // longer than sessions are kept, and not so long that the history is gone
	for range rapid.IntRange(0, 6).Draw(t, "commits") {
		m.edit(t)
	}
	before := m.log.bytes["tab bound"]
	m.way.SetDown(false)
	m.at(m.tab, m.way.Uplink().Redial)
	m.settle()
	snapshot := len(m.codec.AppendSnapshot(nil, m.doc.Value(), &wire.Dict{}, &wire.Told{}, &wire.Used{}))
	holds := 2
	if took := m.log.bytes["tab bound"] - before; took > holds*(snapshot+boundBytes) {
		t.Fatalf("%d binds took %d bytes, a snapshot has %d", holds, took, snapshot)
	}
}

func (m *knownModel) watch(t *rapid.T) {
	s := &seen{t: m.t}
	m.watched = append(m.watched, s)
	m.at(m.tab, func() { m.ref.Watch("notes", s.frame) })
}

func (m *knownModel) check(t *rapid.T) {
	m.settle()
	for _, s := range m.watched {
		if len(s.frames) == 0 || !s.value.Equal(m.doc.Value()) || s.frames[len(s.frames)-1].Revision != m.doc.Revision() {
			t.Fatalf("a watch saw %d frames, and is not where the document is", len(s.frames))
		}
	}
	if m.t.Failed() {
		t.FailNow()
	}
}

// TestKnownModel: whatever was lost and committed, and however much of it the provider still knows, what is seen in the end is what
// the provider has, each frame leads from the one before, and no bind takes more than the snapshot.
func TestKnownModel(t *testing.T) {
	deltas, snapshots := int64(0), int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		codec := rapid.SampledFrom([]wire.Codec{wire.Binary, wire.Text}).Draw(rt, "codec")
		cfg := sim.Config{
			Codec: codec, Deflate: rapid.Bool().Draw(rt, "deflate"), Reconnect: core.Reconnect{Grace: base.Second},
			Limits: base.Limits{HistoryCommits: rapid.IntRange(1, 12).Draw(rt, "history"), WindowMessages: 2},
		}
		m := &knownModel{uplinkLab: newUplinkLab(t, cfg, tenMS), codec: codec}
		m.hold(m.tab, "View")
		m.commit(text(rapid.SampledFrom([]int{0, 100, 40000}).Draw(rt, "size")))
		m.watch(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"edit": m.edit, "edits": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "edits") {
					m.edit(t)
				}
				m.lose(t)
			}, "lose": m.lose, "watch": m.watch, "": m.check,
		})
		deltas, snapshots = deltas+m.stats().Deltas, snapshots+m.stats().Snapshots
	})
	if deltas == 0 || snapshots == 0 {
		t.Errorf("%d deltas and %d snapshots, want both", deltas, snapshots)
	}
}
