package faults_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"chordsim/faults"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// everyForm is a plan in which each kind, each trigger and each optional part is there, as they print.
const everyForm = `drawn
set window 2
set chunk 1024
set codec text
set strategy random
set timeout 1.5s
at 2s stall tab.down for 60s
at 5s drop tab loses 3 messages reconnect after 200ms
at 5s drop tab loses 1 message
at 5s drop tab
when message state from worker count 7 reset tab
when message any from worker to server count 1 reset tab-server#2 reconnect after 0s
when message "state more" to "tab 1" count 2 close tab
at 1s close tab by server reconnect after 1s
when event count 1000 half-open tab by tab
at 0s black hole all links.up for 1ns
at 1.5s cut tab.up after 37 bytes
at 1.5s cut all links.down after 1 byte reconnect after 1ms
at 1.5s cut "tab.up".down after 0 bytes
at 1s latency tab.down 300ms for 2s
from 1s jitter tab 30ms
every 500ms count 3 rate tab.down 8KiB/s for 5s
every 500ms from 2s count 3 squeeze tab 512B for 1s
at 1s crash worker keep 40% restart after 1s
at 1s crash worker
at 4s partition {tab} from {server worker} for 3s
at 4s partition {"a b" "all"} to {server} for 3s
from 0s swizzle all links
when violation C11 skew worker -3s
at 2s drift worker -200ppm for 10s
from 2s slow worker 8x
at 2s timers worker late 50ms for 1s
heal at 70s
`

func mustParse(t testing.TB, text string) faults.Plan {
	t.Helper()
	plan, err := faults.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return plan
}

func TestEveryFormPrintsAsItWasWritten(t *testing.T) {
	plan := mustParse(t, everyForm)
	if got := plan.String(); got != everyForm {
		t.Errorf("printed\n%s\nwant\n%s", got, everyForm)
	}
	if err := plan.Validate(); err != nil {
		t.Error(err)
	}
	seen := map[faults.Kind]bool{}
	for _, f := range plan.Faults {
		seen[f.Kind] = true
	}
	for _, k := range faults.Kinds() {
		if !seen[k] {
			t.Errorf("no %v among the forms", k)
		}
	}
}

// What may be written in more than one way prints in one.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"":                                         "",
		"# nothing\n\n \t\r\n":                     "",
		"at 0 reset tab#2 # why":                   "at 0s reset tab#2\n",
		"at 2m reset \"tab\"":                      "at 120s reset tab\n",
		"when event reset tab":                     "when event count 1 reset tab\n",
		"when message any reset tab":               "when message any count 1 reset tab\n",
		"every 1s from 0s count 2 reset tab":       "every 1s count 2 reset tab\n",
		"at 1s rate tab 1024B/s for 1s":            "at 1s rate tab 1KiB/s for 1s\n",
		"at 1s rate tab 8kbit/s for 1s":            "at 1s rate tab 1kB/s for 1s\n",
		"at 1s squeeze tab 1KiB for 1s":            "at 1s squeeze tab 1024B for 1s\n",
		"at 1s squeeze tab 512 for 1s":             "at 1s squeeze tab 512B for 1s\n",
		"at 1s drop tab loses 1 messages":          "at 1s drop tab loses 1 message\n",
		"at 1s drop tab loses 0 messages":          "at 1s drop tab\n",
		"at 1s cut tab.up after 2 byte":            "at 1s cut tab.up after 2 bytes\n",
		"at 1s crash w keep 0%":                    "at 1s crash w\n",
		"at 1s partition{a}to{ b }for 1s":          "at 1s partition {a} to {b} for 1s\n",
		"heal at 1s\nset chunk 1KiB":               "set chunk 1024\nheal at 1s\n",
		"set window 02":                            "set window 2\n",
		"at 1s stall links for 1s":                 "at 1s stall links for 1s\n",
		"at 1s stall for for 1s":                   "at 1s stall for for 1s\n",
		"when message from from to to to reset by": "when message from from to to to count 1 reset by\n",
		"at 1s reset \"\\u00e9\\t\"":               "at 1s reset \"é\\t\"\n",
		"at 1s reset é":                            "at 1s reset é\n",
	} {
		if got := mustParse(t, text).String(); got != want {
			t.Errorf("%q prints as %q, want %q", text, got, want)
		}
	}
}

// The golden table: each input with the error that it gives, and what of the input the error points at.
func TestErrors(t *testing.T) {
	name := filepath.Join("testdata", "errors.golden")
	golden, err := os.ReadFile(name)
	if err != nil && !*rewrite {
		t.Fatal(err)
	}
	var out strings.Builder
	rows := 0
	for block := range strings.SplitSeq(string(golden), "\n\n") {
		if strings.HasPrefix(block, "#") {
			out.WriteString(block + "\n\n")
			continue
		}
		var input []string
		for line := range strings.SplitSeq(strings.TrimRight(block, "\n"), "\n") {
			if strings.HasPrefix(line, "> ") {
				input = append(input, line[2:])
			}
		}
		if len(input) == 0 {
			continue
		}
		rows++
		for _, line := range input {
			out.WriteString("> " + line + "\n")
		}
		_, err := faults.Parse(strings.Join(input, "\n"))
		var bad *faults.SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("%q: %v, want a *SyntaxError", input, err)
			continue
		}
		if bad.Line < 1 || bad.Line > len(input) || bad.Column < 1 || bad.Column > 1+len([]rune(input[bad.Line-1])) {
			t.Errorf("%q: line %d, column %d is no place in it", input, bad.Line, bad.Column)
		}
		out.WriteString(fmt.Sprintf("%s^\n%v\n\n", strings.Repeat(" ", 1+bad.Column), err))
	}
	if rows < 30 {
		t.Errorf("%d rows, want 30 or more", rows)
	}
	if *rewrite {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != string(golden) {
		t.Errorf("the errors are\n%s", out.String())
	}
}

func TestBoundsOfAPlan(t *testing.T) {
	line := "at 1s reset tab\n"
	if plan := mustParse(t, strings.Repeat(line, faults.MaxFaults)); len(plan.Faults) != faults.MaxFaults {
		t.Errorf("%d faults, want %d", len(plan.Faults), faults.MaxFaults)
	}
	full := "#" + strings.Repeat("x", faults.MaxText-1)
	mustParse(t, full)
	name := strings.Repeat("n", faults.MaxName)
	mustParse(t, "at 1s crash "+name)
	mustParse(t, "at 1s reset "+name)
	hosts := make([]string, faults.MaxSide+1)
	for i := range hosts {
		hosts[i] = fmt.Sprint("h", i)
	}
	mustParse(t, "at 1s partition {"+strings.Join(hosts[1:], " ")+"} from {x} for 1s")

	for _, c := range []struct {
		why, text    string
		line, column int
		found        string
	}{
		{"a fault too many", strings.Repeat(line, faults.MaxFaults+1), faults.MaxFaults + 1, 1, `"at"`},
		{"a byte too many", "\n" + full, 2, faults.MaxText, "a text of 65537 bytes"},
		{"a host's name too long", "at 1s crash n" + name, 1, 13, ""},
		{"a link's name too long", "at 1s reset n" + name, 1, 13, ""},
		{"a name in quotes too long", "at 1s reset \"n" + name + "\"", 1, 13, ""},
		{"a host too many", "at 1s partition {" + strings.Join(hosts, " ") + "} from {x} for 1s", 1, 0, `"h256"`},
		{"longer as it prints", strings.Repeat("at 0 reset \""+strings.Repeat("\u200d", 40)+"\"\n", 400), 401, 1, "the end of the text"},
	} {
		plan, err := faults.Parse(c.text)
		var bad *faults.SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("%s: no error", c.why)
			continue
		}
		if bad.Line != c.line || c.column != 0 && bad.Column != c.column || !strings.Contains(bad.Found, c.found) || len(err.Error()) > 300 {
			t.Errorf("%s: %v", c.why, err)
		}
		if !reflect.DeepEqual(plan, faults.Plan{}) {
			t.Errorf("%s: a plan beside an error", c.why)
		}
	}
}

func TestParseFault(t *testing.T) {
	f, err := faults.ParseFault("at 2s stall tab.down for 60s")
	if err != nil || f.Kind != faults.Stall || f.String() != "at 2s stall tab.down for 60s" {
		t.Errorf("%v, %v", f, err)
	}
	for text, want := range map[string]string{
		"":                             "found 0 faults and 0 knobs, expected one fault",
		"at 1s reset a\nat 1s reset b": "found 2 faults and 0 knobs, expected one fault",
		"at 1s reset a\nset window 1":  "found 1 fault and 1 knob, expected one fault",
		"at 1s reset a\nheal at 3s":    "expected one fault",
		"at 1s rest a":                 `did you mean "reset"?`,
	} {
		if _, err := faults.ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
