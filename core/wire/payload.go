package wire

import (
	"chordsim/core/base"
	"chordsim/core/delta"
)

// AppendValue appends a value that stands alone, such as an argument or a result.
func (c Codec) AppendValue(dst []byte, v delta.Value) []byte {
	if c == Text {
		return delta.AppendJSON(dst, v)
	}
	return AppendValue(dst, v)
}

// ParseValue reads a value that stands alone. No bytes at all are null.
func (c Codec) ParseValue(b []byte) (delta.Value, error) {
	if c == Binary {
		return ParseValue(b)
	}
	if len(b) == 0 {
		return delta.Null(), nil
	}
	return parseJSON(b)
}

// AppendSnapshot appends a document's value for a reader who knows k, and adds to k what it defines.
func (c Codec) AppendSnapshot(dst []byte, v delta.Value, d *Dict, k *Told, used *Used) []byte {
	if c == Binary {
		return AppendSnapshot(dst, v, d, k, used)
	}
	d.encodings++
	k.follow(d)
	used.reset(d.generation)
	return delta.AppendJSON(dst, v)
}

// ParseSnapshot reads a document's value; n keeps what it defines.
func (c Codec) ParseSnapshot(n *Names, b []byte) (delta.Value, error) {
	if c == Binary {
		return n.ParseSnapshot(b)
	}
	return parseJSON(b)
}

// AppendOps appends a batch of a document's ops for a reader who knows k, adds to k what it defines, and notes in used what
// it needs. An encoded batch has to be sent.
func (c Codec) AppendOps(dst []byte, ops []delta.Op, d *Dict, k *Told, used *Used) []byte {
	if c == Binary {
		return AppendOps(dst, ops, d, k, used)
	}
	return appendOpsText(dst, ops, d, k, used)
}

// ParseOps reads a batch; n keeps what it defines. After an error the stream is dead.
func (c Codec) ParseOps(n *Names, b []byte) ([]delta.Op, error) {
	if c == Binary {
		return n.ParseOps(b)
	}
	ops, err := n.tuples.ParseJSON(b)
	switch {
	case err != nil:
		return nil, base.Errorf(base.CodeProtocol, "ops: %v", err)
	case len(ops) > delta.MaxOps:
		return nil, base.Errorf(base.CodeProtocol, "ops: %d in a batch, at most %d", len(ops), delta.MaxOps)
	}
	return ops, nil
}

func parseJSON(b []byte) (delta.Value, error) {
	v, err := delta.ParseJSON(b)
	if err != nil {
		return delta.Null(), base.Errorf(base.CodeProtocol, "value: %v", err)
	}
	return v, nil
}
