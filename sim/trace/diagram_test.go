package trace_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chordsim/sim/trace"
)

// drawn is the diagram of events.
func drawn(t *testing.T, width int, list []trace.Event) string {
	t.Helper()
	var survey trace.Survey
	decimals, last := 0, list[0].At
	for i := range list {
		survey.Event(&list[i])
		decimals, last = max(decimals, min(trace.Decimals(list[i].At), 6)), max(last, list[i].At)
	}
	var out strings.Builder
	d, err := trace.NewDiagram(&out, width, survey.Path(), decimals, last)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		d.Event(e)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("a line of %d characters, at most %d: %s", n, width, line)
		}
	}
	return out.String()
}

func TestDiagramGolden(t *testing.T) {
	wantGolden(t, "diagram.golden", drawn(t, trace.DefaultWidth, night()))
	wantGolden(t, "diagram_narrow.golden", drawn(t, trace.MinWidth, night()))
}

// Hosts stand beside those that they talk to, whatever came first.
func TestPathFollowsMessages(t *testing.T) {
	for _, c := range []struct{ pairs, want string }{
		{"server>worker tab>server", "worker server tab"},
		{"tab1>worker worker>tab2", "tab1 worker tab2"},
		{"a>b c>d d>e", "a b c d e"},
		{"a>b b>c c>a", "a b c"},
	} {
		var s trace.Survey
		for pair := range strings.FieldsSeq(c.pairs) {
			from, to, _ := strings.Cut(pair, ">")
			s.Event(&trace.Event{Kind: trace.KindDeliver, From: from, To: to})
		}
		if got := strings.Join(s.Path(), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.pairs, got, c.want)
		}
	}
	var s trace.Survey
	for _, e := range night() {
		s.Event(&e)
	}
	if got := s.Path(); !slices.Equal(got, []string{"tab", "server", "worker"}) {
		t.Errorf("%v", got)
	}
	if s.LastOf("relayed-1s") != 62*sec || s.LastOf("direct\x1b[2J") != 1 || s.LastOf("none") != 0 {
		t.Errorf("worlds end at %v", s.Last)
	}
}

func TestDiagramRefusesTooManyHosts(t *testing.T) {
	for _, c := range []struct{ width, hosts int }{{80, 6}, {100, 8}} {
		hosts := make([]string, c.hosts)
		if _, err := trace.NewDiagram(io.Discard, c.width, hosts[1:], 3, sec); err != nil {
			t.Errorf("%d in %d: %v", c.hosts-1, c.width, err)
		}
		if _, err := trace.NewDiagram(io.Discard, c.width, hosts, 3, sec); err == nil {
			t.Errorf("%d hosts fit in %d columns", c.hosts, c.width)
		}
	}
	if _, err := trace.NewDiagram(io.Discard, 100, nil, 3, sec); err == nil {
		t.Error("a diagram of no host")
	}
	d, err := trace.NewDiagram(&shortWriter{}, 100, []string{"tab"}, 3, sec)
	if err != nil {
		t.Fatal(err)
	}
	d.Event(trace.Event{Kind: trace.KindFault, To: "tab", What: "stalled"})
	if err := d.Close(); !errors.Is(err, errDisk) {
		t.Errorf("a full disk: %v", err)
	}
}
