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

// deflatedLen returns how many bytes a part takes as it is sent, where it is the only one that is deflated.
func (h *Host) deflatedLen(raw []byte) int {
	if h.cfg.Deflate && len(raw) > part.Threshold && len(raw) <= h.limits.InflatedBytes {
		if out, ok := h.deflater.Append(nil, raw); ok {
			return len(out)
		}
	}
	return len(raw)
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
	parts []*[]byte // Invariant: each is deflated until put, and raw then
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

// deflatedParts returns the parts as they are.
func (in *inflation) deflatedParts() [][]byte {
	list := make([][]byte, len(in.parts))
	for i, p := range in.parts {
		list[i] = *p
	}
	return list
}

// inflateAll inflates parts whose sizes were admitted.
func inflateAll(parts [][]byte, with *part.Inflater) ([][]byte, error) {
	raw := make([][]byte, len(parts))
	for i, p := range parts {
		n, err := part.Size(p)
		if err != nil {
			return nil, err
		}
		if raw[i], err = with.Inflate(p, n); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// put takes the inflated parts in.
func (in *inflation) put(h *Host, raw [][]byte) {
	for i, p := range in.parts {
		*p = raw[i]
		h.stats.Inflated++
		if h.probe.Inflated != nil {
			h.probe.Inflated(h, raw[i])
		}
	}
}

// run inflates all parts in the turn.
func (in *inflation) run(h *Host) error {
	raw, err := inflateAll(in.deflatedParts(), &h.inflater)
	if err == nil {
		in.put(h, raw)
	}
	return err
}

// inflating is a message whose parts are inflated beside the turns.
type inflating struct {
	in   inflation
	then func() error
	raw  [][]byte // set by the worker, read in the turn behind it
	err  error
}

// inflate inflates what a message needs, and then goes on with it: at once, or in a later turn if the inflating is done
// beside the turns. What arrives over the link meanwhile waits, so that everything keeps its order.
func (c *client) inflate(in *inflation, then func() error) error {
	h := c.host
	if len(in.parts) == 0 {
		return then()
	}
	if h.worker == nil || in.size < h.cfg.OffloadOver || c.peer.link.Closed() {
		if err := in.run(h); err != nil {
			return err
		}
		return then()
	}
	if c.inflater == nil {
		c.inflater = &part.Inflater{} // the host's is in use by turns meanwhile
	}
	job, inflater, parts := &inflating{in: *in, then: then}, c.inflater, in.deflatedParts()
	c.job = job
	h.worker.Offload(in.size, func() { job.raw, job.err = inflateAll(parts, inflater) }, func() {
		h.turn(func() {
			if c.job != job {
				return // the link closed, and the message was read then
			}
			c.job = nil
			if err := c.goOn(job); err != nil {
				c.peer.link.Fail(err)
			}
		})
	})
	return nil
}

// goOn reads a message whose parts are inflated, credits the chunk that completed it, and reads what came behind it.
func (c *client) goOn(job *inflating) error {
	if job.err != nil {
		return job.err
	}
	job.in.put(c.host, job.raw)
	if err := job.then(); err != nil {
		return err
	}
	c.credited(c.pending)
	for c.job == nil && c.backlog.Len() > 0 {
		a := c.backlog.Pop()
		c.behind -= len(a.body) + chunkKept
		if err := c.reply(a.header, a.body); err != nil {
			return err
		}
	}
	return nil
}

// finishReading reads what arrived before the link closed, all of it now: what was said before still counts.
func (c *client) finishReading() {
	if job := c.job; job != nil {
		c.job = nil
		// The worker may be at it still; it writes to the job alone.
		again := &inflating{in: job.in, then: job.then}
		again.raw, again.err = inflateAll(job.in.deflatedParts(), &c.host.inflater)
		_ = c.goOn(again) // what is wrong with it cannot close the link again
	}
	c.backlog, c.behind = base.Ring[arrived]{}, 0
}

// arrived is a chunk that waits until those before it are read.
type arrived struct {
	header wire.Header
	body   []byte
}

// chunkKept is about what a chunk takes that waits, besides its body, in bytes.
const chunkKept = 64

// windowsKept is how many times larger than here the windows of a provider may be.
const windowsKept = 4

// wait keeps a chunk until the message before it is inflated. What a peer that respects its windows can send meanwhile
// fits several times over: the windows, and an answer for each call and each hold.
func (c *client) wait(h wire.Header, body []byte) error {
	l := c.peer.link.Limits()
	windows := l.WindowBytes + l.BulkBytes
	most := windowsKept * (windows + windows/l.ChunkBytes*chunkKept + l.RunningCalls*(wire.MaxChunk+chunkKept) + l.Holds*2*chunkKept)
	if c.behind += len(body) + chunkKept; c.behind > most {
		return base.Errorf(base.CodeLimit, "over %d bytes came while a message was inflated, beyond all windows", most)
	}
	c.backlog.Push(arrived{h, body})
	return nil
}
