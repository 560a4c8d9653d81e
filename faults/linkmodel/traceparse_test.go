package linkmodel_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

func TestParseTraceRefuses(t *testing.T) {
	many := strings.Repeat("1\n", linkmodel.MaxTraceMarks)
	for _, c := range []struct{ why, text, want string }{
		{"empty file", "", "bad: no marks, want a whole number of milliseconds on each line"},
		{"blank lines only", "\n\n", "bad: no marks, want a whole number of milliseconds on each line"},
		{"a word", "0\nten\n", `bad:2: "ten", want a whole number of milliseconds`},
		{"a comment", "# recorded\n1\n", `bad:1: "# recorded", want a whole number of milliseconds`},
		{"negative", "-1\n", `bad:1: "-1", want a whole number of milliseconds`},
		{"sign", "+1\n", `bad:1: "+1", want a whole number of milliseconds`},
		{"fraction", "1.5\n", `bad:1: "1.5", want a whole number of milliseconds`},
		{"two columns", "1 2\n", `bad:1: "1 2", want a whole number of milliseconds`},
		{"space", "1\n 2\n", `bad:2: " 2", want a whole number of milliseconds`},
		{"binary", "1\n\x00\xff\n", `bad:2: "\x00\xff", want a whole number of milliseconds`},
		{"decreasing", "5\n7\n\n", ""},
		{"decreasing", "5\n7\n6\n", "bad:3: 6 ms is before the 7 ms of line 2, want timestamps that do not decrease"},
		{"blank in between", "5\n\n\n7\n", "bad:2: empty line before the end, want a whole number of milliseconds"},
		{"no period", "0\n0\n", "bad:2: every timestamp is 0 ms, so the trace has no period to repeat with"},
		{"long line", "1\n" + strings.Repeat("1", 65), "bad:2: longer than 64 bytes, want a whole number of milliseconds"},
		{"very long line", "1\n" + strings.Repeat("1", 1<<20), "bad:2: longer than 64 bytes, want a whole number of milliseconds"},
		{"too late", "68719476737", "bad:1: 68719476737 ms is over the limit of 68719476736 ms"},
		{"overflow", strings.Repeat("9", 64), "bad:1: " + strings.Repeat("9", 64) + " ms is over the limit of 68719476736 ms"},
		{"as many as allowed", many, ""},
		{"too many", many + "1\n", "bad:4194305: more than 4194304 marks"},
		{"no last line end", "5\n7", ""},
		{"CR LF", "5\r\n7\r\n\r\n", ""},
		{"leading zeros", "005\n", ""},
	} {
		trace, err := linkmodel.ParseTrace("bad", newReader(c.text))
		if c.want == "" {
			if err != nil || trace == nil {
				t.Errorf("%s: %v", c.why, err)
			}
			continue
		}
		var problem *linkmodel.TraceError
		if trace != nil || !errors.As(err, &problem) || err.Error() != c.want {
			t.Errorf("%s: %v\nwant: %s", c.why, err, c.want)
		}
	}
	broken := io.MultiReader(newReader("1\n2\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := linkmodel.ParseTrace("bad", broken); !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != "bad:3: reading: unexpected EOF" {
		t.Errorf("a reader that breaks: %v", err)
	}
}

func FuzzParseTrace(f *testing.F) {
	for _, s := range []string{"", "0\n", "1\n", "0\n5\n5\n10\n", "5\r\n6\n\n", "7\n3\n", "# x\n", "1\n\n2\n", "99999999999999999999\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		trace, err := linkmodel.ParseTrace("fuzz", bytes.NewReader(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q is not one line that names the file", err)
			}
			return
		}
		if trace.Marks() < 1 || trace.Period() <= 0 || trace.AverageRate() < 0 {
			t.Fatalf("accepted %v", trace)
		}
		// The marks of a round, through the public methods, write the file that was read.
		var again strings.Builder
		at := base.Time(-1)
		for written := 0; written < trace.Marks(); {
			next := trace.NextMark(at)
			n := trace.Capacity(at, next) / linkmodel.MarkBytes
			if next <= at || n < 1 {
				t.Fatalf("%d marks at %v after %v", n, next, at)
			}
			for ; n > 0 && written < trace.Marks(); n-- {
				fmt.Fprintf(&again, "%d\n", int64(next)/int64(base.Millisecond))
				written++
			}
			at = next
		}
		same, err := linkmodel.ParseTrace("fuzz", newReader(again.String()))
		if err != nil || same.String() != trace.String() {
			t.Fatalf("%v reads back as %v, %v", trace, same, err)
		}
	})
}
