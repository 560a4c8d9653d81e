package simtest

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"
)

// told returns what flags and an environment say together.
func told(t *testing.T, env map[string]string, args ...string) *options {
	t.Helper()
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	o := register(set, func(name string) string { return env[name] })
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSeeds(t *testing.T) {
	first := func(n int) (list []uint64) {
		for i := range n {
			list = append(list, uint64(i+1))
		}
		return list
	}
	for _, c := range []struct {
		env  map[string]string
		args []string
		want []uint64
	}{
		{nil, nil, first(DefaultSeeds)},
		{nil, []string{"-sim.seeds=3"}, first(3)},
		{map[string]string{"CHORDSIM_SEEDS": "4"}, nil, first(4)},
		{map[string]string{"CHORDSIM_SEEDS": "4"}, []string{"-sim.seeds=3"}, first(3)},
		{nil, []string{"-sim.seed=0x2a"}, []uint64{42}},
		{nil, []string{"-sim.seed=0", "-sim.seeds=5"}, []uint64{0}},
		{map[string]string{"CHORDSIM_SEED": "0xffffffffffffffff"}, nil, []uint64{1<<64 - 1}},
		{nil, []string{"-sim.for=7s"}, first(6)}, // the clock goes on by a second a look
		{map[string]string{"CHORDSIM_FOR": "7s"}, []string{"-sim.seeds=5"}, first(5)},
	} {
		var got []uint64
		clock := time.Unix(0, 0)
		all := told(t, c.env, c.args...).each(func() time.Time {
			clock = clock.Add(time.Second)
			return clock
		})
		for all.next() {
			got = append(got, all.seed)
			if len(got) > 20 {
				break
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v %v: seeds %v, want %v", c.env, c.args, got, c.want)
		}
	}
}

func TestFlagsThatMakeNoSense(t *testing.T) {
	for _, arg := range []string{"-sim.seeds=0", "-sim.seeds=-1", "-sim.seeds=x", "-sim.seed=", "-sim.for=0s", "-sim.for=-1s", "-sim.for=7", "-sim.hang=-1s", "-sim.hang=7"} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		register(set, func(string) string { return "" })
		if set.Parse([]string{arg}) == nil {
			t.Errorf("%s is taken", arg)
		}
	}
	defer func() {
		const want = `simtest: CHORDSIM_SEEDS="many": strconv.ParseUint: parsing "many": invalid syntax`
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}()
	told(t, map[string]string{"CHORDSIM_SEEDS": "many"})
}

func TestTwiceAndRepro(t *testing.T) {
	if o := told(t, nil); o.twice || o.hang != time.Minute || o.repro != "" || o.out != "testdata/repro" {
		t.Errorf("%+v", o)
	}
	if o := told(t, map[string]string{"CHORDSIM_TWICE": "1", "CHORDSIM_HANG": "5s"}, "-sim.repro=x", "-sim.out=y"); !o.twice || o.hang != 5*time.Second || o.repro != "x" || o.out != "y" {
		t.Errorf("%+v", o)
	}
	if o := told(t, map[string]string{"CHORDSIM_TWICE": "0", "CHORDSIM_HANG": "5s"}, "-sim.hang=0"); o.twice || o.hang != 0 {
		t.Errorf("%+v", o)
	}
}
