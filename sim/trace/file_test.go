package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"chordsim/sim/trace"
)

func TestFileHoldsEverything(t *testing.T) {
	list := night()
	file := written(t, nightHeader, list)
	h, got, end, err := readAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(h, nightHeader) || !reflect.DeepEqual(end, trace.FileEnd{Events: int64(len(list)), Hash: nightHash, Verdict: nightVerdict}) {
		t.Errorf("header %+v, end %+v", h, end)
	}
	if !reflect.DeepEqual(got, list) {
		t.Errorf("read\n%+v, want\n%+v", got, list)
	}
	if again := written(t, nightHeader, list); !bytes.Equal(again, file) {
		t.Error("the same events give another file")
	}
}

// What is too long or not UTF-8 is shortened or replaced, and never keeps a file from being read.
func TestFileTakesWhatItMustNot(t *testing.T) {
	long := strings.Repeat("é", trace.MaxText)
	h := trace.FileHeader{Scenario: long, Settings: make([]string, 2*trace.MaxSettings), Build: "\xff"}
	e := trace.Event{Kind: trace.KindNote, What: long, Note: long, World: "\xff", Holds: make([]trace.Hold, 2*trace.MaxHolds)}
	for i := range e.Holds {
		e.Holds[i] = trace.Hold{ID: uint64(i), Object: fmt.Sprint(i, long)}
	}
	h, list, _, err := readAll(written(t, h, []trace.Event{e, e}))
	if err != nil || len(list) != 2 || len(h.Settings) != trace.MaxSettings || h.Build != "\uFFFD" {
		t.Fatalf("%d events, %d settings, build %q, error %v", len(list), len(h.Settings), h.Build, err)
	}
	for _, e := range list {
		if len(e.Holds) != trace.MaxHolds || len(e.Note) > trace.MaxText || !strings.HasSuffix(e.Note, "é…") || e.World != "\uFFFD" {
			t.Errorf("%d holds, a note of %d bytes, world %q", len(e.Holds), len(e.Note), e.World)
		}
	}
}

// packed returns what a trace file has inside, packed again.
func packed(t testing.TB, inside string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(inside), nil)
}

func TestFileErrorsSayWhatAndWhere(t *testing.T) {
	head := "chordsim trace 2\n" + "\x08h\x01s\x07\x00\x00\x00\x00"
	event := "\x06e\x06\x00\x02\x00\x00"                               // a note after 1 ns, without a text
	end := "\x0ez\x01\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x00\x00" // of one event
	if _, list, _, err := readAll(packed(t, head+event+end)); err != nil || len(list) != 1 {
		t.Fatalf("%d events, error %v", len(list), err)
	}
	whole := written(t, nightHeader, night())
	bad := bytes.Clone(whole)
	bad[len(bad)-1] ^= 1 // the checksum
	var abandoned bytes.Buffer
	w := trace.NewFileWriter(&abandoned, nightHeader)
	w.Event(night()[0])
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "not a trace: it is empty"},
		{"text", []byte("        time (s)  kind"), "not a trace: it is not compressed by zstd"},
		{"two bytes", whole[:2], "not a trace: it is not compressed by zstd"},
		{"packed text", packed(t, "hello, this is something else"), "not a trace: it is compressed, and of something else"},
		{"packed nothing", packed(t, ""), "not a trace: it is compressed, and of something else"},
		{"version", packed(t, "chordsim trace 1\nand what follows"), `a trace of version "1", this build reads version 2`},
		{"magic alone", packed(t, head[:17]), "cut short before the first event"},
		{"no header", packed(t, head[:17]+event), "damaged at byte 17 of what is compressed, before the first event: no header"},
		{"header with more", packed(t, head[:17]+"\x09h\x01s\x07\x00\x00\x00\x00\x00"),
			"damaged at byte 17 of what is compressed, before the first event: bytes that nothing explains"},
		{"settings", packed(t, head[:17]+"\x08h\x01s\x07\x41\x00\x00\x00"),
			"damaged at byte 17 of what is compressed, before the first event: 65 settings, at most 64"},
		{"no events", packed(t, head), "cut short before the first event"},
		{"no end", packed(t, head+event), "cut short at or behind event 1 (1ns)"},
		{"abandoned", abandoned.Bytes(), "cut short at or behind event 1 (0s)"},
		{"half an event", packed(t, head+event+event[:4]), "cut short at or behind event 1 (1ns)"},
		{"kind", packed(t, head+event+"\x06e\x09\x00\x02\x00\x00"),
			"damaged at byte 33 of what is compressed, at or behind event 2 (1ns): an event of unknown kind"},
		{"flags", packed(t, head+"\x07e\x06\x80\x04\x02\x00\x00"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (0s): fields that this build does not know"},
		{"time", packed(t, head+"\x06e\x06\x00\x01\x00\x00"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (-1ns): a time before the start"},
		{"text number", packed(t, head+"\x05e\x06\x00\x02\x01"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (1ns): text number 1 of 0"},
		{"no UTF-8", packed(t, head+"\x07e\x06\x00\x02\x00\x01\xff"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (1ns): a text that is not UTF-8"},
		{"long text", packed(t, head+"\x07e\x06\x00\x02\x00\x81\x20"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (1ns): a text of 4097 bytes, at most 4096"},
		{"short record", packed(t, head+"\x06e\x06\x00\x02\x00\x05"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (1ns): a record that is too short"},
		{"holds", packed(t, head+"\x07e\x06\x40\x02\x00\x00\x09"),
			"damaged at byte 26 of what is compressed, at or behind event 1 (1ns): 9 holds, at most 8"},
		{"record", packed(t, head+"\x80\x80\x80\x08"),
			"damaged at byte 26 of what is compressed, before the first event: a record of 16777216 bytes, at most 797696"},
		{"tag", packed(t, head+"\x01q"),
			"damaged at byte 26 of what is compressed, before the first event: a record of unknown kind 0x71"},
		{"number of events", packed(t, head+event+event+end),
			"damaged at byte 40 of what is compressed, at or behind event 2 (2ns): the end says 1 events"},
		{"behind the end", packed(t, head+event+end+"x"),
			"damaged at byte 48 of what is compressed, at or behind event 1 (1ns): bytes behind the end"},
		{"ended", packed(t, head+event+"\x0ez\x01\x01\x02\x03\x04\x05\x06\x07\x08\x02\x02\x00\x00"),
			"damaged at byte 33 of what is compressed, at or behind event 1 (1ns): an end that is neither"},
		{"findings", packed(t, head+event+"\x0ez\x01\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x00\x09"),
			"damaged at byte 33 of what is compressed, at or behind event 1 (1ns): 9 findings, at most 8"},
		{"frames", packed(t, head+event+"\x13z\x01\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x00\x01\x00\x01\x00\x00\x0d"),
			"damaged at byte 33 of what is compressed, at or behind event 1 (1ns): 13 frames, at most 12"},
		{"ran", packed(t, head+event+"\x17z\x01\x01\x02\x03\x04\x05\x06\x07\x08\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00"),
			"damaged at byte 33 of what is compressed, at or behind event 1 (1ns): a number that is too large"},
		{"checksum", bad, "damaged before the first event: "},
		{"cut at the end", whole[:len(whole)-1], "cut short before the first event"},
	} {
		_, _, _, err := readAll(c.file)
		if err == nil || err.Error() != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s:\n%v, want\n%s", c.name, err, c.want)
		}
		if notTrace := strings.HasPrefix(c.want, "not a trace"); notTrace != errors.Is(err, trace.ErrNotTrace) {
			t.Errorf("%s: is it a trace? %v", c.name, err)
		}
	}
}

// A verdict that is larger than a file takes is shortened, and says how much there was.
func TestFileTakesAnyVerdict(t *testing.T) {
	long := strings.Repeat("é", trace.MaxText)
	many := make([]string, 5*trace.MaxTexts)
	for i := range many {
		many[i] = long
	}
	var v trace.Verdict
	v.Find("none", nil)
	for range 2 * trace.MaxFindings {
		v.Find("violated", many)
		v.Findings[len(v.Findings)-1].Stack = many
	}
	var out bytes.Buffer
	w := trace.NewFileWriter(&out, nightHeader)
	if err := w.Close(1, v); err != nil {
		t.Fatal(err)
	}
	_, _, end, err := readAll(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := end.Verdict.Findings; len(got) != trace.MaxFindings || got[0].Count != int64(len(many)) || len(got[0].Texts) != trace.MaxTexts ||
		len(got[7].Stack) != trace.MaxStack || !strings.HasSuffix(got[7].Texts[9], "é…") {
		t.Errorf("%d findings, the first of %d with %d texts", len(got), got[0].Count, len(got[0].Texts))
	}
}

// What a process leaves behind that is killed can be read: the header at once, and all but the newest events.
func TestFileOfARunThatWasKilled(t *testing.T) {
	var out bytes.Buffer
	w := trace.NewFileWriter(&out, nightHeader)
	for n := 0; n <= 3000; n++ {
		if n%100 == 0 {
			h, list, _, err := readAll(out.Bytes())
			if !errors.Is(err, trace.ErrCut) || !reflect.DeepEqual(h, nightHeader) {
				t.Fatalf("after %d events: header %+v, error %v", n, h, err)
			}
			if lost := n - len(list); lost < 0 || lost >= 1024 {
				t.Fatalf("after %d events %d can be read", n, len(list))
			}
		}
		w.Event(trace.Event{Kind: trace.KindNote, What: fmt.Sprint("note ", n)})
	}
}

// Wherever a file is cut, or whichever byte is another, it is an error and no event that was not written.
func TestFileDamagedAnywhere(t *testing.T) {
	list := night()
	whole := written(t, nightHeader, list)
	look := func(what string, file []byte, place int) {
		_, got, _, err := readAll(file)
		if err == nil {
			t.Errorf("%s at %d of %d: no error", what, place, len(whole))
		}
		if strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s at %d: %v", what, place, err)
		}
		if len(got) > len(list) {
			t.Errorf("%s at %d: %d events", what, place, len(got))
		}
	}
	for i := range whole {
		look("cut", whole[:i], i)
		other := bytes.Clone(whole)
		other[i] ^= 0x55
		if i != 4 && i != 5 { // the frame's descriptor says, among others, whether there is a checksum; then how far it looks back
			look("changed", other, i)
		}
	}
}

// FuzzFileReader reads anything: inside a frame of its own, so that the decompressor does not stop it early, or as it is.
func FuzzFileReader(f *testing.F) {
	whole := written(f, nightHeader, night())
	r, err := zstd.NewReader(nil)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	inside, err := r.DecodeAll(whole, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(inside, true)
	f.Add(whole, false)
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte, packs bool) {
		if packs {
			b = pack.EncodeAll(b, nil)
		}
		h, list, end, err := readAll(b)
		if err != nil {
			if s := err.Error(); s == "" || strings.Contains(s, "\n") || len(s) > 300 {
				t.Fatalf("a bad error: %q", s)
			}
			return
		}
		// What was read can be written, and reads the same.
		var out bytes.Buffer
		w := trace.NewFileWriter(&out, h)
		for _, e := range list {
			w.Event(e)
		}
		if err := w.Close(end.Hash, end.Verdict); err != nil {
			t.Fatal(err)
		}
		h2, list2, end2, err := readAll(out.Bytes())
		if err != nil || !reflect.DeepEqual(h, h2) || !reflect.DeepEqual(list, list2) || !reflect.DeepEqual(end, end2) {
			t.Fatalf("read, written and read again it is another: %v\n%+v\n%+v", err, list, list2)
		}
	})
}
