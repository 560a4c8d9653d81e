package scenarios

import (
	"fmt"
	"slices"

	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
)

// deflateLibrary is what deflates. How long a deflated part is depends on it, and with that virtual times and hashes: they
// are those of this version.
const deflateLibrary = "github.com/klauspost/compress v1.20.4"

// Compression is a snapshot and results of prose that cross a link to a tab: as they are, and deflated at their origin,
// relayed, and inflated at their owner. Beside that, what must never be deflated is not, and a part that would inflate to
// more than its owner allows is refused while others go on.
func Compression() *sim.Scenario {
	return &sim.Scenario{
		Name:    "compression",
		Summary: "a 500 KB snapshot and a 1 MiB result of prose, deflated at the origin, relayed, inflated at the owner; bombs",
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: "figure", Choices: []string{"figure", "small"},
				Help: "figure: as the seed document ran it; small: a tenth of it and less, for sweeps"},
			{Name: "codec", Kind: sim.ParamChoice, Default: "binary", Choices: []string{"binary", "text"}, Help: "of all links"},
			{Name: "latency", Kind: sim.ParamDuration, Default: "0s", Max: int64(base.Second), Help: "of both directions of the tab's link"},
		},
		Invariants: check.IDs,
		Run:        runCompression,
	}
}

// packing is how what crosses is packed.
type packing uint8

const (
	plain  packing = iota // as it is
	atOnce                // deflated, and inflated in the turn that takes it
	beside                // deflated, and inflated beside the turns
)

// The names of the packings in tables, and what they add to ids.
var (
	packingNames = [...]string{"as it is", "deflated", "deflated, inflated beside"}
	packingIDs   = [...]string{"", ".deflated", ".beside"}
)

// packRates are the directions to the tab that the figures are of.
var packRates = []struct {
	id   string
	rate int64 // bytes per second
}{{"10mbs", 10_000_000}, {"1mbs", 1_000_000}}

// offloadCost is what inflating beside the turns takes in virtual time, for each byte that comes out: what the seed
// document's synchronous inflating of its snapshot took, rounded up.
const offloadCost = 2 * base.Nanosecond

// packPlan is the sizes of all cases of a run.
type packPlan struct {
	figures  bool // the seed document's size
	codec    wire.Codec
	latency  base.Duration
	document delta.Value
	result   delta.Value
	english  delta.Value
	argument delta.Value
	limit    int // of what the tabs inflate of a message, in bytes
	noise    int // bytes of what cannot be deflated
}

func planCompression(r *sim.Run) packPlan {
	p := packPlan{
		figures: true, codec: codecOf(r), latency: r.Values.Duration("latency"),
		limit: 4 * base.MiB, noise: 256 * base.KiB,
	}
	n, characters, text := 500, base.MiB, english()
	if r.Values.Text("size") == "small" {
		p.figures, p.limit, p.noise = false, 64*base.KiB, 20*base.KiB
		n, characters, text = 50, 64*base.KiB, text[:32*base.KiB]
	}
	p.document = proseEntries(r.Seed, n, 960)
	p.result = delta.String(prose(r.Seed, "result", characters))
	p.argument = delta.String(prose(r.Seed, "argument", characters))
	p.english = delta.String(text)
	return p
}

// crossWithin is how long one thing may take to cross in virtual time before the run is taken for stuck. With the greatest
// latency, 2 MiB take 33 round trips of 2 s, each of what may be in flight.
const crossWithin = 10 * base.Minute

func runCompression(r *sim.Run) (*sim.Report, error) {
	p := planCompression(r)
	out := packed{plan: p}
	report := &sim.Report{Headline: fmt.Sprintf("compression · a document of %d bytes of JSON and a result of %d, of prose · %s · %s · seed %d",
		len(p.document.String()), len(p.result.String()), p.codec, deflateLibrary, r.Seed)}
	steps := out.steps(r, report)
	for i, s := range steps {
		if r.Progress != nil {
			r.Progress(i, len(steps), s.label)
		}
		if err := s.run(); err != nil { // of a world that could not be made, or of what is measured outside of worlds
			report.Failures = append(report.Failures, s.label+": "+err.Error())
		}
	}
	out.report(r, report)
	return report, nil
}

// packed is what a run found.
type packed struct {
	plan      packPlan
	crossings []packCrossing
	edges     []packEdges
	bombs     []packBombs
	walls     []packWall
}

// packStep is one world of a run, or what is measured outside of them.
type packStep struct {
	label string
	run   func() error
}

// steps lists all that is to be played. What goes wrong in a world is in the report; an error is about making one.
func (out *packed) steps(r *sim.Run, report *sim.Report) (steps []packStep) {
	done := func(label string, world *sim.World, stuck, broken string) {
		report.Add(world)
		switch {
		case broken != "":
			report.Failures = append(report.Failures, label+": "+broken)
		case stuck != "" && world.Violation() == nil:
			report.Stuck = append(report.Stuck, label+": "+stuck)
		}
	}
	for _, relayed := range []bool{false, true} {
		for _, rate := range packRates {
			for _, how := range []packing{plain, atOnce, beside} {
				c := packCrossing{way: wayName(relayed), rateID: rate.id, rate: rate.rate, packing: how}
				steps = append(steps, packStep{c.label(), func() error {
					w, err := newPackWorld(r, out.plan, c.label(), relayed, how, linkmodel.Config{Rate: rate.rate, Latency: out.plan.latency})
					if err != nil {
						return err
					}
					w.cross(&c)
					done(c.label(), w.world, c.stuck, c.broken)
					out.crossings = append(out.crossings, c)
					return nil
				}})
			}
		}
	}
	for _, relayed := range []bool{false, true} {
		label := wayName(relayed) + ", edges"
		steps = append(steps, packStep{label, func() error {
			w, err := newPackWorld(r, out.plan, label, relayed, atOnce, linkmodel.Config{Latency: out.plan.latency})
			if err != nil {
				return err
			}
			e := packEdges{way: wayName(relayed)}
			w.edges(&e)
			done(label, w.world, e.stuck, e.broken)
			out.edges = append(out.edges, e)
			return nil
		}})
	}
	for _, relayed := range []bool{false, true} {
		label := wayName(relayed) + ", bombs"
		steps = append(steps, packStep{label, func() error {
			w, err := newBombWorld(r, out.plan, label, relayed)
			if err != nil {
				return err
			}
			b := packBombs{way: wayName(relayed)}
			w.play(&b)
			done(label, w.world, b.stuck, b.broken)
			out.bombs = append(out.bombs, b)
			return nil
		}})
	}
	if r.Wall != nil && out.plan.figures {
		steps = append(steps, packStep{"wall times", func() (err error) {
			out.walls, err = measurePacking(r, out.plan)
			return err
		}})
	}
	return steps
}

func wayName(relayed bool) string {
	if relayed {
		return "relayed"
	}
	return "direct"
}

// crossing returns what was found of one way, rate and packing, or nil if that did not come to its end.
func (out *packed) crossing(way, rateID string, how packing) *packCrossing {
	i := slices.IndexFunc(out.crossings, func(c packCrossing) bool {
		return c.way == way && c.rateID == rateID && c.packing == how && c.stuck+c.broken == ""
	})
	if i < 0 {
		return nil
	}
	return &out.crossings[i]
}
