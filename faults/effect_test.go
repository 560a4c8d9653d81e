package faults_test

import (
	"encoding/json"
	"testing"

	"chordsim/faults"
)

func TestEffectNone(t *testing.T) {
	for _, e := range []faults.Effect{{Messages: 1}, {Bytes: 1}, {Connections: 1}, {Turns: 1}, {Writes: 1}, {Hosts: 1}, {Clock: 1}} {
		if e.None() {
			t.Errorf("%+v is an effect", e)
		}
	}
	if e := (faults.Effect{Fault: "x", Kind: "y", Fired: 3, Why: "z"}); !e.None() {
		t.Errorf("%+v is none", e)
	}
	text, err := json.Marshal(faults.Effect{Fault: "at 0s reset tab", Kind: "reset", Fired: 1})
	if want := `{"fault":"at 0s reset tab","kind":"reset","fired":1,"messages":0,"bytes":0,"connections":0,"turns":0}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}
