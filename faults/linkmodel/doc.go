// Package linkmodel says, as pure arithmetic, what one direction of a link does to messages of so many bytes: when each has
// left the sender and when it is there. It holds sizes, never payloads. The simulator drives it in virtual time, and a
// throttling proxy between real sockets may drive it with a monotonic clock.
//
// # Life cycle
//
// A [Config] is validated and made into a [Direction]. Its owner hands over messages with [Direction.Send], asks
// [Direction.NextEvent] when to come back, and then calls [Direction.Advance], which says how many messages have departed
// and how many have arrived since the last call. [Direction.Stall], [Direction.Resume], [Direction.Drop] and
// [Direction.DropQueued] are the faults; [Direction.SetRate], [Direction.SetLatency] and [Direction.SetJitter] change what it is
// like from then on. A Direction is not safe for use by several goroutines; a [Trace] never changes and may be shared.
//
// Directions share a rate behind a [Bottleneck].
//
// # Three ways to carry bytes
//
//   - Continuous (the default): a message of n bytes occupies the direction for n/Rate, starting when it is handed over or
//     when the one ahead has left, whichever is later. Its last byte has left at the finish, rounded up to a nanosecond;
//     what the rounding hides is carried on exactly while the direction stays busy.
//   - Quantum: deliveries happen at the multiples of Config.Quantum after the message was handed over. Each tick adds
//     Rate*Quantum bytes to a budget, and whole messages go, in order, while the budget covers them. A message that is larger
//     than a tick's budget gathers it over several ticks.
//   - Trace: recorded opportunities of 1,500 bytes each, repeating (see [Trace]). Several messages may share an opportunity
//     and a message may span several.
//
// In each of them an arrival follows Latency and a drawn jitter after the departure, and messages arrive in the order in
// which they were handed over. An idle direction banks nothing: no budget, no opportunity, no fraction of a nanosecond.
//
// # Exactness
//
// Nothing is a floating-point number and nothing is rounded twice. With rate R and latency L, the message that ends after
// N bytes of a busy period which began at t0 arrives at exactly t0 + ceil(N*1e9/R) + L. Instants saturate at [base.Never].
// The outcome depends on the calls to Send, Stall, Resume, the drops and the changes, and on their instants alone. How often Advance is called
// in between makes no difference but for one rule that is about the same instant: see [Direction.Send] on traces.
package linkmodel
