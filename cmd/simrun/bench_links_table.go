package main

import "chordsim/core/base"

// Times are shown in microseconds, and those of many holds or calls in milliseconds.
func within(us float64) [2]wireGoal { return most(us, us) }

var (
	exactlyOne = [2]wireGoal{{exactly, 1}, {exactly, 1}}
	heapOfHold = most(160*base.KiB, 160*base.KiB)
)

// linksTable has every line, in the order in which it is shown. The figures are those of scenarios/figures.tsv, which a test
// compares. Goals of what is timed are shown, all others are required.
var linksTable = []wireRow{
	{id: "hold1000.first", what: "notes list of 1,000 items: first hold to live", unit: "us", figures: [2]float64{958, 1041}, goals: within(300), timed: true},
	{id: "hold1000", what: "notes list of 1,000 items: hold to live, one after the other", unit: "us", figures: [2]float64{666, 686}, goals: within(300), timed: true},
	{id: "hold500k.first", what: "500 KB document: first hold to live", unit: "us", figures: [2]float64{1461, 1555}, goals: within(350), timed: true},
	{id: "hold500k", what: "500 KB document: hold to live, one after the other", unit: "us", figures: [2]float64{1138, 1309}, goals: within(350), timed: true},
	{id: "hold500k.copies", what: "500 KB document: to allocate and copy its message three times, no more", unit: "us", timed: true},

	{id: "append.frame", what: "one appended item: commit to frame", unit: "us", figures: [2]float64{37, 31}, goals: within(5), timed: true},
	{id: "append.turn", what: "one appended item: the same until its credit is back", unit: "us", timed: true},
	{id: "append.messages", what: "messages per commit, the most of any kind", unit: "1", figures: [2]float64{1, 1}, goals: exactlyOne},
	{id: "append.encodes", what: "encodes per hold and commit, the most of any kind", unit: "1", figures: [2]float64{1, 1}, goals: exactlyOne},
	{id: "field.frame", what: "one changed field: commit to frame", unit: "us", figures: [2]float64{36, 31}, goals: within(5), timed: true},
	{id: "field.turn", what: "one changed field: the same until its credit is back", unit: "us", timed: true},
	{id: "remove.frame", what: "one removed item: commit to frame", unit: "us", figures: [2]float64{31, 29}, timed: true},
	{id: "remove.turn", what: "one removed item: the same until its credit is back", unit: "us", timed: true},

	{id: "stream.frame", what: "streamed token: commit to frame", unit: "us", goals: within(3), timed: true},
	{id: "stream.append", what: "streamed reply, 2,000 tokens: time per token, its credit included", unit: "us", figures: [2]float64{31, 27}, timed: true},
	{id: "stream.allocs", what: "streamed token: allocations of both hosts, the commit's included", unit: "1"},
	{id: "stream.allocated", what: "streamed token: bytes allocated by both hosts", unit: "B"},
	{id: "stream.wire", what: "streamed token: state message", unit: "B", figures: [2]float64{23, 34}, goals: most(12, 34)},
	{id: "stream.total", what: "streamed reply: 2,000 tokens, link acks included", unit: "B", figures: [2]float64{46080, 68096}, goals: most(12*streamed, 68096)},

	{id: "call.rtt", what: "call, small argument: round trip", unit: "us", figures: [2]float64{16, 15}, goals: within(2), timed: true},
	{id: "call.allocs", what: "call, small argument: allocations of both hosts", unit: "1", goals: most(12, 12)},
	{id: "call.allocated", what: "call, small argument: bytes allocated by both hosts", unit: "B"},
	{id: "call1mib.rtt", what: "call, 1 MiB of bytes: round trip", unit: "us", figures: [2]float64{192, 159}, goals: within(150), timed: true},
	{id: "call1mib.copies", what: "call, 1 MiB of bytes: to allocate and copy it twice, no more", unit: "us", timed: true},
	{id: "call1mib.allocs", what: "call, 1 MiB of bytes: allocations of both hosts", unit: "1"},
	{id: "call1mib.allocated", what: "call, 1 MiB of bytes: bytes allocated by both hosts", unit: "B", goals: most(9*base.MiB/4, 9*base.MiB/4)},

	{id: "holds1.heap", what: "1 hold of 1,000 items: heap kept, both ends", unit: "B", figures: [2]float64{157798}, goals: heapOfHold},
	{id: "holds10.heap", what: "10 holds of 1,000 items on a link: heap kept for each", unit: "B", figures: [2]float64{179405}, goals: heapOfHold},
	{id: "holds.shared.heap", what: "a second reference to an object that is held: heap kept", unit: "B", goals: most(2*base.KiB, 2*base.KiB)},
	{id: "holds1.messages", what: "1 hold: messages per commit", unit: "1", figures: [2]float64{1}, goals: exactlyOne},
	{id: "holds10.messages", what: "10 holds on a link: messages per commit", unit: "1", figures: [2]float64{1}, goals: exactlyOne},

	{id: "reconnect1", what: "cold reconnect, 1 reference of 1,000 items: dial to all live", unit: "ms", figures: [2]float64{0.870, 0.791}, timed: true},
	{id: "reconnect1.down", what: "cold reconnect, 1 reference: bytes down, handshake included", unit: "B", figures: [2]float64{136909, 137011}, goals: most(136909, none)},
	{id: "reconnect1.up", what: "cold reconnect, 1 reference: bytes up, handshake and credit included", unit: "B", figures: [2]float64{63, 110}, goals: most(63, none)},
	{id: "reconnect100", what: "cold reconnect, 100 references of 1,000 items: dial to all live", unit: "ms", figures: [2]float64{63.1, 66.4}, timed: true},
	{id: "reconnect100.down", what: "cold reconnect, 100 references: bytes down", unit: "B", figures: [2]float64{13691392, 13692006}, goals: most(13691392, none)},
	{id: "reconnect100.up", what: "cold reconnect, 100 references: bytes up", unit: "B", figures: [2]float64{4718, 6736}, goals: most(4718, none)},
	{id: "parked1000", what: "1,000 calls parked while down: dial to the last result", unit: "ms", figures: [2]float64{14.9, 13.8}, timed: true},
	{id: "parked1000.order", what: "1,000 parked calls run in the order they were made", unit: "1", figures: [2]float64{1, 1}, goals: exactlyOne},
}

// linksNotes stand under the table.
var linksNotes = []string{
	"times are wall times of this machine and this moment, medians of short laps; best: the least lap; spread: of the middle half, as a share of the median",
	"times are shown and not required; allocations, bytes, counts and kept heap are required where they have a goal",
	"copies: what the memory of a message costs two hosts, of which one keeps its chunks until they are acknowledged, before any work is done",
	"figures are those of the seed document, measured on its machine and its runtime",
}
