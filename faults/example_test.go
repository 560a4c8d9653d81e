package faults_test

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/faults"
)

func ExampleParse() {
	plan, err := faults.Parse("set chunk 1KiB\nat 2m stall tab.down for 500ms # a tunnel")
	fmt.Println(plan, err)
	_, err = faults.Parse("at 5s drop tab\nat 2s stal tab.down for 60s")
	fmt.Println(err)
	// Output:
	// set chunk 1024
	// at 120s stall tab.down for 500ms
	//  <nil>
	// line 2, column 7: found "stal", expected "stall", "drop", "reset", "close", "half-open", "black hole", "cut", "latency", "jitter", "rate", "squeeze", "crash", "partition", "swizzle", "skew", "drift", "slow" or "timers"; did you mean "stall"?
}

func ExampleSwarm() {
	swarm := faults.Swarm{
		Hosts: []faults.SwarmHost{{Name: "worker", Role: "provider"}, {Name: "tab"}},
		Links: []faults.SwarmLink{{Name: "tab-worker", From: "tab", To: "worker"}},
		Span:  10 * base.Second,
	}
	fmt.Print(swarm.Plan(base.NewRand(3)))
	// Output:
	// drawn
	// set bulk-slots 1
	// set queued 32
	// set offload 16384
	// set codec text
	// at 7.477472846s black hole tab-worker.up for 10ms
	// heal at 10s
}
