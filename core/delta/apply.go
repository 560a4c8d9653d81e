package delta

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Why an op is refused, besides [ErrDepth] and [ErrOp].
var (
	ErrReserved = errors.New("delta: reserved segment")         // __proto__, constructor or prototype in a path
	ErrPath     = errors.New("delta: the path cannot be empty") // a set, delete, append or truncate of the root
	ErrNoParent = errors.New("delta: nothing there to change")  // a container on the way, or the target, is missing
	ErrType     = errors.New("delta: not the kind of value")    // a text or list was expected, or a key on a list
	ErrRange    = errors.New("delta: out of range")             // an index past the end, or a negative number
	ErrPerm     = errors.New("delta: not a permutation")        // not a bijection of the list's indexes
	ErrClosed   = errors.New("delta: the draft was committed")  // a draft that is used after its Commit
)

// OpError says which op of a batch was refused and why. It wraps one of the sentinels.
type OpError struct {
	Index int // of the op in its batch
	Op    Op
	Err   error
}

func (e *OpError) Error() string {
	return fmt.Sprintf("%v: op %d, %q at %s", e.Err, e.Index, e.Op.Code, clipPath(e.Op.Path))
}

// maxErrorPath is how many bytes of a path an error prints.
const maxErrorPath = 256

func clipPath(p Path) string {
	s := p.String()
	if len(s) > maxErrorPath {
		return strings.ToValidUTF8(s[:maxErrorPath], "") + "…"
	}
	return s
}

// Unwrap returns the sentinel, or an error that wraps it.
func (e *OpError) Unwrap() error { return e.Err }

// Apply returns v after the ops, in their order. If one is refused nothing is changed: the value returned is v, and the error is
// an [*OpError]. Each op costs O(log n) in the containers on its path, and what it puts in; a permutation costs O(n). No op
// may leave a value of more than [MaxDepth] levels, not even where v has more already: a peer could not read it.
func Apply(v Value, ops []Op) (Value, error) {
	out := v
	for i := range ops {
		next, err := applyOne(out, &ops[i])
		if err != nil {
			return v, &OpError{i, ops[i], err}
		}
		out = next
	}
	return out, nil
}

func applyOne(v Value, o *Op) (Value, error) {
	if err := o.check(); err != nil {
		return Value{}, err
	}
	if o.Code == OpReplace {
		return o.Value, nil
	}
	out, err := applyAt(v, o.Path, o)
	if err == nil && out.Depth() > MaxDepth {
		err = fmt.Errorf("%w: it leaves %d levels", ErrDepth, out.Depth())
	}
	return out, err
}

// check refuses what no value could take.
func (o *Op) check() error {
	if len(o.Path) > MaxDepth {
		return fmt.Errorf("%w: a path of %d segments", ErrDepth, len(o.Path))
	}
	if slices.ContainsFunc(o.Path, Segment.reserved) {
		return ErrReserved
	}
	depth := len(o.Path)
	switch o.Code {
	case OpReplace:
		if len(o.Path) > 0 {
			return opError("a replace has no path")
		}
		depth += o.Value.Depth()
	case OpSet:
		depth += o.Value.Depth()
	case OpSplice:
		depth += 1 + int(listLeaf(o.Items).sum().depth)
	case OpPermute:
		if !isPermutation(o.Perm) {
			return ErrPerm
		}
	case OpDelete, OpAppend, OpTruncate:
	default:
		return opError("unknown code %q", byte(o.Code))
	}
	if depth > MaxDepth {
		return fmt.Errorf("%w: it would make %d levels", ErrDepth, depth)
	}
	if len(o.Path) == 0 && o.Code != OpReplace && o.Code != OpSplice && o.Code != OpPermute {
		return ErrPath
	}
	if o.N < 0 || o.Remove < 0 {
		return fmt.Errorf("%w: a negative number", ErrRange)
	}
	return nil
}

func isPermutation(perm []int) bool {
	seen := make([]bool, len(perm))
	for _, n := range perm {
		if n < 0 || n >= len(perm) || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// applyAt returns v with the op applied, of whose path only rest is still to be walked.
func applyAt(v Value, rest Path, o *Op) (Value, error) {
	if len(rest) == 0 {
		return applyTarget(v, o)
	}
	seg := rest[0]
	switch v.Kind() {
	case KindList:
		if !seg.IsIndex() {
			return Value{}, fmt.Errorf("%w: a list has no key %q", ErrType, seg.key)
		}
		return applyElement(v.list(), seg.Index(), rest, o)
	case KindObject:
		return applyField(v, seg.fieldKey(), rest, o)
	}
	return Value{}, fmt.Errorf("%w: %v of %s", ErrNoParent, seg, v.Kind())
}

func applyElement(l *listBox, i int, rest Path, o *Op) (Value, error) {
	n := l.len()
	last := len(rest) == 1
	switch {
	case last && o.Code == OpSet && i == n:
		return l.push(o.Value), nil
	case i >= n:
		return Value{}, fmt.Errorf("%w: index %d of %d", ErrRange, i, n)
	case last && o.Code == OpSet:
		return l.with(i, o.Value), nil
	case last && o.Code == OpDelete:
		return l.splice(i, 1, nil), nil
	}
	child, err := applyAt(l.at(i), rest[1:], o)
	if err != nil {
		return Value{}, err
	}
	return l.with(i, child), nil
}

func applyField(obj Value, key string, rest Path, o *Op) (Value, error) {
	switch last := len(rest) == 1; {
	case last && o.Code == OpSet:
		return obj.withField(key, o.Value), nil
	case last && o.Code == OpDelete:
		out, ok := obj.object().without(key)
		if !ok {
			return obj, nil
		}
		return out, nil
	}
	child, ok := obj.field(key)
	if !ok {
		return Value{}, fmt.Errorf("%w: no field %q", ErrNoParent, key)
	}
	child, err := applyAt(child, rest[1:], o)
	if err != nil {
		return Value{}, err
	}
	return obj.withField(key, child), nil
}

// applyTarget applies an op to the text or list that it addresses.
func applyTarget(v Value, o *Op) (Value, error) {
	want := KindText
	if o.Code == OpSplice || o.Code == OpPermute {
		want = KindList
	}
	if v.Kind() != want {
		return Value{}, fmt.Errorf("%w: %s instead of %s", ErrType, v.Kind(), want)
	}
	switch o.Code {
	case OpAppend:
		return TextValue(v.Text().Append(o.Text)), nil
	case OpTruncate:
		t := v.Text()
		return TextValue(t.Slice(min(o.N, t.Len()), t.Len())), nil
	case OpSplice:
		n := v.Len()
		at := min(o.N, n)
		return v.list().splice(at, min(o.Remove, n-at), o.Items), nil
	}
	return permute(v, o.Perm)
}

func permute(v Value, perm []int) (Value, error) {
	if v.Len() != len(perm) {
		return Value{}, fmt.Errorf("%w: of %d for a list of %d", ErrPerm, len(perm), v.Len())
	}
	old := make([]Value, 0, len(perm))
	for _, element := range v.Elements() {
		old = append(old, element)
	}
	items := make([]Value, len(perm))
	for i, n := range perm {
		items[i] = old[n]
	}
	return ListOf(items), nil
}
