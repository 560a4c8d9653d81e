package scenarios

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"chordsim/sim"
)

// figureLines reads the table on its own.
func figureLines(t *testing.T) [][]string {
	t.Helper()
	var list [][]string
	for i, line := range strings.Split(strings.TrimSuffix(figuresTSV, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			t.Fatalf("line %d has %d columns, want 7: %q", i+1, len(f), line)
		}
		list = append(list, f)
	}
	return list
}

func TestFiguresAreOneEach(t *testing.T) {
	kinds := []string{"bytes", "count", "virtual", "text", "time", "memory"}
	seen := map[[2]string]bool{}
	lines := figureLines(t)
	for _, f := range lines {
		key := [2]string{f[0], f[3]}
		if seen[key] {
			t.Errorf("%s of %q is there twice", f[0], f[3])
		}
		seen[key] = true
		if !slices.Contains(kinds, f[6]) {
			t.Errorf("%s: kind %q, want one of %q", f[0], f[6], kinds)
		}
		if _, ok := new(big.Rat).SetString(f[4]); !ok {
			t.Errorf("%s: %q is no decimal number", f[0], f[4])
		}
		if got := figure(f[0], f[3]); got != f[4] {
			t.Errorf("figure(%q, %q) = %q, want %q", f[0], f[3], got, f[4])
		}
	}
	if len(lines) < 100 {
		t.Errorf("%d figures, want the whole table", len(lines))
	}
}

func TestFigureThatIsNotThere(t *testing.T) {
	for _, c := range [][2]string{{"stall.direct.1s", "text"}, {"stall.direct.2s", "binary"}, {"", ""}, {"stall", "binary"}} {
		if got := figure(c[0], c[1]); got != "" {
			t.Errorf("figure(%q, %q) = %q, want none", c[0], c[1], got)
		}
	}
}

// TestThrottledTabFiguresExist wants each figure that the seed document has of a case to stand beside this project's row.
func TestThrottledTabFiguresExist(t *testing.T) {
	values, err := sim.ParseValues(ThrottledTab().Parameters(), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planThrottledTab(&sim.Run{Values: values})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.cases) != 8 || !plan.figures {
		t.Fatalf("%d cases, beside figures: %v; want 8, true", len(plan.cases), plan.figures)
	}
	used := map[string]bool{"stall.snapshot": true}
	for _, c := range plan.cases {
		for _, suffix := range []string{"", ".bytes", ".heap", ".commit.out", ".commit.in", ".handle"} {
			used[c.id+suffix] = true
			if figure(c.id+suffix, "binary") == "" {
				t.Errorf("there is no figure %s%s", c.id, suffix)
			}
		}
		name := c.id[strings.LastIndex(c.id, ".")+1:]
		goal, ok := tabGoals[name]
		if !ok {
			t.Fatalf("%s has no goal", c.id)
		}
		for suffix, got := range map[string]string{"": sim.Seconds(goal.caughtUp), ".bytes": itoa(goal.bytes)} {
			if compare(got, figure(c.id+suffix, "binary")) > 0 {
				t.Errorf("%s%s: the goal %s is worse than the figure %s", c.id, suffix, got, figure(c.id+suffix, "binary"))
			}
		}
	}
	for _, f := range figureLines(t) {
		if strings.HasPrefix(f[0], "stall.") && f[3] == "binary" && !used[f[0]] {
			t.Errorf("no row stands beside the figure %s", f[0])
		}
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"0.02", "0.02", "1.00"}, {"1", "3", "0.33"}, {"2", "3", "0.67"}, {"0", "5", "0.00"},
		{"5", "0", ""}, {"5", "-1", ""}, {"5", "", ""}, {"", "5", ""}, {"0.1", "0.3", "0.33"},
	} {
		if got := ratio(c.a, c.b); got != c.want {
			t.Errorf("ratio(%q, %q) = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestThousandfold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0.018", "18"}, {"0.0005", "0.5"}, {"0", "0"}, {"100", "100000"}, {"", ""}, {"0.0000004", "0"},
	} {
		if got := thousandfold(c.in); got != c.want {
			t.Errorf("thousandfold(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
