package delta_test

import (
	"fmt"
	"strconv"
	"testing"

	"chordsim/core/base"
	"chordsim/core/delta"
)

// streamLength is how many batches a stream has; then the next begins, with a document and dictionaries of its own.
const streamLength = 25

// exchange is one test against the peer, and where it is.
type exchange struct {
	t     *testing.T
	peer  *peer
	batch int // number of the batch at hand, from 0
	order orders
}

// newExchange starts a peer. The long tests run at once: while one side works the other waits.
func newExchange(t *testing.T) *exchange {
	t.Parallel()
	return &exchange{t: t, peer: startPeer(t)}
}

// batches returns how many batches the test has.
func (x *exchange) batches() int {
	if testing.Short() && *interopBatches == 10_000 {
		return 1000
	}
	return *interopBatches
}

// fail ends the test. The last words are the command that comes to the same end.
func (x *exchange) fail(what, got, want string) {
	x.t.Helper()
	x.t.Fatalf("seed %d, batch %d: %s\n  got %s\n want %s\nagain: go test ./core/delta -run '^%s$' -interop.require -interop.seed=%d -interop.batches=%d",
		*interopSeed, x.batch, what, got, want, x.t.Name(), *interopSeed, x.batch+1)
}

// same compares two JSON texts as values, fields without regard to their order.
func (x *exchange) same(what, got, want string) {
	x.t.Helper()
	v, err := delta.ParseJSON([]byte(got))
	if err != nil {
		x.fail(what+": "+err.Error(), got, want)
	}
	w, err := delta.ParseJSON([]byte(want))
	if err != nil || !v.Equal(w) {
		x.fail(what, got, want)
	}
}

// value compares the peer's value with ours, by our reading of its text.
func (x *exchange) value(what string, theirs []byte, ours delta.Value) {
	x.t.Helper()
	v, err := delta.ParseJSON(theirs)
	if err != nil {
		x.fail(what+": "+err.Error(), string(theirs), ours.String())
	}
	if !v.Equal(ours) || v.Hash() != ours.Hash() {
		x.fail(what, string(theirs), ours.String())
	}
	x.order.count(v, ours)
}

// TestInteropGoToNode has batches made here, by drafts, by folds and op by op, read and applied by the npm package.
func TestInteropGoToNode(t *testing.T) {
	x := newExchange(t)
	var s *source
	codes := map[delta.Code]int{}
	for ; x.batch < x.batches(); x.batch++ {
		if x.batch%streamLength == 0 {
			s = newSource(t, draws{base.NewRand(*interopSeed).Stream("interop", strconv.Itoa(x.batch/streamLength))})
			x.peer.ask("start", "value", s.value.String())
		}
		ops := s.batch()
		for _, op := range ops {
			codes[op.Code]++
		}
		wire := string(s.encoder.AppendJSON(nil, ops))
		a := x.peer.ask("batch", "wire", wire)
		if a.Error != "" {
			x.fail("the peer refused "+wire, a.Error, s.value.String())
		}
		x.same("ops decoded from "+wire, string(a.Ops), string(delta.AppendOpsJSON(nil, ops)))
		x.same("ops encoded by the peer", string(a.Wire), wire)
		x.value("value after "+wire, a.Value, s.value)
	}
	x.report(codes)
}

// TestInteropNodeToGo has batches made by the npm package, half of the streams by its tracker and half by its drafts, read
// and applied here.
func TestInteropNodeToGo(t *testing.T) {
	x := newExchange(t)
	var (
		value   delta.Value
		decoder delta.WireDecoder
		encoder delta.WireEncoder
	)
	codes := map[delta.Code]int{}
	for ; x.batch < x.batches(); x.batch++ {
		var a answer
		if stream := x.batch / streamLength; x.batch%streamLength == 0 {
			value, decoder, encoder = delta.Null(), delta.WireDecoder{}, delta.WireEncoder{}
			seed := base.NewRand(*interopSeed).Stream("interop node", strconv.Itoa(stream)).Below(1 << 32)
			a = x.peer.ask([]string{"track", "produce"}[stream%2], "seed", fmt.Sprint(seed))
		} else {
			a = x.peer.ask("change")
		}
		if a.Error != "" {
			x.fail("the peer failed", a.Error, "a batch")
		}
		ops, err := decoder.ParseJSON(a.Wire)
		if err != nil {
			x.fail(fmt.Sprintf("decoding %s: %v", a.Wire, err), "no ops", string(a.Ops))
		}
		x.same(fmt.Sprintf("ops decoded from %s", a.Wire), string(delta.AppendOpsJSON(nil, ops)), string(a.Ops))
		x.same("ops encoded here", string(encoder.AppendJSON(nil, ops)), string(a.Wire))
		before := value
		if value, err = delta.Apply(before, ops); err != nil {
			x.fail(fmt.Sprintf("applying %s to %v", a.Ops, before), err.Error(), string(a.Value))
		}
		x.value(fmt.Sprintf("value after %s on %v", a.Ops, before), a.Value, value)
		for _, op := range ops {
			codes[op.Code]++
		}
	}
	x.report(codes)
}

// report says what was exchanged, and wants every op to be in it.
func (x *exchange) report(codes map[delta.Code]int) {
	counts := ""
	for _, code := range allCodes {
		counts += fmt.Sprintf(" %v %d", code, codes[code])
		if codes[code] == 0 && x.batch >= 1000 {
			x.t.Errorf("no %v in %d batches", code, x.batch)
		}
	}
	x.t.Logf("seed %d: %d batches agree; ops:%s; %v", *interopSeed, x.batch, counts, &x.order)
}
