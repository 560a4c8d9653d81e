package linkmodel_test

import (
	"fmt"

	"chordsim/core/base"
	"chordsim/faults/linkmodel"
)

func Example() {
	config := linkmodel.Config{Rate: 64 * base.KiB, Latency: 20 * base.Millisecond}
	down, err := linkmodel.NewDirection(config, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(config)
	down.Send(0, 64*base.KiB) // a second of the rate
	down.Send(0, 32*base.KiB)
	down.Stall(base.Time(1100 * base.Millisecond))
	down.Resume(base.Time(3100 * base.Millisecond))
	for {
		now, ok := down.NextEvent()
		if !ok {
			break
		}
		departed, arrived := down.Advance(now)
		fmt.Println(now, "departed", departed, "arrived", arrived, "queued", down.QueuedBytes())
	}
	// Output:
	// 64KiB/s latency 20ms
	// 3.1s departed 1 arrived 1 queued 32768
	// 3.52s departed 1 arrived 1 queued 0
}

func ExampleTrace_CatchUp() {
	trace, err := linkmodel.ParseTrace("even", newReader("10\n20\n30\n"))
	if err != nil {
		panic(err)
	}
	fmt.Println(trace)
	at, ok := trace.CatchUp(0, 15000, 50000)
	fmt.Println(at, ok)
	_, ok = trace.CatchUp(0, 15000, 150000)
	fmt.Println(ok)
	// Output:
	// even: 3 marks over 30ms, 150000 bytes/s
	// 150ms true
	// false
}
