package main

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/wire"
)

// wirePlan says how much is measured.
type wirePlan struct {
	rounds int           // of which the median counts
	block  time.Duration // of one round of one thing
	allocs int           // runs to count allocations over
	kept   int           // bytes of encoded messages that are kept at once, about
	warm   int           // bytes of the heap to be warm
}

// A full run takes about 0.2 s for each thing that is timed. Blocks are shorter than a busy machine's time slices, so that
// most of them, and with them the median, are not interrupted.
var (
	fullWire  = wirePlan{rounds: 101, block: 2 * time.Millisecond, allocs: 1000, kept: 50 * mebibyte, warm: 128 << 20}
	quickWire = wirePlan{rounds: 3, block: time.Millisecond, allocs: 20, kept: mebibyte, warm: 1 << 20}
)

// wireTimed is one thing whose time is measured.
type wireTimed struct {
	key wireKey
	run func() error
}

// blocks times things in turns, a block of each in every round, so that what else the machine does falls on all of them.
func (plan *wirePlan) blocks(list []wireTimed, step func(string)) (map[wireKey][]benchBlock, error) {
	warmHeap(plan.warm)
	ops := make([]int, len(list))
	for i := range list {
		var err error
		if ops[i], err = plan.calibrate(list[i].run); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", list[i].key.id, list[i].key.variant, err)
		}
	}
	blocks := map[wireKey][]benchBlock{}
	for range plan.rounds {
		step(list[0].key.id)
		for i := range list {
			start := time.Now()
			if err := repeated(list[i].run)(ops[i]); err != nil {
				return nil, err
			}
			took := time.Since(start)
			blocks[list[i].key] = append(blocks[list[i].key], benchBlock{ns: float64(took) / float64(ops[i])})
		}
	}
	return blocks, nil
}

func repeated(run func() error) func(int) error {
	return func(n int) error {
		for range n {
			if err := run(); err != nil {
				return err
			}
		}
		return nil
	}
}

// maxBlockOps bounds how often a thing is run in a block.
const maxBlockOps = 1 << 24

// calibrate returns how often a thing is run in a block. A second run proves the number: one that was disturbed would make
// blocks so short that they measure what came before them.
func (plan *wirePlan) calibrate(run func() error) (int, error) {
	for ops, proven := 1, false; ; {
		start := time.Now()
		if err := repeated(run)(ops); err != nil {
			return 0, err
		}
		took := time.Since(start)
		if took < plan.block/2 && ops < maxBlockOps {
			ops, proven = 2*ops, false
			continue
		}
		if ops = max(1, min(maxBlockOps, int(float64(ops)*float64(plan.block)/float64(took)))); proven {
			return ops, nil
		}
		proven = true
	}
}

// count returns how many objects and bytes a run allocates, exactly: nothing else runs meanwhile, and what the runtime
// allocates on its own now and then is less than one for each run. Messages of many bytes are run less often.
func (plan *wirePlan) count(run func() error, size int) (allocs, bytes float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := run(); err != nil {
		return 0, 0, err
	}
	runs := max(1, min(plan.allocs, plan.kept/size))
	b, err := measureBlock(runs, repeated(run))
	return math.Floor(b.allocs), math.Floor(b.bytes), err
}

// keptBytes returns what the heap keeps for one encoded message.
func (plan *wirePlan) keptBytes(encode func() []byte) float64 {
	kept := make([][]byte, max(1, min(1000, plan.kept/len(encode()))))
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools keep goes with the second
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	for i := range kept {
		kept[i] = encode()
	}
	grown := heap() - before
	runtime.KeepAlive(kept)
	return math.Round(grown / float64(len(kept)))
}

// setTime sets the median of times, in a unit of so many nanoseconds.
func (v wireValues) setTime(key wireKey, blocks []benchBlock, unit time.Duration) {
	v[key] = thousandths(median(blocks, nanoseconds) / float64(unit))
}

func nanoseconds(b benchBlock) float64 { return b.ns }

func thousandths(f float64) float64 { return math.Round(f*1000) / 1000 }

// measureCodecs times messages through the codecs, by their ids, and whatever is to be measured beside them.
func (plan *wirePlan) measureCodecs(of func(wire.Codec) (map[string]wireCodec, error), beside []wireTimed, into wireValues, step func(string)) (map[wireKey][]benchBlock, error) {
	list := slices.Clone(beside)
	for _, c := range []wire.Codec{wire.Binary, wire.Text} {
		messages, err := of(c)
		if err != nil {
			return nil, err
		}
		for _, id := range sortedIDs(messages) {
			m := messages[id]
			message := m.encode()
			encode := wireTimed{wireKey{id + ".encode", c.String()}, func() error { m.encode(); return nil }}
			decode := wireTimed{wireKey{id + ".decode", c.String()}, func() error { return m.decode(message) }}
			list = append(list, encode, decode)
			if m.value != nil {
				var scratch []byte
				list = append(list, wireTimed{wireKey{id + ".value", c.String()}, func() error { scratch = m.value(scratch); return nil }})
			}
			for _, t := range []wireTimed{encode, decode} {
				allocs, bytes, err := plan.count(t.run, len(message))
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", t.key.id, c, err)
				}
				into[wireKey{t.key.id + ".allocs", c.String()}] = allocs
				into[wireKey{t.key.id + ".bytes", c.String()}] = bytes
				into[wireKey{id + ".heap", c.String()}] += bytes
			}
			into[wireKey{id + ".kept", c.String()}] = plan.keptBytes(m.encode)
		}
	}
	blocks, err := plan.blocks(list, step)
	for key, list := range blocks {
		into.setTime(key, list, time.Microsecond)
	}
	return blocks, err
}

// measureBesideJSON times a snapshot through the codecs, and the same value through encoding/json in the same rounds.
func (plan *wirePlan) measureBesideJSON(id string, value delta.Value, into wireValues, step func(string)) error {
	text := delta.AppendJSON(nil, value)
	var of any
	if err := json.Unmarshal(text, &of); err != nil {
		return err
	}
	encode, decode := wireKey{"json." + id + ".encode", jsonVariant}, wireKey{"json." + id + ".decode", jsonVariant}
	blocks, err := plan.measureCodecs(func(c wire.Codec) (map[string]wireCodec, error) {
		return map[string]wireCodec{id: snapshotCodec(c, value)}, nil
	}, []wireTimed{
		{encode, func() error {
			_, err := json.Marshal(of)
			return err
		}},
		{decode, func() error {
			var into any
			return json.Unmarshal(text, &into)
		}},
	}, into, step)
	if err != nil {
		return err
	}
	for _, c := range []wire.Codec{wire.Binary, wire.Text} {
		times := func(theirs wireKey, ours string) {
			ratio := medianRatio(blocks[theirs], blocks[wireKey{id + ours, c.String()}], nanoseconds)
			into[wireKey{"json." + id + ours + ".times", c.String()}] = thousandths(ratio)
		}
		times(encode, ".encode")
		times(encode, ".value")
		times(decode, ".decode")
	}
	return nil
}

// measureDeflating times the deflating and inflating of what is deflated: a snapshot of prose and a result of it.
func (plan *wirePlan) measureDeflating(into wireValues, step func(string)) error {
	document, text := prose500KB(), delta.String(proseMebibyte())
	var list []wireTimed
	for _, c := range []wire.Codec{wire.Binary, wire.Text} {
		var dict wire.Dict
		var told wire.Told
		var used wire.Used
		for _, p := range []struct {
			id  string
			raw []byte
		}{
			{"snapshot", c.AppendSnapshot(nil, document, &dict, &told, &used)},
			{"result", c.AppendValue(nil, text)},
		} {
			var deflater part.Deflater
			var inflater part.Inflater
			deflate := func() ([]byte, error) {
				out, ok := deflater.Append(make([]byte, 0, len(p.raw)/4), p.raw)
				if !ok {
					return nil, fmt.Errorf("prose of %d bytes was not deflated", len(p.raw))
				}
				return out, nil
			}
			deflated, err := deflate()
			if err != nil {
				return err
			}
			inflate := func() error {
				_, err := inflater.Inflate(deflated, len(p.raw))
				return err
			}
			list = append(list,
				wireTimed{wireKey{"deflate." + p.id + ".time", c.String()}, func() error { _, err := deflate(); return err }},
				wireTimed{wireKey{"inflate." + p.id + ".time", c.String()}, inflate},
				wireTimed{wireKey{"inflate." + p.id + ".async", c.String()}, func() error {
					done := make(chan error)
					go func() { done <- inflate() }()
					return <-done
				}})
		}
	}
	blocks, err := plan.blocks(list, step)
	for key, list := range blocks {
		into.setTime(key, list, time.Millisecond)
	}
	return err
}
