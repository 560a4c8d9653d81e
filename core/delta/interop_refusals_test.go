package delta_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// interopRefusals is how many batches TestInteropRefusals spoils, if -interop.batches is not less.
const interopRefusals = 2000

// verdict reads a batch, in wire form or as ops, and applies it.
func verdict(v delta.Value, text, form string) (delta.Value, error) {
	var ops []delta.Op
	var err error
	if form == "wire" {
		var decoder delta.WireDecoder
		ops, err = decoder.ParseJSON([]byte(text))
	} else {
		ops, err = delta.ParseOpsJSON([]byte(text))
	}
	if err != nil {
		return delta.Null(), err
	}
	return delta.Apply(v, ops)
}

// TestInteropRefusals has both sides judge batches that were spoiled: each is refused by both, or leads both to one value.
func TestInteropRefusals(t *testing.T) {
	x := newExchange(t)
	refused, beyond := make([]int, len(refusalReasons)), 0
	n := min(interopRefusals, x.batches())
	for ; x.batch < n; x.batch++ {
		d := draws{base.NewRand(*interopSeed).Stream("interop refusals", strconv.Itoa(x.batch))}
		before := d.document()
		text, form := d.spoiledBatch(before)
		after, err := verdict(before, text, form)
		a := x.peer.ask("judge", "base", before.String(), "text", quote(text), "form", quote(form))
		what := fmt.Sprintf("%s %s on %v", form, text, before)
		switch {
		case a.Error != "":
			x.fail("the peer failed at "+what, a.Error, "a verdict")
		case err != nil && a.Refused != "":
			reason := reasonOf(err)
			if reason < 0 {
				x.fail(what, err.Error(), "one of refusalReasons")
			}
			refused[reason]++
		case err != nil && hasBeyond(text):
			beyond++ // see TestInteropDifferences
		case err != nil:
			x.fail(what, "taken by the peer: "+string(a.Value), "refused here: "+err.Error())
		case a.Refused != "":
			x.fail(what, "refused by the peer: "+a.Refused, "taken here: "+after.String())
		default:
			x.value(what, a.Value, after)
		}
	}
	report, all := "", 0
	for i, reason := range refusalReasons {
		report += fmt.Sprintf("\n%6d %s", refused[i], reason.name)
		all += refused[i]
		if refused[i] == 0 && n >= 1000 {
			t.Errorf("nothing was refused as %q", reason.name)
		}
	}
	t.Logf("seed %d: of %d spoiled batches both take %d, %d have a number that only the peer takes, both refuse %d:%s",
		*interopSeed, n, n-all-beyond, beyond, all, report)
}

// refusalReasons are what this package may say to a spoiled batch. Only the limits, ErrDepth and ErrLimit, are not among them.
var refusalReasons = []struct {
	name string
	is   func(error) bool
}{
	{"no JSON", func(err error) bool { var syntax *delta.SyntaxError; return errors.As(err, &syntax) }},
	{"not an op", is(delta.ErrOp)},
	{"reserved segment", is(delta.ErrReserved)},
	{"empty path", is(delta.ErrPath)},
	{"nothing there to change", is(delta.ErrNoParent)},
	{"not the kind of value", is(delta.ErrType)},
	{"out of range", is(delta.ErrRange)},
	{"not a permutation", is(delta.ErrPerm)},
	{"unknown path id", is(delta.ErrUnknownID)},
	{"no previous path", is(delta.ErrNoPrevious)},
}

func is(sentinel error) func(error) bool {
	return func(err error) bool { return errors.Is(err, sentinel) }
}

// reasonOf returns the index of the reason, -1 if there is none.
func reasonOf(err error) int {
	for i, reason := range refusalReasons {
		if reason.is(err) {
			return i
		}
	}
	return -1
}

// hasBeyond reports whether a tuple of the batch has an integer from 2^53 on where an index, count or id may stand, or a
// number is no double: these we refuse.
func hasBeyond(text string) bool {
	batch, err := delta.ParseJSON([]byte(text))
	if err != nil {
		return true
	}
	large := func(v delta.Value) bool { return v.Number() >= 1<<53 }
	for _, tuple := range batch.Elements() {
		for _, arg := range tuple.Elements() {
			if large(arg) {
				return true
			}
			for _, segment := range arg.Elements() {
				if large(segment) {
					return true
				}
			}
		}
	}
	return false
}
