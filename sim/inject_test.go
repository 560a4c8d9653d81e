package sim_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/core/relay"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

func TestInjectNamesWhatIsNotThere(t *testing.T) {
	trace, err := linkmodel.ParseTrace("bus", strings.NewReader("1\n2\n"))
	if err != nil {
		t.Fatal(err)
	}
	l := newFaultLab(t, netsim.Memory)
	l.w.Node("quiet", func(h *sim.Host) sim.Node { return &talker{host: h} })
	recorded := netsim.Config{Name: "recorded", Down: linkmodel.Config{Trace: trace}}
	if _, err := l.w.Connect(l.host("worker"), l.host("server"), recorded); err != nil {
		t.Fatal(err)
	}
	l.run(2 * sec)
	for plan, want := range map[string]string{
		"at 3s stall tabs for 1s":                   "the fault `at 3s stall tabs for 1s`: there is no link or host \"tabs\"; there are the links tab-server, worker-server, recorded, and the hosts tab, worker, server, quiet; did you mean \"tab\"?",
		"at 3s crash wroker":                        `there is no host "wroker"; there are the hosts tab, worker, server, quiet; did you mean "worker"?`,
		"at 3s partition {tab} from {sever} for 1s": `there is no host "sever"`,
		"when message m from tob reset tab":         `there is no host "tob"`,
		"at 3s close tab by worker":                 "worker is at no end of tab; those are at tab and server",
		"at 1s reset tab":                           "its time is over: it is 2s",
		"every 1s count 3 reset tab":                "its time is over",
		"at 9s reset tab\nheal at 8s":               "the plan heals at 8s, before it comes",
		"heal at 1s":                                "the plan heals at 1s, and it is 2s",
		"at 3s rate worker.down 1KiB/s for 1s":      "unsupported: a rate of recorded, which follows the trace bus",
		"at 3s rate all links 1KiB/s for 1s":        "a rate of recorded",
		"set window 2":                              "the knob `set window 2`: the world was made with 0; apply the plan to its configuration first",
		"set timeout 2s":                            "the knob `set timeout 2s`: nothing in this world has it",
		"when violation C99 reset tab":              `the world does not watch "C99"; there are the invariants C1, `,
		"at 3s reset tab\nat 3s crash nobody":       `there is no host "nobody"`,
		"at 3s rate recorded.up 1KiB/s for 1s":      "", // that direction has no trace
		"at 3s stall quiet for 1s":                  "", // a host that may dial yet
		"from 1s stall tab":                         "",
	} {
		p, err := faults.Parse(plan)
		if err != nil {
			t.Fatal(err)
		}
		before := len(l.w.Effects())
		err = l.w.Inject(p)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", plan, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %s", plan, err, want)
		case err != nil && len(l.w.Effects()) != before:
			t.Errorf("%q: an error, and faults of it are there", plan)
		case strings.Contains(want, "rate of recorded") != errors.Is(err, netsim.ErrUnsupported):
			t.Errorf("%q: is %v ErrUnsupported?", plan, err)
		}
	}
	if err := l.w.Inject(faults.Plan{Faults: []faults.Fault{{}}}); !errors.Is(err, faults.ErrFault) {
		t.Errorf("a plan that is not valid: %v", err)
	}
}

// A world of chord hosts knows its messages, and an unchecked one sees no violation.
func TestInjectKnowsMessagesAndInvariants(t *testing.T) {
	w := sim.New(sim.Config{Unchecked: true})
	tab := w.Host("tab")
	if _, err := w.Connect(tab, w.Host("worker"), netsim.Memory); err != nil {
		t.Fatal(err)
	}
	for plan, want := range map[string]string{
		"when message stat reset tab":         `there are no messages of the type "stat"; there are the types hello, welcome,`,
		"when message results reset tab":      `did you mean "result"?`,
		"when violation C1 reset tab":         "the world is unchecked",
		"when message result-bulk reset tab":  "",
		"when message any count 99 reset tab": "",
	} {
		p, err := faults.Parse(plan)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Inject(p); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", plan, err, want)
		}
	}
}

func TestTriggers(t *testing.T) {
	for plan, want := range map[string]struct {
		fired int64
		first base.Time // of the stall's event
	}{
		"at 1.5s stall tab for 1ms":                               {1, 1500 * ms},
		"from 1.5s stall tab":                                     {1, 1500 * ms},
		"every 400ms count 3 stall tab for 1ms":                   {3, 400 * ms},
		"every 400ms from 1s count 3 stall tab for 1ms":           {3, 1400 * ms},
		"when message m count 3 stall tab for 1ms":                {1, 1200 * ms},
		"when message any from worker count 2 stall tab for 1ms":  {1, 1150 * ms},
		"when message any from worker to tab stall tab for 1ms":   {0, 0},
		"when message w to server stall tab for 1ms":              {1, 1050 * ms},
		"when message m count 9 stall tab for 1ms":                {0, 0},
		"when event count 1 stall tab for 1ms":                    {1, 10 * ms},
		"when event count 100000 stall tab for 1ms":               {0, 0},
		"when message m count 4 stall tab for 1ms\nheal at 1.25s": {0, 0},
		"when message m count 3 stall tab for 1ms\nheal at 1.2s":  {0, 0}, // it is sent just before the heal
		"when violation C1 stall tab for 1ms":                     {0, 0},
		"every 1s count 100 stall tab for 1ms\nheal at 3.5s":      {3, 1 * sec},
		"at 3s stall tab for 1ms\nheal at 3.000000001s":           {1, 3 * sec},
	} {
		l := tabTalks(t, netsim.Memory)
		l.sends("worker", "w", 10, 1050, 1150)
		e := l.effect(plan)
		if e.Fired != want.fired {
			t.Errorf("%q came %d times, want %d", plan, e.Fired, want.fired)
		}
		first := ""
		if len(l.events) > 0 {
			first, _, _ = strings.Cut(l.events[0], " ")
		}
		if want.fired == 0 && first != "" || want.fired != 0 && first != want.first.String() {
			t.Errorf("%q first came at %s, want %v", plan, first, want.first)
		}
	}
}

// An invariant's violation is a trigger, once.
func TestViolationTriggers(t *testing.T) {
	w := sim.New(sim.Config{})
	tab, server := w.Host("tab"), w.Host("server")
	c, err := w.Connect(tab, server, netsim.Memory)
	if err != nil {
		t.Fatal(err)
	}
	p, err := faults.Parse("when violation C9 reset tab\nwhen violation C10 reset tab")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Inject(p); err != nil {
		t.Fatal(err)
	}
	w.At(1*sec, func() {
		opened := w.Checks().Probe().OriginOpened
		for range 3 {
			opened(server.Core(), relay.Pair{Target: c.Accepted().Link(), Origin: 7})
		}
	})
	if err := w.RunFor(2 * base.Second); err != nil {
		t.Fatal(err)
	}
	if e := w.Effects(); e[0].Fired != 1 || e[0].Connections != 1 || e[1].Fired != 0 || w.Checks().Violations()[0].ID != "C9" {
		t.Errorf("the effects are %+v", e)
	}
}

// A world with a plan does the same each time, and not what it does without.
func TestPlansAreDeterministic(t *testing.T) {
	run := func(plan string) uint64 {
		l := tabTalks(t, netsim.Memory)
		l.inject(plan)
		l.run(5 * sec)
		return l.w.Hash()
	}
	plan := "at 1s swizzle all links for 2s\nat 1.105s crash server restart after 1s\nat 1.05s jitter tab 50ms for 1s"
	if first, second := run(plan), run(plan); first != second {
		t.Error("two runs differ")
	}
	if run(plan) == run("") || run("") != run("heal at 9s") {
		t.Error("the hash does not tell whether there were faults")
	}
}

// A heal ends what is on, brings forward what comes back, and lets nothing begin.
func TestHeal(t *testing.T) {
	l := tabTalks(t, netsim.Memory)
	l.inject(`
		from 0.5s stall tab
		at 0.5s slow server 100x for 60s
		at 0.6s reset worker reconnect after 60s
		at 2s crash server restart after 1s
		from 0.5s swizzle all links`)
	l.run(1250 * ms)
	l.w.Heal()
	if l.tab.Link.Acceptor().Stalled() || l.tab.Link.Dialer().Stalled() {
		t.Error("a stall outlasts the heal")
	}
	l.run(5 * sec)
	l.wantGot("server", "m1@1.26s", "m2@1.26s", "m3@1.26s", "m4@1.31s")
	if n := len(l.w.Connections()); n != 3 {
		t.Errorf("%d connections, want one that was dialed again", n)
	}
	if h := l.host("server"); h.Incarnation() != 1 || l.w.Effects()[3].Fired != 0 {
		t.Error("a fault began behind the heal")
	}
	if err := l.w.Settle(base.Minute); err != nil {
		t.Errorf("%v", err)
	}
}

// A plan by hand that names a fault without an effect fails, and says which and why; a drawn one does not.
func TestFaultsWithoutEffectFail(t *testing.T) {
	const plan = `
		at 1.05s stall tab.up for 200ms
		at 1s stall worker for 1s
		at 2s latency tab.up 10ms for 1s
		at 60s reset tab
		when message m count 9 reset tab
		when event count 1000000 reset tab
		when violation C1 reset tab
		at 3s reset worker
		at 4s reset worker
		at 5s slow worker 8x for 1s
		at 5s partition {worker} from {tab} for 1s
		at 6s stall quiet for 1s`
	why := []string{
		"", "nothing crossed on worker that it could touch", "it changed nothing: it is so already", "its time did not come: it is 10s",
		"of the 9 messages that it waits for, 4 were sent", "the world had ", "C1 was not violated", "",
		"at 4s no connection of worker was there", "worker took no turn that it could touch", "at 5s no connection between the two sides was there",
		"at 6s no connection of quiet was there",
	}
	report := func(plan string, byHand bool) (r sim.Report) {
		l := tabTalks(t, netsim.Memory)
		l.w.Node("quiet", func(h *sim.Host) sim.Node { return &talker{host: h} })
		l.inject(plan)
		l.run(10 * sec)
		r.AddEffects(l.w, byHand)
		return r
	}
	byHand, drawn := report(plan, true), report(plan+"\ndrawn", true)
	if len(drawn.Failures) != 0 || len(report(plan, false).Failures) != 0 || !slices.Equal(drawn.Effects, byHand.Effects) || len(drawn.Effects) != len(why) {
		t.Errorf("a drawn plan: %d failures, %d effects", len(drawn.Failures), len(drawn.Effects))
	}
	failures := byHand.Failures
	for n, e := range byHand.Effects {
		if (why[n] == "") == e.None() || !strings.HasPrefix(e.Why, why[n]) {
			t.Errorf("%s: why %q, want %q", e.Fault, e.Why, why[n])
		}
		if why[n] == "" {
			continue
		}
		if len(failures) == 0 || failures[0] != "D3: the fault `"+e.Fault+"` had no effect: "+e.Why {
			t.Errorf("no failure for %s, but %q", e.Fault, failures)
			break
		}
		failures = failures[1:]
	}
	if len(failures) > 0 {
		t.Errorf("more failures: %q", failures)
	}
	want, err := faults.Parse(plan)
	if err != nil || byHand.Plan != want.String() {
		t.Errorf("the report's plan is\n%s", byHand.Plan)
	}
}
