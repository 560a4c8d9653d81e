package workload

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chordsim/core/base"
	"chordsim/faults"
)

// drawSet draws any set that is valid.
func drawSet(t *rapid.T) Set {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9._-]{0,8}`), 0, 3, rapid.ID[string]).Draw(t, "names")
	hosts := rapid.SampledFrom([]string{"tab1", "worker", "workload", "a b", "é", `"`, "#x", "0s", "\n", "7", "drawn:", "\u2028"})
	item := rapid.Custom(func(t *rapid.T) Item {
		at := rapid.OneOf(
			rapid.Map(rapid.Int64Range(0, 300), func(ms int64) base.Time { return base.Time(ms * int64(base.Millisecond)) }),
			rapid.Map(rapid.Int64Range(0, int64(MaxTime)), func(n int64) base.Time { return base.Time(n) }),
		)
		return Item{
			At: at.Draw(t, "at"), Host: hosts.Draw(t, "host"), Verb: rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9_-]{0,6}`).Draw(t, "verb"),
			Operands: rapid.SliceOfN(rapid.Uint64(), 0, MaxOperands).Draw(t, "operands"),
		}
	})
	var set Set
	for _, name := range names {
		list := List(rapid.SliceOfN(item, 0, 60).Draw(t, "items"))
		list.Sort()
		set = append(set, Named{name, list})
	}
	return set
}

func equal(a, b Set) bool {
	return slices.EqualFunc(a, b, func(x, y Named) bool { return x.Name == y.Name && x.List.Equal(y.List) })
}

// TestRoundTrip wants what is printed to parse to the same, and any part of it too.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t)
		if err := set.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := Parse(set.String())
		if err != nil || !equal(got, set) {
			t.Fatalf("%v\n%s\n%#v\n%#v", err, set, got, set)
		}
		lines := slices.Collect(strings.Lines(set.String()))
		part := ""
		for _, line := range lines {
			if strings.HasPrefix(line, keyword+" ") || rapid.Bool().Draw(t, "keep") {
				part += line
			}
		}
		again, err := Parse(part)
		if err != nil || len(again) != len(set) || again.Validate() != nil {
			t.Fatalf("a part: %v\n%s", err, part)
		}
	})
}

// TestText pins how a workload looks.
func TestText(t *testing.T) {
	const text = `# a comment
workload churn
tab1 0s want 0 1 30:st 0 471 21.5:st 0 88 ed 0 7   # and one more

  worker1	11ms bu 8:st 66
tab1 51.5ms ed 1
workload other.one
"a b" 1.5s go 18446744073709551615
`
	const printed = `workload churn
tab1 0s want 0 1 30:st 0 471 21.5:st 0 88 ed 0 7 ed 1
worker1 11ms bu 8:st 66
workload other.one
"a b" 1.5s go 18446744073709551615
`
	set, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if set.String() != printed {
		t.Errorf("%s", set)
	}
	list, ok := set.Find("churn")
	if want := (Item{base.Time(51_500_000), "tab1", "ed", []uint64{0, 7}}); !ok || len(list) != 7 || !list[5].Equal(want) {
		t.Errorf("%v, want %v as the sixth", list, want)
	}
	if _, ok := set.Find("another"); ok {
		t.Error("a workload that is not there")
	}
	long := Set{{"a", longList(100)}}.String()
	for line := range strings.Lines(long) {
		if len(line) > lineBytes+2*MaxName {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

// TestErrors wants each mistake to be named with its place and what could be there.
func TestErrors(t *testing.T) {
	known := Known{
		Names: []string{"churn"}, Hosts: []string{"tab1", "worker1"},
		Verbs: func(host string) []string {
			if host == "tab1" {
				return []string{"call", "want"}
			}
			return []string{"save"}
		},
	}
	for _, c := range []struct{ text, want string }{
		{"tab1 0s call", `line 1, column 1: found "tab1", expected "workload" and a name, before any item`},
		{"workload", "line 1, column 9: found the end of the line, expected the name of a workload: letters"},
		{"workload 7", `line 1, column 10: found "7", expected the name of a workload: letters`},
		{"workload chrun", `line 1, column 10: found "chrun", expected a workload: churn; did you mean "churn"?`},
		{"workload churn\nworkload churn", `line 2, column 10: found "churn", expected each workload once`},
		{"workload churn tab1", `line 1, column 16: found "tab1", expected the end of the line`},
		{"workload churn\n\n  tab2 0s call", `line 3, column 3: found "tab2", expected a host: tab1 or worker1; did you mean "tab1"?`},
		{"workload churn\ntäb 0s call", `line 2, column 1: found "täb", expected the name of a host, in quotes where`},
		{"workload churn\n\"tab1 0s", "line 2, column 1: found a name without its closing quote, expected a name in quotes"},
		{"workload churn\n\"\" 0s call", `line 2, column 1: found "\"\"", expected the name of a host, of 1 to 64 bytes in UTF-8`},
		{"workload churn\ntab1", "line 2, column 5: found the end of the line, expected a time such as 1.5s or 20ms, at most 1000000s"},
		{"workload churn\ntab1 call", `line 2, column 6: found "call", expected a time such as`},
		{"workload churn\ntab1 -1s call", `line 2, column 6: found "-1s", expected a time such as`},
		{"workload churn\ntab1 2000000s call", `line 2, column 6: found "2000000s", expected a time such as`},
		{"workload churn\ntab1 1s", "line 2, column 8: found the end of the line, expected what tab1 can be told: call or want"},
		{"workload churn\ntab1 1s 5", `line 2, column 9: found "5", expected what tab1 can be told: call or want`},
		{"workload churn\ntab1 1s cal 5", `line 2, column 9: found "cal", expected what tab1 can be told: call or want; did you mean "call"?`},
		{"workload churn\nworker1 1s call", `line 2, column 12: found "call", expected what worker1 can be told: save`},
		{"workload churn\ntab1 1s 5:call", `line 2, column 9: found "5:call", expected what tab1 can be told: call or want`},
		{"workload churn\ntab1 1s call 5:", "line 2, column 16: found the end of the line, expected what tab1 can be told"},
		{"workload churn\ntab1 1s call 5:cull", `line 2, column 16: found "cull", expected what tab1 can be told: call or want; did you mean "call"?`},
		{"workload churn\ntab1 1s call x:call", `line 2, column 14: found "x:call", expected a verb, or how many milliseconds later, a colon and a verb, such as 20:call`},
		{"workload churn\ntab1 1s call -3:call", `line 2, column 14: found "-3:call", expected a verb, or how many`},
		{"workload churn\ntab1 1s call 0.0000001:call", `line 2, column 14: found "0.0000001:call", expected a verb, or how many`},
		{"workload churn\ntab1 1s call 2000000000:call", `line 2, column 14: found "2000000000:call", expected a verb, or how many`},
		{"workload churn\ntab1 1s call -3", `line 2, column 14: found "-3", expected a whole number, a verb or the end of the line`},
		{"workload churn\ntab1 1s call 1.5", `line 2, column 14: found "1.5", expected a whole number, a verb or the end of the line`},
		{"workload churn\ntab1 1s call 18446744073709551616", `found "18446744073709551616", expected a whole number`},
		{"workload churn\ntab1 1s call 1 2 3 4 5 6 7 8 9", `line 2, column 30: found "9", expected at most 8 numbers behind a verb`},
		{strings.Repeat("#\n", MaxBytes/2) + "# more", "line 524289, column 1: found a text of 1048582 bytes, expected its end: workloads have at most 1048576 bytes"},
		{"workload churn\n" + strings.Repeat("tab1 0s call call call call call call call call call call\n", 14_000), "expected at most 131072 items"},
	} {
		_, err := known.Parse(c.text)
		var syntax *faults.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v\nwant %s", c.text, err, c.want)
		}
	}
	if _, err := known.Parse("workload churn\ntab1 1s call 3 5:want\nworker1 0s save\n"); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ text, want string }{
		{"workload a\ntab1 1s 3call", `line 2, column 9: found "3call", expected a verb: letters, digits, "-" and "_", a letter first`},
		{"workload a\n" + strings.Repeat("\""+strings.Repeat("\u2028", 20)+"\" 0s "+strings.Repeat("v", 60)+"\n", 8_000), "bytes of text as it prints; it has"},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzParse wants each text to be refused in a line, or to print to what parses to the same.
func FuzzParse(f *testing.F) {
	f.Add("workload churn\ntab1 0s want 0 1 30:st 0 471 21.5:st 0 88 ed 0 7 # x\n\"a b\" 11ms bu 8:st 66\n")
	f.Add("workload a\nworkload b.c\n\"workload\" 1.5s go 18446744073709551615")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Parse(text)
		if err != nil {
			var syntax *faults.SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if err := set.Validate(); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again, err := Parse(set.String()); err != nil || !equal(again, set) {
			t.Fatalf("%q prints %q: %v", text, set.String(), err)
		}
	})
}
