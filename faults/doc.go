// Package faults is what goes wrong on purpose, as values: plans of faults that print and parse back, what triggers them,
// and what they did. It decides and counts; the simulator, or a proxy between real sockets, does.
//
// # The language
//
// A plan is a text of at most [MaxText] bytes, a line each for a knob, a fault, or the heal; "#" begins a comment.
//
//	set window 2                                  # a knob of the world: see KnobNames
//	at 2s stall tab.down for 60s                  # a fault: when, what, to whom
//	when message state from worker count 7 reset tab reconnect after 200ms
//	heal at 90s                                   # whatever is still on ends, and nothing begins any more
//	drawn                                         # nobody wrote it: a fault without an effect is no failure
//
// A fault begins with its trigger ([TriggerKind] has all forms), then comes its kind with what belongs to it ([Kind]). What
// lasts says for how long, or begins with "from" and lasts to the heal. What ends a connection or a host may say after what
// time that is there again. A link is named by its name or by the host that dialed (all of its links), or it is "all
// links"; ".up" is the direction from the dialer, ".down" the one towards it. Names that are not made of letters, digits, "_",
// "-" and "#", and the name "all", are written in quotes as Go has them. Times and spans are written as 10ms or 1.5s, rates as
// 8KiB/s or 1Mbit/s, sizes as 512B or 8KiB.
//
// [Parse] reads a plan or says where it is none: line, column, what is there and what could be. [Plan.String] prints it in
// one form, which parses back to the same plan.
//
// # Drawing plans
//
// A [Swarm] draws plans for a topology from a seed. [Effect] is what a fault did; one that did nothing is reported.
package faults
