package sweep

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"chordsim/sim/sweep/repro"
)

// Outcomes are written in batches, each a transaction: when there are so many, or at the next one after so long.
const (
	storeBatch = 500
	storeEvery = time.Second
)

// checkedUpTo is how large a file is checked as a whole before more is written into it. Reading checks any.
const checkedUpTo = 64 << 20

// Store is a file of results. Its methods are called from one goroutine.
type Store struct {
	db     *sql.DB
	name   string
	sweep  int64 // the row of the sweep that is written
	setups []Setup
	since  time.Time

	pending []Outcome
	flushed time.Time
	known   map[string]int64 // rows of fingerprints
}

// Create opens a file for more results, or makes it. The folder of it is made too.
func Create(name string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return open(name, "rwc", true)
	}
	if err != nil {
		return nil, err
	}
	if err := checkHeader(name); err != nil {
		return nil, err
	}
	s, err := open(name, "rw", false)
	if err == nil && info.Size() <= checkedUpTo {
		err = s.check()
	}
	return s, err
}

// Open opens a file of results to read it.
func Open(name string) (*Store, error) {
	if err := checkHeader(name); err != nil {
		return nil, err
	}
	s, err := open(name, "rw", false)
	if err == nil {
		err = s.check()
	}
	return s, err
}

// checkHeader looks at a file before SQLite does, which would make one of what is none.
func checkHeader(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a file", name)
	}
	var head [100]byte
	n, err := io.ReadFull(f, head[:])
	switch {
	case n == 0:
		return fmt.Errorf("%s: empty, want the results of a sweep", name)
	case err != nil || !bytes.HasPrefix(head[:], []byte("SQLite format 3\x00")):
		return fmt.Errorf("%s: not the results of a sweep: it is no SQLite file", name)
	}
	if id := binary.BigEndian.Uint32(head[68:]); id != applicationID {
		return fmt.Errorf("%s: not the results of a sweep, but another SQLite file (application id %#x)", name, id)
	}
	if v := binary.BigEndian.Uint32(head[60:]); v != storeVersion {
		return fmt.Errorf("%s: results of version %d; this program has version %d: name another file", name, v, storeVersion)
	}
	return nil
}

func open(name, mode string, fresh bool) (*Store, error) {
	// The driver sleeps in real time between attempts at a lock, as shards may share a file.
	dsn := "file:" + (&url.URL{Path: name}).EscapedPath() + "?mode=" + mode + "&_pragma=busy_timeout(10000)&_pragma=synchronous(1)&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db, name: name, known: map[string]int64{}}
	if fresh {
		err = s.transaction(func(tx *sql.Tx) error {
			for _, q := range []string{
				fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", storeVersion), schema,
			} {
				if _, err := tx.Exec(q); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// check has SQLite look at the whole file. It closes the store if something is wrong.
func (s *Store) check() error {
	var verdict string
	err := s.db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = errors.New(repro.Line(strings.TrimPrefix(verdict, "*** in database main ***"), 200))
	}
	if err != nil {
		s.db.Close()
		return fmt.Errorf("%s: damaged: %w", s.name, err)
	}
	return nil
}

func (s *Store) transaction(fn func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := fn(tx); err != nil {
		tx.Rollback()
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// Begin notes that a sweep starts.
func (s *Store) Begin(cfg *Config, build repro.Build) error {
	s.setups, s.since, s.flushed = cfg.Setups, time.Now(), time.Now()
	text, err := json.Marshal(build)
	if err != nil {
		return err
	}
	setups, err := json.Marshal(cfg.Setups)
	if err != nil {
		return err
	}
	return s.transaction(func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO versions (build, version, revision, go) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
			string(text), build.Version, build.Revision, build.Go); err != nil {
			return err
		}
		var version int64
		if err := tx.QueryRow("SELECT id FROM versions WHERE build = ?", string(text)).Scan(&version); err != nil {
			return err
		}
		done, err := tx.Exec("INSERT INTO sweeps (version, started, setups, seeds, shard) VALUES (?, ?, ?, ?, ?)",
			version, stamp(s.since), string(setups), cfg.Seeds.String(), cfg.Shard.String())
		if err != nil {
			return err
		}
		s.sweep, err = done.LastInsertId()
		return err
	})
}

// Sweep returns the number of the sweep that is written.
func (s *Store) Sweep() int64 { return s.sweep }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Add keeps an outcome, and writes those that it keeps now and then.
func (s *Store) Add(o Outcome) error {
	s.pending = append(s.pending, o)
	if len(s.pending) < storeBatch && time.Since(s.flushed) < storeEvery {
		return nil
	}
	return s.flush()
}

func (s *Store) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	err := s.transaction(func(tx *sql.Tx) error {
		run, err := tx.Prepare("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer run.Close()
		for i := range s.pending {
			o := &s.pending[i]
			if _, err := run.Exec(s.sweep, s.setups[o.Scenario].Scenario, int64(o.Seed), o.Runs, o.Hash, o.Events, o.Virtual, o.Deliveries,
				o.Effective(), o.Wall, o.Failure != nil); err != nil {
				return err
			}
			if o.Failure != nil {
				if err := s.addFailure(tx, o); err != nil {
					return err
				}
			}
		}
		return nil
	})
	s.pending, s.flushed = s.pending[:0], time.Now()
	return err
}

func (s *Store) addFailure(tx *sql.Tx, o *Outcome) error {
	name := o.Failure.Fingerprint()
	id, ok := s.known[name]
	if !ok {
		if _, err := tx.Exec("INSERT INTO fingerprints (fingerprint) VALUES (?) ON CONFLICT DO NOTHING", name); err != nil {
			return err
		}
		if err := tx.QueryRow("SELECT id FROM fingerprints WHERE fingerprint = ?", name).Scan(&id); err != nil {
			return err
		}
		if len(s.known) < MaxGroups {
			s.known[name] = id
		}
	}
	_, err := tx.Exec("INSERT INTO failures (sweep, scenario, seed, fingerprint, kind, text, stack) VALUES (?, ?, ?, ?, ?, ?, ?)",
		s.sweep, s.setups[o.Scenario].Scenario, int64(o.Seed), id, string(o.Failure.Kind), o.Failure.Text, strings.Join(o.Failure.Stack, "\n"))
	return err
}

// SetRepro notes which file has a failure.
func (s *Store) SetRepro(o *Outcome, file string) error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.transaction(func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE failures SET repro = ? WHERE sweep = ? AND scenario = ? AND seed = ?",
			file, s.sweep, s.setups[o.Scenario].Scenario, int64(o.Seed))
		return err
	})
}

// End writes what is left, and how the sweep ended.
func (s *Store) End(ending Ending) error {
	return errors.Join(s.flush(), s.transaction(func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE sweeps SET ended = ?, ending = ?, wall_ns = ? WHERE id = ?",
			stamp(time.Now()), string(ending), int64(time.Since(s.since)), s.sweep)
		return err
	}))
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }
