package sim_test

import (
	"fmt"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// A tab follows a worker's document over a link of 64 KiB/s that stalls for ten seconds. What the tab missed comes as one
// change.
func Example() {
	w := sim.New(sim.Config{Seed: 7})
	worker, tab := w.Host("worker"), w.Host("tab")

	notes := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": notes}})
	stream := func() {
		worker.Do(func() {
			notes.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(" tok") })
		})
	}

	link, err := w.Connect(tab, worker, netsim.Config{Down: linkmodel.Config{Rate: 64 * base.KiB}})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.RunFor(0) // connects
	tab.Do(func() {
		tab.Core().Get("View").Watch("notes", func(f core.Frame) {
			reply, _ := f.Value.At("reply")
			fmt.Printf("%v: revision %d, %d units of text, %d op\n", w.Now(), f.Revision.Number, reply.Len(), len(f.Ops))
		})
	})
	w.RunFor(base.Second)

	w.StallFor(link.Link.Dialer(), 10*base.Second)
	for range 1000 {
		stream()
		w.RunFor(10 * base.Millisecond)
	}
	if err := w.Settle(base.Minute); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 671.387us: revision 0, 0 units of text, 1 op
	// 11.000274659s: revision 1, 4 units of text, 1 op
	// 11.000549317s: revision 2, 8 units of text, 1 op
	// 11.000717164s: revision 3, 12 units of text, 1 op
	// 11.00088501s: revision 4, 16 units of text, 1 op
	// 11.061843873s: revision 1000, 4000 units of text, 1 op
}
