package simtest

import (
	"context"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
)

// labelName is how the command that plays a world is called in the stacks of goroutines.
const labelName = "plays it again"

// labelled has the stacks that the runtime prints show labels. Unless the environment says otherwise: then it is what
// whoever set it wants.
var labelled = sync.OnceFunc(func() {
	const setting = "tracebacklabels"
	if have := os.Getenv("GODEBUG"); !strings.Contains(have, setting) {
		os.Setenv("GODEBUG", strings.TrimPrefix(have+","+setting+"=1", ","))
	}
})

// label marks the goroutine, and those that it starts, with the command that plays its world. So a world's seed stands in
// what the runtime prints when it ends the process: a panic in another goroutine, a stack that overflows, a map that two
// goroutines write, the time of go test that is up. It returns what takes the mark off.
func label(line string) (off func()) {
	labelled()
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(labelName, line)))
	return func() { pprof.SetGoroutineLabels(context.Background()) }
}
