package sim_test

import (
	"slices"
	"strings"
	"testing"

	"chordsim/core/wire"
	"chordsim/faults"
	"chordsim/sim"
	"chordsim/sim/events"
)

func TestKnobsAreApplied(t *testing.T) {
	text := "set window 2\nset window-bytes 1024\nset chunk 256\nset bulk 4096\nset bulk-slots 3\nset small-run 5\nset ack 6\n" +
		"set running 7\nset queued 8\nset deflate on\nset offload 9\nset codec text\nset strategy random\n"
	plan, err := faults.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var cfg sim.Config
	if err := cfg.Apply(plan); err != nil {
		t.Fatal(err)
	}
	l := cfg.Limits
	if l.WindowMessages != 2 || l.WindowBytes != 1024 || l.ChunkBytes != 256 || l.BulkBytes != 4096 || l.BulkSlots != 3 || l.SmallRun != 5 ||
		l.AckChunks != 6 || l.RunningCalls != 7 || l.QueuedCalls != 8 || !cfg.Deflate || cfg.OffloadOver != 9 || cfg.Codec != wire.Text ||
		cfg.Strategy != events.Random {
		t.Errorf("the configuration is %+v", cfg)
	}
	w := sim.New(cfg)
	if err := w.Inject(plan); err != nil {
		t.Fatal(err)
	}
	var report sim.Report
	report.AddEffects(w, true)
	report.AddEffects(w, true)
	if len(report.Failures) != 0 || report.Plan != text || len(report.Knobs) != 13 || !slices.Contains(report.Knobs, "chunk=256") {
		t.Errorf("the report has %q and %q", report.Knobs, report.Failures)
	}
	if err := sim.New(sim.Config{}).Inject(plan); err == nil || !strings.Contains(err.Error(), "apply the plan to its configuration first") {
		t.Errorf("a world without the knobs: %v", err)
	}
	if err := cfg.Apply(faults.Plan{Knobs: []faults.Knob{{Name: "window", Value: "0"}}}); err == nil {
		t.Error("a knob that is not valid was applied")
	}
}

// Each knob that the generator draws is one that worlds have, and choices are those that the world takes.
func TestKnobsOfWorlds(t *testing.T) {
	for _, name := range faults.WorldKnobs {
		for _, value := range []string{"1", "2", "64", "on", "text", "random"} {
			k := faults.Knob{Name: name, Value: value}
			if k.Validate() != nil {
				continue
			}
			var cfg sim.Config
			plan := faults.Plan{Knobs: []faults.Knob{k}}
			if err := cfg.Apply(plan); err != nil {
				t.Error(err)
			}
			if err := sim.New(cfg).Inject(plan); err != nil {
				t.Error(err)
			}
		}
	}
	for _, name := range events.Strategies {
		if err := (faults.Knob{Name: "strategy", Value: name}).Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestScenariosHaveKnobsOfTheirOwn(t *testing.T) {
	plan, err := faults.Parse("set timeout 2s")
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New(sim.Config{})
	w.Takes("timeout")
	if err := w.Inject(plan); err != nil {
		t.Error(err)
	}
}
