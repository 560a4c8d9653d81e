package part

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/klauspost/compress/flate"
)

func TestDeflateThreshold(t *testing.T) {
	var d Deflater
	for _, c := range []struct {
		name string
		raw  []byte
		ok   bool
	}{
		{"nothing", nil, false},
		{"zeros at the threshold", make([]byte, Threshold), false},
		{"zeros a byte over it", make([]byte, Threshold+1), true},
		{"prose at the threshold", prose(Threshold, "at"), false},
		{"prose a byte over it", prose(Threshold+1, "over"), true},
		{"noise a byte over it", noise(Threshold+1, "over"), false},
		{"noise of many blocks", noise(300_000, "many"), false},
	} {
		wantDeflated(t, &d, c.name, c.raw, c.ok)
	}
	if s := d.Stats(); s.Parts != 2 || s.RawBytes != 2*(Threshold+1) || s.PartBytes >= s.RawBytes || s.Refused != 2 {
		t.Errorf("stats %+v", s)
	}
}

// wantDeflated deflates behind other bytes and checks what was written, and where.
func wantDeflated(t *testing.T, d *Deflater, name string, raw []byte, wantOK bool) {
	t.Helper()
	const before, guard = "before", 0xa5
	room := bytes.Repeat([]byte{guard}, len(before)+len(raw)+1000)
	dst := append(room[:0], before...)
	kept := bytes.Clone(raw)
	out, ok := d.Append(dst, raw)
	if ok != wantOK {
		t.Errorf("%s: deflated = %t, want %t", name, ok, wantOK)
	}
	if !ok && (len(out) != len(before) || &out[0] != &room[0]) {
		t.Errorf("%s: refused, and %d bytes come back that are not dst", name, len(out))
	}
	if ok && len(out)-len(before) >= len(raw) {
		t.Errorf("%s: %d bytes became %d", name, len(raw), len(out)-len(before))
	}
	if string(out[:len(before)]) != before || !bytes.Equal(raw, kept) {
		t.Errorf("%s: dst or raw is changed", name)
	}
	end := len(before) + max(len(raw)-1, 0)
	if rest := room[end:]; !bytes.Equal(rest, bytes.Repeat([]byte{guard}, len(rest))) {
		t.Errorf("%s: as many bytes as the raw part has were written", name)
	}
	if !ok {
		return
	}
	part := out[len(before):]
	if size, err := Size(part); err != nil || size != len(raw) {
		t.Errorf("%s: declares %d, %v", name, size, err)
	}
	_, stream, _ := split(part)
	if std, behind, err := stdInflate(stream, len(raw)+1); err != nil || behind != 0 || !bytes.Equal(std, raw) {
		t.Errorf("%s: the standard library reads %d bytes, %d behind the end, %v", name, len(std), behind, err)
	}
}

// TestDeflateNeverGrows goes byte by byte over the edge where deflating begins to be worth it: a block of noise, and more
// and more zeros in the next one.
func TestDeflateNeverGrows(t *testing.T) {
	var d Deflater
	const block = 65535 // what the library deflates at a time
	raw := append(noise(block, "edge"), make([]byte, 60)...)
	refused, deflated := 0, 0
	for n := block; n <= len(raw); n++ {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, level)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(raw[:n])
		_ = w.Close()
		whole := len(binary.AppendUvarint(nil, uint64(n))) + b.Len()
		out, ok := d.Append(nil, raw[:n])
		if ok != (whole < n) || ok && len(out) != whole {
			t.Errorf("%d bytes deflate to %d: taken = %t (%d bytes)", n, whole, ok, len(out))
		}
		if ok {
			deflated++
		} else {
			refused++
		}
	}
	if refused == 0 || deflated == 0 {
		t.Errorf("%d refused and %d deflated: the edge is elsewhere", refused, deflated)
	}
}

// TestDeflateForgets deflates a part behind all kinds of others and wants the same bytes.
func TestDeflateForgets(t *testing.T) {
	raw := prose(60_000, "forgets")
	want, ok := new(Deflater).Append(nil, raw)
	if !ok {
		t.Fatal("prose is not deflated")
	}
	var d Deflater
	for name, before := range map[string][]byte{
		"the same": raw, "its end": raw[30_000:], "other prose": prose(400_000, "other"), "noise": noise(200_000, "before"),
		"zeros": make([]byte, 100_000), "half noise": append(prose(90_000, "half"), noise(200_000, "half")...), "little": raw[:10],
	} {
		d.Append(nil, before)
		if got, _ := d.Append(nil, raw); !bytes.Equal(got, want) {
			t.Errorf("behind %s: %d bytes, otherwise %d", name, len(got), len(want))
		}
	}
}

// TestDeflateLongLife deflates so many parts that the places the writer counts (32 KiB and more a part) go beyond 31 bits,
// and wants the same bytes all along.
func TestDeflateLongLife(t *testing.T) {
	if testing.Short() {
		t.Skip("2 GiB of places")
	}
	raw, zeros := prose(Threshold+1, "long life"), make([]byte, Threshold+1)
	const parts = (1<<31)/(Threshold+1+32<<10) + 1000
	var d Deflater
	var want, buf []byte
	for n := range parts {
		if n%16 != 0 && n < parts-2000 {
			buf, _ = d.Append(buf[:0], zeros)
			continue
		}
		buf, _ = d.Append(buf[:0], raw)
		if want == nil {
			want = bytes.Clone(buf)
		}
		if !bytes.Equal(buf, want) {
			t.Fatalf("part %d: %d bytes, at first %d", n, len(buf), len(want))
		}
	}
}

// TestDeflateGolden pins what parts deflate to. It fails when the library compresses otherwise, which changes how long
// parts take on a link, and so every recorded run with one: then say so in the change's description and write the new
// numbers down.
func TestDeflateGolden(t *testing.T) {
	var d Deflater
	for _, c := range []struct {
		name string
		raw  []byte
		size int
		crc  uint32 // of the part
	}{
		{"prose, 16,385 bytes", prose(Threshold+1, "golden"), 6547, 0x4f43e90c},
		{"prose, 500,000 bytes", prose(500_000, "golden"), 186163, 0x1df759f6},
		{"zeros, 100,000 bytes", make([]byte, 100_000), 134, 0x43a50ce1},
		{"prose and noise, 80,000 bytes", append(prose(40_000, "golden"), noise(40_000, "golden")...), 58695, 0xd749384a},
	} {
		out, _ := d.Append(nil, c.raw)
		if crc := crc32.ChecksumIEEE(out); len(out) != c.size || crc != c.crc {
			t.Errorf("%s: %d bytes with checksum %#010x, want %d with %#010x", c.name, len(out), crc, c.size, c.crc)
		}
	}
}
