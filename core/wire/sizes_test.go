package wire

import (
	"bytes"
	"testing"

	"chordsim/core/delta"
)

// provider encodes the changes of a document for one hold, as a host does.
type provider struct {
	dict  Dict
	known Told
	value delta.Value
	rev   uint64
}

// chunk returns the chunk of a state message with the next commit.
func (p *provider) chunk(t *testing.T, origin uint64, change func(d *delta.Draft) error) []byte {
	t.Helper()
	draft := delta.NewDraft(p.value)
	if err := change(draft); err != nil {
		t.Fatal(err)
	}
	value, ops := draft.Commit()
	var used Used
	s := Section{Base: p.rev, Span: 1, Ops: AppendOps(nil, ops, &p.dict, &p.known, &used)}
	p.value, p.rev = value, p.rev+1
	return s.Append(Binary, AppendEntry(Binary, Header{Type: TypeState, Origin: origin}.Append(Binary, nil), 0), false)
}

func newProvider(t *testing.T) *provider {
	v, err := delta.FromGo(map[string]any{"reply": "", "count": 0, "entries": []any{1, 2, 3, 4, 5, 6, 7, 8, 9}})
	if err != nil {
		t.Fatal(err)
	}
	return &provider{value: v, rev: 40}
}

func wantChunk(t *testing.T, why string, chunk []byte, atMost int, golden string) {
	t.Helper()
	t.Logf("%s: %d bytes", why, len(chunk))
	if len(chunk) > atMost {
		t.Errorf("%s: %d bytes, at most %d", why, len(chunk), atMost)
	}
	if want := unhex(t, golden); !bytes.Equal(chunk, want) {
		t.Errorf("%s: % x, want % x", why, chunk, want)
	}
}

func TestSizesOfStateChunks(t *testing.T) {
	p := newProvider(t)
	token := func(d *delta.Draft) error { return d.At("reply").Append(" tok") }
	wantChunk(t, "the first token", p.chunk(t, 0, token), 20, "13 00 00 28 1a 1b 01 0a 7265706c79 04 20746f6b")
	wantChunk(t, "the second, which names the path", p.chunk(t, 0, token), 20, "13 00 00 29 1a 13 01 0a 7265706c79 04 20746f6b")
	wantChunk(t, "a streamed token", p.chunk(t, 0, token), 11, "13 00 00 2a 0c 0b 04 20746f6b")
	wantChunk(t, "a streamed token of a relayed tab", p.chunk(t, 16383, token), 13, "93 ff7f 00 00 2b 0c 0b 04 20746f6b")

	field := func(n int) func(d *delta.Draft) error {
		return func(d *delta.Draft) error { return d.At("count").Set(n) }
	}
	wantChunk(t, "a changed field, new to the reader", p.chunk(t, 0, field(1234)), 16, "13 00 00 2c 16 19 01 0a 636f756e74 83 a413")
	p.chunk(t, 0, field(1))
	wantChunk(t, "a changed field", p.chunk(t, 0, field(1234)), 16, "13 00 00 2e 08 29 83 a413")

	remove := func(d *delta.Draft) error { return d.At("entries").Splice(3, 1) }
	p.chunk(t, 0, remove)
	p.chunk(t, 0, remove)
	wantChunk(t, "a removed item, by splice", p.chunk(t, 0, remove), 12, "13 00 00 31 08 4d 03 01 00")
	del := func(d *delta.Draft) error { return d.At("entries", 2).Delete() }
	p.chunk(t, 0, del)
	p.chunk(t, 0, del)
	wantChunk(t, "a removed item, by delete", p.chunk(t, 0, del), 12, "13 00 00 34 02 6a")
}

func TestSizesOfCalls(t *testing.T) {
	arg := AppendValue(nil, delta.Int(1234))
	call := Call{Hold: 3, ID: 20, Method: 1, Args: arg}.Append(Binary, Header{Type: TypeCall}.Append(Binary, nil))
	wantChunk(t, "a call with a small integer", call, 10, "09 03 14 04 83 a413")
	result := Result{ID: 20, Value: AppendValue(nil, delta.Int(42))}.Append(Binary, Header{Type: TypeResult}.Append(Binary, nil))
	wantChunk(t, "its result", result, 5, "10 14 00 2a")
	result = Result{ID: 20}.Append(Binary, Header{Type: TypeResult, Ack: 17}.Append(Binary, nil))
	wantChunk(t, "a result of null with an ack", result, 5, "30 11 14 00")
	credit := Credit{State: 1}.Append(Binary, Header{Type: TypeCredit}.Append(Binary, nil))
	wantChunk(t, "a credit", credit, 2, "0b 01")
}

func TestAnOriginTakesTwoBytesAtMost(t *testing.T) {
	for _, origin := range []uint64{1, 127, 128, 4096, 16383} {
		with := Header{Type: TypeState, Origin: origin}.Append(Binary, nil)
		without := Header{Type: TypeState}.Append(Binary, nil)
		if n := len(with) - len(without); n > 2 {
			t.Errorf("origin %d takes %d bytes", origin, n)
		}
	}
}
