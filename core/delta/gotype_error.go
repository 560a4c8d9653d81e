package delta

import (
	"errors"
	"slices"
	"strings"
)

// Why a Go value and a JSON value do not become each other, besides [ErrDepth].
var (
	// ErrGoType says that the type does not match: there is no JSON of it, or the JSON value is of another kind.
	ErrGoType = errors.New("delta: no match of JSON and Go type")
	// ErrGoValue says that the value does not match though its type does: a number that is not finite, not integral or
	// out of range, text that is no base64 or no number, or an error of a method such as MarshalJSON.
	ErrGoValue = errors.New("delta: no match of JSON and Go value")
)

// maxGoPath is how many bytes of a path an error shows, beside the last step.
const maxGoPath = 256

// GoError says where in a Go value a conversion failed, and why. It wraps [ErrGoType], [ErrGoValue] or [ErrDepth], and
// the error of the value's own method if it was one.
type GoError struct {
	Path string // such as "Entries[3].At"; empty for the value itself; cut off where it is very long
	Type string // the Go type there, such as "chan int"
	Err  error

	steps []string // of the path, the last one first, while it is not complete
}

func (e *GoError) Error() string {
	where := e.Type
	if e.Path != "" {
		where = e.Path + ": " + where
	}
	return e.Err.Error() + ": " + where
}

// Unwrap returns what is wrong.
func (e *GoError) Unwrap() error { return e.Err }

// below notes one step of the way to where the error is, such as ".At" or "[3]".
func (e *GoError) below(step string) { e.steps = append(e.steps, step) }

// placed returns the error with its path, nil if there is none.
func (e *GoError) placed() error {
	if e == nil {
		return nil
	}
	var path strings.Builder
	for _, step := range slices.Backward(e.steps) {
		if path.Len()+len(step) > maxGoPath {
			path.WriteString("…")
			break
		}
		path.WriteString(step)
	}
	e.Path, e.steps = strings.TrimPrefix(path.String(), "."), nil
	return e
}
