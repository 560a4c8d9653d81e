// Package sweep plays scenarios over many seeds, in worker processes on all cores, and keeps what they found.
//
//	Run ──jobs──▶ worker process ──outcomes──▶ Run ──▶ Tally (what is shown), Store (SQLite)
//	 │                 │ one world at a time
//	 │                 └ watches itself: wall time, memory, panics
//	 └ watches the worker: silence, death
//
// A job is a scenario and a seed. Whatever it does to its worker (a panic, an endless loop, all memory taken, the process
// gone) becomes its outcome, and the jobs behind it go to a fresh worker. Failures are grouped by their fingerprint, see
// package repro. The results do not depend on the number of workers, but for wall times.
package sweep
