package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/relay"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// told runs a tab that holds two objects of a worker through a server, calls one of them with a small and with a large
// result, and gives both back. It returns what the trace says of each message but those of the links' own.
func told(t *testing.T, codec wire.Codec) string {
	t.Helper()
	var out strings.Builder
	w := sim.New(sim.Config{Seed: 1, Name: "told", Codec: codec, Trace: sinkFunc(func(e trace.Event) {
		if e.World != "told" {
			t.Errorf("world %q", e.World)
		}
		if e.Kind == trace.KindDeliver && e.Link == "" {
			t.Errorf("a message of no link: %+v", e)
		}
		if e.Kind != trace.KindDeliver || e.What == "hello" || e.What == "welcome" || e.What == "ack" {
			return
		}
		call := ""
		if e.HasCall {
			call = fmt.Sprintf(" call %d", e.Call)
		}
		line := fmt.Sprintf("%s>%s %s %s%s %s", e.From, e.To, e.What, e.Subject(), call, e.Note)
		out.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	})})
	worker, server, tab := w.Host("worker"), w.Host("server"), w.Host("tab")
	doc := func() *core.Document {
		return core.NewDocument(delta.Object(delta.Field{Key: "text", Value: delta.String(strings.Repeat("a", 6000))}))
	}
	notes, count := doc(), doc()
	worker.Core().Expose("View", core.Object{State: core.Members{"notes": notes}, Methods: core.Methods{
		"add": func(c *core.Call) (delta.Value, error) {
			for _, d := range []*core.Document{notes, count} {
				if _, err := d.Change(c, func(d *delta.Draft) error { return d.At("text").Append(" tok") }); err != nil {
					return delta.Null(), err
				}
			}
			return delta.Null(), nil
		},
		"export": func(*core.Call) (delta.Value, error) { return notes.Value(), nil },
	}})
	worker.Core().Expose("Count", core.Object{State: core.Members{"count": count}})
	route, err := w.Connect(worker, server, netsim.Memory)
	if err != nil {
		t.Fatal(err)
	}
	server.Core().Route("S", func(q *relay.Request) { q.To(route.Accepted().Link()) })
	if _, err := w.Connect(tab, server, netsim.Memory); err != nil {
		t.Fatal(err)
	}
	mustRun(t, w, base.Millisecond)
	var view, other *core.Reference
	tab.Do(func() {
		view, other = tab.Core().Get("S/1/View"), tab.Core().Get("S/1/Count")
		view.Watch("notes", func(core.Frame) {})
		other.Watch("count", func(core.Frame) {})
	})
	mustRun(t, w, base.Millisecond)
	for _, method := range []string{"add", "export"} {
		tab.Do(func() { view.Call(method, nil, func(delta.Value, error) {}) })
		mustRun(t, w, base.Millisecond)
	}
	tab.Do(func() { view.Release(); other.Release() })
	if err := w.Settle(base.Minute); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What a message is about is known from its head and from what went before, on either side of a relay, in either codec.
func TestEventsSayWhatTheyAreAbout(t *testing.T) {
	for _, codec := range []wire.Codec{wire.Binary, wire.Text} {
		if got := "\n" + told(t, codec); got != toldWant {
			t.Errorf("in %v it is%s\nwant%s", codec, got, toldWant)
		}
	}
}

const toldWant = `
tab>server hold 0 S/1/View
tab>server hold 1 S/1/Count
server>worker hold 1/0 View
server>worker hold 1/1 Count
worker>server bound 1/0 View
worker>server bulk-more 1/0 View
worker>server bound 1/1 Count
worker>server bulk-more 1/1 Count
server>tab bound 0 S/1/View
server>tab bulk-more 0 S/1/View
server>tab bound 1 S/1/Count
server>tab bulk-more 1 S/1/Count
tab>server credit 2 bulk
tab>server credit 2 bulk
server>worker credit origin 1 2 bulk
server>worker credit origin 1 2 bulk
tab>server call 0 S/1/View call 0
server>worker call 1/0 View call 0
worker>server state 1/0 View, 1/1 Count
worker>server result-ordered 1/0 View call 0
server>tab state 0 S/1/View, 1 S/1/Count
server>tab result-ordered 0 S/1/View call 0
tab>server credit 1 state
server>worker credit origin 1 1 state
tab>server call 0 S/1/View call 0
server>worker call 1/0 View call 0
worker>server result-bulk 1/0 View call 0
worker>server bulk-more 1/0 View
server>tab result-bulk 0 S/1/View call 0
server>tab bulk-more 0 S/1/View
tab>server credit 2 bulk
server>worker credit origin 1 2 bulk
tab>server release 0 S/1/View
tab>server release 1 S/1/Count
server>worker release 1/0 View
server>worker release 1/1 Count
worker>server released 1/0 View
worker>server released 1/1 Count
server>tab released 0 S/1/View
server>tab released 1 S/1/Count
`
