package delta

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNumberModel reads number literals as strconv does. One that JavaScript would read as an infinity is refused by an error that
// says where and why, wherever it stands.
func TestNumberModel(t *testing.T) {
	tooLarge := 0
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.OneOf(
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?`),
			rapid.Map(rapid.Float64(), func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }).Filter(func(s string) bool { return json.Valid([]byte(s)) }),
			rapid.SampledFrom([]string{"1e999", "-1e999", "1e309", "1.7976931348623159e308", "1" + strings.Repeat("0", 400), "1e-999", "4.9e-324", "1.7976931348623157e308"}),
		).Draw(t, "literal")
		want, err := strconv.ParseFloat(literal, 64)
		before, after := `{"a":[1,`, `]}`
		v, got := ParseJSON([]byte(before + literal + after))
		if math.IsInf(want, 0) {
			tooLarge++
			var syntax *SyntaxError
			if !errors.As(got, &syntax) || syntax.Offset != len(before) || !strings.Contains(got.Error(), "too large") || !v.IsNull() {
				t.Fatalf("%s: %v (%v), want an error at byte %d that says that it is too large", literal, v, got, len(before))
			}
			_, got = ParseOpsJSON([]byte(`[["s",["a"],` + literal + `]]`))
			if !errors.As(got, &syntax) || !strings.Contains(got.Error(), "too large") {
				t.Fatalf("%s in an op: %v", literal, got)
			}
			return
		}
		if err != nil || got != nil {
			t.Fatalf("%s: %v, strconv says %v", literal, got, err)
		}
		n, _ := v.At("a", 1)
		if math.Float64bits(n.Number()) != math.Float64bits(want) && !(want == 0 && n.Number() == 0) {
			t.Fatalf("%s is read as %v, want %v", literal, n.Number(), want)
		}
		// What is written is read as the same double, minus zero apart.
		if back, err := strconv.ParseFloat(n.String(), 64); err != nil || back != want {
			t.Fatalf("%s is written as %v", literal, n)
		}
	})
	if tooLarge == 0 {
		t.Error("no literal was too large")
	}
}
