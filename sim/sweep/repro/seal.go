package repro

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Seal says what a file's run was when the file was written, so that one that somebody edited is not taken for the recorded run.
// Each is the first 16 hexadecimal digits of a SHA-256. The zero value is no seal.
type Seal struct {
	Run      string `json:"run"` // scenario, settings, seed
	Plan     string `json:"plan"`
	Workload string `json:"workload"`
}

func (f *File) seal() Seal {
	parts := append([]string{f.Scenario, strconv.FormatUint(f.Seed, 10)}, f.Settings...)
	return Seal{Run: digest(strings.Join(parts, "\x00")), Plan: digest(f.Plan), Workload: digest(f.Workload.String())}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// Edited lists what was changed of the run since the file was written: its settings or seed, its plan, its workload. It is empty
// for a file without a seal.
func (f *File) Edited() []string {
	if f.Seal == (Seal{}) {
		return nil
	}
	now := f.seal()
	var list []string
	for _, x := range []struct{ what, was, is string }{
		{"scenario, settings or seed", f.Seal.Run, now.Run}, {"plan", f.Seal.Plan, now.Plan}, {"workload", f.Seal.Workload, now.Workload},
	} {
		if x.was != x.is {
			list = append(list, x.what)
		}
	}
	return list
}
