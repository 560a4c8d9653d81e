package delta_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"chordsim/core/delta"
)

var (
	interopBatches = flag.Int("interop.batches", 10_000, "batches each way in the interoperation tests; a tenth of the default with -short")
	interopSeed    = flag.Uint64("interop.seed", 1, "seed of the interoperation tests")
	interopRequire = flag.Bool("interop.require", false, "fail instead of skipping where Node or the npm package is missing")
)

const (
	interopDir     = "../../testdata/interop"
	interopPackage = "@earendil-works/chord"
	// interopTime bounds one test: a peer that hangs is killed, and the test fails.
	interopTime = 2 * time.Minute
)

// peer is a Node process that runs the npm package: see testdata/interop/peer.mjs for what it may be asked.
type peer struct {
	t      *testing.T
	in     io.Writer
	out    *bufio.Reader
	stderr *bytes.Buffer
}

// answer is what the peer says. The parts are the bytes that it wrote: encoding/json would not keep lone surrogates.
type answer struct {
	Ops, Wire, Value json.RawMessage
	Refused          string // why a batch was refused, "" if it was taken
	Error            string // the peer failed
}

// startPeer starts the process, or skips the test with what is missing.
func startPeer(t *testing.T) *peer {
	t.Helper()
	missing := func(what string) {
		t.Helper()
		if *interopRequire {
			t.Fatalf("%s; .ci/interop installs the package", what)
		}
		t.Skipf("%s, so interoperation with it is not checked (.ci/interop installs the package)", what)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("no node on this machine")
	}
	var want struct{ Dependencies map[string]string }
	readJSONFile(t, filepath.Join(interopDir, "package.json"), &want)
	manifest := filepath.Join(interopDir, "node_modules", interopPackage, "package.json")
	if _, err := os.Stat(manifest); err != nil {
		missing("npm package " + interopPackage + " is not installed")
	}
	var got struct{ Version string }
	readJSONFile(t, manifest, &got)
	if got.Version != want.Dependencies[interopPackage] {
		t.Fatalf("%s %s is installed, want %s: run .ci/interop", interopPackage, got.Version, want.Dependencies[interopPackage])
	}
	return runPeer(t, node)
}

func runPeer(t *testing.T, node string) *peer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	cmd := exec.CommandContext(ctx, node, filepath.Join(interopDir, "peer.mjs"))
	p := &peer{t: t, stderr: &bytes.Buffer{}}
	cmd.Stderr = p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		cancel()
		_ = cmd.Wait() // killed, or at its end: its answers were all read
	})
	p.in, p.out = in, bufio.NewReader(out)
	return p
}

func readJSONFile(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// ask sends a request, whose arguments are names and JSON texts in turn, and returns the answer.
func (p *peer) ask(do string, arguments ...string) answer {
	p.t.Helper()
	request := []byte(`{"do":"` + do + `"`)
	for i := 0; i < len(arguments); i += 2 {
		request = append(request, `,"`+arguments[i]+`":`+arguments[i+1]...)
	}
	if _, err := p.in.Write(append(request, '}', '\n')); err != nil {
		p.t.Fatalf("%s: %v\n%s", do, err, p.stderr)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		p.t.Fatalf("%s: no answer within %v: %v\n%s", do, interopTime, err, p.stderr)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		p.t.Fatalf("%s: %s: %v", do, line, err)
	}
	return a
}

// quote returns a text as a JSON string.
func quote(s string) string { return delta.String(s).String() }
