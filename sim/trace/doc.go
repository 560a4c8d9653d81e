// Package trace says what happened in a run: as a rolling hash over all events, which is the same for the same build,
// scenario, seed and parameters on any machine, and as lines for people.
//
// The hash takes in, for every event, its time, its kind, who it is about and what it carried (whole bytes, by XXH3). It
// does not take in anything that a machine decides: no wall time, no memory figures, no addresses.
package trace
