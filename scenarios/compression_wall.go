package scenarios

import (
	"cmp"
	"errors"
	"fmt"

	"chordsim/core/base"
	"chordsim/core/part"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
)

// packWall is a wall time that was measured here.
type packWall struct {
	id    string
	what  string
	nanos int64
}

// Measured as the seed document did: the mean of so many, and of parts alone the least of so many means.
const (
	wallTimes = 20
	wallLoops = 3
)

// measurePacking measures parts alone, and then from holding to live and from calling to the result over a memory link, in
// worlds that nothing watches. Nothing of it is in the hash of the run.
func measurePacking(r *sim.Run, p packPlan) (walls []packWall, err error) {
	for _, c := range []struct {
		name, what string
		raw        []byte
	}{
		{"snapshot", "snapshot", p.codec.AppendValue(nil, p.document)},
		{"result", "result", p.codec.AppendValue(nil, p.result)},
	} {
		var d part.Deflater
		out, ok := d.Append(nil, c.raw)
		if !ok {
			return nil, errors.New("the " + c.what + " does not get smaller")
		}
		deflated := append([]byte(nil), out...)
		walls = append(walls, packWall{"deflate." + c.name + ".time", c.what + ": deflating", fastest(r, func() { out, _ = d.Append(out[:0], c.raw) })})
		var i part.Inflater
		inflate := func() {
			if _, failed := i.Inflate(deflated, len(c.raw)); failed != nil {
				err = failed
			}
		}
		walls = append(walls, packWall{"inflate." + c.name + ".time", c.what + ": inflating in a turn", fastest(r, inflate)})
		world := sim.New(sim.Config{Unchecked: true})
		host := world.Host("owner")
		walls = append(walls, packWall{"inflate." + c.name + ".async", c.what + ": inflating beside the turns, and the turn behind it", fastest(r, func() {
			host.Offload(len(c.raw), inflate, func() {})
			if settled := world.Settle(base.Second); settled != nil {
				err = settled
			}
		})})
	}
	for how, name := range []string{".none", ".sync", ".async"} {
		ends, failed := measureEnds(r, p, packing(how), name)
		if failed != nil {
			return nil, failed
		}
		walls = append(walls, ends...)
	}
	return walls, err
}

// fastest returns the least mean of a function's wall time, in nanoseconds.
func fastest(r *sim.Run, fn func()) (best int64) {
	for loop := range wallLoops {
		start := r.Wall()
		for range wallTimes {
			fn()
		}
		if mean := (r.Wall() - start) / wallTimes; loop == 0 || mean < best {
			best = mean
		}
	}
	return best
}

// measureEnds measures the turns of both hosts.
func measureEnds(r *sim.Run, p packPlan, how packing, name string) ([]packWall, error) {
	cfg := r.Config("wall" + name)
	cfg.Unchecked, cfg.Trace, cfg.Codec, cfg.Deflate = true, nil, p.codec, how != plain
	if how == beside {
		cfg.OffloadOver = 1
	}
	w, err := newPackWorldIn(cfg, p, "wall", false, linkmodel.Config{})
	if err != nil {
		return nil, err
	}
	turns := func(fn func()) int64 {
		w.worker.ResetWall()
		w.tab.ResetWall()
		for range wallTimes {
			fn()
		}
		total := int64(0)
		for work := range base.Work(base.Works) {
			total += w.worker.Wall(work).Total + w.tab.Wall(work).Total
		}
		return total / wallTimes
	}
	view := w.holdOnly("View")
	hold := turns(func() { w.holdOnly("View") })
	call := turns(func() { w.call(view, "export", nil) })
	if why := cmp.Or(w.broken, w.failed); why != "" {
		return nil, fmt.Errorf("%s: %s", packingNames[how], why)
	}
	return []packWall{
		{"deflate.hold" + name, "hold to live, " + packingNames[how], hold},
		{"deflate.call" + name, "call to result, " + packingNames[how], call},
	}, nil
}
