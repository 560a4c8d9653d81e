package core_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"

	"pgregory.net/rapid"
)

// newRelayedDesk is a desk behind a server: "S/1/Desk" for a tab. The checkers do not follow large calls through relays,
// so that this world goes without them.
func newRelayedDesk(t *testing.T, limits base.Limits, toServer, toWorker netsim.Config) (*lab, *desk) {
	t.Helper()
	l, k := newLabIn(t, sim.Config{Limits: limits}, netsim.Memory), &desk{}
	l.worker.Core().Expose("Desk", k.object())
	server := l.world.Host("server")
	up := l.connect(server, l.worker, toWorker)
	server.Core().Route("S", func(q *relay.Request) { q.To(up.Dialed().Link()) })
	l.tab = l.world.Host("far")
	l.conn = l.connect(l.tab, server, toServer)
	return l, k
}

// upSlow is a link on which what the dialer sends has to wait.
func upSlow(rate int64) netsim.Config {
	return netsim.Config{Up: linkmodel.Config{Rate: rate}, Buffer: 2 * base.KiB}
}

// ways are a direct connection and relayed ones, of which either hop may be the slow one.
func ways(t *testing.T, limits base.Limits, run func(t *testing.T, l *lab, k *desk, r *core.Reference)) {
	t.Run("direct", func(t *testing.T) {
		l, k, r := newDesk(t, limits, upSlow(64*base.KiB))
		run(t, l, k, r)
	})
	for why, links := range map[string][2]netsim.Config{
		"a slow tab":    {upSlow(64 * base.KiB), netsim.Memory},
		"a slow worker": {netsim.Memory, upSlow(64 * base.KiB)},
	} {
		t.Run(why, func(t *testing.T) {
			l, k := newRelayedDesk(t, limits, links[0], links[1])
			run(t, l, k, l.hold(l.tab, "S/1/Desk"))
		})
	}
}

// named is an argument that begins with its name.
func named(i, size int) string {
	name := fmt.Sprintf("%-8d", i)
	return name + strings.Repeat(".", max(0, size-len(name)))
}

func wantNamed(t *testing.T, k *desk, n int) {
	t.Helper()
	var want []string
	for i := range n {
		want = append(want, named(i, 0))
	}
	wantStarts(t, k, want...)
}

// TestCallsBehindALargeOneKeepTheirOrder makes small calls behind one of 100 KB, which takes the other lane (C4).
func TestCallsBehindALargeOneKeepTheirOrder(t *testing.T) {
	ways(t, base.Limits{}, func(t *testing.T, l *lab, k *desk, r *core.Reference) {
		l.settle()
		l.at(l.tab, func() {
			for i, size := range []int{10, 100_000, 10, 10, 5000, 10, 200_000, 10} {
				r.Call("size", named(i, size), nil)
			}
		})
		l.settle()
		wantNamed(t, k, 8)
		l.wantNoCalls()
	})
}

// TestALargeCallDoesNotPassSmallOnes fills the control lane first, so that bulk goes after every eighth small message.
func TestALargeCallDoesNotPassSmallOnes(t *testing.T) {
	ways(t, base.Limits{}, func(t *testing.T, l *lab, k *desk, r *core.Reference) {
		l.settle()
		l.at(l.tab, func() {
			for i := range 100 {
				r.Call("size", named(i, 300), nil)
			}
			r.Call("size", named(100, 5000), nil)
			r.Call("size", named(101, 10), nil)
		})
		l.settle()
		wantNamed(t, k, 102)
	})
}

// TestALargeCallDoesNotWaitForHandlers has a small call run on, which only what comes behind it can end.
func TestALargeCallDoesNotWaitForHandlers(t *testing.T) {
	ways(t, base.Limits{}, func(t *testing.T, l *lab, k *desk, r *core.Reference) {
		l.settle()
		var small, large, stop outcome
		l.at(l.tab, func() {
			r.Call("later", named(0, 10), small.done)
			r.Call("later", named(1, 20_000), large.done)
			r.Call("now", named(2, 10), stop.done)
		})
		l.run(2 * base.Second)
		wantNamed(t, k, 3)
		stop.wantOnce(t, "the call that ends them", base.CodeNone)
		l.at(l.worker, k.settleAll)
		l.settle()
		small.wantOnce(t, "the small one", base.CodeNone)
		large.wantOnce(t, "the large one", base.CodeNone)
	})
}

// TestSmallCallsOfOthersPassALargeOne: the order is of a reference; another one's calls interleave.
func TestSmallCallsOfOthersPassALargeOne(t *testing.T) {
	l, k, r := newDesk(t, base.Limits{}, upSlow(16*base.KiB))
	q := l.hold(l.tab, "Desk")
	l.settle()
	start := l.world.Now()
	var took base.Duration
	l.at(l.tab, func() {
		r.Call("size", named(0, 100_000), nil)
		q.Call("size", named(1, 10), func(delta.Value, error) { took = l.world.Now().Sub(start) })
	})
	l.settle()
	wantStarts(t, k, named(1, 0), named(0, 0))
	if took > base.Second {
		t.Errorf("the small call took %v beside a large one of another reference", took)
	}
}

func TestLargeResults(t *testing.T) {
	l, _, r := newDesk(t, base.Limits{}, slow(64*base.KiB))
	var large, small outcome
	var at [2]base.Time
	l.at(l.tab, func() {
		r.Call("text", 100_000, func(v delta.Value, err error) { large.done(v, err); at[0] = l.world.Now() })
		r.Call("text", 10, func(v delta.Value, err error) { small.done(v, err); at[1] = l.world.Now() })
	})
	l.settle()
	large.wantOnce(t, "large", base.CodeNone)
	small.wantOnce(t, "small", base.CodeNone)
	if large.value.Text().String() != text(100_000) || small.value.Text().String() != text(10) {
		t.Error("a result is not what was returned")
	}
	if at[1] >= at[0] {
		t.Errorf("the small result came at %v, behind the large one at %v", at[1], at[0])
	}
	l.wantNoCalls()
}

// TestReleaseBehindALargeCall releases while a call of the hold is on its way in the other lane: it settles, whichever way.
func TestReleaseBehindALargeCall(t *testing.T) {
	ways(t, base.Limits{}, func(t *testing.T, l *lab, k *desk, r *core.Reference) {
		l.settle()
		var o, next outcome
		l.at(l.tab, func() {
			r.Call("size", named(0, 50_000), o.done)
			r.Release()
		})
		address := r.Address()
		l.at(l.tab, func() { l.tab.Core().Get(address).Call("size", named(1, 10), next.done) })
		l.settle()
		o.wantOnce(t, "a large call that the release passed", base.CodeDown)
		next.wantOnce(t, "a call on the next reference", base.CodeNone)
		wantStarts(t, k, named(1, 0))
		l.wantNoCalls()
	})
}

// TestOrderOfAnyCalls makes small and large calls on two references, some cancelled, and wants each reference's in order.
func TestOrderOfAnyCalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := base.Limits{RunningCalls: rapid.IntRange(1, 5).Draw(rt, "N"), QueuedCalls: 10}
		hop := rapid.IntRange(0, 2).Draw(rt, "slow hop")
		links := [2]netsim.Config{netsim.Memory, netsim.Memory}
		if hop < 2 {
			links[hop] = upSlow(32 * base.KiB)
		}
		l, k := newRelayedDesk(t, limits, links[0], links[1])
		address := "S/1/Desk"
		refs := []*core.Reference{l.hold(l.tab, address), nil}
		l.at(l.tab, func() { refs[1] = l.tab.Core().Get(address) })
		settled, made := 0, 0
		steps := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(rt, "steps")
		for i, step := range steps {
			size := []int{9, 9, 9, 9, 4000, 4060, 4100, 9000, 20_000, 9}[step]
			method := "size"
			if i%7 == 3 {
				method = "later"
			}
			l.tab.Do(func() {
				c := refs[i%2].Call(method, named(i, size), func(delta.Value, error) { settled++ })
				if made++; step == 9 {
					c.Cancel()
				}
			})
			if step%3 == 0 {
				l.run(base.Duration(step) * 10 * base.Millisecond)
				l.at(l.worker, k.settleAll)
			}
		}
		for range steps {
			l.settle()
			l.at(l.worker, k.settleAll)
		}
		l.settle()
		if settled != made {
			rt.Fatalf("%d calls settled of %d; started %q", settled, made, k.starts)
		}
		last := [2]int{-1, -1}
		for _, s := range k.starts {
			var i int
			fmt.Sscan(s, &i)
			if i <= last[i%2] {
				rt.Fatalf("call %d started behind %d of its reference", i, last[i%2])
			}
			last[i%2] = i
		}
	})
}
