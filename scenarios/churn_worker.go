package scenarios

import (
	"strconv"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim"
)

// churnWorker is a provider: it has documents, commits to them on its own and for others, and keeps them in its store.
type churnWorker struct {
	w      *churnWorld
	host   *sim.Host
	number int
	line   *churnLine
	docs   map[string]*core.Document // of the present life
	health *core.Reference           // to the server
	asked  base.Time                 // a ping of it; 0: none is under way
	heard  base.Time                 // the last answer
	began  bool

	saves  uint64 // how often all was written to the store
	synced uint64 // of those, how many must survive
}

// churnMembers are the documents of a worker, and churnObjects where they are exposed: the text is in both.
var (
	churnMembers = []string{"count", "items", "order", "text"}
	churnObjects = []struct {
		address string
		members []string
	}{
		{"Notes", []string{"items", "text"}},
		{"Board", []string{"count", "order", "text"}},
	}
)

// How large the documents may get.
const (
	churnItems  = 24
	churnText   = 2000 // characters
	churnPlaces = 12   // of the list that is permuted
)

func newChurnWorker(w *churnWorld, i int) *churnWorker {
	name := churnWorkerName(i)
	p := &churnWorker{w: w, host: w.host(name), number: i}
	p.line = w.line(p.host, w.server.host)
	p.line.onAccept = func(c *core.Conn) { w.server.accepted(i, c) }
	p.host.OnStart(p.start)
	return p
}

// begin makes the first connection, and has the worker look after it.
func (p *churnWorker) begin() {
	p.line.connect()
	p.began = true
	p.w.paced(p.w.draws(p.host.Name(), "look"), 100*base.Millisecond, 300*base.Millisecond, p.w.tended, p.look)
}

// start begins a life with what the store has.
func (p *churnWorker) start(h *sim.Host) {
	p.docs = map[string]*core.Document{}
	for _, name := range churnMembers {
		p.docs[name] = core.NewDocument(p.load(name))
	}
	saves := p.stored()
	if saves < p.synced || saves > p.saves {
		p.w.fault("the store of %s has save %d; it wrote %d, and synced %d", h.Name(), saves, p.saves, p.synced)
	}
	p.saves, p.synced = saves, saves
	methods := p.methods()
	for _, o := range churnObjects {
		state := core.Members{}
		for _, m := range o.members {
			state[m] = p.docs[m]
		}
		h.Core().Expose(o.address, core.Object{State: state, Methods: methods})
	}
	p.health, p.asked = nil, 0
	if p.began && !p.line.mine() {
		p.line.connect()
	}
}

// load returns a document as the store has it, or as it is at first.
func (p *churnWorker) load(name string) delta.Value {
	if stored, ok := p.host.Store().Get(name); ok {
		value, err := delta.ParseJSON(stored)
		if err == nil {
			return value
		}
		p.w.fault("%s of the store of %s: %v", name, p.host.Name(), err)
	}
	switch name {
	case "count":
		return delta.Object(delta.Field{Key: "n", Value: delta.Number(0)})
	case "text":
		return delta.Object(delta.Field{Key: "text", Value: delta.String("")})
	}
	n := churnPlaces
	if name == "items" {
		n = 0
	}
	places := make([]delta.Value, n)
	for i := range places {
		places[i] = delta.Int(i)
	}
	return delta.Object(delta.Field{Key: name, Value: delta.ListOf(places)})
}

// stored returns the number of the save that the store has.
func (p *churnWorker) stored() uint64 {
	text, _ := p.host.Store().Get("saves")
	n, _ := strconv.ParseUint(string(text), 10, 64)
	return n
}

// save writes all documents to the store, and now and then sees to it that they stay there.
func (p *churnWorker) save(sync bool) {
	store := p.host.Store()
	for _, name := range churnMembers {
		p.put(name, []byte(p.docs[name].Value().String()))
	}
	p.saves++
	p.put("saves", strconv.AppendUint(nil, p.saves, 10))
	if sync {
		store.Sync()
		p.synced = p.saves
	}
}

func (p *churnWorker) put(key string, value []byte) {
	if err := p.host.Store().Put(key, value); err != nil {
		p.w.fault("the store of %s: %v", p.host.Name(), err)
	}
}

// look sees to the worker's connection: one that is over is made again, and one that does not answer is given up.
func (p *churnWorker) look() {
	l := p.line
	switch {
	case !p.host.Up() || l.due:
	case l.lasting && l.mine():
		if p.asked == 0 {
			p.asked = p.w.world.Now()
			p.host.Do(p.ping)
		}
	case l.lost():
		p.health, p.asked = nil, 0
		l.again()
	case !l.up() && l.late(l.since), p.asked != 0 && l.late(p.asked):
		l.wait()
		l.restart()
	case l.up() && l.orphaned(p.health):
	case l.up() && p.asked == 0:
		p.asked = p.w.world.Now()
		p.host.Do(p.ping)
	}
}

// ping asks the server whether it is there, within a turn.
func (p *churnWorker) ping() {
	if p.health == nil || p.health.State() > core.StateDown || p.health.State() == core.StateDown && !p.line.lasting {
		p.health = p.host.Core().Get("Health")
	}
	asked := p.asked
	p.health.Call("ping", nil, func(_ delta.Value, err error) {
		if p.asked == asked {
			p.asked = 0
		}
		if err == nil {
			p.heard = asked
		}
	})
}

// ails says what is not as it must be in the end, or "".
func (p *churnWorker) ails() string {
	switch {
	case !p.host.Up():
		return p.host.Name() + " is down"
	case !p.line.up():
		return p.host.Name() + " is not connected"
	case p.heard < p.w.heal:
		return p.host.Name() + " has not heard of the server since the heal"
	}
	return ""
}
