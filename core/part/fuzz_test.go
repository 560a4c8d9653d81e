package part

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the seeds in testdata/fuzz from the hand-made parts")

// FuzzInflate inflates anything.
func FuzzInflate(f *testing.F) {
	f.Fuzz(func(t *testing.T, part []byte) { checkInflate(t, part) })
}

// deflateSeed says how the raw part of FuzzDeflate is made, so that a seed stays small: a unit, repeated, with every
// so-manieth byte changed; each fourth block of 1,024 bytes or so may be noise.
type deflateSeed struct {
	name   string
	unit   string
	size   uint32 // of the raw part; taken modulo 300,000
	change uint16 // a byte is changed each so many; 0: none
	noise  bool
}

func (s deflateSeed) raw() []byte {
	n := int(s.size % 300_000)
	unit := []byte(s.unit)
	if len(unit) == 0 {
		unit = []byte{0}
	}
	raw := bytes.Repeat(unit, n/len(unit)+1)[:n]
	random := noise(n, "fuzz")
	for at := 0; s.change > 0 && at < n; at += int(s.change) {
		raw[at] = random[at]
	}
	for at := 0; s.noise && at < n; at += 4096 {
		copy(raw[at:min(at+1024, n)], random[at:])
	}
	return raw
}

// FuzzDeflate deflates anything and inflates it again.
func FuzzDeflate(f *testing.F) {
	var d Deflater
	var i Inflater
	f.Fuzz(func(t *testing.T, unit string, size uint32, change uint16, noise bool) {
		checkRoundTrip(t, &d, &i, nil, deflateSeed{unit: unit, size: size, change: change, noise: noise}.raw())
	})
}

func deflateSeeds() []deflateSeed {
	return []deflateSeed{
		{name: "nothing"},
		{name: "at-threshold", unit: "a", size: Threshold},
		{name: "over-threshold", unit: "a", size: Threshold + 1},
		{name: "block-less-one", unit: "abc", size: 65534},
		{name: "one-block", unit: "abc", size: 65535},
		{name: "block-and-one", unit: "abc", size: 65536},
		{name: "five-blocks", unit: `{"role":"user"},`, size: 5 * 65535, change: 97},
		{name: "zeros", size: 100_000},
		{name: "every-second", unit: "ab", size: 70_000, change: 2},
		{name: "all-noise", unit: "a", size: 70_000, change: 1},
		{name: "some-noise", unit: "\x00\xff", size: 120_000, noise: true},
		{name: "far-repeats", unit: string(noise(900, "unit")), size: 40_000, change: 1000},
		{name: "utf-8", unit: "žluťoučký kůň 🐎 ", size: 30_000, change: 50},
		{name: "last-block-tiny", unit: "ab", size: 65535 + 5, change: 1},
	}
}

// TestSeeds keeps the committed seeds what the hand-made parts are: go test ./core/part -rewrite.
func TestSeeds(t *testing.T) {
	want := map[string]string{}
	for _, c := range handMades() {
		if len(c.part) < 2000 { // seeds are small
			want[filepath.Join("testdata", "fuzz", "FuzzInflate", c.name)] = fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", c.part)
		}
	}
	for _, s := range deflateSeeds() {
		want[filepath.Join("testdata", "fuzz", "FuzzDeflate", s.name)] =
			fmt.Sprintf("go test fuzz v1\nstring(%q)\nuint32(%d)\nuint16(%d)\nbool(%t)\n", s.unit, s.size, s.change, s.noise)
	}
	for path, text := range want {
		if *rewrite {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s is not what makes it (%v): run go test ./core/part -rewrite", path, err)
		}
	}
}
