// Package netsim is links in virtual time: connections between two ends that carry whole messages, in order, each
// direction with its own rate, latency, jitter, quantum, buffer or recorded trace ([linkmodel.Config] has the arithmetic).
//
//	dialer                          acceptor
//	 End  ──────── Up ────────────▶  End
//	 End  ◀─────── Down ───────────  End
//
// A direction takes messages until its buffer is full; the message that fills it is taken as well. It then tells the
// sender once there is room. A stalled direction delivers nothing and loses nothing. Directions of several links may share
// a [Bottleneck], and a link may be two byte streams ([StreamConfig]) with framers at its ends.
//
// # How a connection begins and ends
//
// As with TCP, but that each end is told once, by [Receiver]'s Closed, that all is over:
//
//	             what is under way          what waits to leave        the other end is told
//	Connect      a request and its answer, each a message without bytes
//	Close        arrives                    arrives                    nil, or ErrReset if it wrote what was not read
//	Abort        arrives                    lost                       ErrReset, behind what had left
//	Vanish       arrives                    lost                       nothing
//	Reset        lost, both ways            lost, both ways            ErrReset, as is this end; at once
//	CutAfter     k bytes arrive, then as Reset
//	DropAfter    n messages are lost, then as Reset
//	BlackHole    lost as it arrives         lost as it arrives         nothing; ErrReset by what comes behind a gap
//
// What comes to an end that is gone or has closed is lost; a closed one answers with a reset, which loses what it wrote
// itself and did not leave yet. Everything that is lost is counted, by what took it: [End.Lost], [End.LostBy].
//
// What a direction is like can be changed from now on ([End.SetRate] and its like); what has left is not touched.
package netsim
