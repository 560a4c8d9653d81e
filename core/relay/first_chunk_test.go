package relay_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestMessagesInTheSmallestChunksGoThrough: the first chunk of each message has the ids that the relay reads.
func TestMessagesInTheSmallestChunksGoThrough(t *testing.T) {
	for _, codec := range []wire.Codec{wire.Binary, wire.Text} {
		t.Run(codec.String(), func(t *testing.T) {
			l := newLabIn(t, sim.Config{Codec: codec, Limits: base.Limits{ChunkBytes: 1}})
			w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
			r := l.hold(tab, "W/w/View")
			l.settle()
			wantState(t, r, core.StateLive)
			l.commit(w, text(300)+"é😀")
			var o, p outcome
			l.at(tab.host, func() {
				r.Call("text", 300, o.done)
				r.Call("stream", text(300), p.done)
			})
			l.settle()
			wantState(t, r, core.StateLive)
			wantReply(t, r, text(300)+"é😀"+text(300))
			o.wantOnce(t, "a large result", base.CodeNone)
			p.wantOnce(t, "a large argument", base.CodeNone)
			wantOpen(t, "the tab's", tab.conn)
			wantOpen(t, "the worker's", w.conn)
			if l.count["tab state-more"] == 0 || l.count["tab bulk-more"] == 0 || l.count["w call-more"] == 0 {
				t.Errorf("messages of one chunk: %v", l.count)
			}
		})
	}
}
