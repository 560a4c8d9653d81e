// Package netsim is links in virtual time: connections between two ends that carry whole messages, in order, each
// direction with its own rate, latency, jitter, quantum, buffer or recorded trace ([linkmodel.Config] has the arithmetic).
//
//	dialer                          acceptor
//	 End  ──────── Up ────────────▶  End
//	 End  ◀─────── Down ───────────  End
//
// Connecting takes one round trip: the acceptor sees the connection after the latency of Up, the dialer after that of
// Down behind it. Closing delivers what was sent, then ends. A stalled direction delivers nothing and loses nothing.
//
// A direction takes messages until its buffer is full; the message that fills it is taken as well. It then tells the
// sender once there is room.
package netsim
