package core_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
)

// TestWS1830MemoryGrowsOnASlowNetwork: 10,000 commits at 1,000 a second for a tab of 64 KiB/s that could take a tenth of them. What
// waits for it stays under the document's size and a window, the messages are far fewer than the commits, and the last value is
// the provider's.
func TestWS1830MemoryGrowsOnASlowNetwork(t *testing.T) {
	const commits, size, values = 10_000, 300, 100
	l := newLabIn(t, sim.Config{}, slow(64*base.KiB))
	fields := make([]delta.Field, values)
	for i := range fields {
		fields[i] = delta.Field{Key: fmt.Sprint("k", i), Value: delta.String("")}
	}
	doc := core.NewDocument(delta.Object(fields...))
	l.worker.Core().Expose("Board", core.Object{State: core.Members{"m": doc}})
	r := l.hold(l.tab, "Board")
	l.settle()
	most, mostSent := 0, 0
	for i := range commits {
		l.at(l.worker, func() {
			if _, err := doc.Change(nil, func(d *delta.Draft) error {
				return d.At(fmt.Sprint("k", i%values)).Set(fmt.Sprint(i, text(size)))
			}); err != nil {
				t.Error(err)
			}
		})
		w := l.window()
		most, mostSent = max(most, w.Pending), max(mostSent, w.Bytes)
		l.run(base.Millisecond)
	}
	l.settle()
	if bound := values * (size + 100); most > bound {
		t.Errorf("%d bytes waited, want at most about the %d of the document", most, bound)
	}
	if limits := (base.Limits{}).WithDefaults(); mostSent > 2*limits.WindowBytes {
		t.Errorf("%d bytes were under way, in a window of %d", mostSent, limits.WindowBytes)
	}
	if n := l.log.count["tab state"]; n > commits/10 {
		t.Errorf("%d chunks of state for %d commits", n, commits)
	}
	if v, _ := r.Value("m"); !v.Equal(doc.Value()) {
		t.Error("the last value is another one")
	}
}
