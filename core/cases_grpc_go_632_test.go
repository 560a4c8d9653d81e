package core_test

import (
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

// TestGrpcGo632CancelledStreamsNeverGiveBackWindow: 1,000 × (hold, take two frames, release), with more of them on their way than
// were taken. The free window is what it was, so is the room for snapshots, and nothing is kept of the holds.
func TestGrpcGo632CancelledStreamsNeverGiveBackWindow(t *testing.T) {
	for why, latency := range map[string]base.Duration{"at once": 0, "while frames are under way": base.Millisecond} {
		t.Run(why, func(t *testing.T) {
			l := newLab(t, base.Limits{}, netsim.Config{
				Up: linkmodel.Config{Latency: latency}, Down: linkmodel.Config{Latency: latency},
			})
			kept := l.hold(l.tab, "View")
			l.settle()
			for range 1000 {
				r := l.hold(l.tab, "View")
				l.run(5 * latency) // live, and the provider knows
				frames := 0
				l.at(l.tab, func() {
					r.Watch("notes", func(f core.Frame) {
						if frames++; !f.Snapshot && frames == 3 {
							r.Release()
						}
					})
				})
				for range 4 {
					l.commit("x")
				}
				l.run(5 * latency)
				if r.State() != core.StateReleased {
					t.Fatalf("the reference is %v after %d frames", r.State(), frames)
				}
			}
			l.settle()
			if w := l.window(); w != (core.Window{}) {
				t.Errorf("the window is %+v, want it free", w)
			}
			wantInt(t, "holds that follow the document", core.SubscriptionCount(l.doc), 1)
			wantReply(t, kept, strings.Repeat("x", 4000))
			before := l.stats()
			for range 4 { // as many as the window takes
				l.at(l.worker, func() { l.change("y") })
			}
			wantInt(t, "messages at once", l.stats().StateMessages-before.StateMessages, 4)
			l.settle()
		})
	}
}
