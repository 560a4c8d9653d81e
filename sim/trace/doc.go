// Package trace says what happened in a run: as a rolling hash over all events, which is the same for the same build,
// scenario, seed and parameters on any machine, as events for people, and as what is needed to say where two runs of the same
// part.
//
// The hash takes in, for every event, its time, its kind, who it is about and what it carried (whole bytes, by XXH3). It
// does not take in anything that a machine decides: no wall time, no memory figures, no addresses.
//
// A [Sink] takes events. [FileWriter] keeps them in a file, compressed, which [FileReader] reads: whatever is in a file, it
// takes bounded memory and returns an error that says where the file is damaged. [Filter] chooses among events; [Columns]
// prints them as lines, [Diagram] draws them as messages between hosts.
//
// [Checkpoints] keep the hash at some hundred places of a run of any length, and [Decisions] count and hash what was drawn
// at random under each label, so that two runs can be compared: the stretch in which they part, and the first label.
package trace
