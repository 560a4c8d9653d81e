package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/sim/trace"
)

// page prints the events that a filter lets through.
func page(f trace.Filter, width int, list []trace.Event) string {
	columns := trace.NewColumns(width)
	var chosen []*trace.Event
	for i := range list {
		if f.Match(&list[i]) {
			columns.Measure(&list[i])
			chosen = append(chosen, &list[i])
		}
	}
	var out strings.Builder
	fmt.Fprintln(&out, columns.Heading())
	for _, e := range chosen {
		fmt.Fprintln(&out, columns.Line(e))
	}
	return out.String()
}

func TestColumnsGolden(t *testing.T) {
	everything := trace.Everything()
	for _, c := range []struct {
		name  string
		f     trace.Filter
		width int
	}{
		{"page.golden", everything, trace.DefaultWidth},
		{"page_wide.golden", everything, 160},
		{"page_narrow.golden", everything, trace.MinWidth},
		{"page_object.golden", trace.Filter{To: base.Never, Objects: []string{"View"}, Hosts: []string{"tab"}}, trace.DefaultWidth},
	} {
		got := page(c.f, c.width, night())
		wantGolden(t, c.name, got)
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > c.width {
				t.Errorf("%s: a line of %d characters, at most %d: %s", c.name, n, c.width, line)
			}
		}
		if strings.ContainsRune(got, 0x1b) {
			t.Errorf("%s: an escape", c.name)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*trace.Filter)
		want string
	}{
		{"all", func(*trace.Filter) {}, "1-27"},
		{"hosts", func(f *trace.Filter) { f.Hosts = []string{"worker"} }, "8-13 23 25"},
		{"link", func(f *trace.Filter) { f.Links = []string{"tab-server"} }, "3-5 7 14-22 24"},
		{"kind", func(f *trace.Filter) { f.Kinds = []string{"fault", "timer"} }, "22 23"},
		{"type", func(f *trace.Filter) { f.Kinds = []string{"hello", "note"} }, "1 4 26 27"},
		{"a type is no other event's text", func(f *trace.Filter) { f.Kinds = []string{"app"} }, ""},
		{"object", func(f *trace.Filter) { f.Objects = []string{"View"} }, "7-20 24"},
		{"address", func(f *trace.Filter) { f.Objects = []string{"Session/42/View"} }, "7 14-20 24"},
		{"end of a word is no object", func(f *trace.Filter) { f.Objects = []string{"iew"} }, ""},
		{"from", func(f *trace.Filter) { f.From = 60 * sec }, "24 25"},
		{"to", func(f *trace.Filter) { f.To = 20 * ms }, "1-3 26 27"},
		{"first", func(f *trace.Filter) { f.First = 25 }, "25-27"},
		{"world", func(f *trace.Filter) { f.Worlds = []string{"relayed-1s"}; f.First = 24 }, "24 25"},
		{"several", func(f *trace.Filter) { f.Hosts = []string{"tab"}; f.Kinds = []string{"call", "result", "fault"} }, "19 20 22"},
	} {
		f := trace.Everything()
		c.set(&f)
		var got []int64
		list := night()
		for i := range list {
			if f.Match(&list[i]) && list[i].Kind.Hashed() {
				got = append(got, list[i].Number)
			}
		}
		if s := ranges(got); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// What was found wrong is chosen by its host and its time like any other event, and what was lost by its ends, its link and its
// type.
func TestFilterOfWhatHasNoNumber(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*trace.Filter)
		want string
	}{
		{"all", func(*trace.Filter) {}, "lost credit, lost state, failed C11 violated, failed goal"},
		{"host", func(f *trace.Filter) { f.Hosts = []string{"worker"} }, "lost state"},
		{"link", func(f *trace.Filter) { f.Links = []string{"tab-server"} }, "lost credit"},
		{"type", func(f *trace.Filter) { f.Kinds = []string{"state"} }, "lost state"},
		{"kind", func(f *trace.Filter) { f.Kinds = []string{"failed"} }, "failed C11 violated, failed goal"},
		{"to", func(f *trace.Filter) { f.To = 61*sec - 1 }, ""},
	} {
		f := trace.Everything()
		c.set(&f)
		var got []string
		list := night()
		for i := range list {
			if e := &list[i]; f.Match(e) && !e.Kind.Hashed() {
				what, _, _ := strings.Cut(e.What, ":")
				got = append(got, e.Kind.String()+" "+what)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// ranges prints numbers that rise, runs of three or more as a range.
func ranges(list []int64) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j > i+1 {
			out = append(out, fmt.Sprintf("%d-%d", list[i], list[j]))
			i = j + 1
			continue
		}
		out = append(out, fmt.Sprint(list[i]))
		i++
	}
	return strings.Join(out, " ")
}

func TestStamp(t *testing.T) {
	for _, c := range []struct {
		at       base.Time
		decimals int
		want     string
	}{
		{0, 3, "0.000"}, {1, 3, "0.000"}, {1, 9, "0.000000001"}, {90*sec + 50*ms, 3, "90.050"}, {sec - 1, 6, "0.999999"},
		{-1500 * ms, 3, "-1.500"}, {7 * sec, 0, "7"},
	} {
		if got := trace.Stamp(c.at, c.decimals); got != c.want {
			t.Errorf("%d with %d decimals is %s, want %s", c.at, c.decimals, got, c.want)
		}
	}
	for at, want := range map[base.Time]int{0: 3, ms: 3, ms + 1000: 6, ms + 1: 9} {
		if got := trace.Decimals(at); got != want {
			t.Errorf("%d needs %d decimals, want %d", at, got, want)
		}
	}
}

// Both sides of a difference are shown beneath what came before, in the same columns.
func TestSidesGolden(t *testing.T) {
	list := night()
	other := list[9]
	other.Bytes = 77
	wantGolden(t, "sides.golden",
		trace.Sides(list[5:9], &list[9], &other)+"\n"+
			trace.Sides(list[5:9], &list[9], &list[9])+"\n"+
			trace.Sides(nil, nil, &list[0]))
}

// What was found wrong may be long: no column becomes wider for it, nor is there one for it alone.
func TestColumnsOfFailures(t *testing.T) {
	c := trace.NewColumns(trace.DefaultWidth)
	list := []trace.Event{
		{Number: 1, Kind: trace.KindTimer, To: "tab", What: "timer"},
		{Number: 1, Kind: trace.KindFailed, To: "tab", What: "C11 violated", Note: strings.Repeat("much ", 40)},
	}
	for i := range list {
		c.Measure(&list[i])
	}
	if got, want := c.Heading(), "#  time (s)  kind    to   type"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := c.Line(&list[1]); utf8.RuneCountInString(got) != trace.DefaultWidth || !strings.HasPrefix(got, "✗     0.000  failed  tab  C11 violated  much much") {
		t.Errorf("%q", got)
	}
}
