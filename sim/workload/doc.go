// Package workload has what the hosts of a world are told to do: lists of items, each a time, a host, a verb and numbers, as
// values and as text. A list is made before its run, and then only played, so that a file with the list plays the same run
// whatever the code that makes lists draws by then.
//
// What a verb does is its scenario's. So that whoever makes a failure smaller may leave any items out, each part of a list can
// be played: a number is taken modulo what is there, and an item for which nothing is there does nothing.
//
// # Text
//
// A line has a host, a time, and what the host does then and soon after; a number with a colon before a verb is how many
// milliseconds later than the item before it that is; without one it is at the same time. "#" begins a comment:
//
//	workload churn
//	tab1 0s want 0 1 30:st 0 471 21.5:st 0 88 ed 0 7
//	worker1 11ms bu 8:st 66 # streams text 66, at 19ms
//
// The lines behind one that says "workload" and a name are those of the workload of that name.
package workload
