// Package events is the one queue of a world: what happens next, and in which order when several things happen at the
// same instant.
//
// Events are ordered by (time, tie key, sequence). A [Strategy] gives the tie key: fifo gives all the same, so that the
// sequence decides; random draws it, so that another seed sees another order; pct gives all events of an [Origin] the same,
// drawn from the seed, and puts an origin behind all others at a few drawn points. A [Chooser] is asked instead, tie by tie:
// so all orders can be walked. Scheduling and running an event allocates nothing once the queue has grown to its size.
package events
