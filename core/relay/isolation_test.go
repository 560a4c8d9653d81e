package relay_test

import (
	"fmt"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/faults/linkmodel"
	"chordsim/sim/netsim"
)

// TestTwoTabsWithTheSameIDs: both tabs number their holds and calls from 0, at two workers, and get their own answers.
func TestTwoTabsWithTheSameIDs(t *testing.T) {
	l := newLab(t, base.Limits{})
	a, b := l.worker("a", netsim.Memory), l.worker("b", netsim.Memory)
	tabs := []*tab{l.tab("tab0", netsim.Memory), l.tab("tab1", netsim.Memory)}
	var refs [2][2]*core.Reference
	var names [2][2]outcome
	for i, tab := range tabs {
		for j, name := range []string{"a", "b"} {
			if i == 1 { // the other way around
				name = []string{"b", "a"}[j]
			}
			refs[i][j] = l.hold(tab, "W/"+name+"/View")
			if _, id := refs[i][j].Hold(); id != uint64(j) {
				t.Fatalf("hold id %d, want %d", id, j)
			}
		}
	}
	for i, tab := range tabs {
		tab.host.Do(func() {
			for j, r := range refs[i] {
				r.Call("name", nil, names[i][j].done)
			}
		})
	}
	l.commit(a, "of a")
	l.commit(b, "of b")
	l.settle()
	for i := range tabs {
		for j := range 2 {
			want := []string{"a", "b"}[i^j]
			wantReply(t, refs[i][j], "of "+want)
			names[i][j].wantOnce(t, "name", base.CodeNone)
			if got := names[i][j].value.Text().String(); got != want {
				t.Errorf("tab %d, call %d: answered by %s, want %s", i, j, got, want)
			}
		}
	}
	wantInt(t, "consumers of a", len(a.host.Core().Consumers()), 2)
}

// TestOneTabReadsNothing is go-mplex #15: the other tab's latency is what it was.
func TestOneTabReadsNothing(t *testing.T) {
	latencies := func(stalled bool) []base.Duration {
		l := newLab(t, base.Limits{})
		w := l.worker("w", netsim.Memory)
		link := netsim.Config{Up: linkmodel.Config{Latency: 5 * base.Millisecond}, Down: linkmodel.Config{Rate: 64 * base.KiB, Latency: 5 * base.Millisecond}}
		deaf, tab := l.tab("deaf", link), l.tab("tab", link)
		d, r := l.hold(deaf, "W/w/View"), l.hold(tab, "W/w/View")
		l.settle()
		if stalled {
			deaf.conn.Link.Dialer().Stall()
		}
		var list []base.Duration
		var committed base.Time
		l.at(tab.host, func() {
			r.Watch("notes", func(f core.Frame) {
				if !f.Snapshot {
					list = append(list, l.world.Now().Sub(committed))
				}
			})
		})
		for i := range 200 {
			l.run(20 * base.Millisecond)
			committed = l.world.Now()
			l.commit(w, text(100+i))
			l.at(deaf.host, func() { d.Call("text", 3000, nil) })
		}
		deaf.conn.Link.Dialer().Resume()
		l.settle()
		return list
	}
	want, got := latencies(false), latencies(true)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 200 {
		t.Errorf("latencies beside a deaf tab:\n%v\nwithout:\n%v", got, want)
	}
}

// TestWhatAnOriginCosts compares the bytes of the same state on the route link and at the tab.
func TestWhatAnOriginCosts(t *testing.T) {
	l := newLab(t, base.Limits{})
	w, tab := l.worker("w", netsim.Memory), l.tab("tab", netsim.Memory)
	l.hold(tab, "W/w/View")
	direct := l.world.Host("direct")
	l.connect(direct, w.host, netsim.Memory)
	l.at(direct, func() { direct.Core().Get("View") })
	l.commit(w, "first")
	for range 3 {
		before := []int{l.bytes["direct state"], l.bytes["server state"], l.bytes["tab state"]}
		l.commit(w, "token")
		plain := l.bytes["direct state"] - before[0]
		if over := l.bytes["server state"] - before[1] - plain; over < 1 || over > 2 {
			t.Errorf("%d bytes more on the route link, want 1 or 2", over)
		}
		if over := l.bytes["tab state"] - before[2] - plain; over != 0 {
			t.Errorf("%d bytes more at the tab, want none", over)
		}
	}
	l.settle()
	wantInt(t, "parts parsed by the server", l.server.Core().Stats().PartsParsed, 0)
}

// TestTheTabsLinkCloses frees everything at the worker, and the origin once the worker has said so.
func TestTheTabsLinkCloses(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Config{Up: linkmodel.Config{Latency: base.Second}, Down: linkmodel.Config{Latency: base.Second}})
	first, second := l.tab("first", netsim.Memory), l.tab("second", netsim.Memory)
	r := l.hold(first, "W/w/View")
	l.run(3 * base.Second)
	for range 10 {
		l.commit(w, "x") // four are under way, the others fold
	}
	l.at(first.host, func() { r.Call("later", nil, nil) })
	l.run(base.Second)
	l.lose(first.conn)
	s := l.hold(second, "W/w/View") // while the origin is not released
	l.run(base.Second)
	ids := w.host.Core().Consumers()
	if len(ids) != 1 || ids[0].Origin != 2 {
		t.Fatalf("the worker has %d consumers, want origin 2 alone: %v", len(ids), ids)
	}
	if !w.open[0].Cancelled() {
		t.Error("the handler was not told that its caller is gone")
	}
	l.at(w.host, w.settleAll)
	l.run(3 * base.Second)
	wantState(t, s, core.StateLive)
	third := l.tab("third", netsim.Memory)
	l.hold(third, "W/w/View")
	l.run(base.Second)
	if ids = w.host.Core().Consumers(); len(ids) != 2 || ids[0].Origin != 1 {
		t.Errorf("the released origin was not taken again: %v", ids)
	}
	l.settle()
	wantReply(t, s, "xxxxxxxxxx")
}

// TestATabThatComesAndGoes is lost a hundred times with state, a snapshot or a result under way.
func TestATabThatComesAndGoes(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", netsim.Memory)
	stays := l.tab("stays", netsim.Memory)
	r := l.hold(stays, "W/w/View")
	for i := range 100 {
		tab := l.tab(fmt.Sprint("tab", i), slow(base.KiB))
		var o outcome
		ref := l.hold(tab, "W/w/View")
		l.run(base.Second)
		l.at(tab.host, func() { ref.Call("text", 20_000, o.done) })
		for range 6 {
			l.commit(w, ".")
		}
		l.lose(tab.conn)
		o.wantOnce(t, "a call under way", base.CodeUnknown)
	}
	l.settle()
	if ids := w.host.Core().Consumers(); len(ids) != 1 || ids[0].Origin != 1 {
		t.Errorf("the worker has consumers %v, want the one that stays", ids)
	}
	v, _ := r.Value("notes")
	if !v.Equal(w.doc.Value()) {
		t.Error("the tab that stays is behind")
	}
	wantInt(t, "bytes outstanding", window(w).Bytes, 0)
}

func window(w *worker) core.Window {
	win, _ := w.host.Core().Window(w.host.Core().Consumers()[0])
	return win
}

// TestNothingComesBehindAClosedOrigin loses a tab while a large call of it waits at the relay for a slow link: what waits is
// not sent behind the word that the origin is closed, the worker is not told of what it has forgotten, and the number can be
// taken again.
func TestNothingComesBehindAClosedOrigin(t *testing.T) {
	l := newLab(t, base.Limits{})
	w := l.worker("w", slow(8*base.KiB))
	first, second := l.tab("first", netsim.Memory), l.tab("second", netsim.Memory)
	r, s := l.hold(first, "W/w/View"), l.hold(second, "W/w/View")
	l.run(base.Second)
	var o, name outcome
	l.at(first.host, func() { r.Call("stream", text(60_000), o.done) })
	l.run(base.Second)
	l.lose(first.conn)
	o.wantOnce(t, "a call under way", base.CodeUnknown)
	l.run(20 * base.Second)
	wantOpen(t, "the worker's", w.conn)
	wantInt(t, "calls that ran", w.runs, 0)
	third := l.tab("third", netsim.Memory)
	u := l.hold(third, "W/w/View")
	l.run(base.Second)
	l.at(third.host, func() { u.Call("name", nil, name.done) })
	l.settle()
	name.wantOnce(t, "a call of the next consumer of that number", base.CodeNone)
	wantState(t, s, core.StateLive)
}
