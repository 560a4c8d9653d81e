package sim_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"
)

// everyKind has a parameter of each kind.
var everyKind = []sim.Param{
	{Name: "count", Kind: sim.ParamInt, Default: "4", Min: 1, Max: 64},
	{Name: "offset", Kind: sim.ParamInt, Default: "0", Min: -5},
	{Name: "latency", Kind: sim.ParamDuration, Default: "0s", Max: int64(10 * base.Second)},
	{Name: "rate", Kind: sim.ParamRate, Default: "64KiB/s", Min: 1},
	{Name: "chunk", Kind: sim.ParamBytes, Default: "4KiB", Min: 16, Max: 4 * base.KiB},
	{Name: "blob", Kind: sim.ParamBytes, Default: "0"},
	{Name: "size", Kind: sim.ParamChoice, Default: "figure", Choices: []string{"figure", "small"}},
	{Name: "token", Kind: sim.ParamText, Default: " tok", Min: 1, Max: 8},
	{Name: "label", Kind: sim.ParamText, Default: ""},
}

func TestParseValues(t *testing.T) {
	for _, c := range []struct {
		set    []string
		name   string
		number int64 // of a number, a duration or bytes
		text   string
	}{
		{nil, "count", 4, "4"},
		{nil, "rate", 65536, "64KiB/s"},
		{nil, "chunk", 4096, "4KiB"},
		{nil, "token", 0, " tok"},
		{nil, "label", 0, ""},
		{[]string{"count=1"}, "count", 1, "1"},
		{[]string{"count=64"}, "count", 64, "64"},
		{[]string{"count=7", "count=9"}, "count", 9, "9"},
		{[]string{"offset=-5"}, "offset", -5, "-5"},
		{[]string{"offset=9223372036854775807"}, "offset", math.MaxInt64, "9223372036854775807"},
		{[]string{"latency=10s"}, "latency", int64(10 * base.Second), "10s"},
		{[]string{"latency=1.5ms"}, "latency", 1_500_000, "1.5ms"},
		{[]string{"latency=0"}, "latency", 0, "0"},
		{[]string{"rate=300"}, "rate", 300, "300"},
		{[]string{"rate=1Mbit/s"}, "rate", 125_000, "1Mbit/s"},
		{[]string{"chunk=16"}, "chunk", 16, "16"},
		{[]string{"chunk=17B"}, "chunk", 17, "17B"},
		{[]string{"chunk=2KiB"}, "chunk", 2048, "2KiB"},
		{[]string{"blob=3MiB"}, "blob", 3 << 20, "3MiB"},
		{[]string{"size=small"}, "size", 0, "small"},
		{[]string{"token=a=b"}, "token", 0, "a=b"},
		{[]string{"token=😀é"}, "token", 0, "😀é"},
		{[]string{"label=", "token=x"}, "label", 0, ""},
	} {
		v, err := sim.ParseValues(everyKind, c.set)
		if err != nil {
			t.Errorf("%q: %v", c.set, err)
			continue
		}
		if got := v.Text(c.name); got != c.text {
			t.Errorf("%q: %s reads %q, want %q", c.set, c.name, got, c.text)
		}
		switch c.name {
		case "latency":
			if got := v.Duration(c.name); got != base.Duration(c.number) {
				t.Errorf("%q: %s is %v, want %v", c.set, c.name, got, base.Duration(c.number))
			}
		case "size", "token", "label":
		default:
			if got := v.Int(c.name); got != c.number {
				t.Errorf("%q: %s is %d, want %d", c.set, c.name, got, c.number)
			}
		}
	}
}

func TestParseValuesRefuses(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"count", `--set count: want name=value`},
		{"=1", `--set =1: there is no parameter ""; there are count, offset, latency, rate, chunk, blob, size, token, label`},
		{"conut=1", `--set conut=1: there is no parameter "conut"; did you mean "count"?`},
		{"zzzzzz=1", `--set zzzzzz=1: there is no parameter "zzzzzz"; there are count, offset, latency, rate, chunk, blob, size, token, label`},
		{"Count=1", `--set Count=1: there is no parameter "Count"; did you mean "count"?`},
		{"count=", `--set count=: count is "", want a whole number`},
		{"count=1.5", `--set count=1.5: count is "1.5", want a whole number`},
		{"count=9223372036854775808", `--set count=9223372036854775808: count is "9223372036854775808", want a whole number`},
		{"count=0", `--set count=0: count is 0, want at least 1`},
		{"count=65", `--set count=65: count is 65, want at most 64`},
		{"offset=-6", `--set offset=-6: offset is -6, want at least -5`},
		{"latency=5", `--set latency=5: "5" is not a duration (no unit); write a number with a unit, such as 10ms or 1.5s`},
		{"latency=-1ms", `--set latency=-1ms: latency is -1ms, want at least 0s`},
		{"latency=10.001s", `--set latency=10.001s: latency is 10.001s, want at most 10s`},
		{"rate=-1", `--set rate=-1: linkmodel: "-1" is not a rate (negative); write bytes per second or a unit, such as 65536, 64KiB/s or 1Gbit/s`},
		{"rate=0", `--set rate=0: rate is 0, want at least 1B/s`},
		{"rate=unlimited", `--set rate=unlimited: rate is unlimited, want at least 1B/s`},
		{"chunk=x", `--set chunk=x: chunk is "x", want a number of bytes, such as 4096 or 64KiB`},
		{"chunk=4kB", `--set chunk=4kB: chunk is "4kB", want a number of bytes, such as 4096 or 64KiB`},
		{"chunk=15", `--set chunk=15: chunk is 15, want at least 16`},
		{"chunk=5KiB", `--set chunk=5KiB: chunk is 5KiB, want at most 4096`},
		{"blob=9223372036854775807KiB", `--set blob=9223372036854775807KiB: blob is "9223372036854775807KiB", want a number of bytes, such as 4096 or 64KiB`},
		{"blob=-9223372036854775807MiB", `--set blob=-9223372036854775807MiB: blob is "-9223372036854775807MiB", want a number of bytes, such as 4096 or 64KiB`},
		{"size=big", `--set size=big: size is "big", want one of figure, small`},
		{"size=", `--set size=: size is "", want one of figure, small`},
		{"token=", `--set token=: token has 0 bytes, want at least 1 byte`},
		{"token=123456789", `--set token=123456789: token has 9 bytes, want at most 8 bytes`},
		{"label=\xff", "--set label=\xff: label is \"\\xff\", want text in UTF-8"},
	} {
		if _, err := sim.ParseValues(everyKind, []string{c.set}); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n  got  %v\n  want %s", c.set, err, c.want)
		}
	}
}

func TestParseValuesStopsAtTheFirstError(t *testing.T) {
	_, err := sim.ParseValues(everyKind, []string{"count=2", "rate=x", "size=y"})
	if err == nil || !strings.HasPrefix(err.Error(), "--set rate=x: ") {
		t.Errorf("got %v, want the error about the rate", err)
	}
}

func TestChanged(t *testing.T) {
	v, err := sim.ParseValues(everyKind, []string{"size=small", "token= tok", "rate=65536", "chunk=1024", "label=x", "count=4"})
	if err != nil {
		t.Fatal(err)
	}
	// Another way to write the default is no change.
	if got, want := v.Changed(), []string{"chunk=1024", "size=small", "label=x"}; !slices.Equal(got, want) {
		t.Errorf("changed: %q, want %q", got, want)
	}
	if !v.IsDefault("rate") || v.IsDefault("size") || !v.IsDefault("token") {
		t.Error("IsDefault and Changed differ")
	}
	same, err := sim.ParseValues(everyKind, v.Changed())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(same.Changed(), v.Changed()) {
		t.Errorf("read back: %q, want %q", same.Changed(), v.Changed())
	}
}

func TestTextOfOneLengthIsNotTheDefault(t *testing.T) {
	v, err := sim.ParseValues(everyKind, []string{"token=abcd"})
	if err != nil {
		t.Fatal(err)
	}
	if v.IsDefault("token") {
		t.Error("a text as long as the default counts as the default")
	}
}

func TestValuesPanicOnAMistakeInTheScenario(t *testing.T) {
	v, err := sim.ParseValues(everyKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, fn := range map[string]func(){
		"unknown number":    func() { v.Int("nothing") },
		"unknown text":      func() { v.Text("nothing") },
		"duration as int":   func() { v.Int("latency") },
		"number as time":    func() { v.Duration("count") },
		"text as a number":  func() { v.Int("token") },
		"default that errs": func() { _, _ = sim.ParseValues([]sim.Param{{Name: "x", Default: "y"}}, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			fn()
		}()
	}
}

func TestNearest(t *testing.T) {
	names := []string{"throttled-tab", "parked-calls", "flood", "relay"}
	for _, c := range []struct{ written, want string }{
		{"throttled-tab", "throttled-tab"},
		{"throttled-tap", "throttled-tab"},
		{"throtled-tb", "throttled-tab"},
		{"throtled", ""}, // five edits, of eight letters
		{"parkedcalls", "parked-calls"},
		{"Flood", "flood"},
		{"flod", "flood"},
		{"replay", "relay"},
		{"x", ""},
		{"", ""},
		{"zzzzzzzz", ""},
	} {
		if got := sim.Nearest(c.written, names); got != c.want {
			t.Errorf("nearest to %q: %q, want %q", c.written, got, c.want)
		}
	}
	if got := sim.Nearest("ab", []string{"ax", "ay"}); got != "ax" {
		t.Errorf("of two equally near: %q, want the first", got)
	}
	if got := sim.Nearest("flood", nil); got != "" {
		t.Errorf("of none: %q", got)
	}
}

func TestParamKindNames(t *testing.T) {
	var got []string
	for k := sim.ParamInt; k <= sim.ParamText; k++ {
		got = append(got, k.String())
	}
	if want := []string{"number", "duration", "rate", "bytes", "choice", "text"}; !slices.Equal(got, want) {
		t.Errorf("kinds: %q, want %q", got, want)
	}
}
