// Package wire is what chord says on a link, byte for byte: the header of a chunk, the messages (one file each), and values
// and delta ops, in two codecs: [Binary], and [Text], which JavaScript reads with JSON.parse. It keeps no state but the dictionaries of a stream, does no I/O and never
// panics on input; whatever a peer sends either parses or is an error with [base.CodeProtocol].
//
// A message is written by its Append method behind the caller's bytes, and read by the Parse function of its name:
//
//	buf = wire.Credit{State: 4}.Append(wire.Binary, buf)
//	credit, err := wire.ParseCredit(wire.Binary, body)
//
// # Chunks
//
// A transport carries chunks. A chunk is a header and at most [MaxChunk] bytes of one message. In binary:
//
//	+--------+-----------+--------+---------+------------------+
//	| first  | origin    | ack    | slot    | body             |
//	| 1 byte | varint    | varint | varint  | rest of chunk    |
//	+--------+-----------+--------+---------+------------------+
//	first: bits 0-4 type · bit 5 an ack follows · bit 6 the message goes on in a later chunk · bit 7 an origin follows
//
// The origin names the host behind a relay that the message comes from or goes to; it is missing where there is no
// relay in between. The ack counts numbered chunks that arrived since the last one. The slot is there where a message
// has, or may have, several chunks, and tells the messages apart that cross a lane at the same time. Chunks are numbered
// by the order in which they are written, so no number is sent.
//
// # Varints
//
// Unsigned integers of binary are little-endian base-128 (as in encoding/binary), signed ones are zigzag-coded first.
package wire
