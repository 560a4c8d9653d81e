// Package part deflates the large parts of messages and inflates them again. It is the only place of the core that
// compresses.
//
// A part is an encoded value. A message says of each part whether it is deflated; a deflated part is
//
//	+-------------+---------------------+
//	| size        | stream              |
//	| varint      | rest of the part    |
//	+-------------+---------------------+
//	size: bytes of the raw part, in the shortest form · stream: raw deflate (RFC 1951), no zlib or gzip around it
//
// # Who deflates, who inflates
//
// The origin of a part deflates it, once, with its [Deflater]; a part at or under [Threshold], or one that would not get
// smaller, goes as it is. Relays forward parts and read none. The owner admits a part by its [Size], before any memory is
// taken for it, and inflates it with its [Inflater] under a limit.
//
// What comes out is a function of the part alone: neither type lets one part change what becomes of another. The bytes
// of a deflated part depend on the version of the library too, and with them the time that a link takes for it.
//
// # Life cycle
//
// A host is one thread of turns, so it has one Deflater and one Inflater, which make their working memory for the first
// part that needs it and keep it as long as the host lives:
//
//	var deflater part.Deflater
//	if out, ok := deflater.Append(buf, raw); ok {
//		buf = out // deflated
//	} else {
//		buf = append(buf, raw...)
//	}
//
//	var inflater part.Inflater
//	raw, err := inflater.Inflate(in, limit)
package part
