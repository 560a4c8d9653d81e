package check

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/core/relay"
)

// IDs lists the invariants that a Set watches, in order.
var IDs = []string{"C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12", "C13", "C14", "C15"}

// Violation is an invariant that did not hold.
type Violation struct {
	ID     string
	At     base.Time
	Where  string // the host
	Detail string
}

func (v Violation) Error() string {
	return fmt.Sprintf("%s violated at %v at %s: %s", v.ID, v.At, v.Where, v.Detail)
}

// MaxViolations is how many violations a Set keeps; it counts all.
const MaxViolations = 100

// Count says how often an invariant was looked at and how often it did not hold.
type Count struct {
	ID         string
	Checks     int64
	Violations int64
}

// Set is the checkers of one world.
type Set struct {
	now        func() base.Time
	limits     base.Limits
	violations []Violation
	counts     []Count

	documents map[*core.Document]*history
	docs      []*core.Document // the same, in the order in which they were first seen
	ends      map[*link.Link]*end
	pairs     map[originKey]*pair
	pairOrder []*pair
	consumers map[core.ConsumerID]*consumer
	order     []*consumer
	touched   []*consumer // looked at when the turn of their host ends
	relays    map[relay.Source]*forwarding
	relayIDs  []relay.Source
	up        map[upSlot]relay.Source // where the later chunks of a request go
	uneven    bool                    // hosts differ in what is too large for them
	referred  map[*core.Host]bool     // had references that were live
	calls     calls
	turns     map[*core.Host]*rotation
	unaware   map[*core.Host]bool               // keep something for links that are gone in silence
	lost      map[*core.Reference][]memberShown // of those that are down, until they are live
	crashed   map[*core.Host]bool               // with documents whose frames may still be shown
	writes    writes
	parts     parts
}

// pair is an origin that a relay took.
type pair struct {
	relay.Pair
	gone bool // its consumer is gone, and the origin not released yet
}

type originKey struct {
	target *link.Link
	origin uint64
}

// history is the hashes of a document's values by revision, from a first one on.
type history struct {
	host   *core.Host // nil until it committed or bound the document
	first  uint64
	hashes []uint64
}

// MaxHistory is how many revisions of a document are remembered. Frames of older ones are not looked at.
const MaxHistory = 1 << 20

// New makes the checkers of a world. The limits are those of its hosts.
func New(now func() base.Time, limits base.Limits) *Set {
	s := &Set{
		now: now, limits: limits,
		documents: map[*core.Document]*history{}, ends: map[*link.Link]*end{}, pairs: map[originKey]*pair{},
		consumers: map[core.ConsumerID]*consumer{}, relays: map[relay.Source]*forwarding{},
		up: map[upSlot]relay.Source{}, referred: map[*core.Host]bool{}, crashed: map[*core.Host]bool{}, unaware: map[*core.Host]bool{},
		lost:  map[*core.Reference][]memberShown{},
		calls: newCalls(), turns: map[*core.Host]*rotation{}, writes: newWrites(), parts: newParts(),
	}
	for _, id := range IDs {
		s.counts = append(s.counts, Count{ID: id})
	}
	return s
}

// Counts returns what was looked at, by invariant.
func (s *Set) Counts() []Count { return append([]Count(nil), s.counts...) }

// Violations returns the first violations, oldest first.
func (s *Set) Violations() []Violation { return s.violations }

// Err returns the first violation, or nil.
func (s *Set) Err() error {
	if len(s.violations) == 0 {
		return nil
	}
	return s.violations[0]
}

// The positions of the invariants in counts, for the paths that are run for every message.
const (
	c1 = iota
	c2
	c3
	c4
	c5
	c6
	c7
	c8
	c9
	c10
	c11
	c12
	c13
	c14
	c15
)

// expect counts a look at an invariant and notes a violation if ok is false. The detail is only put together then.
func (s *Set) expect(id int, ok bool, where *core.Host, detail func() string) {
	s.counts[id].Checks++
	if ok {
		return
	}
	s.counts[id].Violations++
	if len(s.violations) < MaxViolations {
		s.violations = append(s.violations, Violation{s.counts[id].ID, s.now(), where.Name(), detail()})
	}
}

// Probe returns the probe that the world's hosts report to.
func (s *Set) Probe() *core.Probe {
	return &core.Probe{
		TurnEnd:      s.turnEnd,
		Commit:       s.commit,
		Bound:        s.bound,
		HoldLive:     s.holdLive,
		Released:     s.released,
		Gone:         s.consumerGone,
		Encode:       s.encode,
		StateSent:    s.stateSent,
		Deflated:     s.deflated,
		Inflated:     s.inflated,
		CallQueued:   s.callQueued,
		CallStart:    s.callStart,
		CallEnd:      s.callEnd,
		CallMade:     s.callMade,
		CallWaits:    s.callWaits,
		CallSent:     s.callSent,
		CallCommit:   s.callCommit,
		Answered:     s.answered,
		Settled:      s.settled,
		Wanted:       s.wanted,
		Live:         s.live,
		Down:         s.down,
		Frame:        s.frame,
		OriginOpened: s.originOpened,
		LinkClosed:   s.linkClosed,
		Expelled:     s.expelled,
	}
}

func (s *Set) history(d *core.Document) *history {
	h := s.documents[d]
	if h == nil {
		h = &history{first: d.Revision().Number}
		s.documents[d] = h
		s.docs = append(s.docs, d)
	}
	return h
}

func (s *Set) remember(host *core.Host, d *core.Document) {
	h := s.history(d)
	h.host = host
	number := d.Revision().Number
	switch {
	case number == h.first+uint64(len(h.hashes)):
		if len(h.hashes) == MaxHistory {
			h.first, h.hashes = number, h.hashes[:0]
		}
		h.hashes = append(h.hashes, d.Value().Hash())
	case number > h.first+uint64(len(h.hashes)):
		h.first, h.hashes = number, append(h.hashes[:0], d.Value().Hash())
	}
}

// at returns the hash of the value that a document had at a revision.
func (h *history) at(number uint64) (uint64, bool) {
	if number < h.first || number-h.first >= uint64(len(h.hashes)) {
		return 0, false
	}
	return h.hashes[number-h.first], true
}

func (s *Set) commit(h *core.Host, d *core.Document) {
	s.remember(h, d)
	for _, c := range s.order {
		if c.host == h && c.follows(d) {
			s.touch(c)
		}
	}
}

// Settled looks at the whole of a world in which nothing is under way.
func (s *Set) Settled(hosts []*core.Host) {
	s.shared()
	for _, r := range s.replicaList() {
		s.converged(r)
	}
	for _, c := range s.order {
		s.returned(c)
		s.slotsBack(c)
		s.keptFor(c)
	}
	s.forwarded(hosts)
	s.leftDeflated(hosts)
	s.keptOf()
	s.callersSettled()
	s.open()
}

// converged checks C1 for a replica.
func (s *Set) converged(r *replica) {
	if r.ref == nil || r.ref.State() != core.StateLive {
		return
	}
	host := r.ref.Host()
	for i, name := range r.ref.Members() {
		value, _ := r.ref.Value(name)
		rev, _ := r.ref.Revision(name)
		if i >= len(r.docs) {
			s.expect(c1, false, host, func() string { return "member " + name + " has no document" })
			continue
		}
		d := r.docs[i]
		s.expect(c1, rev == d.Revision() && value.Equal(d.Value()), host, func() string {
			return fmt.Sprintf("%s is at revision %d of %s, which is at %d: %s", name, rev.Number, d.Name(), d.Revision().Number,
				difference(value, d.Value()))
		})
		// A replica that has nothing but its snapshot, and is behind, missed what came after it.
		missed := i < len(r.members) && !r.members[i].changed && rev.Epoch == d.Revision().Epoch && rev.Number < d.Revision().Number
		s.expect(c11, !missed, host, func() string {
			return fmt.Sprintf("%s has its snapshot of revision %d and nothing after it; %s is at %d", name, rev.Number, d.Name(), d.Revision().Number)
		})
	}
}

func difference(a, b delta.Value) string {
	if a.Equal(b) {
		return "the values are equal"
	}
	return fmt.Sprintf("the values differ (hashes %016x and %016x)", a.Hash(), b.Hash())
}
