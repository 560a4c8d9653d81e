package sim_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quoted is a block of Go in a document, and the link in the line before it.
var quoted = regexp.MustCompile("(?m)^.*\\]\\((\\S+\\.go)\\):?\n\n```go\n((?s:.*?))```$")

// TestTestingDocumentQuotes wants each block of Go in docs/TESTING.md to be in the file that it says it is from, so that what
// it shows compiles and runs. "…" in a line of its own leaves something out.
func TestTestingDocumentQuotes(t *testing.T) {
	text, err := os.ReadFile("../docs/TESTING.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := quoted.FindAllStringSubmatch(string(text), -1)
	if got := strings.Count(string(text), "```go\n"); got != len(blocks) || got < 5 {
		t.Errorf("%d blocks of Go, %d of them behind a line that ends with a link to a file of Go", got, len(blocks))
	}
	for _, b := range blocks {
		source, err := os.ReadFile(filepath.Join("../docs", b[1]))
		if err != nil {
			t.Fatal(err)
		}
		rest := string(source)
		for part := range strings.SplitSeq(b[2], "…\n") {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s has not, or not in this order:\n%s", b[1], part)
				break
			}
			rest = after
		}
	}
}
