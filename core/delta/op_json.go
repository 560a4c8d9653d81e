package delta

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrOp says that something is not an op.
var ErrOp = errors.New("delta: not an op")

func opError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrOp, fmt.Sprintf(format, args...))
}

// appendJSON appends the op with its path in full.
func (o Op) appendJSON(dst []byte) []byte {
	dst = append(dst, '[', '"', byte(o.Code), '"')
	if o.Code != OpReplace {
		dst = o.Path.appendJSON(append(dst, ','))
	}
	return append(o.appendArguments(dst), ']')
}

// appendArguments appends what follows the path, with a comma before each.
func (o Op) appendArguments(dst []byte) []byte {
	switch o.Code {
	case OpReplace, OpSet:
		dst = AppendJSON(append(dst, ','), o.Value)
	case OpAppend:
		dst = appendJSONText(append(dst, ','), o.Text)
	case OpTruncate:
		dst = appendJSONInt(append(dst, ','), o.N)
	case OpSplice:
		dst = appendJSONInt(append(dst, ','), o.N)
		dst = appendJSONInt(append(dst, ','), o.Remove)
		dst = append(dst, ',', '[')
		for i, v := range o.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, v)
		}
		dst = append(dst, ']')
	case OpPermute:
		dst = append(dst, ',', '[')
		for i, n := range o.Perm {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONInt(dst, n)
		}
		dst = append(dst, ']')
	}
	return dst
}

func appendJSONInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// AppendOpsJSON appends a batch as a JSON list of tuples, each with its path in full.
func AppendOpsJSON(dst []byte, ops []Op) []byte {
	dst = append(dst, '[')
	for i, o := range ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = o.appendJSON(dst)
	}
	return append(dst, ']')
}

// opsDepth is how many containers a batch puts around a value: the batch, the tuple and a splice's items.
const opsDepth = 3

// ParseOpsJSON reads what [AppendOpsJSON] writes. Errors are a [*SyntaxError], or wrap [ErrOp], [ErrPath], [ErrReserved],
// [ErrPerm] or [ErrDepth].
func ParseOpsJSON(b []byte) ([]Op, error) {
	tuples, err := parseTuples(b)
	if err != nil {
		return nil, err
	}
	ops := make([]Op, 0, tuples.Len())
	for i, tuple := range tuples.Elements() {
		op, err := parseOp(tuple)
		if err != nil {
			return nil, fmt.Errorf("%w (op %d of the batch)", err, i)
		}
		ops = append(ops, op)
	}
	return ops, nil
}

func parseTuples(b []byte) (Value, error) {
	tuples, err := parseJSON(b, MaxDepth+opsDepth)
	if err != nil {
		return Value{}, err
	}
	if tuples.Kind() != KindList {
		return Value{}, opError("a batch is a list, not %s", tuples.Kind())
	}
	return tuples, nil
}

func parseOp(tuple Value) (Op, error) {
	code, err := parseCode(tuple)
	if err != nil {
		return Op{}, err
	}
	o := Op{Code: Code(code)}
	args := o.arguments()
	if args == 0 && o.Code != OpDelete {
		return Op{}, opError("unknown code %q", code)
	}
	first := 1
	if o.Code != OpReplace {
		first = 2
		at, _ := tuple.Index(1)
		if o.Path, err = parsePath(at); err != nil {
			return Op{}, err
		}
	}
	if tuple.Len() != first+args {
		return Op{}, opError("%q with %d elements", code, tuple.Len())
	}
	if err := o.parseArguments(tuple, first); err != nil {
		return Op{}, err
	}
	return o, o.check()
}

// parseCode returns the first element of a tuple, one letter.
func parseCode(tuple Value) (byte, error) {
	first, ok := tuple.Index(0)
	if !ok || first.Kind() != KindText || first.Len() != 1 || first.Text().Unit(0) >= 0x80 {
		return 0, opError("a tuple starts with its code")
	}
	return byte(first.Text().Unit(0)), nil
}

// arguments returns how many elements follow the path.
func (o Op) arguments() int {
	switch o.Code {
	case OpReplace, OpSet, OpAppend, OpTruncate, OpPermute:
		return 1
	case OpSplice:
		return 3
	}
	return 0
}

// parseArguments reads what follows the path, from the tuple's element i on. Invariant: there are as many as there must be.
func (o *Op) parseArguments(tuple Value, i int) error {
	arg, _ := tuple.Index(i)
	ok := true
	switch o.Code {
	case OpReplace, OpSet:
		o.Value = arg
	case OpAppend:
		o.Text, ok = arg.Text(), arg.Kind() == KindText
	case OpTruncate:
		o.N, ok = count(arg)
	case OpSplice:
		remove, _ := tuple.Index(i + 1)
		items, _ := tuple.Index(i + 2)
		var okRemove bool
		o.N, ok = count(arg)
		o.Remove, okRemove = count(remove)
		ok = ok && okRemove && items.Kind() == KindList
		o.Items = make([]Value, 0, items.Len())
		for _, v := range items.Elements() {
			o.Items = append(o.Items, v)
		}
	case OpPermute:
		if ok = arg.Kind() == KindList; !ok {
			break
		}
		o.Perm = make([]int, 0, arg.Len())
		for _, v := range arg.Elements() {
			n, isIndex := natural(v)
			ok = ok && isIndex
			o.Perm = append(o.Perm, n)
		}
	}
	if !ok {
		return opError("%q with arguments of a wrong kind", byte(o.Code))
	}
	return nil
}

// natural returns a number that is an integer from 0 to 2^53-1.
func natural(v Value) (int, bool) {
	f := v.Number()
	if v.Kind() != KindNumber || !(f >= 0 && f < 1<<53) {
		return 0, false
	}
	n := int(f)
	return n, float64(n) == f
}

// count returns a number that is an integer from 0 on. From where integers are not exact any more it is beyond any text and
// list, and so are all that are larger.
func count(v Value) (int, bool) {
	if v.Kind() == KindNumber && v.Number() >= 1<<53 {
		return min(1<<53-1, math.MaxInt), true
	}
	return natural(v)
}

func parsePath(v Value) (Path, error) {
	if v.Kind() != KindList {
		return nil, opError("a path is a list")
	}
	if v.Len() > MaxDepth {
		return nil, fmt.Errorf("%w: a path of %d segments", ErrDepth, v.Len())
	}
	p := make(Path, 0, v.Len())
	for _, s := range v.Elements() {
		if s.Kind() == KindText {
			p = append(p, Segment{key: s.Text().String()})
			continue
		}
		n, ok := natural(s)
		if !ok {
			return nil, opError("a segment is a string or an index from 0 on")
		}
		p = append(p, Index(n))
	}
	return p, nil
}
