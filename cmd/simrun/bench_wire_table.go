package main

import "chordsim/core/base"

// wireRow is what is shown of one id: a line for each codec. Figures and goals are of both codecs, in their order.
type wireRow struct {
	id, what, unit string
	figures        [2]float64 // the seed document's; 0: it has none
	goals          [2]wireGoal
	only           wireOnly
	timed          bool // is measured by running the codec, and not by counting what hosts send
}

// wireGoal is what a value is held against. The zero value is no goal.
type wireGoal struct {
	sense wireSense
	bound float64
}

// wireSense says which way a goal is to be met.
type wireSense uint8

const (
	noGoal  wireSense = iota
	atMost            // required
	exactly           // required
	atLeast           // of what depends on the machine, so that it is shown and not required
)

// wireOnly says which codecs have a line.
type wireOnly uint8

const (
	bothCodecs wireOnly = iota
	binaryOnly
	jsonOnly // encoding/json
)

func most(binary, text float64) [2]wireGoal { return [2]wireGoal{bound(binary), bound(text)} }

// bound is a goal to be at most f; none for no f.
func bound(f float64) wireGoal {
	if f < 0 {
		return wireGoal{}
	}
	return wireGoal{atMost, f}
}

// none stands for no goal in most.
const none = -1

// headerShare is what the headers of a message's chunks may take of it: 0.2 %.
const headerShare = 0.002

func headers(bytes float64) [2]wireGoal { return most(bytes*headerShare, bytes*headerShare) }

var (
	fewAllocsEncode = most(1, none)
	fewAllocsDecode = most(3, none)
	sixTimes        = [2]wireGoal{{atLeast, 6}, {}}
	threshold       = [2]wireGoal{{exactly, 16 * base.KiB}, {exactly, 16 * base.KiB}}
)

// wireTable has every line, in the order in which it is shown. The figures are those of scenarios/figures.tsv, which a test
// compares. What is called a message is one as its codec writes it, with the header of its chunk.
var wireTable = []wireRow{
	{id: "hold1000.wire", what: "notes list of 1,000 items: snapshot, chunk headers included", unit: "B",
		figures: [2]float64{136909, 136909}, goals: most(105*base.KiB, none)},
	{id: "hold1000.body", what: "notes list of 1,000 items: snapshot before chunk headers", unit: "B",
		figures: [2]float64{136909, 136909}, goals: most(105*base.KiB, 136909)},
	{id: "hold1000.headers", what: "notes list of 1,000 items: chunk headers", unit: "B", goals: headers(136909)},
	{id: "hold1000.encode", what: "notes list snapshot: encode", unit: "us", figures: [2]float64{291.1, 312.3}, timed: true},
	{id: "hold1000.decode", what: "notes list snapshot: decode", unit: "us", figures: [2]float64{266.4, 302.8}, timed: true},
	{id: "hold1000.heap", what: "notes list snapshot: heap per encode + decode", unit: "B", figures: [2]float64{452096}, timed: true},
	{id: "hold1000.kept", what: "notes list snapshot: buffer kept per encoded message", unit: "B", figures: [2]float64{141005}, timed: true},
	{id: "json.hold1000.encode", what: "notes list: encoding/json encodes the same as any", unit: "us", only: jsonOnly, timed: true},
	{id: "json.hold1000.encode.times", what: "notes list: times as fast as it; ratio: ours ÷ encoding/json", unit: "x", goals: sixTimes, timed: true},
	{id: "json.hold1000.value.times", what: "notes list: the same, of the value alone into a buffer that is kept", unit: "x", timed: true},
	{id: "json.hold1000.decode", what: "notes list: encoding/json decodes the same into any", unit: "us", only: jsonOnly, timed: true},
	{id: "json.hold1000.decode.times", what: "notes list: times as fast as it; ratio: ours ÷ encoding/json", unit: "x", goals: sixTimes, timed: true},

	{id: "hold500k.wire", what: "500 KB document: snapshot, chunk headers included", unit: "B",
		figures: [2]float64{508416}, goals: most(485*base.KiB, none)},
	{id: "hold500k.body", what: "500 KB document: snapshot before chunk headers", unit: "B",
		figures: [2]float64{508416}, goals: most(485*base.KiB, 508416)},
	{id: "hold500k.headers", what: "500 KB document: chunk headers", unit: "B", goals: headers(508416)},
	{id: "hold500k.encode", what: "500 KB snapshot: encode", unit: "us", figures: [2]float64{615.4, 687.5}, timed: true},
	{id: "hold500k.decode", what: "500 KB snapshot: decode", unit: "us", figures: [2]float64{390.8, 528.3}, timed: true},
	{id: "hold500k.heap", what: "500 KB snapshot: heap per encode + decode", unit: "B", figures: [2]float64{1547469}, timed: true},
	{id: "hold500k.kept", what: "500 KB snapshot: buffer kept per encoded message", unit: "B", figures: [2]float64{512512}, timed: true},
	{id: "json.hold500k.encode", what: "500 KB document: encoding/json encodes the same as any", unit: "us", only: jsonOnly, timed: true},
	{id: "json.hold500k.encode.times", what: "500 KB document: times as fast as it; ratio: ours ÷ encoding/json", unit: "x", timed: true},
	{id: "json.hold500k.value.times", what: "500 KB document: the same, of the value alone into a buffer that is kept", unit: "x", timed: true},
	{id: "json.hold500k.decode", what: "500 KB document: encoding/json decodes the same into any", unit: "us", only: jsonOnly, timed: true},
	{id: "json.hold500k.decode.times", what: "500 KB document: times as fast as it; ratio: ours ÷ encoding/json", unit: "x", timed: true},

	{id: "append.wire", what: "one appended item: state message", unit: "B", figures: [2]float64{165, 175}, goals: most(120, 175)},
	{id: "append.largest", what: "one appended item: the same with a link ack on it", unit: "B", goals: most(120, none)},
	{id: "append.encode", what: "one appended item: encode", unit: "us", figures: [2]float64{1.4, 0.9}, timed: true},
	{id: "append.decode", what: "one appended item: decode", unit: "us", figures: [2]float64{1.4, 1.1}, timed: true},
	{id: "append.heap", what: "one appended item: heap per encode + decode", unit: "B", figures: [2]float64{2607}, timed: true},
	{id: "append.kept", what: "one appended item: buffer kept per encoded message", unit: "B", figures: [2]float64{165}, timed: true},
	{id: "append.encode.allocs", what: "one appended item: allocations of an encode", unit: "1", goals: fewAllocsEncode, timed: true},
	{id: "append.decode.allocs", what: "one appended item: allocations of a decode", unit: "1", goals: fewAllocsDecode, timed: true},

	{id: "field.wire", what: "one changed field: state message", unit: "B", figures: [2]float64{27, 38}, goals: most(16, 38)},
	{id: "field.largest", what: "one changed field: the same with a link ack on it", unit: "B", goals: most(16, none)},
	{id: "field.encode", what: "one changed field: encode", unit: "us", figures: [2]float64{0.6, 0.5}, timed: true},
	{id: "field.decode", what: "one changed field: decode", unit: "us", figures: [2]float64{1.0, 0.7}, timed: true},
	{id: "field.heap", what: "one changed field: heap per encode + decode", unit: "B", figures: [2]float64{2005}, timed: true},
	{id: "field.encode.allocs", what: "one changed field: allocations of an encode", unit: "1", goals: fewAllocsEncode, timed: true},
	{id: "field.decode.allocs", what: "one changed field: allocations of a decode", unit: "1", goals: fewAllocsDecode, timed: true},

	{id: "remove.wire", what: "one removed item: state message", unit: "B", figures: [2]float64{23, 34}, goals: most(12, 34)},
	{id: "remove.largest", what: "one removed item: the same with a link ack on it", unit: "B", goals: most(12, none)},
	{id: "remove.encode", what: "one removed item: encode", unit: "us", figures: [2]float64{0.6}, timed: true},
	{id: "remove.decode", what: "one removed item: decode", unit: "us", figures: [2]float64{1.0}, timed: true},
	{id: "remove.heap", what: "one removed item: heap per encode + decode", unit: "B", figures: [2]float64{1704}, timed: true},
	{id: "remove.encode.allocs", what: "one removed item: allocations of an encode", unit: "1", goals: fewAllocsEncode, timed: true},
	{id: "remove.decode.allocs", what: "one removed item: allocations of a decode", unit: "1", goals: fewAllocsDecode, timed: true},

	{id: "stream.wire", what: "streamed token: state message", unit: "B", figures: [2]float64{23, 34}, goals: most(12, 34)},
	{id: "stream.largest", what: "streamed token: the same with a link ack on it", unit: "B", goals: most(12, none)},
	{id: "stream.total", what: "streamed reply: 2,000 tokens, link acks included", unit: "B",
		figures: [2]float64{46080, 68096}, goals: most(12*streamed, 68096)},
	{id: "stream.encode", what: "streamed token: encode", unit: "us", figures: [2]float64{0.5, 0.5}, timed: true},
	{id: "stream.decode", what: "streamed token: decode", unit: "us", figures: [2]float64{1.0, 0.6}, timed: true},
	{id: "stream.heap", what: "streamed token: heap per encode + decode", unit: "B", figures: [2]float64{1696}, timed: true},
	{id: "stream.encode.allocs", what: "streamed token: allocations of an encode", unit: "1", goals: fewAllocsEncode, timed: true},
	{id: "stream.decode.allocs", what: "streamed token: allocations of a decode", unit: "1", goals: fewAllocsDecode, timed: true},

	{id: "call.wire", what: "call, small argument: call message", unit: "B", figures: [2]float64{16, 23}, goals: most(10, 23)},
	{id: "call.largest", what: "call, small argument: the same with a link ack on it", unit: "B", goals: most(10, none)},
	{id: "call.encode", what: "call, small argument: encode", unit: "us", figures: [2]float64{0.6}, timed: true},
	{id: "call.decode", what: "call, small argument: decode", unit: "us", figures: [2]float64{0.4}, timed: true},
	{id: "call.heap", what: "call, small argument: heap per encode + decode", unit: "B", figures: [2]float64{1580}, timed: true},
	{id: "call.encode.allocs", what: "call, small argument: allocations of an encode", unit: "1", goals: fewAllocsEncode, timed: true},
	{id: "call.decode.allocs", what: "call, small argument: allocations of a decode", unit: "1", goals: fewAllocsDecode, timed: true},
	{id: "result.wire", what: "its result: result message", unit: "B", figures: [2]float64{9, 14}, goals: most(5, 14)},
	{id: "result.largest", what: "its result: the same with a link ack on it", unit: "B", goals: most(5, none)},
	{id: "result.encode", what: "its result: encode", unit: "us", figures: [2]float64{0.4}, timed: true},
	{id: "result.decode", what: "its result: decode", unit: "us", figures: [2]float64{0.3}, timed: true},
	{id: "result.heap", what: "its result: heap per encode + decode", unit: "B", figures: [2]float64{1219}, timed: true},
	{id: "result.encode.allocs", what: "its result: allocations of an encode", unit: "1", goals: fewAllocsEncode, timed: true},
	{id: "result.decode.allocs", what: "its result: allocations of a decode", unit: "1", goals: fewAllocsDecode, timed: true},

	{id: "call1mib.wire", what: "call, 1 MiB of bytes: over 1 MiB, before chunk headers", unit: "B", figures: [2]float64{51, 51}, goals: most(24, 51)},
	{id: "call1mib.headers", what: "call, 1 MiB of bytes: chunk headers", unit: "B", goals: headers(mebibyte)},
	{id: "call1mib.encode", what: "call, 1 MiB of bytes: encode (the one copy)", unit: "us", figures: [2]float64{113.7}, timed: true},
	{id: "call1mib.decode", what: "call, 1 MiB of bytes: decode (a view)", unit: "us", figures: [2]float64{1.4}, timed: true},
	{id: "call1mib.decode.bytes", what: "call, 1 MiB of bytes: allocated by a decode", unit: "B", goals: most(512, 512), timed: true},
	{id: "call1mib.kept", what: "call, 1 MiB of bytes: buffer kept per encoded message", unit: "B", figures: [2]float64{1052672}, timed: true},

	{id: "origin", what: "an origin of a relayed tab, the 200th: bytes of a token", unit: "B", goals: most(2, none)},

	{id: "deflate.threshold", what: "largest part that is never deflated", unit: "B", figures: [2]float64{16384, 16384}, goals: threshold},
	{id: "deflate.snapshot", what: "500 KB prose snapshot: deflated", unit: "B", figures: [2]float64{140698}, goals: most(140698, 140698)},
	{id: "deflate.snapshot.json", what: "500 KB prose snapshot: JSON", unit: "B", figures: [2]float64{506778}, only: binaryOnly},
	{id: "deflate.snapshot.raw", what: "500 KB prose snapshot: as encoded", unit: "B"},
	{id: "deflate.hold.bytes", what: "500 KB prose snapshot: received, chunk headers included", unit: "B",
		figures: [2]float64{140800}, goals: most(140800, 140800)},
	{id: "deflate.snapshot.time", what: "500 KB prose snapshot: deflate at the origin", unit: "ms", figures: [2]float64{3.308}, timed: true},
	{id: "inflate.snapshot.time", what: "500 KB prose snapshot: inflate in the turn", unit: "ms", figures: [2]float64{0.915}, timed: true},
	{id: "inflate.snapshot.async", what: "500 KB prose snapshot: inflate beside it, there and back", unit: "ms", figures: [2]float64{1.400}, timed: true},
	{id: "deflate.result", what: "1 MiB prose result: deflated", unit: "B", figures: [2]float64{292966}, goals: most(292966, 292966)},
	{id: "deflate.result.time", what: "1 MiB prose result: deflate at the origin", unit: "ms", figures: [2]float64{6.856}, timed: true},
	{id: "inflate.result.time", what: "1 MiB prose result: inflate in the turn", unit: "ms", figures: [2]float64{1.757}, timed: true},
	{id: "inflate.result.async", what: "1 MiB prose result: inflate beside it, there and back", unit: "ms", figures: [2]float64{3.113}, timed: true},
}

// wireNotes stand under the table.
var wireNotes = []string{
	"hold to live, frames, round trips, reconnects and heap per hold need links: they are not measured here",
	"bytes are of what two hosts send each other; times and memory are of the codec alone, as medians, on this machine, and only shown",
	"figures are those of the seed document, measured on its machine; heap here includes the message's own bytes, which there it does not",
}
