package wire

import (
	"encoding/binary"
	"math"

	"chordsim/core/delta"
)

// The part of a member that is given as [MemberOps] is a check of the value that the ops lead to, and the ops: what was
// committed since the revision that the Hold named. A revision does not say whose it is: of two providers that take each
// other's place at an address the epochs may be alike, and then the check tells what ops that apply would not.
//
//	binary: check, 4 bytes, the first one the highest · ops
//	text:   [check, ops]
//
// The check is the low 32 bits of [delta.Value.Hash].

// sinceCheck is how many bytes a check has in binary.
const sinceCheck = 4

func checkOf(v delta.Value) uint32 { return uint32(v.Hash()) }

// AppendSince appends such a part, with ops that lead to a value, as AppendOps appends them.
func (c Codec) AppendSince(dst []byte, to delta.Value, ops []delta.Op, d *Dict, k *Told, used *Used) []byte {
	if c == Binary {
		return c.AppendOps(binary.BigEndian.AppendUint32(dst, checkOf(to)), ops, d, k, used)
	}
	w := writer{codec: Text, dst: append(dst, '['), first: true}
	w.number(uint64(checkOf(to)))
	return append(c.AppendOps(append(w.dst, ','), ops, d, k, used), ']')
}

// Since is such a part as it was read.
type Since struct {
	Ops   []delta.Op
	check uint32
}

// LeadsTo reports whether a value is the one that the provider has.
func (s *Since) LeadsTo(v delta.Value) bool { return checkOf(v) == s.check }

// ParseSince reads such a part and keeps what it defines, as ParseOps does.
func (c Codec) ParseSince(n *Names, b []byte) (s Since, err error) {
	r := newMessage(c, "ops since", b)
	ops := b
	if c == Binary {
		if check := r.Bytes(sinceCheck); r.Err() == nil {
			s.check, ops = binary.BigEndian.Uint32(check), r.Rest()
		}
	} else {
		r.expect('[')
		r.first = true
		s.check = uint32(r.numberTo(math.MaxUint32, "check"))
		ops = r.json()
		r.expect(']')
	}
	if err = r.trailing(); err == nil {
		s.Ops, err = c.ParseOps(n, ops)
	}
	return s, err
}

// trailing refuses what is left.
func (r *Reader) trailing() error {
	if r.err == nil && r.off < len(r.b) {
		r.Fail("trailing bytes")
	}
	return r.err
}
