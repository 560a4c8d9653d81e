package delta

// Code says what an op does. Its value is the letter that stands for it in JSON.
type Code uint8

// The ops. Where a path is needed it is not empty, except for a splice and a permutation, which may address the root.
const (
	OpReplace  Code = 'r' // Value becomes the whole value
	OpSet      Code = 's' // Value becomes the field or element at Path; an index may be the length, which appends
	OpDelete   Code = 'd' // the field (if there is one) or the element at Path is removed
	OpAppend   Code = 'a' // Text is appended to the text at Path
	OpTruncate Code = 't' // N units are dropped from the front of the text at Path, all if there are fewer
	OpSplice   Code = 'p' // in the list at Path, Remove elements from N on give way to Items; both are clamped
	OpPermute  Code = 'm' // the list at Path becomes new[i] = old[Perm[i]]
)

// String returns the letter.
func (c Code) String() string { return string(rune(c)) }

// MaxOps is how many ops a batch has at most when it is produced here. Whoever has more to say sends one replace instead. A
// batch that comes from a peer may be longer.
const MaxOps = 4096

// Op is one change. Only the fields that its code names have a meaning; the others are zero. An op is immutable once it
// was handed to somebody.
type Op struct {
	Code   Code
	Path   Path
	Value  Value   // of a replace or set
	Text   Text    // of an append
	N      int     // UTF-16 units of a truncate; the index of a splice
	Remove int     // elements that a splice removes
	Items  []Value // that a splice puts in
	Perm   []int   // of a permutation: a bijection of the list's indexes
}

// Replace returns the op that makes v the whole value.
func Replace(v Value) Op { return Op{Code: OpReplace, Value: v} }

// Size returns an estimate of the bytes that the op takes in a batch, by the measure of [Value.Size].
func (o Op) Size() int {
	size := 1
	for _, s := range o.Path {
		size += 1 + len(s.key)
	}
	switch o.Code {
	case OpReplace, OpSet:
		size += o.Value.Size()
	case OpAppend:
		size += o.Text.EncodedLen() + 1
	case OpTruncate:
		size += 2
	case OpSplice:
		size += 3 + listLeaf(o.Items).sum().size
	case OpPermute:
		size += 1 + 2*len(o.Perm)
	}
	return size
}

// String returns the op as a JSON tuple, such as ["s",["count"],1].
func (o Op) String() string { return string(o.appendJSON(nil)) }
