package scenarios

import (
	"testing"

	"chordsim/sim"
	"chordsim/sim/trace"
)

// Of two runs of churn that differ the first label can be named: each has its own, and those that are kept take some KB.
func TestDecisionsOfChurnHaveLabels(t *testing.T) {
	s := Churn()
	for seed := uint64(1); seed <= 12; seed++ {
		size := "size=small"
		if seed%4 == 0 {
			size = "size=large"
		}
		values, err := sim.ParseValues(s.Parameters(), []string{size})
		if err != nil {
			t.Fatal(err)
		}
		d := &trace.Decisions{}
		if _, err := s.Run(&sim.Run{Seed: seed, Values: values, Decisions: d}); err != nil {
			t.Fatal(err)
		}
		labels, names := d.Labels(), 0
		for _, l := range labels {
			names += len(l.Name)
			if l.Name == trace.OtherLabels {
				t.Errorf("seed %d: %d draws are under no label of their own", seed, l.Draws)
			}
		}
		if len(labels) < 20 || len(labels) > trace.MaxLabels/2 || names > 40*len(labels) {
			t.Errorf("seed %d: %d labels, of %d bytes", seed, len(labels), names)
		}
	}
}
