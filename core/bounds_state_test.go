package core_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// liveMembers is a host with references to objects of so many members, each of them 1 at revision 7, and its peer.
func liveMembers(t *testing.T, holds, members int) (*rawHost, *rawPeer, []*core.Reference) {
	h := newRawHost(t, "tab", base.Limits{})
	p := h.answer()
	refs := make([]*core.Reference, holds)
	for id := range refs {
		h.do(func() { refs[id] = h.Get("A", core.Unshared()) })
		m := wire.Bound{ID: uint64(id)}
		for i := range members {
			m.Members = append(m.Members, wire.BoundMember{
				Name: fmt.Sprint("m", i), Revision: wire.Revision{Epoch: 1, Number: 7}, Part: wire.AppendValue(nil, delta.Int(1)),
			})
		}
		p.say(wire.TypeBound, m.Append(wire.Binary, nil))
		wantState(t, refs[id], core.StateLive)
	}
	return h, p, refs
}

// replaces is a section that replaces a member by a number.
func replaces(member int, from uint64, by int) wire.Section {
	ops := wire.AppendOps(nil, []delta.Op{delta.Replace(delta.Int(by))}, &wire.Dict{}, &wire.Told{}, &wire.Used{})
	return wire.Section{Member: member, Base: from, Span: 1, Ops: ops}
}

// entry appends an entry of a state message.
func entry(dst []byte, hold uint64, sections ...wire.Section) []byte {
	dst = wire.AppendEntry(wire.Binary, dst, hold)
	for i, s := range sections {
		dst = s.Append(wire.Binary, dst, i+1 < len(sections))
	}
	return dst
}

// Each change of a message makes a value and a frame: of a member there is one, or a message of small sections would cost
// any number of times its size.
func TestAMessageChangesAMemberOnce(t *testing.T) {
	for why, body := range map[string][]byte{
		"from the same base":              entry(nil, 0, replaces(0, 7, 2), replaces(0, 7, 3)),
		"one behind the other":            entry(nil, 0, replaces(0, 7, 2), replaces(0, 8, 3)),
		"with another member in between":  entry(nil, 0, replaces(0, 7, 2), replaces(1, 7, 2), replaces(0, 7, 3)),
		"in two entries of the hold":      entry(entry(nil, 0, replaces(0, 7, 2)), 0, replaces(0, 7, 3)),
		"in two entries, with one within": entry(entry(entry(nil, 0, replaces(0, 7, 2)), 1, replaces(0, 7, 2)), 0, replaces(0, 8, 3)),
		"a hundred times":                 entry(nil, 0, hundred()...),
	} {
		_, p, refs := liveMembers(t, 2, 2)
		p.say(wire.TypeState, body)
		if p.bye() != base.CodeProtocol {
			t.Errorf("%s: the link is open, or closed with %v", why, p.bye())
		}
		for _, r := range refs {
			for _, m := range r.Members() {
				v, _ := r.Value(m)
				if rev, _ := r.Revision(m); !v.Equal(delta.Int(1)) || rev.Number != 7 {
					t.Errorf("%s: %s is %v at revision %d, want what it was", why, m, v, rev.Number)
				}
			}
		}
	}
}

func hundred() []wire.Section {
	list := make([]wire.Section, 100)
	for i := range list {
		list[i] = replaces(0, 7+uint64(i), i)
	}
	return list
}

// What is like it and good is taken: the member of another hold, another member, the member in the next message.
func TestAMessageChangesManyMembers(t *testing.T) {
	_, p, refs := liveMembers(t, 2, 2)
	for from := uint64(7); from < 10; from++ {
		by := int(from)
		p.say(wire.TypeState, entry(entry(nil, 0, replaces(0, from, by), replaces(1, from, by)), 1, replaces(1, from, by), replaces(0, from, by)))
		for _, r := range refs {
			wantState(t, r, core.StateLive)
			for _, m := range r.Members() {
				if v, _ := r.Value(m); !v.Equal(delta.Int(by)) {
					t.Errorf("%s of %d is %v, want %d", m, from, v, by)
				}
			}
		}
	}
}

// The frames of a large message are let go of, and so is their room.
func TestRoomForFramesIsBounded(t *testing.T) {
	for _, holds := range []int{100, 2000} {
		_, p, refs := liveMembers(t, holds, 1)
		var body []byte
		for id := range refs {
			body = entry(body, uint64(id), replaces(0, 7, 2))
		}
		const chunk = wire.MaxChunk
		for at := 0; at < len(body); at += chunk {
			h := wire.Header{Type: wire.TypeState, More: at+chunk < len(body)}
			if at > 0 {
				h.Type = wire.TypeStateMore
			}
			p.send(h, body[at:min(at+chunk, len(body))])
		}
		if v, _ := refs[holds-1].Value("m0"); !v.Equal(delta.Int(2)) {
			t.Fatalf("%d holds: the last is at %v (%v)", holds, v, refs[holds-1].Err())
		}
		if room := core.FrameRoom(refs[0]); room > 256 {
			t.Errorf("room for %d frames is kept behind a message of %d", room, holds)
		}
	}
}

// grown exposes a document that is one text, and has the tab hold it.
func (l *lab) grown(name string) (*core.Document, *core.Reference) {
	l.t.Helper()
	doc := textDoc(1)
	l.worker.Core().Expose(name, core.Object{State: core.Members{"m": doc}})
	r := l.hold(l.tab, name)
	l.settle()
	return doc, r
}

// Text codes a control character in six bytes. Two changes that would fit into a message by their estimates, and do not, go
// in one each: no link closes, and no hold goes down.
func TestChangesThatGrowInTextGoInMessagesOfTheirOwn(t *testing.T) {
	const size, limit = 10_000, 110_000
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec, Limits: base.Limits{MessageBytes: limit}}, netsim.Memory)
		docs, refs := [3]*core.Document{}, [3]*core.Reference{}
		for i := range docs {
			docs[i], refs[i] = l.grown(fmt.Sprint("Doc", i))
		}
		before := l.stats().StateMessages
		l.at(l.worker, func() {
			for _, doc := range docs {
				if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At().Set(strings.Repeat("\x01", size)) }); err != nil {
					t.Error(err)
				}
			}
		})
		l.settle()
		for i, r := range refs {
			wantState(t, r, core.StateLive)
			if v, _ := r.Value("m"); !v.Equal(docs[i].Value()) {
				t.Errorf("%s is not where the worker is", r.Address())
			}
		}
		if sent := l.stats().StateMessages - before; codec == wire.Text && sent != 3 {
			t.Errorf("%d state messages of at most %d bytes for three changes of %d", sent, limit, 6*size)
		}
	})
}

// A change of just as many bytes as a message may have is sent; one of a byte more ends its hold, and nothing else: not the
// link, not other holds, not the document.
func TestAChangeAtTheLimitOfAMessage(t *testing.T) {
	const limit = 9000
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec, Limits: base.Limits{MessageBytes: limit}}, netsim.Memory)
		other, o := l.grown("Other")
		live, down := 0, 0
		for n := limit - 40; n <= limit; n++ {
			doc, r := l.grown(fmt.Sprint("Doc", n))
			l.at(l.worker, func() { setText(t, doc, n) })
			l.settle()
			v, _ := r.Value("m")
			switch r.State() {
			case core.StateLive:
				live++
				if down > 0 || !v.Equal(doc.Value()) {
					t.Errorf("%d characters: live, at %d characters, behind %d that are down", n, v.Len(), down)
				}
			default:
				down++
				wantState(t, r, core.StateDown)
				wantCode(t, "over the limit", r.Err(), base.CodeLimit)
			}
			wantState(t, o, core.StateLive)
			wantInt(t, "characters in the document", doc.Value().Len(), n)
		}
		if live == 0 || down == 0 {
			t.Errorf("%d live and %d down, want some of both", live, down)
		}
		l.at(l.worker, func() { setText(t, other, 10) })
		l.settle()
		if v, _ := o.Value("m"); !v.Equal(other.Value()) {
			t.Error("the other hold is not where the worker is")
		}
	})
}

// A document that no message has room for, as each character takes six bytes, is as good as before once it is small again.
func TestADocumentThatWasTooLargeForAMessage(t *testing.T) {
	const size, limit = 10_000, 20_000
	l := newLabIn(t, sim.Config{Codec: wire.Text, Limits: base.Limits{MessageBytes: limit}}, netsim.Memory)
	doc, r := l.grown("Doc")
	_, o := l.grown("Other")
	large := strings.Repeat("\x01", size)
	l.at(l.worker, func() {
		if rev, err := doc.Change(nil, func(d *delta.Draft) error { return d.At().Set(large) }); rev != 1 || err != nil {
			t.Errorf("revision %d (%v), want the change committed", rev, err)
		}
	})
	l.settle()
	wantState(t, r, core.StateDown)
	wantCode(t, "a change over the limit", r.Err(), base.CodeLimit)
	wantState(t, o, core.StateLive)
	again := l.hold(l.tab, "Doc")
	wantState(t, again, core.StateFailed)
	wantCode(t, "a snapshot over the limit", again.Err(), base.CodeLimit)
	l.at(l.worker, func() { setText(t, doc, 100) })
	third := l.hold(l.tab, "Doc")
	l.at(l.worker, func() { setText(t, doc, 101) })
	l.settle()
	wantState(t, third, core.StateLive)
	if v, _ := third.Value("m"); !v.Equal(doc.Value()) {
		t.Error("the third hold is not where the worker is")
	}
}
