package delta

import (
	"errors"
	"fmt"
	"slices"
)

// The limits of the path dictionaries of one stream.
const (
	// MaxWireIDs is how many paths an encoder gives an id. It writes others in full until the next replace.
	MaxWireIDs = 1024
	// maxWireSeen is how many paths an encoder remembers to have written once; then it forgets them all.
	maxWireSeen = 4096
	// maxDecoderIDs and maxDecoderBytes bound what a decoder keeps for its peer: ids, and bytes of the paths that they name.
	maxDecoderIDs   = 1 << 16
	maxDecoderBytes = 1 << 20
)

// Why a decoder refuses a batch, besides what [ParseOpsJSON] refuses.
var (
	ErrUnknownID  = errors.New("delta: unknown path id")
	ErrNoPrevious = errors.New("delta: no previous path in this batch")
	ErrLimit      = errors.New("delta: path dictionary too large")
)

// WireEncoder writes the batches of one stream as tuples in which repeated paths are ids. The batches must be read in the same
// order by one [WireDecoder], and every batch that was encoded must be sent. The zero value starts a stream.
type WireEncoder struct {
	seen    map[string]struct{}
	ids     map[string]int
	key     []byte
	before  []byte // the key of the path before it in this batch
	hasPrev bool
}

// AppendJSON appends a batch.
func (e *WireEncoder) AppendJSON(dst []byte, ops []Op) []byte {
	e.hasPrev = false // a batch does not depend on the last path of the one before it
	dst = append(dst, '[')
	for i := range ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.appendOp(dst, &ops[i])
	}
	return append(dst, ']')
}

func (e *WireEncoder) appendOp(dst []byte, o *Op) []byte {
	if o.Code == OpReplace {
		clear(e.seen)
		clear(e.ids)
		e.hasPrev = false
		return o.appendJSON(dst)
	}
	e.key = o.Path.appendKey(e.key[:0])
	if e.hasPrev && slices.Equal(e.key, e.before) {
		return o.AppendTuple(dst, RefSame)
	}
	e.key, e.before, e.hasPrev = e.before, e.key, true
	id, known := e.ids[string(e.before)]
	if !known {
		if id, known = e.define(); known {
			dst = append(AppendDefinition(dst, id, o.Path), ',')
		}
	}
	if !known {
		return o.appendJSON(dst)
	}
	return o.AppendTuple(dst, id)
}

// RefSame stands in [Op.AppendTuple] for the path of the op before it in the batch.
const RefSame = -1

// AppendTuple appends the op as a tuple of the wire form whose path is the one with an id, or with [RefSame] the path of the
// op before it. A replacement has no path.
func (o Op) AppendTuple(dst []byte, ref int) []byte {
	dst = append(dst, '[', '"', byte(o.Code), '"')
	if ref != RefSame && o.Code != OpReplace {
		dst = appendJSONInt(append(dst, ','), ref)
	}
	return append(o.appendArguments(dst), ']')
}

// AppendJSON appends the op as a tuple with its path in full.
func (o Op) AppendJSON(dst []byte) []byte { return o.appendJSON(dst) }

// AppendDefinition appends the tuple that gives a path an id.
func AppendDefinition(dst []byte, id int, p Path) []byte {
	dst = appendJSONInt(append(dst, `["#",`...), id)
	return append(p.appendJSON(append(dst, ',')), ']')
}

// define gives the path at hand the next id, if it was seen before.
func (e *WireEncoder) define() (id int, ok bool) {
	if e.seen == nil {
		e.seen, e.ids = make(map[string]struct{}), make(map[string]int)
	}
	if _, ok := e.seen[string(e.before)]; ok && len(e.ids) < MaxWireIDs {
		id := len(e.ids)
		e.ids[string(e.before)] = id
		return id, true
	}
	if len(e.seen) == maxWireSeen {
		clear(e.seen)
	}
	e.seen[string(e.before)] = struct{}{}
	return 0, false
}

// WireDecoder reads the batches of one stream. After an error the stream is of no more use, since the decoder may know ids of
// the batch that failed: drop it. The zero value starts a stream.
type WireDecoder struct {
	paths  map[int]Path
	bytes  int
	likely likelyShapes // of the values in the batches before
}

// firstOps is how many ops of a batch are read with one allocation.
const firstOps = 4

// ParseJSON reads a batch that a [WireEncoder] wrote, or a JavaScript peer. Nothing of what it returns is a view of b. Errors are
// those of [ParseOpsJSON], or wrap [ErrUnknownID], [ErrNoPrevious] or [ErrLimit].
func (d *WireDecoder) ParseJSON(b []byte) ([]Op, error) {
	p := parser{in: b, depth: MaxDepth + opsDepth}
	if p.next() != '[' {
		_, err := parseTuples(b) // which is no list
		return nil, err
	}
	p.at++
	p.depth--
	p.shapes.likely = d.likely
	var room [firstOps]Op
	ops, refused, err := d.batch(&p, room[:0])
	d.likely = p.shapes.likely
	if err == nil {
		err = p.end()
	}
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	out := make([]Op, len(ops))
	copy(out, ops)
	return out, nil
}

// batch reads the tuples of a batch to its end and appends their ops. That the batch is no JSON is more than that an op of it
// is refused: all of it is read.
func (d *WireDecoder) batch(p *parser, ops []Op) (_ []Op, refused, err error) {
	if p.mark(']') {
		return ops, nil, nil
	}
	var last Path
	for i := 0; ; i++ {
		var op Op
		isOp := false
		if refused == nil && d.direct(p, &op, last) {
			isOp = op.Code != '#'
		} else {
			tuple, err := p.value()
			if err != nil {
				return nil, nil, err
			}
			if refused == nil {
				if op, isOp, err = d.tuple(tuple, last); err != nil {
					refused = fmt.Errorf("%w (tuple %d of the batch)", err, i)
				}
			}
		}
		if isOp {
			if n := len(ops); n >= firstOps && n&(n-1) == 0 {
				ops = slices.Grow(ops, n) // append alone grows long slices by a quarter
			}
			ops = append(ops, op)
			last = op.Path
		}
		if p.mark(']') {
			return ops, refused, nil
		}
		if !p.mark(',') {
			return nil, nil, p.fail("a list goes on with a comma or ends")
		}
	}
}

// tuple reads one tuple. ok is false for a definition. Last is the path of the op before it, nil if there is none.
func (d *WireDecoder) tuple(tuple Value, last Path) (op Op, ok bool, err error) {
	code, err := parseCode(tuple)
	if err != nil {
		return Op{}, false, err
	}
	switch Code(code) {
	case '#':
		return Op{}, false, d.defineTuple(tuple)
	case OpReplace:
		if op, err = parseOp(tuple); err != nil {
			return Op{}, false, err
		}
		d.forget()
		return op, true, nil
	}
	op.Code = Code(code)
	args := op.arguments()
	first := 2
	switch {
	case args == 0 && op.Code != OpDelete:
		return Op{}, false, opError("unknown code %q", code)
	case tuple.Len() == 1+args:
		if last == nil {
			return Op{}, false, ErrNoPrevious
		}
		first, op.Path = 1, last
	case tuple.Len() == 2+args:
		if op.Path, err = d.ref(tuple); err != nil {
			return Op{}, false, err
		}
	default:
		return Op{}, false, opError("%q with %d elements", code, tuple.Len())
	}
	if err = op.parseArguments(tuple, first); err != nil {
		return Op{}, false, err
	}
	return op, true, op.check()
}

// forget forgets all ids.
func (d *WireDecoder) forget() {
	clear(d.paths)
	d.bytes = 0
}

// ref reads a path or an id. The path is never nil.
func (d *WireDecoder) ref(tuple Value) (Path, error) {
	ref, _ := tuple.Index(1)
	if ref.Kind() != KindNumber {
		return parsePath(ref)
	}
	id, ok := natural(ref)
	if !ok {
		return nil, opError("an id is an integer from 0 on")
	}
	p, ok := d.paths[id]
	if !ok {
		return nil, fmt.Errorf("%w %d", ErrUnknownID, id)
	}
	return p, nil
}

func (d *WireDecoder) defineTuple(tuple Value) error {
	ref, _ := tuple.Index(1)
	at, _ := tuple.Index(2)
	id, ok := natural(ref)
	if tuple.Len() != 3 || !ok {
		return opError("a definition is an id and a path")
	}
	p, err := parsePath(at)
	if err != nil {
		return err
	}
	return d.define(id, p)
}

// define gives a path an id.
func (d *WireDecoder) define(id int, p Path) error {
	if slices.ContainsFunc(p, Segment.reserved) {
		return ErrReserved
	}
	if d.paths == nil {
		d.paths = make(map[int]Path)
	}
	old, known := d.paths[id]
	bytes := d.bytes + pathBytes(p) - pathBytes(old)
	if bytes > maxDecoderBytes || !known && len(d.paths) == maxDecoderIDs {
		return ErrLimit
	}
	d.paths[id], d.bytes = p, bytes
	return nil
}

// pathBytes returns about how many bytes a path takes in memory.
func pathBytes(p Path) int {
	n := 0
	for _, s := range p {
		n += 24 + len(s.key)
	}
	return n
}
