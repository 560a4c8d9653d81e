package main

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// wireCodec is one message through the codec alone: written as a host writes it, into a buffer of the size that a host
// takes, and read back to its last value.
type wireCodec struct {
	encode func() []byte               // a chunk, or a message of several without the headers of its chunks
	decode func([]byte) error          // of what encode returns
	value  func(scratch []byte) []byte // of a snapshot: its value alone, into a buffer that is kept
	got    *wireDecoded                // what was decoded last
}

// wireDecoded is what a decode ends with: it is kept, so that nobody can say that a decode is not needed.
type wireDecoded struct {
	value delta.Value
	ops   []delta.Op
	bytes [][]byte
}

// What hosts add to the sizes of what they encode for a buffer, in bytes: see core.
const (
	sectionRoom = 16 // to a change
	callRoom    = 40 // to the argument and the method's name, or to a result's value
	memberRoom  = 32 // to a member's value
	boundRoom   = 64
)

// withHeader puts a header in front of a message that has the room for it, as a link does.
func withHeader(c wire.Codec, t wire.Type, buf []byte) []byte {
	var head [wire.MaxHeader]byte
	hb := wire.Header{Type: t}.Append(c, head[:0])
	chunk := buf[c.Room()-len(hb):]
	copy(chunk, hb)
	return chunk
}

// snapshotCodec is the message with the snapshot of a document, for a reader who knows nothing.
func snapshotCodec(c wire.Codec, v delta.Value) wireCodec {
	var dict wire.Dict
	limits := base.Limits{}.WithDefaults()
	got := &wireDecoded{}
	return wireCodec{
		got: got,
		value: func(scratch []byte) []byte {
			var used wire.Used
			var told wire.Told
			return c.AppendSnapshot(scratch[:0], v, &dict, &told, &used)
		},
		encode: func() []byte {
			var used wire.Used
			var told wire.Told
			part := c.AppendSnapshot(make([]byte, 0, v.Size()), v, &dict, &told, &used)
			m := wire.Bound{Members: []wire.BoundMember{{Name: "notes", Revision: wire.Revision{Epoch: 1}, Part: part}}}
			room := c.Room()
			return m.Append(c, make([]byte, room, room+boundRoom+memberRoom+len(part)))[room:]
		},
		decode: func(message []byte) error {
			m, err := wire.ParseBound(c, message, &limits)
			if err != nil {
				return err
			}
			var names wire.Names
			got.value, err = c.ParseSnapshot(&names, m.Members[0].Part)
			return err
		},
	}
}

// editCodec is the state message with a change of the notes list, once the names are known that such changes use.
func editCodec(c wire.Codec, edit *wireEdit) (wireCodec, error) {
	var (
		dict  wire.Dict
		told  wire.Told
		used  wire.Used
		names wire.Names
		fold  delta.Fold
		raw   []byte
		ops   []delta.Op
	)
	value := notesList()
	if _, err := c.ParseSnapshot(&names, c.AppendSnapshot(nil, value, &dict, &told, &used)); err != nil {
		return wireCodec{}, err
	}
	for i := range wireWarm + 1 {
		d := delta.NewDraft(value)
		if err := edit.change(d, i); err != nil {
			return wireCodec{}, err
		}
		fold.Reset()
		value, ops = d.Commit()
		fold.Add(ops, value)
		ops = fold.Ops(value)
		raw = c.AppendOps(raw[:0], ops, &dict, &told, &used)
		if _, err := c.ParseOps(&names, raw); err != nil {
			return wireCodec{}, err
		}
	}
	size := fold.Size() + sectionRoom
	got := &wireDecoded{}
	return wireCodec{
		got: got,
		encode: func() []byte {
			room := c.Room()
			buf := wire.AppendEntry(c, make([]byte, room, room+size), 0)
			raw = c.AppendOps(raw[:0], ops, &dict, &told, &used)
			buf = wire.Section{Base: wireWarm, Span: 1, Ops: raw}.Append(c, buf, false)
			return withHeader(c, wire.TypeState, wire.EndState(c, buf))
		},
		decode: func(message []byte) error {
			_, body, err := wire.ParseHeader(c, message)
			if err != nil {
				return err
			}
			s := wire.ReadState(c, body)
			for {
				if _, ok := s.Entry(); !ok {
					return s.Err()
				}
				for more := true; more; {
					var sec wire.Section
					sec, more = s.Section()
					if got.ops, err = c.ParseOps(&names, sec.Ops); err != nil {
						return err
					}
				}
			}
		},
	}, nil
}

// callCodec is a call with a small argument. What the argument is encoded into is kept from one call to the next.
func callCodec(c wire.Codec) wireCodec {
	arg, scratch := delta.Int(wireArg), []byte(nil)
	got := &wireDecoded{}
	return wireCodec{
		got: got,
		encode: func() []byte {
			scratch = c.AppendValue(scratch[:0], arg)
			room := c.Room()
			m := wire.Call{Args: scratch}
			return withHeader(c, wire.TypeCall, m.Append(c, make([]byte, room, room+callRoom+len(scratch)+len(wireMethod))))
		},
		decode: func(message []byte) error {
			_, body, err := wire.ParseHeader(c, message)
			if err != nil {
				return err
			}
			m, err := wire.ParseCall(c, body)
			if err != nil {
				return err
			}
			got.value, err = c.ParseValue(m.Args)
			return err
		},
	}
}

// resultCodec is the result of that call.
func resultCodec(c wire.Codec) wireCodec {
	value, scratch := delta.Int(wireReply), []byte(nil)
	got := &wireDecoded{}
	return wireCodec{
		got: got,
		encode: func() []byte {
			scratch = c.AppendValue(scratch[:0], value)
			room := c.Room()
			m := wire.Result{Value: scratch}
			return withHeader(c, wire.TypeResult, m.Append(c, make([]byte, room, room+callRoom+len(scratch))))
		},
		decode: func(message []byte) error {
			_, body, err := wire.ParseHeader(c, message)
			if err != nil {
				return err
			}
			m, err := wire.ParseResult(c, body)
			if err != nil {
				return err
			}
			got.value, err = c.ParseValue(m.Value)
			return err
		},
	}
}

// mebibyteCodec is a call with 1 MiB of raw bytes and no argument.
func mebibyteCodec(c wire.Codec) wireCodec {
	parts := [][]byte{make([]byte, mebibyte)}
	got := &wireDecoded{}
	return wireCodec{
		got: got,
		encode: func() []byte {
			room := c.Room()
			m := wire.Call{Bytes: parts}
			return m.Append(c, make([]byte, room, room+callRoom+len(wireMethod)+mebibyte))[room:]
		},
		decode: func(message []byte) error {
			m, err := wire.ParseCall(c, message)
			got.bytes = m.Bytes
			return err
		},
	}
}
