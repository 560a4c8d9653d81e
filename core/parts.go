package core

import (
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/wire"
)

// maxScratch is the largest buffer in bytes that a host keeps for values that it encodes.
const maxScratch = 16 * base.KiB

// encode returns the encoding of a value that stands alone, until the next call.
func (h *Host) encode(codec wire.Codec, v delta.Value) []byte {
	b := codec.AppendValue(h.scratch[:0], v)
	if h.scratch = b; len(b) > maxScratch {
		h.scratch = nil
	}
	return b
}

// deflate returns a part of a message as it is sent, and whether it is deflated. Inflated is how many bytes the parts of
// the message that are deflated have: together they stay within what a reader with the same limits inflates.
func (h *Host) deflate(raw []byte, inflated *int) ([]byte, bool) {
	if !h.cfg.Deflate || len(raw) <= part.Threshold || len(raw) > h.limits.InflatedBytes-*inflated {
		return raw, false
	}
	out, ok := h.deflater.Append(make([]byte, 0, len(raw)/deflatedShare), raw)
	if !ok {
		return raw, false
	}
	*inflated += len(raw)
	h.stats.Deflated++
	if h.probe.Deflated != nil {
		h.probe.Deflated(h, raw, out)
	}
	return out, true
}

// admit refuses parts of a peer that are over the limit on one.
func (h *Host) admit(parts ...[]byte) error {
	for _, p := range parts {
		if len(p) > h.limits.PartBytes {
			return base.Errorf(base.CodeLimit, "a part of %d bytes, at most %d", len(p), h.limits.PartBytes)
		}
	}
	return nil
}

// deflatedShare is how many times smaller than the raw part the first buffer for a deflated one is.
const deflatedShare = 4

// inflation is the parts of one message that have to be inflated before it can be read.
type inflation struct {
	parts []*[]byte // Invariant: each is deflated until the inflation is over, and raw then
	size  int       // when inflated
}

// add notes a deflated part. It refuses one that the limit has no room for, before anything is inflated.
func (in *inflation) add(p *[]byte, limits *base.Limits) error {
	n, err := part.Size(*p)
	if err != nil {
		return err
	}
	if n > limits.InflatedBytes-in.size {
		return base.Errorf(base.CodeLimit, "parts that inflate to over %d bytes in a message", limits.InflatedBytes)
	}
	in.size += n
	in.parts = append(in.parts, p)
	return nil
}

// run inflates all parts.
func (in *inflation) run(with *part.Inflater) error {
	for _, p := range in.parts {
		n, err := part.Size(*p)
		if err != nil {
			return err
		}
		if *p, err = with.Inflate(*p, n); err != nil {
			return err
		}
	}
	return nil
}

// inflated counts what was inflated.
func (h *Host) inflated(in *inflation) {
	h.stats.Inflated += int64(len(in.parts))
	if h.probe.Inflated != nil {
		for _, p := range in.parts {
			h.probe.Inflated(h, *p)
		}
	}
}

// inflate inflates what a message needs, and then goes on with it: at once, or in a later turn if the inflating is done
// beside the turns. What arrives over the link meanwhile waits, so that everything keeps its order.
func (c *client) inflate(in *inflation, then func() error) error {
	h := c.host
	switch {
	case len(in.parts) == 0:
		return then()
	case h.worker == nil || in.size < h.cfg.OffloadOver:
		if err := in.run(&h.inflater); err != nil {
			return err
		}
		h.inflated(in)
		return then()
	}
	c.offloaded = true
	if c.inflater == nil {
		c.inflater = &part.Inflater{} // the host's is in use by turns meanwhile
	}
	var err error
	h.worker.Offload(in.size, func() { err = in.run(c.inflater) }, func() {
		h.turn(func() {
			c.offloaded = false
			if c.peer.link.Closed() {
				return
			}
			if err == nil {
				h.inflated(in)
				err = then()
			}
			c.resume(err)
		})
	})
	return nil
}

// arrived is a chunk that waits until those before it are read.
type arrived struct {
	header wire.Header
	body   []byte
}

// resume credits the chunk that was being worked on, and reads those that came behind it.
func (c *client) resume(err error) {
	if err == nil {
		c.credited(c.pending)
	}
	for err == nil && !c.offloaded && c.backlog.Len() > 0 {
		a := c.backlog.Pop()
		err = c.reply(a.header, a.body)
	}
	if err != nil {
		c.peer.link.Fail(err)
	}
}
