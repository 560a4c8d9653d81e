package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"chordsim/sim/sweep"
	"chordsim/sim/sweep/repro"
)

// maxSummary is the most bytes of a summary, whatever failed. Groups of failures that do not fit are counted.
const maxSummary = 9 << 10

// printSweep prints a summary for a person, or as one JSON object.
func printSweep(w io.Writer, s *sweep.Summary, asJSON bool) error {
	text := sweepText(s)
	if asJSON {
		var err error
		if text, err = sweepJSON(s); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// sweepJSON prints the summary with as many of its groups as there is room for.
func sweepJSON(s *sweep.Summary) (string, error) {
	short := *s
	for {
		var text strings.Builder
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(&short); err != nil {
			return "", err
		}
		switch {
		case text.Len() <= maxSummary:
			return text.String(), nil
		case len(short.Groups) > 0:
			short.Groups = short.Groups[:len(short.Groups)-1]
		case len(short.Effects) > 0:
			short.Effects = short.Effects[:len(short.Effects)-1]
		case len(short.Knobs) > 0:
			short.Knobs = short.Knobs[:len(short.Knobs)-1]
		default:
			short.Setups = []sweep.Setup{} // with a parameter of many KB
			if len(short.Scenarios) == 0 {
				return text.String(), nil
			}
			short.Scenarios = short.Scenarios[:len(short.Scenarios)-1]
		}
	}
}

func sweepText(s *sweep.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "sweep · %s · seeds %s%s · %s\n", setupsText(s.Setups), s.Seeds, shardText(s.Shard), amount(int64(s.Workers), "worker"))
	ending := ""
	if s.Ending != sweep.Complete {
		ending = ", " + string(s.Ending)
	}
	fmt.Fprintf(&b, "%s of %s runs in %.1f s%s: %s seeds/s · virtual ÷ wall %s · %s events/s · %s\n", thousands(float64(s.Runs)), jobsText(s.Jobs),
		s.Wall, ending, rateText(s.SeedsPerSecond), thousands(s.VirtualPerWall), thousands(s.EventsPerSec), twiceText(s))
	for _, c := range s.Scenarios {
		fmt.Fprintf(&b, "%s: medians of a run %s deliveries, %d effective faults\n", repro.Line(c.Scenario, 60), thousands(float64(c.Deliveries)), c.Effective)
	}
	if len(s.Effects) > 0 {
		fmt.Fprintln(&b, "effects by kind of fault:")
		for _, e := range s.Effects {
			fmt.Fprintf(&b, "  %s\n", effectText(e))
		}
	}
	if len(s.Knobs) > 0 {
		var list []string
		for _, k := range s.Knobs {
			list = append(list, fmt.Sprintf("%s %d ×", repro.Line(k.Knob, 40), k.Runs))
		}
		fmt.Fprintf(&b, "knobs off their default: %s\n", strings.Join(list, ", "))
	}
	var tail strings.Builder
	if s.DB != "" {
		fmt.Fprintf(&tail, "\nresults: %s · all failures: go run ./cmd/simrun failures %s\n", repro.Line(s.DB, 300), repro.Line(quoted(s.DB), 300))
	}
	if s.Failed == 0 {
		fmt.Fprintf(&b, "failures: none\n")
		return b.String() + tail.String()
	}
	fmt.Fprintf(&b, "failures: %s of %s runs, %s (%s)\n", thousands(float64(s.Failed)), thousands(float64(s.Runs)),
		amount(int64(s.Fingerprints), "fingerprint"), kindsText(s))
	for i, g := range s.Groups {
		text := groupText(&g)
		if b.Len()+len(text)+tail.Len()+100 > maxSummary {
			s.Groups = s.Groups[:i]
			break
		}
		b.WriteString(text)
	}
	if left := s.Fingerprints - len(s.Groups); left > 0 {
		fmt.Fprintf(&b, "\nand %s more\n", amount(int64(left), "fingerprint"))
	}
	return b.String() + tail.String()
}

// groupText shows one group of failures.
func groupText(g *sweep.GroupSummary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n  %s × · %s\n", g.Fingerprint, thousands(float64(g.Count)), g.Text)
	fmt.Fprintf(&b, "  first %s · cheapest %s\n", seedText(g.First), seedText(g.Cheapest))
	for _, line := range g.Stack {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	if g.Replay != "" {
		fmt.Fprintf(&b, "  %s\n", g.Replay)
	}
	return b.String()
}

func seedText(n sweep.SeedName) string {
	text := fmt.Sprintf("%s@%d", n.Scenario, n.Seed)
	if n.Events > 0 {
		text += " (" + thousands(float64(n.Events)) + " events)"
	}
	return text
}

func setupsText(setups []sweep.Setup) string {
	var names []string
	for _, s := range setups {
		names = append(names, s.Scenario)
	}
	text := strings.Join(names, ", ")
	if len(setups) > 0 && len(setups[0].Settings) > 0 {
		text += " · " + strings.Join(setups[0].Settings, " ")
	}
	return repro.Line(text, 300)
}

func shardText(shard string) string {
	if shard == "1/1" {
		return ""
	}
	return " shard " + shard
}

func jobsText(n uint64) string {
	if n > 1<<53 {
		return "all"
	}
	return thousands(float64(n))
}

func rateText(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return thousands(perSecond)
}

func twiceText(s *sweep.Summary) string {
	switch differ := s.Kinds[repro.Differs]; {
	case s.Twice == 0:
		return "none played twice"
	case differ > 0:
		return fmt.Sprintf("%s played twice, %s DIFFER", thousands(float64(s.Twice)), thousands(float64(differ)))
	}
	return thousands(float64(s.Twice)) + " played twice, all alike"
}

func kindsText(s *sweep.Summary) string {
	var list []string
	for _, k := range repro.Kinds {
		if n := s.Kinds[k]; n > 0 {
			list = append(list, fmt.Sprintf("%s %s", thousands(float64(n)), k))
		}
	}
	return strings.Join(list, ", ")
}

func effectText(e sweep.EffectSum) string {
	text := fmt.Sprintf("%s: %s of %s had an effect", e.Kind, thousands(float64(e.Effective)), amount(e.Faults, "fault"))
	for _, part := range []struct {
		n    int64
		noun string
	}{{e.Messages, "message"}, {e.Bytes, "byte"}, {e.Connections, "connection"}, {e.Turns, "turn"}, {e.Writes, "write"}, {e.Hosts, "host"}, {e.Clock, "clock read"}} {
		if part.n > 0 {
			text += ", " + amount(part.n, part.noun)
		}
	}
	return text
}

// amount prints a number of things.
func amount(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(float64(n)) + " " + noun
}
