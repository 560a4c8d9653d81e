package scenarios

import (
	"fmt"
	"strings"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// tabWorld is the world of one case: a worker with a document behind a remote view, a tab, and for a relayed case a server
// with a route for Session in between.
type tabWorld struct {
	run    *sim.Run
	plan   tabPlan
	world  *sim.World
	worker *sim.Host // nil in a relayed case until the route is asked
	tab    *sim.Host
	end    *netsim.End // the tab's end of its link
	doc    *core.Document
	view   *core.Reference
	step   base.Duration
	token  string
	tokens int // committed so far
	m      measured
	failed error
	revs   []uint64 // the worker's revision at the end of each step
	lag    int      // steps that the tab may be behind and still be caught up
	full   bool     // the window was full at the end of the last step
}

func documentOf(plan tabPlan) delta.Value {
	return delta.Object(
		delta.Field{Key: "entries", Value: entries(plan.entries, plan.characters)},
		delta.Field{Key: "reply", Value: delta.String("")},
	)
}

// codecOf returns the codec that a run asks for.
func codecOf(r *sim.Run) wire.Codec {
	if r.Values.Text("codec") == wire.Text.String() {
		return wire.Text
	}
	return wire.Binary
}

func newTabWorld(r *sim.Run, plan tabPlan, c tabCase) (*tabWorld, error) {
	cfg := r.Config(c.name)
	cfg.Limits = base.Limits{WindowMessages: int(r.Values.Int("window")), ChunkBytes: int(r.Values.Int("chunk"))}
	cfg.Codec = codecOf(r)
	t := &tabWorld{
		run: r, plan: plan, world: sim.New(cfg), doc: core.NewDocument(documentOf(plan)),
		step: r.Values.Duration("step"), token: r.Values.Text("token"), lag: tabLag(r), m: measured{tabCase: c},
	}
	t.tab = t.world.Host("tab")
	var near *sim.Host // the host that the tab dials
	if c.relayed {
		near = t.world.Host("server")
		near.Core().Route("Session", func(q *relay.Request) { t.resolve(near, q) })
	} else {
		near = t.newWorker()
	}
	latency := r.Values.Duration("latency")
	conn, err := t.world.Connect(t.tab, near, tabLink(r))
	if err != nil {
		return nil, err
	}
	t.end = conn.Link.Dialer()
	t.world.Note("case " + c.label)
	return t, connected(t.world, 2*latency+t.step-(2*latency)%t.step, t.step, conn)
}

// newWorker makes the host that has the view.
func (t *tabWorld) newWorker() *sim.Host {
	t.worker = t.world.Host("worker")
	t.worker.Core().Expose("View", core.Object{
		State: core.Members{"notes": t.doc},
		Methods: core.Methods{"stream": func(c *core.Call) (delta.Value, error) {
			rev, err := t.doc.Change(c, func(d *delta.Draft) error { return d.At("reply").Append(c.Arg.Text().String()) })
			return delta.Number(float64(rev)), err
		}},
	})
	return t.worker
}

// resolve answers the server's route: it makes the session's worker and connects it.
func (t *tabWorld) resolve(server *sim.Host, q *relay.Request) {
	conn, err := t.world.Connect(t.newWorker(), server, netsim.Memory)
	if err != nil {
		q.Fail(err)
		return
	}
	conn.OnAccept(func(c *core.Conn) { server.Do(func() { q.To(c.Link()) }) })
}

// advance plays one step: a token, then what the link and the hosts make of it.
func (t *tabWorld) advance() {
	if t.worker != nil {
		t.worker.Do(t.stream)
	}
	if err := t.world.RunFor(t.step); err != nil && t.failed == nil {
		t.failed = err
	}
	if err := t.world.Violation(); err != nil && t.failed == nil {
		t.failed = err // what comes after it says little
	}
	t.revs = append(t.revs, t.doc.Revision().Number)
}

func (t *tabWorld) stream() {
	if _, err := t.doc.Change(nil, t.appendToken); err != nil && t.failed == nil {
		t.failed = err
	}
}

func (t *tabWorld) appendToken(d *delta.Draft) error { return d.At("reply").Append(t.nextToken()) }

// nextToken returns the token with its last letter moved on through the alphabet, so that a change of their order shows.
func (t *tabWorld) nextToken() string {
	last := len(t.token) - 1
	if c := t.token[last]; c < 'a' || c > 'z' {
		return t.token
	}
	letter := byte('a' + t.tokens%26)
	t.tokens++
	return t.token[:last] + string(letter)
}

// stepsFor plays steps for a span of time, with a look at the world after each.
func (t *tabWorld) stepsFor(d base.Duration, look func()) {
	for end := t.world.Now().Add(d); t.world.Now() < end && t.failed == nil; {
		t.advance()
		if look != nil {
			look()
		}
	}
}

// equal reports whether the tab is where the worker was, as far as the link can have told it.
func (t *tabWorld) equal() bool {
	if t.view.State() != core.StateLive || len(t.revs) <= t.lag {
		return false
	}
	rev, _ := t.view.Revision("notes")
	if rev.Number < t.revs[len(t.revs)-1-t.lag] {
		return false
	}
	if t.lag > 0 {
		return true // that a revision has its value is checked for each frame
	}
	value, _ := t.view.Value("notes")
	return value.Equal(t.doc.Value())
}

// play runs the case and returns what was found.
func (t *tabWorld) play() measured {
	if !t.snapshot() {
		return t.stop("the snapshot did not arrive within %v of virtual time", snapshotWithin)
	}
	t.resetWall()
	t.stepsFor(t.plan.before, t.lookToken())
	t.m.out = t.commits()
	start := t.stats()
	t.pause()
	if !t.catchUp(start) {
		return t.stop("%s", t.stillBehind())
	}
	if rest := t.plan.after - t.m.caughtUp; rest > 0 {
		t.stepsFor(rest, nil)
	}
	return t.stop("")
}

// lookToken returns a look that notes what a token's message takes: the bytes delivered in the latest step that brought
// the tab one message and, with it, one revision.
func (t *tabWorld) lookToken() func() {
	messages, bytes := t.end.Received()
	rev, _ := t.view.Revision("notes")
	return func() {
		m, b := t.end.Received()
		r, _ := t.view.Revision("notes")
		if m == messages+1 && r.Number == rev.Number+1 {
			t.m.token = b - bytes
		}
		messages, bytes, rev = m, b, r
	}
}

// stop ends the case. One that did not get where it should settles as well, for what the checkers have to say about that.
func (t *tabWorld) stop(format string, args ...any) measured {
	switch {
	case t.failed != nil:
		t.m.stuck = t.failed.Error()
	case format != "":
		t.m.stuck = strings.TrimSpace(fmt.Sprintf(format, args...))
	}
	if err := t.world.Settle(settleWithin); err != nil && !strings.Contains(t.m.stuck, err.Error()) {
		t.m.stuck = strings.TrimPrefix(t.m.stuck+"; "+err.Error(), "; ")
	}
	if t.view != nil && t.view.Err() != nil {
		// No fault took the link away: one of our own hosts said something that another did not take.
		t.m.broken = fmt.Sprintf("C14: the view is %v: %v", t.view.State(), t.view.Err())
	}
	return t.m
}

// snapshot has the tab ask for the view and plays steps until it has it.
func (t *tabWorld) snapshot() bool {
	asked := t.world.Now()
	var live base.Time
	t.tab.Do(func() {
		address := "View"
		if t.m.relayed {
			address = "Session/42/View"
		}
		t.view = t.tab.Core().Get(address)
		t.view.Watch("notes", func(f core.Frame) {
			if f.Snapshot {
				live = t.world.Now()
			}
		})
	})
	for t.world.Now() < asked.Add(snapshotWithin) && t.failed == nil {
		t.advance()
		if t.view.State() == core.StateLive {
			t.m.snapshot = live.Sub(asked)
			return true
		}
	}
	return false
}

// pause stalls the tab's link, or does not in a control, and streams on.
func (t *tabWorld) pause() {
	heap := t.heap()
	encodes := t.doc.Encodings()
	t.resetWall()
	if t.m.stalled {
		t.world.StallFor(t.end, t.m.pause)
	}
	t.full = false
	last := encodes
	quiet := t.world.Now().Add(t.run.Values.Duration("latency")) // when all credit that was under way has come
	t.stepsFor(t.m.pause, func() {
		now := t.doc.Encodings()
		if t.full {
			t.m.afterFull += now - last
		}
		last = now
		t.look()
		t.full = t.full && t.world.Now() >= quiet
	})
	t.m.in = t.commits()
	t.m.encodes = last - encodes
	t.m.heap = t.heap() - heap
}

// look notes how much pends at the provider.
func (t *tabWorld) look() {
	worker := t.worker.Core()
	for _, id := range worker.Consumers() {
		w, _ := worker.Window(id)
		t.m.pending = max(t.m.pending, w.Pending)
		t.m.ops = max(t.m.ops, w.PendingOps)
		t.full = w.Outstanding >= int(t.run.Values.Int("window"))
	}
}

// catchUp plays steps until the tab has caught up.
func (t *tabWorld) catchUp(start core.Stats) bool {
	from := t.world.Now()
	_, bytes := t.end.Received()
	t.m.missed = t.behind()
	t.physicalLimit(from)
	t.worker.ResetWall()
	for t.world.Now() < from.Add(t.patience()) && t.failed == nil {
		t.advance()
		if t.equal() {
			_, now := t.end.Received()
			end := t.stats()
			t.m.caughtUp, t.m.bytes = t.world.Now().Sub(from), now-bytes
			t.m.messages, t.m.folded = end.StateMessages-start.StateMessages, end.Folded-start.Folded
			t.m.handle = t.worker.Wall(base.WorkMessage).Longest
			return true
		}
	}
	return false
}

// patience is how long catching up may take before the run is taken for stuck: over a trace, whose outages may be long, and
// elsewhere up to, catchUpWithin; no time at all if the link needs longer than that by itself.
func (t *tabWorld) patience() base.Duration {
	switch {
	case !t.m.hasLimit || t.m.limit >= catchUpWithin:
		return 0
	case t.run.Link != nil:
		return catchUpWithin
	}
	down := tabDown(t.run)
	return min(catchUpWithin, 10*base.Second+4*t.m.limit+10*(2*down.Latency+down.Jitter+down.Quantum))
}

// stillBehind says that the tab did not catch up, and what the link could have done.
func (t *tabWorld) stillBehind() string {
	if t.patience() == 0 {
		return fmt.Sprintf("the link alone needs over %v for the %d bytes that the tab missed", catchUpWithin, t.m.missed)
	}
	rev, _ := t.view.Revision("notes")
	return fmt.Sprintf("the tab did not catch up within %v of virtual time, for which the link alone needs %v: it is %d tokens behind",
		t.patience(), t.m.limit, t.doc.Revision().Number-rev.Number)
}

// behind returns how many bytes of text the tab lacks.
func (t *tabWorld) behind() int64 {
	have := 0
	if v, ok := t.view.Value("notes"); ok {
		reply, _ := v.At("reply")
		have = reply.Text().EncodedLen()
	}
	reply, _ := t.doc.Value().At("reply")
	return int64(reply.Text().EncodedLen() - have)
}

// physicalLimit works out how long the link needs at least for the missed text, with the stream going on.
func (t *tabWorld) physicalLimit(from base.Time) {
	perSecond := streamRate(t.run)
	if t.run.Link != nil {
		var at base.Time
		if at, t.m.hasLimit = t.run.Link.CatchUp(from, t.m.missed, perSecond); t.m.hasLimit {
			t.m.limit = at.Sub(from)
			t.m.reach = t.traceReach(from, perSecond).Sub(from)
		}
		return
	}
	rate := t.run.Values.Int("rate")
	t.m.limit, t.m.hasLimit = linkmodel.CatchUpLimit(t.m.missed, rate, perSecond)
	t.m.reach, _ = linkmodel.CatchUpLimit(t.m.missed+t.headers(), rate, perSecond)
}

// headers is more than what comes with the missed text: the heads of the window's messages and the fold, and of its chunks.
func (t *tabWorld) headers() int64 {
	v := t.run.Values
	return foldHeaders + v.Int("window")*stateHead + t.m.missed/v.Int("chunk")*chunkHead
}

// traceReach is what a recorded link leaves of the physical limit: the opportunities that bring what was sent before the
// pause cannot carry the fold, which is only made once that was credited; and what was streamed while the fold was under
// way comes in one message behind it.
func (t *tabWorld) traceReach(from base.Time, perSecond int64) base.Time {
	sent, ok := t.run.Link.CatchUp(from, t.end.Queued(), 0)
	if !ok {
		return base.Never
	}
	fold, ok := t.run.Link.CatchUp(sent, t.m.missed+foldHeaders, perSecond)
	if !ok {
		return base.Never
	}
	return t.run.Link.NextMark(fold)
}

// foldHeaders is more than a fold of one text takes besides the text: its message's head, and a header for each chunk.
const foldHeaders = 64

// stateHead is what a token's message takes at most besides the token, chunkHead what a later chunk's header does, in bytes.
const (
	stateHead = 8
	chunkHead = 3
)

func (t *tabWorld) stats() core.Stats { return t.worker.Core().Stats() }

// commits returns the wall times of the worker's commits: each is a turn that was posted.
func (t *tabWorld) commits() sim.Wall { return t.worker.Wall(base.WorkPost) }

func (t *tabWorld) resetWall() { t.worker.ResetWall() }

func (t *tabWorld) heap() int64 {
	if t.run.Heap == nil {
		return 0
	}
	return t.run.Heap()
}
