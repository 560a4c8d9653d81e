package main

import "chordsim/core/wire"

// linksValue is what was measured of one id in one codec.
type linksValue struct {
	value  float64
	notYet string // why there is no value: what the core does not have yet

	timed  bool
	best   float64 // of times: the least of the blocks
	spread float64 // of times: how far the middle half of the blocks is apart, as a share of the median
}

// linksValues is what was measured.
type linksValues map[wireKey]linksValue

func (v linksValues) set(id string, c wire.Codec, value float64) {
	v[wireKey{id, c.String()}] = linksValue{value: value}
}

// lack notes that there is no value, and why.
func (v linksValues) lack(id string, c wire.Codec, why string) {
	v[wireKey{id, c.String()}] = linksValue{notYet: why}
}

// linksCodecs are the codecs that everything is measured in.
var linksCodecs = []wire.Codec{wire.Binary, wire.Text}

// linksPlan says how much is measured.
type linksPlan struct {
	wirePlan       // how many rounds, and how allocations are counted
	share      int // a round has one lap for so many of a full run
	sessions   int // that the kept heap is averaged over
	references int // that are held again at once, at most; fewer than the 100 of the table in a test only
}

// A full run takes about half a minute on a machine that does nothing else.
var (
	fullLinks  = linksPlan{wirePlan: wirePlan{rounds: 15, allocs: 1000, kept: mebibyte, warm: 128 << 20}, share: 1, sessions: 100, references: 100}
	quickLinks = linksPlan{wirePlan: wirePlan{rounds: 5, allocs: 100, kept: mebibyte, warm: 1 << 20}, share: 20, sessions: 10, references: 100}
)
