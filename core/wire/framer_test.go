package wire

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"chordsim/core/base"
)

// However a stream is cut, the same chunks come out.
func TestFramerTakesAnySegmentation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunks := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 300), 0, 20).Draw(t, "chunks")
		var stream []byte
		for _, c := range chunks {
			stream = AppendFrame(stream, c)
		}
		var f Framer
		var got [][]byte
		for len(stream) > 0 {
			n := rapid.IntRange(1, len(stream)).Draw(t, "piece")
			piece := bytes.Clone(stream[:n])
			err := f.Feed(piece, func(c []byte) error { got = append(got, c); return nil })
			if err != nil {
				t.Fatal(err)
			}
			clear(piece) // the framer has kept no view of it
			stream = stream[n:]
		}
		if err := f.End(); err != nil {
			t.Fatalf("at the end of a whole stream: %v", err)
		}
		if len(got) != len(chunks) {
			t.Fatalf("%d chunks came out of %d", len(got), len(chunks))
		}
		for i := range got {
			if !bytes.Equal(got[i], chunks[i]) {
				t.Fatalf("chunk %d is % x, want % x", i, got[i], chunks[i])
			}
		}
	})
}

func TestFramerRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		stream []byte
		code   base.Code
	}{
		"a chunk over the limit":         {AppendFrame(nil, make([]byte, MaxFrame+1)), base.CodeLimit},
		"a length over the limit":        {[]byte{0xff, 0xff, 0xff, 0x7f}, base.CodeLimit},
		"a length of many bytes":         {[]byte{0x80, 0x80, 0x80}, base.CodeLimit},
		"a length not in shortest form":  {[]byte{0x81, 0x00}, base.CodeProtocol},
		"an empty chunk":                 {[]byte{0x00}, base.CodeProtocol},
		"a stream that ends in a chunk":  {[]byte{0x05, 1, 2}, base.CodeProtocol},
		"a stream that ends in a length": {[]byte{0x85}, base.CodeProtocol},
	} {
		var f Framer
		err := f.Feed(c.stream, func([]byte) error { return nil })
		if err == nil {
			err = f.End()
		}
		if base.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want code %v", name, err, c.code)
		}
		if again := f.Feed([]byte{1, 1}, func([]byte) error { t.Errorf("%s: a chunk after the error", name); return nil }); again != err {
			t.Errorf("%s: then %v, want the same error", name, again)
		}
	}
}

func TestFramerStopsAtAnErrorOfTheCallee(t *testing.T) {
	stop := errors.New("stop")
	var f Framer
	calls := 0
	err := f.Feed(AppendFrame(AppendFrame(nil, []byte("a")), []byte("b")), func([]byte) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("%v after %d calls, want %v after 1", err, calls, stop)
	}
}

// The length is looked at before memory is taken.
func TestFramerTakesNoMemoryForWhatIsTooLong(t *testing.T) {
	stream := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	got := testing.AllocsPerRun(10, func() {
		var f Framer
		f.Feed(stream, func([]byte) error { return nil })
	})
	if got > 6 { // the error
		t.Errorf("%v allocations", got)
	}
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, uint8(1))
	f.Add(AppendFrame(nil, make([]byte, 200)), uint8(7))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		var whole, pieces Framer
		var a, b [][]byte
		errA := whole.Feed(stream, func(c []byte) error { a = append(a, c); return nil })
		var errB error
		for rest := stream; len(rest) > 0; {
			n := min(len(rest), int(step)+1)
			errB = pieces.Feed(rest[:n], func(c []byte) error { b = append(b, c); return nil })
			rest = rest[n:]
		}
		if len(a) != len(b) || (errA == nil) != (errB == nil) {
			t.Fatalf("whole: %d chunks, %v; in pieces of %d: %d chunks, %v", len(a), errA, step+1, len(b), errB)
		}
		for i := range a {
			if !bytes.Equal(a[i], b[i]) || len(a[i]) > MaxFrame {
				t.Fatalf("chunk %d differs or is too long", i)
			}
		}
	})
}
