package faults_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"chordsim/faults"
)

// FuzzParse: a text is a valid plan that prints and parses back, or an error about a place in the text.
func FuzzParse(f *testing.F) {
	for line := range strings.Lines(everyForm) {
		f.Add(line)
	}
	f.Add(everyForm)
	f.Add("at 2s stal tab.down for 60s\nset windw 2")
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := faults.Parse(text)
		if err != nil {
			var bad *faults.SyntaxError
			if !errors.As(err, &bad) || bad.Found == "" || bad.Expected == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			lines := strings.Split(text, "\n")
			if bad.Line < 1 || bad.Line > len(lines) || bad.Column < 1 || bad.Column > 1+utf8.RuneCountInString(lines[bad.Line-1]) {
				t.Fatalf("%q: line %d, column %d is no place in it", text, bad.Line, bad.Column)
			}
			if len(err.Error()) > 512 || strings.ContainsAny(err.Error(), "\n\r\x00") || !utf8.ValidString(err.Error()) {
				t.Fatalf("%q: the error is %q", text, err)
			}
			return
		}
		if err := plan.Validate(); err != nil {
			t.Fatalf("%q: parsed, and %v", text, err)
		}
		again, err := faults.Parse(plan.String())
		if err != nil || !reflect.DeepEqual(again, plan) || again.String() != plan.String() {
			t.Fatalf("%q prints as %q, which parses as %#v, %v", text, plan.String(), again, err)
		}
	})
}
