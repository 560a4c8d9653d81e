// Package repro is what is kept of a run that failed: what went wrong ([Failure]), a name under which failures of one cause
// meet ([Failure.Fingerprint]), and a file of a few KB from which the run can be played again ([File]).
//
// The life of a failure: a report or a stack becomes a Failure; its fingerprint groups it with those that other seeds gave;
// the first of each group is written to a File; a replay reads that, plays the run and compares fingerprint and hash. Whoever
// makes a run smaller accepts only what keeps the fingerprint.
package repro
