package core_test

import (
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// TestYamux142AWriteTimeOutLeavesThePeerHanging: a stall that is longer than a heartbeat and shorter than the time-out of one ends
// nothing. A longer one ends the connection at both ends, whichever way is stalled and whoever had something to write, and all
// goes on over the next one.
func TestYamux142AWriteTimeOutLeavesThePeerHanging(t *testing.T) {
	const heartbeat = 10 * base.Second // the default; the time-out is twice as much
	ways := map[string]func(*netsim.Link) []*netsim.End{
		"towards the tab":    func(l *netsim.Link) []*netsim.End { return []*netsim.End{l.Dialer()} },
		"towards the worker": func(l *netsim.Link) []*netsim.End { return []*netsim.End{l.Acceptor()} },
		"both ways":          func(l *netsim.Link) []*netsim.End { return []*netsim.End{l.Dialer(), l.Acceptor()} },
	}
	writers := map[string]func(*uplinkLab, *outcome){
		"nobody writes":     func(*uplinkLab, *outcome) {},
		"the worker writes": func(u *uplinkLab, _ *outcome) { u.commit("x") },
		"the tab writes": func(u *uplinkLab, o *outcome) {
			u.at(u.tab, func() { u.ref.Call("stream", "x", o.done) })
		},
	}
	for way, ends := range ways {
		for writer, write := range writers {
			for stall, over := range map[base.Duration]bool{heartbeat + heartbeat/2: false, 3 * heartbeat: true} {
				t.Run(way+", "+writer+", "+stall.String(), func(t *testing.T) {
					u := newUplinkLab(t, sim.Config{}, netsim.Memory)
					changes := 0
					u.way.OnChange(func() { changes++ })
					first := u.way.Connection()
					u.at(u.tab, func() { u.ref.Call("echo", "heard just now", nil) })
					for _, e := range ends(first.Link) {
						e.Stall()
					}
					var o outcome
					write(u, &o)
					u.run(stall)
					if ended := first.Link.Dialer().Closed() && first.Link.Acceptor().Closed(); ended != over || over != (u.way.Connection() != first) {
						t.Errorf("the tab's end is closed: %v, the worker's: %v; want both or none", first.Link.Dialer().Closed(), first.Link.Acceptor().Closed())
					}
					if wantChanges := map[bool]int{false: 0, true: 2}[over]; changes != wantChanges {
						t.Errorf("the way changed %d times, want %d: lost, and there again", changes, wantChanges)
					}
					for _, e := range ends(first.Link) {
						e.Resume()
					}
					u.settle()
					wantInt(t, "snapshots", u.log.count["tab bound"], 0) // the session went on
					wantReply(t, u.ref, ownReply(u.lab))
					if writer == "the tab writes" {
						o.wantOnce(t, "the call", base.CodeNone)
					}
				})
			}
		}
	}
}
