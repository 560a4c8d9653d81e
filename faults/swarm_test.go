package faults_test

import (
	"reflect"
	"slices"
	"testing"

	"chordsim/core/base"
	"chordsim/faults"
)

// someSwarm has one worker, one relay and eight tabs.
func someSwarm() faults.Swarm {
	s := faults.Swarm{
		Hosts: []faults.SwarmHost{{Name: "worker", Role: "provider"}, {Name: "server", Role: "relay"}},
		Links: []faults.SwarmLink{{Name: "worker-server", From: "worker", To: "server"}},
		Span:  100 * base.Second, Messages: []string{"state", "call", "result"},
	}
	for _, tab := range []string{"tab1", "tab2", "tab3", "tab4", "tab5", "tab6", "tab7", "tab8"} {
		s.Hosts = append(s.Hosts, faults.SwarmHost{Name: tab})
		s.Links = append(s.Links, faults.SwarmLink{Name: tab + "-server", From: tab, To: "server"})
	}
	return s
}

const seeds = 2000

// Each kind, each knob and each value of it, each trigger and each target occurs, and is absent, in a fair share of runs.
func TestSwarmSharesAreFair(t *testing.T) {
	runs := map[string]int{} // in how many runs a thing occurs
	faultCount := 0
	for seed := range uint64(seeds) {
		plan := someSwarm().Plan(base.NewRand(seed))
		if err := plan.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		seen := map[string]bool{}
		for _, k := range plan.Knobs {
			seen["knob "+k.Name] = true
			seen["value "+k.Name+"="+k.Value] = true
		}
		for _, f := range plan.Faults {
			faultCount++
			seen["kind "+f.Kind.String()] = true
			seen["trigger "+[]string{"", "at", "from", "every", "message", "event", "violation"}[f.When.Kind]] = true
			if f.Kind.OfHosts() {
				seen["host "+f.Host] = true
			}
			if f.Kind.OfLinks() && !f.Link.All {
				seen["link "+f.Link.Name] = true
				seen["direction "+f.Link.Direction.String()] = true
			}
			if f.Link.All && f.Kind != faults.Swizzle {
				seen["all links"] = true
			}
			if f.Kind == faults.Partition {
				for _, h := range f.Left {
					seen["left "+h] = true
				}
				seen[map[bool]string{false: "two ways", true: "one way"}[f.OneWay]] = true
			}
			if f.Kind == faults.Skew || f.Kind == faults.Drift {
				seen[map[bool]string{false: "ahead", true: "behind"}[f.Span < 0 || f.Amount < 0]] = true
			}
		}
		for thing := range seen {
			runs[thing]++
		}
	}
	share := func(thing string, least, most int) {
		t.Helper()
		if n := runs[thing] * 100 / seeds; n < least || n > most {
			t.Errorf("%s is in %d%% of the runs, want %d%% to %d%%", thing, n, least, most)
		}
	}
	for _, k := range faults.Kinds() { // the mean of the densities is 7/24
		share("kind "+k.String(), 22, 36)
	}
	for _, name := range faults.KnobNames() {
		if !slices.Contains(faults.WorldKnobs, name) {
			share("knob "+name, 0, 0)
			continue
		}
		share("knob "+name, 24, 35)
	}
	for _, value := range []string{"window=1", "window=32", "window-bytes=1", "chunk=64", "bulk=4096", "bulk-slots=64", "running=1", "offload=1"} {
		share("value "+value, 4, 15)
	}
	for _, value := range []string{"codec=text", "deflate=on"} {
		share("value "+value, 24, 35)
	}
	for _, value := range []string{"strategy=random", "strategy=pct"} {
		share("value "+value, 11, 18)
	}
	for _, trigger := range []string{"at", "every", "message", "event"} {
		share("trigger "+trigger, 30, 100)
	}
	share("trigger from", 0, 0)
	share("trigger violation", 0, 0)
	for _, host := range []string{"worker", "server"} {
		share("host "+host, 30, 90)
		share("left "+host, 5, 40)
	}
	share("host tab1", 5, 40)
	share("left tab8", 5, 40)
	share("link worker-server", 40, 95)
	share("link tab1-server", 10, 60)
	for _, d := range []string{"", ".up", ".down"} {
		share("direction "+d, 40, 99)
	}
	share("all links", 10, 60)
	share("one way", 3, 25)
	share("two ways", 10, 36)
	share("ahead", 20, 60)
	share("behind", 20, 60)
	if mean := faultCount / seeds; mean < 5 || mean > 20 {
		t.Errorf("a plan has %d faults on average", mean)
	}
}

// What is drawn for one kind or knob does not depend on which others there are, nor on the topology of another.
func TestSwarmDrawsAreApart(t *testing.T) {
	of := func(p faults.Plan, k faults.Kind) (list []faults.Fault) {
		for _, f := range p.Faults {
			if f.Kind == k {
				list = append(list, f)
			}
		}
		return list
	}
	differ := 0
	for seed := range uint64(300) {
		r := base.NewRand(seed)
		whole := someSwarm().Plan(r)
		if again := someSwarm().Plan(r); !reflect.DeepEqual(whole, again) {
			t.Fatalf("seed %d draws two plans", seed)
		}
		if !reflect.DeepEqual(whole, someSwarm().Plan(base.NewRand(seed+1))) {
			differ++
		}
		for _, without := range faults.Kinds() {
			s := someSwarm()
			s.Kinds = slices.DeleteFunc(faults.Kinds(), func(k faults.Kind) bool { return k == without })
			less := s.Plan(r)
			if len(of(less, without)) != 0 {
				t.Fatalf("seed %d: %v is not allowed and is drawn", seed, without)
			}
			if len(of(whole, without)) == len(whole.Faults) {
				continue // the only kind: another takes its place
			}
			for _, k := range s.Kinds {
				if !reflect.DeepEqual(of(less, k), of(whole, k)) {
					t.Fatalf("seed %d: %v changes without %v:\n%v\n%v", seed, k, without, of(whole, k), of(less, k))
				}
			}
			if !reflect.DeepEqual(less.Knobs, whole.Knobs) {
				t.Fatalf("seed %d: the knobs change without %v", seed, without)
			}
		}
		s := someSwarm()
		s.Knobs = []string{"codec"}
		one := s.Plan(r)
		value, has := whole.Knob("codec")
		if got, ok := one.Knob("codec"); got != value || ok != has || len(one.Knobs) > 1 || !reflect.DeepEqual(one.Faults, whole.Faults) {
			t.Fatalf("seed %d: with codec alone the plan is\n%s\nwith all\n%s", seed, one, whole)
		}
	}
	if differ < 299 {
		t.Errorf("%d of 300 plans differ from the next seed's", differ)
	}
}

// All faults that begin at a time of their own end before nine tenths of the span, and the rest at the heal.
func TestSwarmHeals(t *testing.T) {
	for _, span := range []base.Duration{0, 1, base.Second, 100 * base.Second, base.Hour, base.Forever - 1, base.Forever} {
		for seed := range uint64(200) {
			s := someSwarm()
			s.Span = span
			plan := s.Plan(base.NewRand(seed))
			want := base.Time(span)
			if span == 0 || span == base.Forever {
				want = base.Time(base.Minute)
			}
			if plan.Heal != want || len(plan.Faults) == 0 {
				t.Fatalf("span %v, seed %d: heals at %v, %d faults", span, seed, plan.Heal, len(plan.Faults))
			}
			for _, f := range plan.Faults {
				if f.When.Kind == faults.At && f.When.Time.Add(f.For) >= want && span != 1 {
					t.Errorf("span %v, seed %d: %v goes on behind the heal", span, seed, f)
				}
				if f.When.Kind == faults.Every && f.When.Time.Add(f.When.Period) > want && span > base.Second {
					t.Errorf("span %v, seed %d: %v begins behind the heal", span, seed, f)
				}
			}
		}
	}
}

// A swarm draws no fault for which the topology has nobody.
func TestSwarmOfLittle(t *testing.T) {
	for _, c := range []struct {
		why   string
		swarm faults.Swarm
		none  func(f *faults.Fault) bool
	}{
		{"nobody", faults.Swarm{}, func(*faults.Fault) bool { return true }},
		{"no link", faults.Swarm{Hosts: someSwarm().Hosts}, func(f *faults.Fault) bool { return f.Kind.OfLinks() }},
		{"no host", faults.Swarm{Links: someSwarm().Links}, func(f *faults.Fault) bool { return f.Kind.OfHosts() || f.Kind == faults.Partition }},
		{"one host", faults.Swarm{Hosts: someSwarm().Hosts[:1]}, func(f *faults.Fault) bool { return f.Kind == faults.Partition }},
		{"no messages", faults.Swarm{Hosts: someSwarm().Hosts}, func(f *faults.Fault) bool { return f.When.Kind == faults.OnMessage }},
		{"a recorded link", faults.Swarm{Links: []faults.SwarmLink{{Name: "a", Fixed: true}}}, func(f *faults.Fault) bool { return f.Kind == faults.Rate }},
		{"a recorded link and another", faults.Swarm{Links: []faults.SwarmLink{{Name: "a", Fixed: true}, {Name: "b"}}}, func(f *faults.Fault) bool {
			return f.Kind == faults.Rate && (f.Link.All || f.Link.Name == "a")
		}},
		{"one kind", faults.Swarm{Hosts: someSwarm().Hosts, Links: someSwarm().Links, Kinds: []faults.Kind{faults.Reset}}, func(f *faults.Fault) bool {
			return f.Kind != faults.Reset
		}},
	} {
		for seed := range uint64(200) {
			plan := c.swarm.Plan(base.NewRand(seed))
			if err := plan.Validate(); err != nil {
				t.Fatalf("%s, seed %d: %v", c.why, seed, err)
			}
			if (len(plan.Faults) == 0) != (c.why == "nobody") {
				t.Errorf("%s, seed %d: %d faults", c.why, seed, len(plan.Faults))
			}
			for i := range plan.Faults {
				if c.none(&plan.Faults[i]) {
					t.Errorf("%s, seed %d: %v", c.why, seed, plan.Faults[i])
				}
			}
		}
	}
	s := someSwarm()
	s.PerKind = 1 << 40
	if n := len(s.Plan(base.NewRand(1)).Faults); n > len(faults.Kinds())*16 {
		t.Errorf("%d faults", n)
	}
}

// The plan of a seed is a part of what a recorded seed means.
func TestSwarmPlanOfASeed(t *testing.T) {
	const want = `drawn
set ack 128
set running 1
at 12.484274493s stall tab7-server for 820ms
when message state from tab7 count 6 stall worker-server.up for 1.8s
when event count 451 reset worker-server reconnect after 190ms
at 69.541573286s cut worker-server.down after 8100 bytes reconnect after 140ms
when event count 70 cut tab7-server.up after 150 bytes reconnect after 53ms
when event count 2501 squeeze tab2-server.up 750B for 550ms
at 14.22098977s squeeze worker-server 12B for 3.6s
at 45.951415072s squeeze tab2-server.down 16B for 7.5s
when event count 331 partition {server tab1 tab5 tab6} to {worker tab2 tab4 tab8} for 110ms
at 59.153563845s partition {tab5} from {server tab1 tab4 tab6} for 1.5s
at 39.333908069s slow worker 430x for 1.1s
heal at 100s
`
	if got := someSwarm().Plan(base.NewRand(7)).String(); got != want {
		t.Errorf("the plan of seed 7 is\n%s", got)
	}
}
