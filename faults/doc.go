// Package faults is what goes wrong on purpose, as values: plans of faults that print and parse back, what triggers them,
// and what they did. It decides and counts; the simulator, or a proxy between real sockets, does.
package faults
