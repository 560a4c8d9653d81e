package core_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/link"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

var rewriteTranscripts = flag.Bool("rewrite", false, "rewrite testdata/transcripts from the tree")

// stage is a world whose exchanges are written down: each message as it arrives, what was lost, and what the hosts do.
type stage struct {
	t     *testing.T
	world *sim.World
	out   strings.Builder
	over  bool // nothing is written down any more
}

// tenMS is a link of 10 ms each way.
var tenMS = netsim.Config{Up: linkmodel.Config{Latency: 10 * base.Millisecond}, Down: linkmodel.Config{Latency: 10 * base.Millisecond}}

func newStage(t *testing.T, cfg sim.Config) *stage {
	t.Helper()
	s := &stage{t: t}
	cfg.Trace = s
	s.world = sim.New(cfg)
	return s
}

// host is a host that says what it does.
func (s *stage) host(name string, configure ...func(*core.Config)) *sim.Host {
	return s.world.HostWith(name, func(c *core.Config) {
		c.Probe = s.narrated(*c.Probe)
		for _, fn := range configure {
			fn(c)
		}
	})
}

// Event writes down what is told of a link.
func (s *stage) Event(e trace.Event) {
	switch e.Kind {
	case trace.KindDeliver:
		s.message(e, e.What)
	case trace.KindLost:
		s.message(e, "✗ "+e.What)
	case trace.KindConnect, trace.KindFault:
		s.does(e.To, "%s", e.What)
	case trace.KindFailed:
		s.does(e.To, "FAILED: %s %s", e.What, e.Note)
	}
}

func (s *stage) message(e trace.Event, what string) {
	says := []string{e.Subject()}
	if e.HasCall {
		says = append(says, "call "+strconv.FormatUint(e.Call, 10))
	}
	says = append(says, e.Note)
	s.line(fmt.Sprintf("%-17s  %-14s %s", e.From+" → "+e.To, what, strings.Join(strings.Fields(strings.Join(says, " ")), " ")))
}

// does writes down what a host does, or is told.
func (s *stage) does(host, format string, args ...any) {
	s.line(fmt.Sprintf("    %s: %s", host, fmt.Sprintf(format, args...)))
}

// then heads what comes next.
func (s *stage) then(text string) { fmt.Fprintf(&s.out, "\n# %s\n", text) }

func (s *stage) line(text string) {
	if s.over {
		return
	}
	fmt.Fprintf(&s.out, "%8s  %s\n", trace.Stamp(s.world.Now(), 3), strings.TrimRight(text, " "))
}

// narrated is the probe of a host that says what it does. The one that it takes the place of, of which any field may be nil, is
// told first.
func (s *stage) narrated(p core.Probe) *core.Probe {
	is := p
	p.Commit = func(h *core.Host, d *core.Document) {
		if is.Commit != nil {
			is.Commit(h, d)
		}
		s.does(h.Name(), "commits %s at %s", d.Name(), revision(d.Revision().Epoch, d.Revision().Number))
	}
	p.Frame = func(f core.Frame) {
		if is.Frame != nil {
			is.Frame(f)
		}
		host, what := f.Reference.Host().Name(), f.Reference.Address()+"."+f.Member
		if to := revision(f.Revision.Epoch, f.Revision.Number); f.Snapshot {
			s.does(host, "sees %s at %s: %v", what, to, f.Value)
		} else {
			s.does(host, "sees %s at %s, from %d: %s", what, to, f.Base.Number, delta.AppendOpsJSON(nil, f.Ops))
		}
	}
	p.CallStart = func(h *core.Host, c core.ConsumerID, hold, call uint64) {
		if is.CallStart != nil {
			is.CallStart(h, c, hold, call)
		}
		s.does(h.Name(), "runs call %d", call)
	}
	p.Live = func(r *core.Reference) {
		if is.Live != nil {
			is.Live(r)
		}
		s.does(r.Host().Name(), "%s is live", r.Address())
	}
	p.Down = func(r *core.Reference) {
		if is.Down != nil {
			is.Down(r)
		}
		s.does(r.Host().Name(), "%s is down: %v", r.Address(), r.Err())
	}
	s.narrateSessions(&p, is)
	return &p
}

// narrateSessions is the part of it that is about links.
func (s *stage) narrateSessions(p *core.Probe, is core.Probe) {
	p.LinkSuspended = func(h *core.Host, l *link.Link, err error) {
		if is.LinkSuspended != nil {
			is.LinkSuspended(h, l, err)
		}
		s.does(h.Name(), "session %d waits for a transport: %v", l.Session(), err)
	}
	p.LinkResumed = func(h *core.Host, l *link.Link) {
		if is.LinkResumed != nil {
			is.LinkResumed(h, l)
		}
		s.does(h.Name(), "session %d goes on over transport %d", l.Session(), l.Generation())
	}
	p.LinkClosed = func(h *core.Host, l *link.Link, err error) {
		if is.LinkClosed != nil {
			is.LinkClosed(h, l, err)
		}
		s.does(h.Name(), "session %d is over: %v", l.Session(), err)
	}
	p.Gone = func(h *core.Host, c core.ConsumerID) {
		if is.Gone != nil {
			is.Gone(h, c)
		}
		s.does(h.Name(), "forgets what origin %d of session %d had", c.Origin, c.Link.Session())
	}
}

func revision(epoch, number uint64) string { return fmt.Sprint(epoch, ".", number) }

// dial gives a host a lasting way to another one.
func (s *stage) dial(from, to *sim.Host, dialed ...func(*sim.Connection)) *sim.Way {
	s.t.Helper()
	way, err := s.world.Dial(from, to, tenMS, func(c *sim.Connection) {
		for _, fn := range dialed {
			fn(c)
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return way
}

func (s *stage) run(d base.Duration) {
	s.t.Helper()
	if err := s.world.RunFor(d); err != nil {
		s.t.Fatal(err)
	}
}

// at runs fn in a turn of a host, as a part of what is headed.
func (s *stage) at(h *sim.Host, text string, fn func()) {
	s.t.Helper()
	h.Do(func() {
		s.does(h.Name(), "%s", text)
		fn()
	})
	s.run(0)
}

// settled says how a call ended.
func (s *stage) settled(h *sim.Host, name string) func(delta.Value, error) {
	return func(v delta.Value, err error) {
		if err != nil {
			s.does(h.Name(), "%s ended: %v", name, err)
		} else {
			s.does(h.Name(), "%s ended with %v", name, v)
		}
	}
}

// board is an object of one number that calls add to.
type board struct {
	doc  *core.Document
	open []*core.Call
}

func newBoard() *board { return &board{doc: core.NewDocument(delta.Int(0))} }

// add is a commit.
func (b *board) add(c *core.Call, n int) int {
	sum := n + int(b.doc.Value().Number())
	b.doc.Change(c, func(d *delta.Draft) error { return d.At().Set(sum) })
	return sum
}

func (b *board) expose(h *sim.Host) {
	h.Core().Expose("Board", core.Object{State: core.Members{"sum": b.doc}, Methods: core.Methods{
		"add": func(c *core.Call) (delta.Value, error) { return delta.Int(b.add(c, int(c.Arg.Number()))), nil },
		"later": func(c *core.Call) (delta.Value, error) {
			c.Defer()
			b.open = append(b.open, c)
			return delta.Null(), nil
		},
		"fail": fail,
	}})
}

// end compares what was written down with the transcript of that name, after which nothing may be wrong in the world.
func (s *stage) end(name, purpose string) {
	s.t.Helper()
	s.run(base.Second)
	s.over = true // heartbeats
	if err := s.world.Settle(base.Hour); err != nil {
		s.t.Error(err)
	}
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(purpose), "\n") {
		fmt.Fprintf(&got, "# %s\n", strings.TrimSpace(line))
	}
	got.WriteString(s.out.String())
	path := filepath.Join("testdata", "transcripts", name+".txt")
	if *rewriteTranscripts {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got.String() != string(want) {
		s.t.Errorf("%s is not what was said any more: look at the change, and run go test ./core -run Transcript -rewrite\n%s",
			path, firstDifference(string(want), got.String()))
	}
}

// firstDifference shows where two texts part.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		line := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return "(the end)"
		}
		if line(w) != line(g) {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, line(w), line(g))
		}
	}
	return "no line differs"
}
