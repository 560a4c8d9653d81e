package main

import (
	"encoding/json"
	"fmt"
	"os"

	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
)

// failuresCmd lists what sweeps found.
type failuresCmd struct {
	DB   string `arg:"" optional:"" name:"db" default:"out/sweep.db" help:"The results, as sweep --db wrote them (default ${default})."`
	All  bool   `help:"Of all sweeps of the file, not only of the newest."`
	Max  int    `default:"50" placeholder:"N" help:"At most so many groups (default ${default})."`
	JSON bool   `name:"json" help:"Print the groups as JSON."`
}

// maxFailures bounds --max.
const maxFailures = 100_000

// failureList is what is printed as JSON.
type failureList struct {
	DB           string           `json:"db"`
	Sweep        *sweep.SweepRow  `json:"sweep"` // the newest one
	All          bool             `json:"all"`
	Fingerprints int              `json:"fingerprints"`
	Groups       []sweep.GroupRow `json:"groups"`
}

// Run lists the groups.
func (c *failuresCmd) Run(e *env) error {
	if c.Max < 1 || c.Max > maxFailures {
		return fmt.Errorf("failures: --max %d: want 1 to %d", c.Max, maxFailures)
	}
	store, err := sweep.Open(c.DB)
	if err != nil {
		return fmt.Errorf("failures: %w", err)
	}
	defer store.Close()
	list := failureList{DB: c.DB, All: c.All}
	if list.Sweep, err = store.LastSweep(); err != nil {
		return fmt.Errorf("failures: %w", err)
	}
	of := list.Sweep.ID
	if c.All {
		of = 0
	}
	if list.Groups, list.Fingerprints, err = store.Groups(of, c.Max); err != nil {
		return fmt.Errorf("failures: %w", err)
	}
	if c.JSON {
		if list.Groups == nil {
			list.Groups = []sweep.GroupRow{}
		}
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	list.print(e)
	return nil
}

func (l *failureList) print(e *env) {
	s := l.Sweep
	ending := s.Ending
	if ending == "" {
		ending = "not ended"
	}
	fmt.Fprintf(e.stdout, "%s · sweep %d of %s, %s · %s · seeds %s%s · %d of %d runs failed\n", repro.Line(l.DB, 200), s.ID,
		repro.Line(s.Started, 40), repro.Line(ending, 40), setupsText(s.Setups), repro.Line(s.Seeds, 60), shardText(repro.Line(s.Shard, 20)),
		s.Failed, s.Runs)
	if l.All {
		fmt.Fprintln(e.stdout, "failures of all sweeps of the file:")
	}
	if len(l.Groups) == 0 {
		fmt.Fprintln(e.stdout, "failures: none")
	}
	for i := range l.Groups {
		g := &l.Groups[i]
		shown := sweep.GroupSummary{
			Fingerprint: repro.Line(g.Fingerprint, repro.MaxFingerprint), Count: g.Count, Text: repro.Line(g.First.Text, 200),
			First: named(&g.First), Cheapest: named(&g.Cheapest), Replay: replayRow(&g.First),
		}
		for _, line := range g.First.Stack[:min(len(g.First.Stack), repro.MaxFrames)] {
			shown.Stack = append(shown.Stack, repro.Line(line, repro.MaxFrame))
		}
		fmt.Fprint(e.stdout, groupText(&shown))
	}
	if left := l.Fingerprints - len(l.Groups); left > 0 {
		fmt.Fprintf(e.stdout, "\nand %s more; --max shows them\n", amount(int64(left), "fingerprint"))
	}
}

func named(f *sweep.FailureRow) sweep.SeedName {
	return sweep.SeedName{Scenario: repro.Line(f.Scenario, 80), Seed: f.Seed, Events: f.Events}
}

// replayRow returns the command that plays a failure again: its repro file's if that is still there.
func replayRow(f *sweep.FailureRow) string {
	if f.Repro != "" {
		if _, err := os.Stat(f.Repro); err == nil {
			return "go run ./cmd/simrun replay " + repro.Line(quoted(f.Repro), maxCommand)
		}
	}
	for _, setup := range f.Setups {
		if setup.Scenario == f.Scenario {
			return repro.Line(replayOf(setup, f.Seed, f.Kind == repro.Differs), maxCommand)
		}
	}
	return ""
}
