package core_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestRustYamux102ABlockedWriterBlocksTheReader: both ends write more than the buffers between them hold, before they read. 16
// references echo 1 KiB over and over, with buffers of 10 KiB, and of less than a message: everything completes, in the time that
// the bytes take.
func TestRustYamux102ABlockedWriterBlocksTheReader(t *testing.T) {
	const streams, rounds, rate = 16, 20, base.MiB
	for why, link := range map[string]netsim.Config{
		"messages":         {Buffer: 10 * base.KiB},
		"bytes":            {Buffer: 10 * base.KiB, Stream: &netsim.StreamConfig{Min: 1, Max: 2 * base.KiB}},
		"less than a call": {Buffer: 100},
	} {
		t.Run(why, func(t *testing.T) {
			link.Up, link.Down = linkmodel.Config{Rate: rate}, linkmodel.Config{Rate: rate}
			l := newLabIn(t, sim.Config{}, link)
			settled := 0
			l.at(l.tab, func() {
				for i := range streams {
					r := l.tab.Core().Get("View", core.Unshared())
					left := rounds
					var echo func(delta.Value, error)
					echo = func(v delta.Value, err error) {
						if err != nil {
							t.Errorf("stream %d: %v", i, err)
						}
						settled++
						if left--; left >= 0 {
							r.Call("echo", fmt.Sprint(i, text(base.KiB)), echo)
						}
					}
					for range 4 {
						r.Call("echo", fmt.Sprint(i, text(base.KiB)), echo)
					}
				}
			})
			began := l.world.Now()
			l.settle()
			wantInt(t, "echoes", settled, streams*(rounds+4))
			least := base.Duration(settled) * base.KiB * base.Second / rate
			if took := l.world.Now().Sub(began); took > 3*least {
				t.Errorf("it took %v; the bytes take %v", took, least)
			}
		})
	}
}
