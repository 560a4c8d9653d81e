package scenarios

import (
	"fmt"
	"slices"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// packCrossing is what one world found: a way to the worker, a rate of the link to the tab, and how all is packed.
type packCrossing struct {
	way     string
	rateID  string // as in ids
	rate    int64
	packing packing

	snapshot, result, english crossed
	argument                  int64  // bytes of the argument, encoded
	up                        int64  // bytes that the host next to the tab got for it
	upDeflated                int64  // parts that the tab deflated
	unequal                   int    // values and parts that are not what they were at the worker
	relay                     [3]int // parts that the server inflated, deflated, parsed
	looks                     int64  // of C9: chunks found as they came, and more
	stuck, broken             string
}

func (c *packCrossing) label() string {
	return fmt.Sprintf("%s, %s, %s", c.way, linkmodel.FormatRate(c.rate), packingNames[c.packing])
}

// crossed is one thing that came to the tab.
type crossed struct {
	json  int // bytes of its JSON
	raw   int // bytes of its part before it was deflated; 0: it was not
	part  int // bytes of its part when deflated
	took  base.Duration
	bytes int64 // delivered meanwhile, headers included
}

// packWorld is a worker with a document and results, a tab, and for a relayed case a server with a route in between.
type packWorld struct {
	plan   packPlan
	world  *sim.World
	worker *sim.Host
	tab    *sim.Host
	server *sim.Host // nil if there is none
	link   *netsim.Link
	prefix string        // of addresses
	origin []packedPart  // what the worker deflated
	owner  []uint64      // hashes of what the tab inflated
	answer delta.Value   // to the last call
	bytes  [][]byte      // beside it
	took   base.Duration // until it came
	got    int64         // bytes delivered until then
	failed string
	broken string
}

// packedPart is a part that was deflated.
type packedPart struct {
	hash      uint64 // of the raw part
	raw, part int    // bytes
}

func newPackWorld(r *sim.Run, p packPlan, label string, relayed bool, how packing, down linkmodel.Config) (*packWorld, error) {
	cfg := r.Config(label)
	cfg.Codec, cfg.Deflate = p.codec, how != plain
	if how == beside {
		cfg.OffloadOver = 1
	}
	return newPackWorldIn(cfg, p, label, relayed, down)
}

func newPackWorldIn(cfg sim.Config, p packPlan, label string, relayed bool, down linkmodel.Config) (*packWorld, error) {
	w := &packWorld{plan: p, world: sim.New(cfg)}
	listen := w.listen
	if cfg.Unchecked { // to be measured
		listen = nil
	}
	w.worker, w.tab = w.world.HostWith("worker", listen), w.world.HostWith("tab", listen)
	w.tab.SetCost(sim.Cost{Offloaded: offloadCost})
	w.worker.Core().Expose("View", core.Object{
		State: core.Members{"notes": core.NewDocument(p.document)},
		Methods: core.Methods{
			"export":  func(*core.Call) (delta.Value, error) { return p.result, nil },
			"english": func(*core.Call) (delta.Value, error) { return p.english, nil },
			"keep":    func(c *core.Call) (delta.Value, error) { return delta.Bool(c.Arg.Equal(p.argument)), nil },
		},
	})
	near := w.worker // the host that the tab dials
	if relayed {
		w.server, w.prefix = w.world.Host("server"), "Session/42/"
		near = w.server
		route, err := w.world.Connect(w.worker, near, netsim.Memory)
		if err != nil {
			return nil, err
		}
		near.Core().Route("Session", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	}
	conn, err := w.world.Connect(w.tab, near, netsim.Config{Up: linkmodel.Config{Latency: down.Latency}, Down: down})
	if err != nil {
		return nil, err
	}
	w.link = conn.Link
	w.world.Note("case " + label)
	return w, connected(w.world, 4*down.Latency, base.Millisecond, conn)
}

// listen has the world keep what hosts deflate and inflate, beside what the checkers are told.
func (w *packWorld) listen(cfg *core.Config) {
	told := *cfg.Probe
	probe := told
	probe.Deflated = func(h *core.Host, raw, part []byte) {
		if told.Deflated != nil {
			told.Deflated(h, raw, part)
		}
		w.origin = append(w.origin, packedPart{trace.Bytes(raw), len(raw), len(part)})
	}
	probe.Inflated = func(h *core.Host, raw []byte) {
		if told.Inflated != nil {
			told.Inflated(h, raw)
		}
		w.owner = append(w.owner, trace.Bytes(raw))
	}
	cfg.Probe = &probe
}

// cross has the tab hold the document and call, one after another.
func (w *packWorld) cross(c *packCrossing) {
	view := w.hold("View", &c.snapshot)
	for _, call := range []struct {
		method string
		want   delta.Value
		found  *crossed
	}{{"export", w.plan.result, &c.result}, {"english", w.plan.english, &c.english}} {
		if w.failed == "" {
			before := len(w.origin)
			w.call(view, call.method, nil)
			w.note(call.found, call.want, before)
			if !w.answer.Equal(call.want) {
				c.unequal++
			}
		}
	}
	c.argument = int64(len(w.plan.codec.AppendValue(nil, w.plan.argument)))
	if w.failed == "" {
		if value, ok := view.Value("notes"); !ok || !value.Equal(w.plan.document) {
			c.unequal++
		}
		_, before := w.link.Acceptor().Received()
		w.call(view, "keep", w.plan.argument)
		_, after := w.link.Acceptor().Received()
		if c.up = after - before; !w.answer.Bool() {
			c.unequal++
		}
	}
	hashes := make([]uint64, len(w.origin))
	for i := range w.origin {
		hashes[i] = w.origin[i].hash
	}
	if !slices.Equal(hashes, w.owner) {
		c.unequal++
	}
	c.upDeflated = w.tab.Core().Stats().Deflated
	c.relay, c.looks = w.relayed()
	c.stuck, c.broken = w.failed, w.broken
}

// relayed returns what the server did to parts, and how often C9 was looked at.
func (w *packWorld) relayed() (did [3]int, looks int64) {
	if w.server == nil {
		return did, 0
	}
	s := w.server.Core().Stats()
	for _, c := range w.world.Checks().Counts() {
		if c.ID == "C9" {
			looks = c.Checks
		}
	}
	return [3]int{int(s.Inflated), int(s.Deflated), int(s.PartsParsed)}, looks
}

// hold has the tab hold an object with a document "notes", and notes what that took.
func (w *packWorld) hold(address string, found *crossed) (ref *core.Reference) {
	before := len(w.origin)
	asked := w.world.Now()
	_, bytes := w.link.Dialer().Received()
	w.tab.Do(func() {
		ref = w.tab.Core().Get(w.prefix + address)
		ref.Watch("notes", func(f core.Frame) {
			if f.Snapshot {
				_, now := w.link.Dialer().Received()
				w.took, w.got = w.world.Now().Sub(asked), now-bytes
			}
		})
	})
	w.settle()
	if ref == nil || ref.State() != core.StateLive {
		w.fail("%s is not live", address)
		return ref
	}
	value, _ := ref.Value("notes")
	w.note(found, value, before)
	return ref
}

// call has the tab call and keeps the answer.
func (w *packWorld) call(ref *core.Reference, method string, arg any, options ...core.CallOption) {
	asked := w.world.Now()
	_, bytes := w.link.Dialer().Received()
	answered := false
	w.answer, w.bytes = delta.Null(), nil
	w.tab.Do(func() {
		var pc *core.PendingCall
		pc = ref.Call(method, arg, func(v delta.Value, err error) {
			_, now := w.link.Dialer().Received()
			w.took, w.got = w.world.Now().Sub(asked), now-bytes
			if answered = true; err != nil {
				w.broken = fmt.Sprintf("%s: %v", method, err)
				return
			}
			w.answer, w.bytes = v, pc.Bytes()
		}, options...)
	})
	w.settle()
	if !answered {
		w.fail("%s was never answered", method)
	}
}

// note keeps what was found of a thing that came, of which what was deflated since is a part.
func (w *packWorld) note(found *crossed, value delta.Value, before int) {
	*found = crossed{json: len(value.String()), took: w.took, bytes: w.got}
	if len(w.origin) > before {
		found.raw, found.part = w.origin[before].raw, w.origin[before].part
	}
}

func (w *packWorld) settle() {
	if err := w.world.Settle(crossWithin); err != nil {
		w.fail("%v", err)
	}
}

func (w *packWorld) fail(format string, args ...any) {
	if w.failed == "" {
		w.failed = fmt.Sprintf(format, args...)
	}
}
