package simtest

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chordsim/core/base"
	"chordsim/sim"

	"pgregory.net/rapid"
)

// FuzzSeeds is how many inputs of random bits a fuzz target starts from, FuzzDraws how many bytes rapid draws from in each,
// and FuzzDecisions how many decisions of the world each has. An input whose draws are used up before fn has all that it
// draws is skipped; a world whose decisions are used up goes on with those of its seed.
const (
	FuzzSeeds     = 8
	FuzzDraws     = 1024
	FuzzDecisions = 256
)

// Fuzz makes a fuzz target of a property of worlds. An input has two parts. The first is what [Rapid] would draw, the
// world's seed first. The second is decisions: a byte for each number that the world draws, in order (ties, plans, jitter,
// whatever is drawn from [sim.World.Rand]); a byte of zero leaves the number to the seed, any other is its highest byte.
// So fuzzing, which sees which inputs reach new code, works on plans, orders and workloads themselves.
//
// The target starts from inputs of its own, so that an empty corpus finds worlds too. Without -fuzz, go test plays those
// and the ones in testdata/fuzz.
func Fuzz(f *testing.F, fn func(*rapid.T, *sim.World), configure ...func(*sim.Config)) {
	f.Helper()
	file := flags.given(f)
	if file != nil {
		draws, decisions, err := file.input()
		if err != nil {
			f.Fatalf("simtest: %s: %v", file.name, err)
		}
		f.Add(draws, decisions) // all of the world follows from them, its plan too
	} else {
		for i := range FuzzSeeds {
			bits := base.NewRand(uint64(i)).Stream("fuzz", f.Name())
			f.Add(randomBytes(bits, FuzzDraws), steering(bits, i))
		}
	}
	name := f.Name()
	f.Fuzz(func(t *testing.T, draws, decisions []byte) {
		if file != nil && !file.has(draws, decisions) {
			t.Skip("another input than that of the repro file")
		}
		p := &property{fn: fn, configure: configure, steer: &steer{left: decisions}}
		tr := &trial{t: t, test: name}
		tr.run, tr.draws = inputOf(t.Name(), name, draws, decisions)
		tr.fromFile()
		defer func() {
			if p.last != nil && t.Failed() {
				t.Log(tr.keep(p.last))
			}
			if file != nil {
				t.Log(file.compared(p.world))
			}
		}()
		rapid.MakeFuzz(func(rt *rapid.T) { p.check(rt, tr) })(t, draws)
	})
}

func randomBytes(bits *base.Stream, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(bits.Next())
	}
	return out
}

// steering returns decisions for the input number i: the first inputs leave all or nearly all to the seed.
func steering(bits *base.Stream, i int) []byte {
	out := randomBytes(bits, FuzzDecisions)
	for at := range out {
		if bits.Below(FuzzSeeds) >= uint64(i) {
			out[at] = 0
		}
	}
	return out
}

// steer puts decisions in the place of a world's draws, as long as there are some.
type steer struct{ left []byte }

// Steer returns the number to draw.
func (s *steer) Steer(_ string, draw uint64) uint64 {
	if len(s.left) == 0 {
		return draw
	}
	b := s.left[0]
	s.left = s.left[1:]
	if b == 0 {
		return draw
	}
	return uint64(b)<<56 | draw>>8
}

// corpusHead begins the files of Go's fuzzing.
const corpusHead = "go test fuzz v1\n"

// inputOf returns the part of a target that plays an input, and the input as lines. The input is called as Go's fuzzing calls
// its file, unless it has a name already: it is one that the target starts from.
func inputOf(name, target string, draws, decisions []byte) (run string, lines []string) {
	lines = []string{fmt.Sprintf("[]byte(%q)", draws), fmt.Sprintf("[]byte(%q)", decisions)}
	sum := sha256.Sum256([]byte(corpusHead + lines[0] + "\n" + lines[1] + "\n"))
	if own, ok := strings.CutPrefix(name, target+"/"); ok && own != "" {
		return name, lines
	}
	return target + "/" + fmt.Sprintf("%x", sum)[:16], lines
}

// input reads the input of a fuzz target out of a repro file.
func (g *given) input() (draws, decisions []byte, err error) {
	if len(g.Draws) != 2 {
		return nil, nil, fmt.Errorf("it has no input of a fuzz target, which are two lines of draws")
	}
	for i, part := range []*[]byte{&draws, &decisions} {
		line := g.Draws[i]
		if len(line) < len(`[]byte("")`) || line[:len("[]byte(")] != "[]byte(" || line[len(line)-1] != ')' {
			return nil, nil, fmt.Errorf("line %d of its draws is not []byte(\"…\")", i+1)
		}
		text, err := strconv.Unquote(line[len("[]byte(") : len(line)-1])
		if err != nil {
			return nil, nil, fmt.Errorf("line %d of its draws is not []byte(\"…\")", i+1)
		}
		*part = []byte(text)
	}
	return draws, decisions, nil
}

func (g *given) has(draws, decisions []byte) bool {
	a, b, err := g.input()
	return err == nil && slices.Equal(a, draws) && slices.Equal(b, decisions)
}
