package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"chordsim/scenarios"
	"chordsim/sim/check"
)

// output runs the command line and returns what it printed.
func output(t *testing.T, want int, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(args, &stdout, &stderr); got != want || stderr.Len() != 0 {
		t.Fatalf("%s: exit status %d, want %d; stderr %q", strings.Join(args, " "), got, want, stderr.String())
	}
	return stdout.Bytes()
}

// decode reads one JSON value with nothing behind it.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("something stands behind the JSON: %v", err)
	}
}

// TestJSONShape reads a report by the names that other programs know.
func TestJSONShape(t *testing.T) {
	var report struct {
		Scenario   string
		Seed       json.Number
		Hash       string
		Virtual    json.Number `json:"virtual_s"`
		Wall       json.Number `json:"wall_s"`
		Events     json.Number
		Rows       []map[string]any
		Invariants []struct {
			ID                 string
			Checks, Violations int64
		}
	}
	text := output(t, exitOK, "run", "throttled-tab", "--json", "--seed", "18446744073709551615", "--set", "case=direct-1s")
	decode(t, text, &report)
	if report.Scenario != "throttled-tab" || report.Seed != "18446744073709551615" || len(report.Hash) != 16 {
		t.Errorf("scenario %q, seed %s, hash %q", report.Scenario, report.Seed, report.Hash)
	}
	for name, n := range map[string]json.Number{"virtual_s": report.Virtual, "wall_s": report.Wall, "events": report.Events} {
		if f, err := n.Float64(); err != nil || f <= 0 {
			t.Errorf("%s is %q, want a number over 0", name, n)
		}
	}
	if got := wantRows(t, report.Rows)["stall.direct.1s"]; got["value"] != json.Number("0.02") || got["unit"] != "s" ||
		got["reference"] != json.Number("0.02") || got["variant"] != "binary" {
		t.Errorf("stall.direct.1s is %v", got)
	}
	var ids []string
	for _, c := range report.Invariants {
		ids = append(ids, c.ID)
		if c.Violations != 0 {
			t.Errorf("%s: %d violations", c.ID, c.Violations)
		}
	}
	if !slices.Equal(ids, check.IDs) {
		t.Errorf("invariants %q, want %q", ids, check.IDs)
	}
}

// wantRows wants each row to have all that a row has, and the ids with a reference to be those of figures.tsv.
func wantRows(t *testing.T, rows []map[string]any) map[string]map[string]any {
	t.Helper()
	table, err := os.ReadFile("../../scenarios/figures.tsv")
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]map[string]any{}
	for _, row := range rows {
		id, _ := row["id"].(string)
		byID[id] = row
		for _, key := range []string{"id", "variant", "value", "unit", "reference"} {
			if _, ok := row[key]; !ok {
				t.Errorf("row %q has no %s", id, key)
			}
		}
		if _, ok := row["value"].(json.Number); !ok {
			t.Errorf("row %s: the value is %v, want a number", id, row["value"])
		}
		line := "\n" + id + "\t"
		if got, want := row["reference"] != nil, bytes.Contains(table, []byte(line)); got != want {
			t.Errorf("row %s: reference %v; in the table of figures: %v", id, row["reference"], want)
		}
	}
	if len(byID) != len(rows) || len(rows) < 10 {
		t.Errorf("%d rows with %d ids", len(rows), len(byID))
	}
	return byID
}

func TestJSONSaysWhatToType(t *testing.T) {
	var report struct {
		Settings                    []string
		Reproduce, Headline         string
		Exit                        int
		Violations, Failures, Stuck []string
	}
	args := []string{"run", "throttled-tab", "--json", "--seed", "3", "size=small", "case=direct-1s", "token= it's é"}
	decode(t, output(t, exitOK, args...), &report)
	if want := []string{"size=small", "case=direct-1s", "token= it's é"}; !slices.Equal(report.Settings, want) {
		t.Errorf("settings %q, want %q", report.Settings, want)
	}
	want := `go run ./cmd/simrun run throttled-tab --seed 3 --set size=small --set case=direct-1s --set 'token= it'\''s é'`
	if report.Reproduce != want {
		t.Errorf("reproduce %s, want %s", report.Reproduce, want)
	}
	if report.Violations == nil || report.Failures == nil || report.Stuck == nil || report.Exit != 0 {
		t.Error("an empty list is not there as one")
	}
}

func TestListJSON(t *testing.T) {
	var list []struct {
		Name, Summary string
		Invariants    []string
		Parameters    []struct {
			Name, Kind, Default, Help string
			Choices                   []string
		}
	}
	decode(t, output(t, exitOK, "list", "--json"), &list)
	all := scenarios.All()
	if len(list) != len(all) {
		t.Fatalf("%d scenarios, want %d", len(list), len(all))
	}
	for i, s := range all {
		params := s.Parameters()
		if got := list[i]; got.Name != s.Name || got.Summary != s.Summary || !slices.Equal(got.Invariants, s.Invariants) ||
			len(got.Parameters) != len(params) {
			t.Fatalf("scenario %d is %+v", i, got)
		}
		for j, p := range params {
			got := list[i].Parameters[j]
			if got.Name != p.Name || got.Kind != p.Kind.String() || got.Default != p.Default || got.Help != p.Help ||
				!slices.Equal(got.Choices, p.Choices) {
				t.Errorf("%s: parameter %+v, want %+v", s.Name, got, p)
			}
		}
	}
}
