package wire

import "chordsim/core/delta"

// appendOpsText appends a batch in the tuples that JavaScript peers read. A path has the id of the Dict; a reader who was
// not told gets the definition first. A replacement makes a reader of this form forget all ids.
func appendOpsText(dst []byte, ops []delta.Op, d *Dict, k *Told, used *Used) []byte {
	d.encodings++
	k.follow(d)
	used.reset(d.generation)
	e := encoding{dict: d, known: k, used: used}
	var last delta.Path
	dst = append(dst, '[')
	for i := range ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.tuple(dst, &ops[i], &last)
	}
	return append(dst, ']')
}

func (e *encoding) tuple(dst []byte, op *delta.Op, last *delta.Path) []byte {
	if op.Code == delta.OpReplace {
		*last = nil
		e.known.paths, e.used.newPaths, e.used.forgot = e.known.paths[:0], e.used.newPaths[:0], true
		return op.AppendTuple(dst, delta.RefSame)
	}
	if *last != nil && op.Path.Equal(*last) {
		return op.AppendTuple(dst, delta.RefSame)
	}
	*last = op.Path
	if op.Path == nil {
		*last = delta.Path{} // an empty path is a path; nil means that there was none
	}
	id := e.dict.path(op.Path)
	e.follow()
	if id < 0 {
		return op.AppendJSON(dst)
	}
	if e.known.paths.has(id) {
		if !e.used.forgot {
			e.used.refer(&e.used.paths, e.used.newPaths, id)
		}
	} else {
		e.known.paths.add(id)
		e.used.newPaths.add(id)
		dst = append(delta.AppendDefinition(dst, id, op.Path), ',')
	}
	return op.AppendTuple(dst, id)
}
