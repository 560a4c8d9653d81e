package part

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"chordsim/core/base"
)

// inflateBudget is how many bytes of memory Inflate may take for a part: what it may declare, and a constant for the
// reader, its tables and an error.
func inflateBudget(part []byte, limit int) uint64 {
	return min(uint64(limit), MaxRatio*uint64(len(part))) + 128*base.KiB
}

// allocated returns how many bytes of memory fn takes.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkInflate checks what holds for any part: an error with a code or the right size, memory within the bound, the same
// from an Inflater that has seen others, and what the standard library makes of it.
func checkInflate(t *testing.T, part []byte) {
	t.Helper()
	var fresh Inflater
	var raw []byte
	var err error
	took := allocated(func() { raw, err = fresh.Inflate(part, handMadeLimit) })
	if budget := inflateBudget(part, handMadeLimit); took > budget {
		t.Errorf("% x: %d bytes of memory for a part of %d, at most %d", clip(part), took, len(part), budget)
	}
	size, sizeErr := Size(part)
	switch code := base.CodeOf(err); {
	case err == nil && (sizeErr != nil || len(raw) != size || size > handMadeLimit):
		t.Errorf("% x: %d bytes, declared %d (%v)", clip(part), len(raw), size, sizeErr)
	case err != nil && code != base.CodeProtocol && code != base.CodeLimit:
		t.Errorf("% x: %v", clip(part), err)
	case sizeErr != nil && fmt.Sprint(err) != fmt.Sprint(sizeErr):
		t.Errorf("% x: %v, of its size: %v", clip(part), err, sizeErr)
	}
	again, errAgain := seasoned.Inflate(part, handMadeLimit)
	if !bytes.Equal(again, raw) || fmt.Sprint(errAgain) != fmt.Sprint(err) {
		t.Errorf("% x: %v, behind other parts: %v", clip(part), err, errAgain)
	}
	if sizeErr == nil && size <= handMadeLimit {
		wantAsStandard(t, part, raw, err)
	}
}

// seasoned has seen all parts that were checked before.
var seasoned Inflater

// wantAsStandard checks that what the standard library takes is taken, and gives the same bytes. The other way round is
// not so: a part that uses a distance without a code for it may be taken (see rinse), with the right size.
func wantAsStandard(t *testing.T, part, raw []byte, err error) {
	t.Helper()
	size, stream, _ := split(part)
	std, behind, stdErr := stdInflate(stream, size+1)
	if stdErr == nil && behind == 0 && len(std) == size && (err != nil || !bytes.Equal(std, raw)) {
		t.Errorf("% x: %v, the standard library takes it", clip(part), err)
	}
}

// TestInflateDamaged cuts a part at every byte and flips each of its bits.
func TestInflateDamaged(t *testing.T) {
	raw := append(bytes.Repeat([]byte(`{"role":"user","text":"as before"},`), 600), prose(300, "damage")...)
	var d Deflater
	whole, ok := d.Append(nil, raw)
	if !ok || len(whole) > 1000 {
		t.Fatalf("%d bytes, want a part of under 1,000", len(whole))
	}
	checkInflate(t, whole)
	for n := range whole {
		checkInflate(t, whole[:n])
		if _, err := seasoned.Inflate(whole[:n], handMadeLimit); err == nil {
			t.Errorf("%d bytes of %d are taken", n, len(whole))
		}
	}
	for bit := range 8 * len(whole) {
		whole[bit/8] ^= 1 << (bit % 8)
		checkInflate(t, whole)
		whole[bit/8] ^= 1 << (bit % 8)
	}
	if _, err := seasoned.Inflate(append(whole, 0), handMadeLimit); base.CodeOf(err) != base.CodeProtocol {
		t.Errorf("with a byte more: %v", err)
	}
}
