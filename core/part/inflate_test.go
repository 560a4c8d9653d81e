package part

import (
	"bytes"
	stdflate "compress/flate"
	"fmt"
	"io"
	"testing"

	"chordsim/core/base"
)

func TestInflateHandMade(t *testing.T) {
	for _, c := range handMades() {
		t.Run(c.name, func(t *testing.T) {
			var i Inflater
			raw, err := i.Inflate(c.part, handMadeLimit)
			wantInflated(t, raw, err, c)
			checkInflate(t, c.part)
		})
	}
}

func wantInflated(t *testing.T, raw []byte, err error, c handMade) {
	t.Helper()
	switch {
	case base.CodeOf(err) != c.code:
		t.Errorf("% x: %d bytes, %v, want code %v", clip(c.part), len(raw), err, c.code)
	case err == nil && string(raw) != c.raw:
		t.Errorf("% x: %d bytes, want %d: %q", clip(c.part), len(raw), len(c.raw), clip(raw))
	case err != nil && raw != nil:
		t.Errorf("% x: %v, and %d bytes all the same", clip(c.part), err, len(raw))
	}
}

// clip keeps messages short.
func clip(b []byte) []byte { return b[:min(len(b), 40)] }

// TestInflateLimit inflates zeros to the limit and a byte beyond it, where the limit ends, and with sizes that lie.
func TestInflateLimit(t *testing.T) {
	const limit = 256 * base.KiB
	var d Deflater
	var i Inflater
	atLimit, ok := d.Append(nil, make([]byte, limit))
	over, ok2 := d.Append(nil, make([]byte, limit+1))
	if !ok || !ok2 {
		t.Fatal("zeros are not deflated")
	}
	_, stream, err := split(over)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		part  []byte
		limit int
		code  base.Code
	}{
		{"at the limit", atLimit, limit, base.CodeNone},
		{"a byte more", over, limit, base.CodeLimit},
		{"a limit one byte lower", atLimit, limit - 1, base.CodeLimit},
		{"no limit given", atLimit, 0, base.CodeLimit},
		{"a negative limit", atLimit, -1, base.CodeLimit},
		{"declares a byte less than it gives", withSize(limit, stream), limit, base.CodeProtocol},
		{"declares a byte more than it gives", withSize(limit+2, stream), limit + 2, base.CodeProtocol},
		{"declares nothing", withSize(0, stream), limit, base.CodeProtocol},
		{"declares what no stream gives", withSize(64*base.MiB, stream), 64 * base.MiB, base.CodeProtocol},
	} {
		raw, err := i.Inflate(c.part, c.limit)
		if got := base.CodeOf(err); got != c.code {
			t.Errorf("%s: %v, want code %v", c.name, err, c.code)
		}
		if err == nil && !bytes.Equal(raw, make([]byte, c.limit)) {
			t.Errorf("%s: %d bytes that are not all zeros of %d", c.name, len(raw), c.limit)
		}
	}
	if got, want := i.Stats(), (Stats{Parts: 1, RawBytes: limit, PartBytes: uint64(len(atLimit)), Refused: 8}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

// TestInflateSaysWhere keeps the errors readable: what is wrong with a part, and at which byte of it.
func TestInflateSaysWhere(t *testing.T) {
	parts := map[string][]byte{}
	for _, c := range handMades() {
		parts[c.name] = c.part
	}
	var i Inflater
	for name, want := range map[string]string{
		"bomb-over-limit":     "chord: limit: deflated part: declares 1290001 bytes, the limit is 1048576",
		"declares-impossible": "chord: protocol: deflated part: declares 67108864 bytes, which no stream of 6 gives",
		"size-long-form":      "chord: protocol: deflated part: number not in its shortest form at byte 0 of 9",
		"as-large":            "chord: protocol: deflated part: declares 9 bytes, no more than its own 9",
		"cut":                 "chord: protocol: deflated part: cut short at byte 7 of 7",
		"trailing":            "chord: protocol: deflated part: trailing bytes at byte 8 of 9",
		"less":                "chord: protocol: deflated part: gives 261 bytes, 262 are declared",
		"more":                "chord: protocol: deflated part: gives more than the 260 bytes declared",
		"kind-3":              "chord: protocol: deflated part: damaged before byte 3 of 5",
	} {
		if _, err := i.Inflate(parts[name], handMadeLimit); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestInflateForgets inflates every hand-made part behind every other one, and wants what a new Inflater gives.
func TestInflateForgets(t *testing.T) {
	var d Deflater
	long, ok := d.Append(nil, prose(20_000, "before"))
	if !ok {
		t.Fatal("prose is not deflated")
	}
	list := append(handMades(), handMade{name: "prose", part: long})
	for _, before := range list {
		for _, c := range list {
			var fresh, warm Inflater
			_, _ = warm.Inflate(before.part, handMadeLimit)
			wantRaw, wantErr := fresh.Inflate(c.part, handMadeLimit)
			raw, err := warm.Inflate(c.part, handMadeLimit)
			if !bytes.Equal(raw, wantRaw) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s behind %s: %d bytes, %v; alone: %d bytes, %v", c.name, before.name, len(raw), err, len(wantRaw), wantErr)
			}
		}
	}
}

// TestRinse writes the stream by hand that the reader is reset with.
func TestRinse(t *testing.T) {
	want := new(bitWriter).tables(true, codes{256: 1}, 257, codes{29: 1}, 30).code(0, 1).b
	if !bytes.Equal(rinse, want) {
		t.Errorf("% #x, want % #x", rinse, want)
	}
}

// TestInflateOwnBytes checks that a result is the caller's own and the part is left alone.
func TestInflateOwnBytes(t *testing.T) {
	var d Deflater
	var i Inflater
	raw := prose(20_000, "own")
	in, _ := d.Append(nil, raw)
	other, _ := d.Append(nil, prose(20_000, "another"))
	first, err := i.Inflate(in, len(raw))
	if err != nil {
		t.Fatal(err)
	}
	clear(in)
	if _, err := i.Inflate(other, len(raw)); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(first, raw) || !bytes.Equal(in, make([]byte, len(in))) {
		t.Error("a result changes with its part or with the next one")
	}
}

// TestInflateStandard reads what the standard library deflates, at each of its levels but that which makes parts larger.
func TestInflateStandard(t *testing.T) {
	var i Inflater
	for name, raw := range map[string][]byte{"prose": prose(100_000, "std"), "zeros": make([]byte, 70_000), "half noise": append(noise(40_000, "std"), make([]byte, 30_000)...)} {
		for level := stdflate.HuffmanOnly; level <= stdflate.BestCompression; level++ {
			if level == stdflate.NoCompression {
				continue
			}
			var b bytes.Buffer
			w, err := stdflate.NewWriter(&b, level)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = w.Write(raw)
			_ = w.Close()
			got, err := i.Inflate(withSize(uint64(len(raw)), b.Bytes()), len(raw))
			if err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%s, level %d: %d bytes, %v", name, level, len(got), err)
			}
		}
	}
}

// stdInflate inflates with the standard library. It returns how many bytes are behind the stream's end.
func stdInflate(stream []byte, most int) (raw []byte, behind int, err error) {
	source := bytes.NewReader(stream)
	raw, err = io.ReadAll(io.LimitReader(stdflate.NewReader(source), int64(most)))
	return raw, source.Len(), err
}
