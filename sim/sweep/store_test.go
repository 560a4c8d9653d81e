package sweep

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chordsim/sim/sweep/repro"
)

func storeConfig() *Config {
	return &Config{Setups: []Setup{{Scenario: "s", Settings: []string{"size=small"}}}, Seeds: Seeds{1, 5000}, Workers: 1}
}

func written(t *testing.T, name string, n int) *Store {
	t.Helper()
	s, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(storeConfig(), repro.ThisBuild()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		o := Outcome{Job: Job{Seed: uint64(i + 1)}, Runs: 1, Events: int64(n - i), Hash: "0123456789abcdef"}
		if i%10 == 9 {
			o = failed(uint64(i+1), int64(n-i), "C1 violated at 1s at tab: a gap")
			o.Failure.Stack = []string{"a x.go:1", "b y.go:2"}
		}
		if err := s.Add(o); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A file takes several sweeps, and each is read back; names with all kinds of letters are names.
func TestStoreRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new folder", "r?mode=memory&%41 #1.db")
	for turn, n := range []int{1234, 30} {
		s := written(t, name, n)
		first := failed(10, 1, "")
		if err := s.SetRepro(&first, "a/file.json"); err != nil {
			t.Fatal(err)
		}
		if err := s.End(Complete); err != nil {
			t.Fatal(err)
		}
		if s.Sweep() != int64(turn+1) {
			t.Errorf("sweep %d, want %d", s.Sweep(), turn+1)
		}
		s.Close()
	}
	if _, err := os.Stat(name); err != nil {
		t.Fatal(err)
	}
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	last, err := s.LastSweep()
	if err != nil || last.ID != 2 || last.Runs != 30 || last.Failed != 3 || last.Ending != string(Complete) || last.Seeds != "1-5000" || last.Setups[0].Settings[0] != "size=small" {
		t.Errorf("%+v, %v", last, err)
	}
	for sweep, count := range map[int64]int64{1: 123, 2: 3, 0: 126} {
		groups, total, err := s.Groups(sweep, 10)
		if err != nil || total != 1 || len(groups) != 1 {
			t.Fatalf("sweep %d: %+v, %d, %v", sweep, groups, total, err)
		}
		g := groups[0]
		if g.Count != count || g.Fingerprint != "C1 violated at tab: a gap" || g.First.Seed != 10 || g.First.Repro != "a/file.json" || len(g.First.Stack) != 2 || g.Cheapest.Seed == 10 {
			t.Errorf("sweep %d: %+v", sweep, g)
		}
	}
	var runs, failed int
	if err := s.db.QueryRow("SELECT sum(runs), sum(failed) FROM seeds WHERE seed = 10").Scan(&runs, &failed); err != nil || runs != 2 || failed != 2 {
		t.Errorf("view of seeds: %d runs, %d failed, %v", runs, failed, err)
	}
}

// A sweep that is killed between two batches leaves a file that has the batches before.
func TestStoreWithoutAnEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.db")
	written(t, name, storeBatch+100) // never ended, never closed
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	last, err := s.LastSweep()
	if err != nil || last.Runs < storeBatch || last.Ending != "" {
		t.Errorf("%+v, %v", last, err)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE runs (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	newer := filepath.Join(dir, "newer.db")
	written(t, newer, 1).Close()
	text, err := os.ReadFile(newer)
	if err != nil {
		t.Fatal(err)
	}
	text[63]++
	if err := os.WriteFile(newer, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		other: "not the results of a sweep, but another SQLite file (application id 0x0)",
		newer: "results of version 2; this program has version 1: name another file",
	} {
		if _, err := Open(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("open: %v, want %s", err, want)
		}
		if _, err := Create(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("create: %v, want %s", err, want)
		}
	}
}
