package faults_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chordsim/core/base"
	"chordsim/faults"
)

// names are plain and not, words of the language among them.
var names = rapid.OneOf(
	rapid.SampledFrom([]string{
		"tab", "worker", "tab-server#2", "all", "links", "from", "to", "for", "by", "count", "any", "at", "a b", "tab.up", ".down",
		"#x", "x#", "{", "}", `"`, `\`, "\n", "\x00", "é", "名", "\u200d", "0s", "12", "-", "_", "set", "heal", "5%",
	}),
	rapid.StringN(1, 20, faults.MaxName).Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s }),
)

func drawSpan(t *rapid.T, label string) base.Duration {
	return base.Duration(rapid.OneOf(
		rapid.Int64Range(1, int64(base.Forever)-1), rapid.SampledFrom([]int64{1, 1500, int64(base.Millisecond), int64(base.Hour)}),
	).Draw(t, label))
}

func drawTrigger(t *rapid.T, lasts bool) (w faults.Trigger) {
	w.Kind = faults.TriggerKind(rapid.IntRange(int(faults.At), int(faults.OnViolation)).Filter(func(k int) bool {
		return lasts || faults.TriggerKind(k) != faults.From
	}).Draw(t, "trigger"))
	count := rapid.Int64Range(1, faults.MaxCount)
	switch w.Kind {
	case faults.At, faults.From:
		w.Time = base.Time(drawSpan(t, "time") - 1)
	case faults.Every:
		w.Time, w.Period, w.Count = base.Time(drawSpan(t, "start")-1), drawSpan(t, "period"), count.Draw(t, "count")
	case faults.OnMessage:
		w.Message, w.Count = names.Draw(t, "message"), count.Draw(t, "count")
		if rapid.Bool().Draw(t, "has from") {
			w.From = names.Draw(t, "from")
		}
		if rapid.Bool().Draw(t, "has to") {
			w.To = names.Draw(t, "to")
		}
	case faults.OnEvent:
		w.Count = count.Draw(t, "count")
	case faults.OnViolation:
		w.Violation = names.Draw(t, "violation")
	}
	return w
}

func drawFault(t *rapid.T) (f faults.Fault) {
	f.Kind = rapid.SampledFrom(faults.Kinds()).Draw(t, "kind")
	f.When = drawTrigger(t, f.Kind.Lasts())
	if f.Kind.Lasts() && f.When.Kind != faults.From {
		f.For = drawSpan(t, "for")
	}
	if f.Kind.OfHosts() {
		f.Host = names.Draw(t, "host")
	}
	if f.Kind.OfLinks() {
		if f.Link.All = rapid.Bool().Draw(t, "all"); !f.Link.All {
			f.Link.Name = names.Draw(t, "link")
		}
		f.Link.Direction = faults.Direction(rapid.IntRange(0, 2).Draw(t, "direction"))
	}
	number := func(min, max int64) { f.Amount = rapid.Int64Range(min, max).Draw(t, "amount") }
	switch f.Kind {
	case faults.Drop:
		number(0, faults.MaxCount)
	case faults.Cut:
		number(0, 1<<40)
		f.Link.Direction = faults.Direction(rapid.IntRange(1, 2).Draw(t, "one direction"))
	case faults.Close, faults.HalfOpen:
		if rapid.Bool().Draw(t, "by") {
			f.Host = names.Draw(t, "host")
		}
	case faults.Rate:
		number(1, 1<<50)
	case faults.Squeeze:
		number(1, 1<<40)
	case faults.Crash:
		number(0, 100)
	case faults.Drift:
		number(1, 500_000)
		if rapid.Bool().Draw(t, "slower") {
			f.Amount = -f.Amount
		}
	case faults.Slow:
		number(2, 1_000_000)
	case faults.Latency, faults.Jitter, faults.Timers:
		f.Span = drawSpan(t, "span")
	case faults.Skew:
		if f.Span = drawSpan(t, "span"); rapid.Bool().Draw(t, "back") {
			f.Span = -f.Span
		}
	case faults.Partition:
		hosts := rapid.SliceOfNDistinct(names, 2, 6, func(s string) string { return s }).Draw(t, "hosts")
		at := rapid.IntRange(1, len(hosts)-1).Draw(t, "sides")
		f.Left, f.Right, f.OneWay = hosts[:at], hosts[at:], rapid.Bool().Draw(t, "one way")
	}
	switch f.Kind {
	case faults.Drop, faults.Reset, faults.Close, faults.HalfOpen, faults.Cut, faults.Crash:
		if f.Again = rapid.Bool().Draw(t, "again"); f.Again {
			f.After = drawSpan(t, "after") - 1
		}
	}
	switch f.Kind {
	case faults.Drop, faults.Reset, faults.Close, faults.HalfOpen, faults.Swizzle:
		f.Link.Direction = faults.Both
	}
	return f
}

func drawPlan(t *rapid.T) (p faults.Plan) {
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(faults.KnobNames()), 0, 4, func(s string) string { return s }).Draw(t, "knobs") {
		value := rapid.SampledFrom([]string{"1", "2", "64", "1024", "1ms", "3600s", "on", "off", "text", "binary", "random", "fifo"}).
			Filter(func(value string) bool { return faults.Knob{Name: name, Value: value}.Validate() == nil }).Draw(t, "value")
		p.Knobs = append(p.Knobs, faults.Knob{Name: name, Value: value})
	}
	for range rapid.IntRange(0, 5).Draw(t, "faults") {
		p.Faults = append(p.Faults, drawFault(t))
	}
	p.Drawn = rapid.Bool().Draw(t, "drawn")
	if rapid.Bool().Draw(t, "heals") {
		p.Heal = base.Time(drawSpan(t, "heal"))
	}
	return p
}

// Any plan prints and parses back to the same, and is valid.
func TestPlansPrintAndParseBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		if err := p.Validate(); err != nil {
			t.Fatalf("%v in %#v", err, p)
		}
		got, err := faults.Parse(p.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, p)
		}
		if !reflect.DeepEqual(got, p) {
			t.Fatalf("parsed back\n%#v\nwant\n%#v\ntext\n%s", got, p, p)
		}
	})
}

// What is drawn for the test above has every kind and every trigger. The draws are fixed.
func TestDrawnPlansHaveEverything(t *testing.T) {
	kinds, triggers := map[faults.Kind]int{}, map[faults.TriggerKind]int{}
	plans := rapid.Custom(drawPlan)
	for i := range 400 {
		for _, f := range plans.Example(i).Faults {
			kinds[f.Kind]++
			triggers[f.When.Kind]++
		}
	}
	for _, k := range faults.Kinds() {
		if kinds[k] == 0 {
			t.Errorf("no %v was drawn", k)
		}
	}
	for k := faults.At; k <= faults.OnViolation; k++ {
		if triggers[k] == 0 {
			t.Errorf("no trigger %d was drawn", k)
		}
	}
}

// A fault that lacks something, or has what it cannot have, says what.
func TestValidate(t *testing.T) {
	at := faults.Trigger{Kind: faults.At}
	tab := faults.Link{Name: "tab"}
	second := base.Second
	for _, c := range []struct {
		fault faults.Fault
		want  string
	}{
		{faults.Fault{}, "unknown: there is no such kind"},
		{faults.Fault{Kind: 200, When: at}, "there is no such kind"},
		{faults.Fault{Kind: faults.Reset, Link: tab}, "reset: it lacks a trigger"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.At, Count: 1}}, `its trigger has more than "at 0s" says`},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.At, Time: -1}}, "its time is -1ns"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.At, Time: base.Never}}, "its time is never"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.Every, Count: 1}}, "how often it comes"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.Every, Period: 1}}, "its count is 0"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.OnEvent}}, "its count is 0"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.OnEvent, Count: faults.MaxCount + 1}}, "its count is"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.OnMessage, Count: 1}}, "it lacks the type of messages"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.OnMessage, Count: 1, Message: "a", From: "\xff"}}, "no UTF-8"},
		{faults.Fault{Kind: faults.Reset, Link: tab, When: faults.Trigger{Kind: faults.OnViolation}}, "it lacks the invariant"},
		{faults.Fault{Kind: faults.Reset, When: at}, "it lacks the name of a link"},
		{faults.Fault{Kind: faults.Reset, When: at, Link: faults.Link{Name: strings.Repeat("x", faults.MaxName+1)}}, "256 bytes"},
		{faults.Fault{Kind: faults.Reset, When: at, Link: faults.Link{Name: "x", All: true}}, "all links, and has the name of one"},
		{faults.Fault{Kind: faults.Reset, When: at, Link: faults.Link{Name: "x", Direction: 7}}, "a direction that is not one"},
		{faults.Fault{Kind: faults.Reset, When: at, Link: faults.Link{Name: "x", Direction: faults.Up}}, "both directions"},
		{faults.Fault{Kind: faults.Cut, When: at, Link: tab}, "it lacks the direction"},
		{faults.Fault{Kind: faults.Reset, When: at, Link: tab, For: 1}, "reset: it happens at once"},
		{faults.Fault{Kind: faults.Reset, When: faults.Trigger{Kind: faults.From}, Link: tab}, `want "at", not "from"`},
		{faults.Fault{Kind: faults.Stall, When: faults.Trigger{Kind: faults.From}, Link: tab, For: 1}, `"from" begins`},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab}, `it lacks "for"`},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: -1}, "it lasts -1ns"},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: base.Forever}, "it lasts forever"},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: 1, Host: "x"}, "it has a host, which it cannot have"},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: 1, Amount: 1}, "it has an amount"},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: 1, Span: 1}, "it has a span"},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: 1, OneWay: true}, "it has sides"},
		{faults.Fault{Kind: faults.Stall, When: at, Link: tab, For: 1, Again: true}, "it has a return"},
		{faults.Fault{Kind: faults.Crash, When: at, Host: "x", Link: tab}, "it has a link"},
		{faults.Fault{Kind: faults.Crash, When: at}, "crash: it lacks a host"},
		{faults.Fault{Kind: faults.Crash, When: at, Host: "x", Amount: 101}, "its number is 101%; want 0% to 100%"},
		{faults.Fault{Kind: faults.Crash, When: at, Host: "x", After: 1}, "when to restart and not that it does"},
		{faults.Fault{Kind: faults.Reset, When: at, Link: tab, Again: true, After: -1}, "it would reconnect after -1ns"},
		{faults.Fault{Kind: faults.Close, When: at, Link: tab, Host: "\xff"}, "no UTF-8"},
		{faults.Fault{Kind: faults.Drift, When: at, Host: "x", For: 1}, "changes nothing"},
		{faults.Fault{Kind: faults.Slow, When: at, Host: "x", For: 1, Amount: 1}, "want 2x"},
		{faults.Fault{Kind: faults.Rate, When: at, Link: tab, For: second}, "its rate is 0"},
		{faults.Fault{Kind: faults.Squeeze, When: at, Link: tab, For: second}, "its size is 0"},
		{faults.Fault{Kind: faults.Latency, When: at, Link: tab, For: second}, "it lacks a latency"},
		{faults.Fault{Kind: faults.Jitter, When: at, Link: tab, For: second, Span: -1}, "a jitter is -1ns"},
		{faults.Fault{Kind: faults.Skew, When: at, Host: "x", Span: base.Forever}, "jumps is forever"},
		{faults.Fault{Kind: faults.Partition, When: at, For: second, Left: []string{"a"}}, "it lacks the hosts of a side"},
		{faults.Fault{Kind: faults.Partition, When: at, For: second, Left: []string{"a"}, Right: []string{"b", "a"}}, "the host a is there twice"},
		{faults.Fault{Kind: faults.Partition, When: at, For: second, Left: []string{"a"}, Right: []string{""}}, "it lacks a host of a side"},
		{faults.Fault{Kind: faults.Partition, When: at, For: second, Left: make([]string, faults.MaxSide+1), Right: []string{"b"}}, "over 256 hosts"},
	} {
		err := c.fault.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "faults: not a fault: ") {
			t.Errorf("%v: %v, want %s", c.fault, err, c.want)
		}
	}
}

func TestValidateOfAPlan(t *testing.T) {
	reset := faults.Fault{Kind: faults.Reset, When: faults.Trigger{Kind: faults.At}, Link: faults.Link{Name: "tab"}}
	long := reset
	long.Link.Name = strings.Repeat("x", 200)
	window := faults.Knob{Name: "window", Value: "2"}
	for want, p := range map[string]faults.Plan{
		`no knob "windw"`:              {Knobs: []faults.Knob{{Name: "windw", Value: "2"}}},
		"want a number from 1 to":      {Knobs: []faults.Knob{{Name: "window", Value: "0"}}},
		`"02"; want a number`:          {Knobs: []faults.Knob{{Name: "window", Value: "02"}}},
		"the knob window is set twice": {Knobs: []faults.Knob{window, window}},
		"it lacks":                     {Faults: []faults.Fault{reset, {Kind: faults.Reset, When: reset.When}}},
		"heals at -1ns":                {Heal: -1},
		"heals at never":               {Heal: base.Never},
		"1025 faults":                  {Faults: repeat(reset, faults.MaxFaults+1)},
		"bytes of text":                {Faults: repeat(long, 400)},
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if !(faults.Plan{}).Empty() || (faults.Plan{Heal: 1}).Empty() || (faults.Plan{Knobs: []faults.Knob{window}}).Empty() {
		t.Error("only the plan that asks for nothing is empty")
	}
	p := faults.Plan{Knobs: []faults.Knob{window}}
	if v, ok := p.Knob("window"); v != "2" || !ok {
		t.Errorf("window is %q, %v", v, ok)
	}
	if v, ok := p.Knob("chunk"); v != "" || ok {
		t.Errorf("chunk is %q, %v", v, ok)
	}
}

func repeat(f faults.Fault, n int) []faults.Fault {
	list := make([]faults.Fault, n)
	for i := range list {
		list[i] = f
	}
	return list
}
