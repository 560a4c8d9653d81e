package delta

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestApplyModel checks ops against the model, refusals too, and that no old revision ever changes.
func TestApplyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := drawModel(t, 3)
		v := maybePacked(t, modelValue(model))
		type revision struct {
			value Value
			json  string
		}
		var old []revision
		for range rapid.IntRange(1, 25).Draw(t, "ops") {
			op, items := drawOp(t, model)
			old = append(old, revision{v, v.String()})
			want, ok := any(nil), op.check() == nil
			if ok {
				want, ok = modelApply(model, op.Path, op, items)
			}
			got, err := Apply(v, []Op{op})
			if (err == nil) != ok {
				t.Fatalf("%v on %v: error %v, the model accepts: %v", op, v, err, ok)
			}
			if !ok {
				if got != v {
					t.Fatalf("a refused op changed the value")
				}
				continue
			}
			model, v = want, got
			wantSame(t, v, modelValue(model))
		}
		for _, r := range old {
			if now := r.value.String(); now != r.json {
				t.Fatalf("an old revision changed\nfrom %s\n  to %s", r.json, now)
			}
		}
	})
}

// wantSame checks that two values that came about differently are equal in every respect but the order of fields.
func wantSame(t *rapid.T, got, want Value) {
	t.Helper()
	switch {
	case !got.Equal(want) || !want.Equal(got):
		t.Fatalf("not equal\n got %v\nwant %v", got, want)
	case got.Hash() != want.Hash():
		t.Fatalf("hashes differ for %v and %v", got, want)
	case got.Size() != want.Size() || got.Depth() != want.Depth() || got.Len() != want.Len():
		t.Fatalf("size, depth or length differ for %v and %v", got, want)
	}
	again, err := ParseJSON(AppendJSON(nil, got))
	if err != nil || !again.Equal(want) || again.Hash() != want.Hash() {
		t.Fatalf("through JSON: %v (%v), want %v", again, err, want)
	}
	if !bytes.Equal(AppendJSON(nil, again), AppendJSON(nil, got)) {
		t.Fatalf("JSON of JSON differs: %v and %v", again, got)
	}
}
