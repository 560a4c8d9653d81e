package scenarios

import (
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

// churnLink is a link as it was drawn.
type churnLink struct {
	host string // who dials
	kind string
	cfg  netsim.Config
}

// churnLinkKinds lists the kinds of links.
var churnLinkKinds = []string{"memory", "throttled", "long and fat", "jittery", "quantum", "byte stream", "small buffer", "bottleneck"}

// churnShared is the rate of the bottleneck, in bytes per second.
const churnShared = 256 * base.KiB

// bottleneck makes what some of the links share.
func (w *churnWorld) bottleneck() (*netsim.Bottleneck, error) {
	return w.world.Bottleneck("shared", churnShared)
}

// drawLink draws the link of a host.
func (w *churnWorld) drawLink(host string, shared *netsim.Bottleneck) churnLink {
	draws := w.draws(host, "link")
	l := churnLink{host: host, kind: churnLinkKinds[draws.Below(uint64(len(churnLinkKinds)))]}
	rate := func(least, most int64) int64 { return least + int64(draws.Below(uint64(most-least))) }
	both := func(m linkmodel.Config) { l.cfg.Up, l.cfg.Down = m, m }
	switch l.kind {
	case "throttled":
		both(linkmodel.Config{Rate: rate(64*base.KiB, 512*base.KiB), Latency: between(draws, 0, 10*base.Millisecond)})
		if draws.Below(2) == 0 {
			l.cfg.Up.Rate = 0 // one direction only
		}
	case "long and fat":
		both(linkmodel.Config{Rate: rate(1*base.MiB, 16*base.MiB), Latency: between(draws, 20*base.Millisecond, 120*base.Millisecond)})
		l.cfg.Buffer = 64 * base.KiB
	case "jittery":
		both(linkmodel.Config{Latency: between(draws, 0, 10*base.Millisecond), Jitter: between(draws, base.Millisecond, 30*base.Millisecond)})
	case "quantum":
		both(linkmodel.Config{Rate: rate(64*base.KiB, 512*base.KiB), Quantum: between(draws, base.Millisecond, 20*base.Millisecond)})
	case "byte stream":
		most := []int{64, 256, 1460}[draws.Below(3)]
		both(linkmodel.Config{Rate: rate(128*base.KiB, 2*base.MiB), Latency: between(draws, 0, 5*base.Millisecond)})
		l.cfg.Stream = &netsim.StreamConfig{Min: 1 + int(draws.Below(uint64(most))), Max: most}
	case "small buffer":
		both(linkmodel.Config{Rate: rate(64*base.KiB, 512*base.KiB), Latency: between(draws, 0, 10*base.Millisecond)})
		l.cfg.Buffer = rate(1, 512)
	case "bottleneck":
		both(linkmodel.Config{Latency: between(draws, 0, 10*base.Millisecond)})
		l.cfg.UpVia, l.cfg.DownVia = shared, shared
	}
	return l
}
