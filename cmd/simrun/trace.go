package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"chordsim/core/base"
	"chordsim/sim"
	"chordsim/sim/trace"
)

// traceCmd shows the events of a run.
type traceCmd struct {
	Source   string   `arg:"" name:"file-or-scenario@seed" help:"A trace, written by simrun run with --trace FILE.zst; or what to run, such as throttled-tab@1."`
	Settings []string `arg:"" optional:"" name:"key=value" help:"Parameters of the scenario, as with --set."`
	Set      []string `sep:"none" placeholder:"KEY=VALUE" help:"Give a parameter of the scenario another value; may be repeated."`
	Host     []string `sep:"none" placeholder:"NAME" help:"Events at this host, or messages from it; may be repeated."`
	Link     []string `sep:"none" placeholder:"NAME" help:"Events of this link; may be repeated."`
	Object   []string `sep:"none" placeholder:"ADDRESS" help:"Messages about this object, such as View or Session/42/View; may be repeated."`
	Kind     []string `sep:"none" placeholder:"KIND" help:"Events of this kind (deliver, post, timer, connect, fault, note, failed, lost) or messages of this type; may be repeated."`
	World    []string `sep:"none" placeholder:"NAME" help:"Events of this world, where a run has several; may be repeated."`
	From     string   `placeholder:"TIME" help:"From this time on, such as 1.5s."`
	To       string   `placeholder:"TIME" help:"Up to this time."`
	Last     string   `placeholder:"SPAN" help:"The last span of time of the last world."`
	First    int64    `placeholder:"N" help:"From event number N on."`
	Max      int64    `placeholder:"N" help:"At most N events."`
	Diagram  bool     `help:"Draw the messages between the hosts."`
	JSON     bool     `name:"json" help:"Print an object a line as JSON."`
	Width    int      `default:"100" placeholder:"N" help:"How wide a line may be (default ${default})."`
	limits
}

// Run shows the events.
func (c *traceCmd) Run(e *env) error {
	if c.Width < trace.MinWidth || c.Width > maxTraceWidth {
		return fmt.Errorf("trace: --width %d: want %d to %d", c.Width, trace.MinWidth, maxTraceWidth)
	}
	if c.First < 0 || c.Max < 0 {
		return errors.New("trace: --first and --max: want no negative number")
	}
	if c.JSON && c.Diagram {
		return errors.New("trace: --json beside --diagram; leave one out")
	}
	filter, err := c.filter()
	if err != nil {
		return err
	}
	source, err := c.open(e)
	if err != nil {
		return err
	}
	defer source.close()
	survey := &trace.Survey{}
	end, err := source.read(func(ev *trace.Event) error { survey.Event(ev); return nil })
	if err != nil {
		return err
	}
	if err := c.check(&filter, survey); err != nil {
		return err
	}
	if err := c.show(e, source, &filter, survey, end); err != nil {
		return err
	}
	e.exit = source.exit
	if !c.JSON {
		c.ending(e.stdout, source, &end)
	}
	if source.cut != nil {
		e.exit = exitUsage
		fmt.Fprintln(e.stderr, "simrun: "+oneLine(source.cut.Error())+": the run did not end, or the file is not whole")
	}
	return nil
}

// ending says how the run ended: it is why somebody looks at it.
func (c *traceCmd) ending(w io.Writer, source *traceSource, end *trace.FileEnd) {
	printVerdict(w, &end.Verdict, source.header.Command, c.Width)
	if source.recorded != "" && hashText(end) != "hash "+source.recorded {
		fmt.Fprintln(w, fold(fmt.Sprintf("another run than the recorded one, whose hash is %s; simrun replay %s says what changed",
			source.recorded, oneLine(c.Source)), c.Width))
	}
	if source.cut != nil {
		fmt.Fprintf(w, "the run did not end\nreproduce: %s\n", oneLine(source.header.Command))
	}
}

// hashText is the hash of the run, or says that there is none.
func hashText(end *trace.FileEnd) string {
	if !end.Verdict.Ended {
		return "no hash: it did not end"
	}
	return fmt.Sprintf("hash %016x", end.Hash)
}

// maxTraceWidth bounds the width of lines.
const maxTraceWidth = 1000

// filter reads the times.
func (c *traceCmd) filter() (trace.Filter, error) {
	f := trace.Everything()
	f.Worlds, f.Hosts, f.Links, f.Objects, f.Kinds, f.First = c.World, c.Host, c.Link, c.Object, c.Kind, c.First
	for _, at := range []struct {
		flag, text string
		to         *base.Time
	}{{"from", c.From, &f.From}, {"to", c.To, &f.To}} {
		if at.text == "" {
			continue
		}
		d, err := base.ParseDuration(at.text)
		if err != nil {
			return f, fmt.Errorf("trace: --%s: %w", at.flag, err)
		}
		*at.to = base.Time(d)
	}
	if c.Last != "" && (c.From != "" || c.To != "") {
		return f, errors.New("trace: --last beside --from or --to; leave one out")
	}
	return f, nil
}

// check compares what is asked for with what is there, so that a misspelt name is not an empty page, and finds the last
// span of time.
func (c *traceCmd) check(f *trace.Filter, s *trace.Survey) error {
	kinds := append([]string{"deliver", "post", "timer", "connect", "fault", "note", "failed", "lost"}, s.Types...)
	for _, names := range []struct {
		flag   string
		wanted []string
		known  []string
	}{
		{"world", c.World, s.Worlds}, {"host", c.Host, s.Hosts}, {"link", c.Link, s.Links}, {"object", c.Object, s.Objects},
		{"kind", c.Kind, kinds},
	} {
		for _, name := range names.wanted {
			if slices.Contains(names.known, name) || names.flag == "object" &&
				slices.ContainsFunc(s.Objects, func(address string) bool { return trace.IsObject(address, name) }) {
				continue
			}
			hint := "the trace has " + listed(names.known)
			if near := sim.Nearest(name, names.known); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return fmt.Errorf("trace: --%s %s: there is none in the trace; %s", names.flag, name, hint)
		}
	}
	if c.Last == "" {
		return nil
	}
	span, err := base.ParseDuration(c.Last)
	if err != nil {
		return fmt.Errorf("trace: --last: %w", err)
	}
	worlds := s.Worlds
	if len(c.World) > 0 {
		worlds = c.World
	}
	if len(worlds) > 0 {
		world := worlds[len(worlds)-1]
		f.Worlds, f.From = []string{world}, s.LastOf(world).Add(-span)
	}
	return nil
}

// listed prints names, and not too many of them.
func listed(names []string) string {
	const most = 12
	switch n := len(names); {
	case n == 0:
		return "none at all"
	case n > most:
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(n-most) + " more"
	}
	return strings.Join(names, ", ")
}

// show prints the chosen events.
func (c *traceCmd) show(e *env, source *traceSource, f *trace.Filter, s *trace.Survey, end trace.FileEnd) error {
	var page tracePage
	switch {
	case c.JSON:
		page = newTraceLines(e.stdout)
	case c.Diagram:
		page = &traceDiagram{out: e.stdout, width: c.Width, kinds: c.Kind, hosts: &trace.Survey{}}
	default:
		page = &traceTable{out: e.stdout, columns: trace.NewColumns(c.Width)}
	}
	for pass := range 2 {
		shown, rows := int64(0), int64(0)
		_, err := source.read(func(ev *trace.Event) error {
			if !f.Match(ev) || !page.takes(ev) {
				return nil
			}
			if ev.Kind.Hashed() { // else it goes with the event before it
				shown++
			}
			if c.Max > 0 && shown > c.Max {
				return nil
			}
			rows++
			if pass == 0 {
				page.measure(ev)
				return nil
			}
			return page.print(ev)
		})
		if err != nil {
			return err
		}
		if pass == 0 {
			if !c.JSON {
				c.heading(e.stdout, source.header, end, s, shown)
			}
			if rows == 0 {
				return nil
			}
			if err := page.begin(); err != nil {
				return err
			}
		}
	}
	return page.end()
}

// heading says what is shown.
func (c *traceCmd) heading(w io.Writer, h trace.FileHeader, end trace.FileEnd, s *trace.Survey, shown int64) {
	parts := []string{h.Scenario, "seed " + strconv.FormatUint(h.Seed, 10)}
	parts = append(parts, h.Settings...)
	if h.Link != "" {
		parts = append(parts, "--link "+h.Link)
	}
	parts = append(parts, hashText(&end))
	count := fmt.Sprintf("%d events", s.Events)
	switch {
	case c.Max > 0 && shown > c.Max:
		count = fmt.Sprintf("the first %d of %d chosen events of %d", c.Max, shown, s.Events)
	case shown != s.Events:
		count = fmt.Sprintf("%d of %d events", shown, s.Events)
	}
	if n := end.Verdict.Ran; n != s.Events && end.Verdict.Ended {
		count += fmt.Sprintf(" · in the %d steps that simrun run counts", n)
	}
	fmt.Fprintf(w, "%s\n%s\n", clipLine(strings.Join(parts, " · "), c.Width), count)
}
