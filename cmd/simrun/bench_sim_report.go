package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"chordsim/sim"
)

// simFigure is what a subject took, each as a median over blocks.
type simFigure struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	InFlight int64  `json:"in_flight"` // messages under way; 0: not said
	// Times are those of the clock that the headline names, but for Wall. Without a queue there are no events.
	NSMessage   float64 `json:"ns_message"`
	NSEvent     float64 `json:"ns_event"`
	Wall        float64 `json:"wall_ns_message"`
	MessagesSec float64 `json:"messages_s"`
	EventsSec   float64 `json:"events_s"`
	Bytes       float64 `json:"bytes_message"` // allocated
	Allocs      float64 `json:"allocs_message"`
}

// simReport is what was measured.
type simReport struct {
	Bench     string      `json:"bench"`
	Headline  string      `json:"headline"`
	Figures   []simFigure `json:"figures"`
	Goals     []simGoal   `json:"goals"`
	Notes     []string    `json:"notes"`
	Reproduce string      `json:"reproduce"` // the command that gives the report again
	Exit      int         `json:"exit"`
}

// simNotes stand under the tables.
var simNotes = []string{
	"engine: links of 10 messages of 100 B under way, one a millisecond each; a message is two events, the sender's room and the arrival",
	"bubble: the same traffic by goroutines, two sleeps and one hand-over a message; its ratio is of messages in the same rounds",
	"stack: a worker streams tokens of 4 characters through a server to a tab; deliveries are messages at any end, credits and acks too",
	"times are those of this machine and only shown; wall ns: of a message by the wall clock, while others had the core too",
}

func (b *simBlock) message(total float64) float64 { return total / float64(b.messages) }

// figure returns the medians of a subject's blocks.
func (m simBlocks) figure(c *simCase) simFigure {
	of := func(get func(b *simBlock) float64) float64 {
		return median(m[c.id], func(b simBlock) float64 { return get(&b) })
	}
	f := simFigure{
		ID: c.id, Name: c.name,
		InFlight:  int64(of(func(b *simBlock) float64 { return float64(b.inFlight) })),
		NSMessage: of(func(b *simBlock) float64 { return b.message(float64(b.used)) }),
		Wall:      of(func(b *simBlock) float64 { return b.message(float64(b.wall)) }),
		Bytes:     of(func(b *simBlock) float64 { return b.message(float64(b.bytes)) }),
		Allocs:    of(func(b *simBlock) float64 { return b.message(float64(b.allocs)) }),
	}
	f.MessagesSec = 1e9 / f.NSMessage
	if m[c.id][0].events > 0 {
		f.NSEvent = of(func(b *simBlock) float64 { return float64(b.used) / float64(b.events) })
		f.EventsSec = 1e9 / f.NSEvent
	}
	return f
}

// ratio returns how many times what a message of one subject takes one of another does, as the median over rounds. Invariant:
// both are of one group.
func (m simBlocks) ratio(of, to string) float64 {
	ratios := make([]float64, len(m[of]))
	for i := range ratios {
		a, b := &m[of][i], &m[to][i]
		ratios[i] = a.message(float64(a.used)) / b.message(float64(b.used))
	}
	return median(ratios, func(r float64) float64 { return r })
}

// write judges the report and prints it as a table or as JSON.
func (r *simReport) write(e *env, asJSON bool) error {
	r.judge()
	e.exit = r.Exit
	if !asJSON {
		r.print(e.stdout)
		return nil
	}
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func (r *simReport) print(w io.Writer) {
	fmt.Fprintln(w, r.Headline)
	figures := sim.Table{Columns: []string{
		"  what", ">under way", ">events/s", ">ns/event", ">messages/s", ">ns/message", ">wall ns", ">B/message", ">allocs/message",
	}}
	some := func(f float64) string { // a figure that is not there is 0
		if f == 0 {
			return "–"
		}
		return thousands(f)
	}
	for _, f := range r.Figures {
		figures.Rows = append(figures.Rows, []string{
			"  " + f.Name, some(float64(f.InFlight)), some(f.EventsSec), some(f.NSEvent), thousands(f.MessagesSec),
			thousands(f.NSMessage), thousands(f.Wall), thousands(f.Bytes), fmt.Sprintf("%.2f", f.Allocs),
		})
	}
	goals := sim.Table{Columns: []string{"  what", ">value", ">goal", ">required", "verdict"}}
	for i := range r.Goals {
		g := &r.Goals[i]
		goals.Rows = append(goals.Rows, []string{"  " + g.What, g.quantity(g.Value), g.bound(g.Goal), g.bound(g.Required), g.Verdict})
	}
	fmt.Fprintf(w, "\n%s\n\n%s\n", render(figures), render(goals))
	fmt.Fprintf(w, "  %s\n", strings.Join(r.Notes, "\n  "))
	if r.Exit != exitOK {
		fmt.Fprintf(w, "\nreproduce: %s\n", r.Reproduce)
	}
}
