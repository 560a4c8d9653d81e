package sweep

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"chordsim/sim/sweep/repro"
)

// SweepRow is a sweep as its file has it.
type SweepRow struct {
	ID      int64   `json:"id"`
	Started string  `json:"started"`
	Ending  string  `json:"ending"` // empty: under way, or it was killed
	Setups  []Setup `json:"setups"`
	Seeds   string  `json:"seeds"`
	Shard   string  `json:"shard"`
	Version string  `json:"version"`
	Runs    int64   `json:"runs"`
	Failed  int64   `json:"failed"`
}

// LastSweep returns the newest sweep of the file.
func (s *Store) LastSweep() (*SweepRow, error) {
	row := &SweepRow{}
	var setups string
	err := s.db.QueryRow(`SELECT s.id, s.started, coalesce(s.ending, ''), s.setups, s.seeds, s.shard, v.version,
		(SELECT count(*) FROM runs WHERE sweep = s.id), (SELECT count(*) FROM failures WHERE sweep = s.id)
		FROM sweeps s JOIN versions v ON v.id = s.version ORDER BY s.id DESC LIMIT 1`).
		Scan(&row.ID, &row.Started, &row.Ending, &setups, &row.Seeds, &row.Shard, &row.Version, &row.Runs, &row.Failed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%s: no sweep in it", s.name)
	}
	if err == nil {
		err = json.Unmarshal([]byte(setups), &row.Setups)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", s.name, err)
	}
	return row, nil
}

// FailureRow is a failure as its file has it.
type FailureRow struct {
	Scenario string     `json:"scenario"`
	Seed     uint64     `json:"seed"`
	Events   int64      `json:"events"` // 0: the run came to no end
	Kind     repro.Kind `json:"kind"`
	Text     string     `json:"text"`
	Stack    []string   `json:"stack,omitempty"`
	Repro    string     `json:"repro,omitempty"`
	Setups   []Setup    `json:"-"` // of its sweep
}

// GroupRow is the failures of one fingerprint.
type GroupRow struct {
	Fingerprint string     `json:"fingerprint"`
	Count       int64      `json:"count"`
	First       FailureRow `json:"first"`
	Cheapest    FailureRow `json:"cheapest"`
}

// Groups returns the groups of failures of a sweep, or of all of them for 0: those with the most failures first, at most
// limit, and how many there are.
func (s *Store) Groups(sweep int64, limit int) (groups []GroupRow, total int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: damaged: %w", s.name, err)
		}
	}()
	err = s.db.QueryRow("SELECT count(DISTINCT fingerprint) FROM failures WHERE ? IN (0, sweep)", sweep).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	rows, err := s.db.Query(`SELECT p.id, p.fingerprint, count(*) AS n FROM failures f JOIN fingerprints p ON p.id = f.fingerprint
		WHERE ? IN (0, f.sweep) GROUP BY p.id ORDER BY n DESC, p.fingerprint LIMIT ?`, sweep, limit)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		var g GroupRow
		if err := rows.Scan(&id, &g.Fingerprint, &g.Count); err != nil {
			return nil, 0, err
		}
		ids, groups = append(ids, id), append(groups, g)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, err
	}
	for i, id := range ids {
		if groups[i].First, err = s.failure(id, sweep, "r.seed, r.scenario, r.sweep"); err != nil {
			return nil, 0, err
		}
		if groups[i].Cheapest, err = s.failure(id, sweep, "r.plays = 0, r.events, r.seed, r.scenario, r.sweep"); err != nil {
			return nil, 0, err
		}
	}
	return groups, total, nil
}

// failure returns the first failure of a fingerprint in an order.
func (s *Store) failure(fingerprint, sweep int64, order string) (FailureRow, error) {
	var f FailureRow
	var seed int64
	var kind, stack, setups string
	err := s.db.QueryRow(`SELECT r.scenario, r.seed, r.events, f.kind, f.text, f.stack, coalesce(f.repro, ''), s.setups
		FROM failures f JOIN runs r USING (sweep, scenario, seed) JOIN sweeps s ON s.id = f.sweep
		WHERE f.fingerprint = ? AND ? IN (0, f.sweep) ORDER BY `+order+` LIMIT 1`, fingerprint, sweep).
		Scan(&f.Scenario, &seed, &f.Events, &kind, &f.Text, &stack, &f.Repro, &setups)
	if err != nil {
		return f, err
	}
	f.Seed, f.Kind = uint64(seed), repro.Kind(kind)
	if stack != "" {
		f.Stack = strings.Split(stack, "\n")
	}
	return f, json.Unmarshal([]byte(setups), &f.Setups)
}
