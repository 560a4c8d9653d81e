package main

import (
	"testing"

	"chordsim/core/delta"
	"chordsim/core/wire"
)

// codecCases are all messages that are timed, by their ids.
func codecCases(t *testing.T, c wire.Codec) map[string]wireCodec {
	t.Helper()
	cases := map[string]wireCodec{
		"hold1000": snapshotCodec(c, notesList()), "hold500k": snapshotCodec(c, notes500KB()),
		"call": callCodec(c), "result": resultCodec(c), "call1mib": mebibyteCodec(c),
	}
	for i := range wireEdits {
		m, err := editCodec(c, &wireEdits[i])
		if err != nil {
			t.Fatal(err)
		}
		cases[wireEdits[i].id] = m
	}
	return cases
}

// editOps is what the measured edit is, made without a codec.
func editOps(t *testing.T, edit *wireEdit) string {
	t.Helper()
	value, ops := notesList(), []delta.Op(nil)
	for i := range wireWarm + 1 {
		d := delta.NewDraft(value)
		if err := edit.change(d, i); err != nil {
			t.Fatal(err)
		}
		value, ops = d.Commit()
	}
	return string(delta.AppendOpsJSON(nil, ops))
}

// TestDecodesGiveWhatWasEncoded wants a decode to end with the values that were encoded, again and again.
func TestDecodesGiveWhatWasEncoded(t *testing.T) {
	values := map[string]delta.Value{
		"hold1000": notesList(), "hold500k": notes500KB(), "call": delta.Int(wireArg), "result": delta.Int(wireReply),
	}
	ops := map[string]string{}
	for i := range wireEdits {
		ops[wireEdits[i].id] = editOps(t, &wireEdits[i])
	}
	for _, c := range wireCodecs {
		cases := codecCases(t, c)
		for _, id := range sortedIDs(cases) {
			m := cases[id]
			message := m.encode()
			for range 3 {
				*m.got = wireDecoded{}
				if err := m.decode(message); err != nil {
					t.Fatalf("%s, %s: %v", id, c, err)
				}
				if string(m.encode()) != string(message) {
					t.Errorf("%s, %s: the same is encoded otherwise the next time", id, c)
				}
			}
			if want, ok := values[id]; ok && !m.got.value.Equal(want) {
				t.Errorf("%s, %s: decoded %.60s", id, c, m.got.value)
			}
			if want, ok := ops[id]; ok && string(delta.AppendOpsJSON(nil, m.got.ops)) != want {
				t.Errorf("%s, %s: decoded %s, want %s", id, c, delta.AppendOpsJSON(nil, m.got.ops), want)
			}
			if id == "call1mib" && (len(m.got.bytes) != 1 || len(m.got.bytes[0]) != mebibyte || &m.got.bytes[0][mebibyte-1] != &message[len(message)-1]) {
				t.Errorf("%s, %s: the bytes are no view of the message's end", id, c)
			}
			if err := m.decode(message[:len(message)/2]); err == nil {
				t.Errorf("%s, %s: half a message is decoded", id, c)
			}
		}
	}
}

// walk goes to every value and returns how many there are, texts and keys by their bytes.
func walk(v delta.Value) int {
	n := 1
	switch v.Kind() {
	case delta.KindText:
		s, _ := v.Text().UTF8()
		n += len(s)
	case delta.KindList:
		for _, item := range v.Elements() {
			n += walk(item)
		}
	case delta.KindObject:
		for key, field := range v.Fields() {
			n += len(key) + walk(field)
		}
	}
	return n
}

// TestDecodesAreWhole wants nothing to be left for later: what was decoded is walked to its last value without an allocation.
func TestDecodesAreWhole(t *testing.T) {
	for _, c := range wireCodecs {
		for _, value := range []delta.Value{notesList(), notes500KB()} {
			m := snapshotCodec(c, value)
			message := m.encode()
			want := walk(value)
			var fresh [11]delta.Value // each is walked for the first time
			for i := range fresh {
				if err := m.decode(message); err != nil {
					t.Fatal(err)
				}
				fresh[i] = m.got.value
			}
			i := 0
			allocs := testing.AllocsPerRun(len(fresh)-1, func() {
				if got := walk(fresh[i]); got != want {
					t.Errorf("%s: walked %d, want %d", c, got, want)
				}
				i++
			})
			if allocs != 0 {
				t.Errorf("%s: a walk through what was decoded allocates %v times", c, allocs)
			}
		}
	}
}
