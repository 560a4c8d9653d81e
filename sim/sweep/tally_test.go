package sweep

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"testing"
	"time"

	"chordsim/faults"
	"chordsim/sim/sweep/repro"
)

func failed(seed uint64, events int64, text string) Outcome {
	runs := 1
	if events == 0 {
		runs = 0
	}
	return Outcome{Job: Job{Seed: seed}, Events: events, Runs: runs, Failure: &repro.Failure{Kind: repro.Violated, Text: text}}
}

// The summary is the same, whatever the order in which outcomes come.
func TestTallyOrder(t *testing.T) {
	outcomes := []Outcome{
		failed(9, 100, "C1 violated at 1s at tab: 5 items"), failed(3, 0, "C1 violated at 1s at tab: 6 items"),
		failed(5, 40, "C1 violated at 2s at tab: 7 items"), failed(7, 40, "C1 violated at 2s at tab: 7 items"), failed(8, 10, "C2 violated at 2s at tab: a gap"),
		{Job: Job{Seed: 1, Twice: true}, Runs: 2, Deliveries: 5, Events: 10, Virtual: int64(time.Second), Knobs: []string{"window=2"},
			Effects: sumEffects([]faults.Effect{{Kind: "stall", Fired: 1, Messages: 3}, {Kind: "stall"}, {Kind: "reset", Fired: 1, Connections: 1}})},
		{Job: Job{Seed: 2}, Runs: 1, Deliveries: 7},
	}
	cfg := &Config{Setups: []Setup{{Scenario: "s"}}, Seeds: Seeds{1, 9}, Workers: 1}
	var first string
	for turn := range len(outcomes) {
		tally := NewTally(cfg.Setups)
		for i := range outcomes {
			tally.Add(&outcomes[(i*3+turn)%len(outcomes)])
		}
		s := tally.Summary(cfg, Complete, time.Second, func(*Group) string { return "replay" })
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
			g := s.Groups[0]
			if g.Count != 4 || g.First.Seed != 3 || g.Cheapest.Seed != 5 || g.Fingerprint != "C1 violated at tab: # item" || len(s.Groups) != 2 {
				t.Errorf("groups %+v", s.Groups)
			}
			if s.Runs != 7 || s.Failed != 5 || s.Twice != 1 || s.Events != 210 || s.Virtual != 2 || s.Knobs[0] != (KnobSummary{"window", 1}) {
				t.Errorf("summary %s", text)
			}
			if want := (EffectSum{Kind: "stall", Faults: 2, Effective: 1, Fired: 1, Messages: 3}); len(s.Effects) != 2 || s.Effects[1] != want {
				t.Errorf("effects %+v", s.Effects)
			}
			if got := outcomes[5].Effective(); got != 2 {
				t.Errorf("%d effective faults, want 2", got)
			}
		}
		if string(text) != first {
			t.Errorf("turn %d: %s\nfirst: %s", turn, text, first)
		}
	}
}

func TestTallyIsBounded(t *testing.T) {
	tally := NewTally([]Setup{{Scenario: "s"}})
	for i := range MaxGroups + 500 {
		word := fmt.Sprint(i)
		letters := []rune{}
		for _, c := range word {
			letters = append(letters, 'a'+c-'0')
		}
		o := failed(uint64(i), 1, "C1 violated at 1s at tab: "+string(letters))
		tally.Add(&o)
	}
	groups := tally.Groups()
	if len(groups) != MaxGroups+1 || groups[0].Fingerprint != restGroup || groups[0].Count != 500 {
		t.Errorf("%d groups, the first is %s with %d", len(groups), groups[0].Fingerprint, groups[0].Count)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   int64
	}{{nil, 0}, {[]int64{4}, 4}, {[]int64{9, 1}, 1}, {[]int64{9, 1, 5}, 5}, {[]int64{7, 7, 7, 1}, 7}} {
		var h histogram
		for _, v := range c.values {
			h.add(v)
		}
		if got := h.median(); got != c.want {
			t.Errorf("%v: %d, want %d", c.values, got, c.want)
		}
	}
}

func TestJUnitIsXML(t *testing.T) {
	s := &Summary{Seeds: "1-2", Shard: "1/1", Scenarios: []ScenarioSummary{{Scenario: "a<b", Runs: 2, Failed: 1}, {Scenario: "c", Runs: 2}},
		Groups: []GroupSummary{{Fingerprint: "C1 violated: <&> \x01", Text: "\x1b[31m]]>", First: SeedName{Scenario: "a<b"}}}}
	text, err := s.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text, &back); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if back.Tests != 3 || back.Failures != 2 || len(back.Suites) != 2 || len(back.Suites[0].Cases) != 2 || back.Suites[1].Failures != 0 {
		t.Errorf("%+v", back)
	}
}
