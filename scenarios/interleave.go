package scenarios

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/check"
	"chordsim/sim/netsim"
)

// Interleave is a tab behind a slow link that goes on calling while a large snapshot crosses. It holds a counter; then it
// asks for a document, and until that is there it has the counter add one at a steady pace. Each call changes what the tab
// holds, so that its result waits for the change, and both wait for the chunk of the snapshot that is under way.
//
// Each way is played alone and with calls: what they cost the snapshot is the difference. A third time the calls come in
// bursts that are more than the window takes. Then changes wait for credit, and the results, which do not, say so.
func Interleave() *sim.Scenario {
	return &sim.Scenario{
		Name:    "interleave",
		Summary: "a tab at 64 KiB/s makes a call every 100 ms while a 500 KB snapshot crosses",
		Params: []sim.Param{
			{Name: "size", Kind: sim.ParamChoice, Default: "figure", Choices: []string{"figure", "small"},
				Help: "figure: the 500 KB document; small: a tenth of it, for sweeps"},
			{Name: "rate", Kind: sim.ParamRate, Default: "64KiB/s", Min: 1, Help: "of the direction to the tab"},
			{Name: "latency", Kind: sim.ParamDuration, Default: "0s", Max: int64(10 * base.Second), Help: "of both directions of the tab's link"},
			{Name: "every", Kind: sim.ParamDuration, Default: "100ms", Min: int64(10 * base.Millisecond), Max: int64(10 * base.Second),
				Help: "between two calls; when the first one comes is drawn from the seed"},
			{Name: "codec", Kind: sim.ParamChoice, Default: "binary", Choices: []string{"binary", "text"}, Help: "of all links"},
		},
		Invariants: check.IDs,
		Traces:     true,
		Check:      checkInterleave,
		Run:        runInterleave,
	}
}

// crossingWithin is how long a snapshot may take in virtual time before the run is taken for stuck. A link that needs half
// of it for the document's bytes alone is refused.
const crossingWithin = 20 * base.Minute

func checkInterleave(r *sim.Run) error {
	down := callDown(r)
	if err := down.Validate(); err != nil {
		return err
	}
	rate, link := down.Rate, "the link of "+linkmodel.FormatRate(down.Rate)
	if r.Link != nil {
		rate = r.Link.AverageRate()
		link = fmt.Sprintf("the trace %s, on average %s,", r.Link.Name(), averageRate(r.Link))
	}
	plan := planInterleave(r)
	limits := base.Limits{}.WithDefaults()
	if ahead := 2 * plan.latency / plan.every; ahead > base.Duration(limits.RunningCalls) {
		return fmt.Errorf("with a call every %v and a round trip of %v, %d calls are under way: the tab keeps at most %d unanswered",
			plan.every, 2*plan.latency, ahead, limits.RunningCalls)
	}
	size := len(plan.document().String())
	if need, ok := linkmodel.CatchUpLimit(int64(size), rate, 0); !ok || need > crossingWithin/2 {
		return fmt.Errorf("%s needs over %v for a document of %d bytes", link, crossingWithin/2, size)
	}
	each, _ := base.MulDiv(uint64(rate), uint64(plan.every), uint64(base.Second))
	if each < callBytes {
		return fmt.Errorf("with a call every %v, %s carries %d bytes for each: it takes up to %d", plan.every, link, each, callBytes)
	}
	return nil
}

// callDown is the direction to the tab.
func callDown(r *sim.Run) linkmodel.Config {
	if r.Link != nil {
		return linkmodel.Config{Trace: r.Link, Latency: r.Values.Duration("latency")}
	}
	return linkmodel.Config{Rate: r.Values.Int("rate"), Latency: r.Values.Duration("latency")}
}

// callPlan is the sizes of all cases of a run.
type callPlan struct {
	entries, characters int
	every               base.Duration
	latency             base.Duration
	codec               wire.Codec
}

func planInterleave(r *sim.Run) callPlan {
	plan := callPlan{entries: 500, characters: 960, every: r.Values.Duration("every"), latency: r.Values.Duration("latency"), codec: codecOf(r)}
	if r.Values.Text("size") == "small" {
		plan.entries = 50
	}
	return plan
}

// crossing is what one world found: one way to the worker, with calls or without.
type crossing struct {
	label    string
	snapshot base.Duration // from asking for the document to having it
	asked    base.Time
	bytes    int64 // delivered to the tab meanwhile
	calls    []callMade
	answered int
	unread   int   // results that were seen before what their calls had changed
	folded   int64 // changes that waited for room in the window
	stuck    string
	broken   string
}

// callMade is one call of the tab.
type callMade struct {
	at    base.Time
	ahead int           // calls that were not answered then
	took  base.Duration // until its result was seen
}

// interleaved is what was found of one way: with calls, and alone.
type interleaved struct {
	id    string // as in the ids of figures
	label string
	with  crossing
	alone crossing
	burst crossing
}

// burstCalls is how many calls a burst is, twice what the window takes, and burstEvery how many times as long as between
// two calls it is from one burst to the next.
const (
	burstCalls = 8
	burstEvery = 4
)

func runInterleave(r *sim.Run) (*sim.Report, error) {
	if err := checkInterleave(r); err != nil {
		return nil, err
	}
	plan := planInterleave(r)
	report := &sim.Report{Headline: interleaveHeadline(r, plan)}
	ways := []interleaved{
		{id: "interleave.direct", label: "direct"},
		{id: "interleave.relayed", label: "relayed"},
	}
	for i := range ways {
		for j, play := range []struct {
			label string
			burst int
			found *crossing
		}{
			{"alone", 0, &ways[i].alone}, {"with calls", 1, &ways[i].with}, {"with bursts", burstCalls, &ways[i].burst},
		} {
			label := ways[i].label + " " + play.label
			if r.Progress != nil {
				r.Progress(3*i+j, 3*len(ways), label)
			}
			w, err := newCallWorld(r, plan, label, ways[i].label == "relayed", play.burst)
			if err != nil {
				return nil, err
			}
			c := w.play()
			c.folded = w.folded()
			report.Add(w.world)
			if c.broken != "" {
				report.Failures = append(report.Failures, label+": "+c.broken)
			} else if c.stuck != "" && w.world.Violation() == nil {
				report.Stuck = append(report.Stuck, label+": "+c.stuck)
			}
			*play.found = c
		}
	}
	reportInterleave(r, plan, ways, report)
	return report, nil
}

func interleaveHeadline(r *sim.Run, plan callPlan) string {
	link := linkmodel.FormatRate(r.Values.Int("rate"))
	if r.Link != nil {
		link = fmt.Sprintf("trace %s (average %s)", r.Link.Name(), averageRate(r.Link))
	}
	return fmt.Sprintf("interleave · %s · a call every %v while a document of %d bytes of JSON crosses · seed %d",
		link, plan.every, len(plan.document().String()), r.Seed)
}

// callBytes is more than the change and the result of one call take on the link, in bytes.
const callBytes = 64

// chunkSize is the largest chunk of a snapshot on the tab's link, its header with an ack included, in bytes.
func (p callPlan) chunkSize(limits base.Limits) int64 {
	head := wire.Header{Type: wire.TypeBulkMore, More: true, Ack: uint64(limits.AckChunks)}
	return int64(limits.ChunkBytes + len(head.Append(p.codec, nil)))
}

// bound is how long a call may take, or false where nothing is promised. What is under way when the call comes is one
// chunk; and the change and the result, which go before the next one, take less time than another. That needs room in the
// window: no more calls between two credits than it has messages. With more, changes fold and results wait for credit.
func (p callPlan) bound(r *sim.Run) (base.Duration, bool) {
	limits, rate := base.Limits{}.WithDefaults(), r.Values.Int("rate")
	window := int64(limits.WindowMessages)
	credit, _ := linkmodel.CatchUpLimit(p.chunkSize(limits)+window*callBytes, rate, 0)
	two, _ := linkmodel.CatchUpLimit(2*p.chunkSize(limits), rate, 0)
	return two + 2*p.latency, r.Link == nil && credit+2*p.latency < base.Duration(window)*p.every
}

// traceBound is how long a call may take over a recorded link, whose outages no window outlasts: what is in the link's
// buffer when the call comes to the worker, and what goes before the result then; and all that once more, if the change has
// to wait for credit first.
func (p callPlan) traceBound(trace *linkmodel.Trace, c *callMade) base.Duration {
	limits := base.Limits{}.WithDefaults()
	reach := func(from base.Time, calls int) base.Time {
		chunks := int64(2 + (2*calls+limits.SmallRun-1)/limits.SmallRun) // a chunk goes after each run of small messages
		at, _ := trace.CatchUp(from, netsim.TraceBuffer+chunks*p.chunkSize(limits)+int64(calls+1)*callBytes, 0)
		return at
	}
	sent := reach(c.at.Add(p.latency), c.ahead)
	more := int(sent.Sub(c.at)/p.every) + 1 // calls that came meanwhile
	return reach(sent.Add(2*p.latency), c.ahead+more).Add(p.latency).Sub(c.at)
}

// snapshotBound is how long the snapshot may take beside the calls, or false where nothing is promised: two percent longer
// than alone, or over a recorded link until that has carried two percent more. Calls so frequent that they may need more
// themselves have no such bound.
func (p callPlan) snapshotBound(r *sim.Run, alone *crossing) (base.Duration, bool) {
	rate := r.Values.Int("rate")
	if r.Link != nil {
		rate = r.Link.AverageRate()
	}
	carries, _ := base.MulDiv(uint64(rate), uint64(p.every), uint64(base.Second))
	if int64(carries)/50 < callBytes {
		return 0, false
	}
	if r.Link == nil {
		return alone.snapshot + alone.snapshot/50, true
	}
	left := alone.asked.Add(alone.snapshot - p.latency) // when the last of it went
	at, ok := r.Link.CatchUp(left, alone.bytes/50, 0)
	return alone.snapshot + at.Sub(left), ok
}
