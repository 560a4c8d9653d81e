package sweep

// The files of results say what they are in SQLite's header: these two numbers, which any tool shows.
const (
	applicationID = 0x63687377 // "chsw"
	storeVersion  = 1
)

// schema is the tables. Seeds and counts are integers, hashes are 16 hexadecimal digits, times of day are RFC 3339 in UTC.
const schema = `
CREATE TABLE versions ( -- what made results
	id       INTEGER PRIMARY KEY,
	build    TEXT NOT NULL UNIQUE, -- JSON, as in a repro file
	version  TEXT NOT NULL,
	revision TEXT NOT NULL,
	go       TEXT NOT NULL
);
CREATE TABLE sweeps (
	id      INTEGER PRIMARY KEY,
	version INTEGER NOT NULL REFERENCES versions(id),
	started TEXT NOT NULL,
	ended   TEXT,                  -- NULL: under way, or it was killed
	ending  TEXT,                  -- complete, time up, interrupted
	setups  TEXT NOT NULL,         -- JSON: scenarios and their settings
	seeds   TEXT NOT NULL,         -- such as 1-20000
	shard   TEXT NOT NULL,         -- such as 1/4
	wall_ns INTEGER
);
CREATE TABLE runs (
	sweep      INTEGER NOT NULL REFERENCES sweeps(id),
	scenario   TEXT NOT NULL,
	seed       INTEGER NOT NULL,
	plays      INTEGER NOT NULL,   -- to their end: 2 was compared, 0 came to none
	hash       TEXT NOT NULL,
	events     INTEGER NOT NULL,
	virtual_ns INTEGER NOT NULL,
	deliveries INTEGER NOT NULL,
	effective  INTEGER NOT NULL,   -- faults that had an effect
	wall_ns    INTEGER NOT NULL,
	failed     INTEGER NOT NULL,
	PRIMARY KEY (sweep, scenario, seed)
) WITHOUT ROWID;
CREATE TABLE fingerprints (
	id          INTEGER PRIMARY KEY,
	fingerprint TEXT NOT NULL UNIQUE
);
CREATE TABLE failures (
	sweep       INTEGER NOT NULL REFERENCES sweeps(id),
	scenario    TEXT NOT NULL,
	seed        INTEGER NOT NULL,
	fingerprint INTEGER NOT NULL REFERENCES fingerprints(id),
	kind        TEXT NOT NULL,
	text        TEXT NOT NULL,
	stack       TEXT NOT NULL,     -- a line each
	repro       TEXT,              -- the repro file, if one was written
	PRIMARY KEY (sweep, scenario, seed)
) WITHOUT ROWID;
CREATE INDEX failures_by_fingerprint ON failures (fingerprint, sweep, seed);
CREATE VIEW seeds AS           -- what is known of each seed, over all sweeps
	SELECT scenario, seed, count(*) AS runs, sum(failed) AS failed, count(DISTINCT hash) AS hashes FROM runs GROUP BY scenario, seed;
`
