package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chordsim/core/base"
)

// The geometry of a diagram.
const (
	// minLane is how many characters there must be from one host's line to the next.
	minLane = 12
	// gap is a span without events that is drawn as a line of its own.
	gap = base.Second
	// markRoom is what is kept on the right for marks at the last host.
	markRoom = 2
)

// Diagram draws events as a diagram of messages: hosts are columns, a message is an arrow from the host that it came from to
// the one that it reached, at the time when it arrived; what else happens at a host is a mark on its line. Later chunks and
// messages of the same type, way and holds that follow one another are one arrow with their number and all their bytes.
type Diagram struct {
	w        *bufio.Writer
	err      error
	width    int
	hosts    []string
	at       []int // the columns of their lines
	stamp    int   // width of the times
	decimals int

	world   string
	begun   bool
	last    base.Time
	pending Event // an arrow that may grow
	count   int   // messages in it; 0: there is none
}

// NewDiagram returns a diagram of hosts within a width in characters, for events up to a last instant. It is an error if so
// many hosts do not fit.
func NewDiagram(w io.Writer, width int, hosts []string, decimals int, last base.Time) (*Diagram, error) {
	d := &Diagram{w: bufio.NewWriter(w), width: width, hosts: hosts, decimals: decimals}
	d.stamp = max(utf8.RuneCountInString(Stamp(last, decimals)), len("time (s)"))
	room := width - d.stamp - 3 - markRoom
	if len(hosts) == 0 || room/len(hosts) < minLane {
		return nil, fmt.Errorf("%d hosts do not fit in a diagram of %d columns, at most %d do", len(hosts), width, max(0, room/minLane))
	}
	lane := min(room/len(hosts), 32)
	for i := range hosts {
		d.at = append(d.at, d.stamp+2+i*lane)
	}
	return d, nil
}

// Event draws an event. Posts and timers are drawn as marks.
func (d *Diagram) Event(e Event) {
	if !d.begun || e.World != d.world {
		d.flush()
		d.heading(e.World)
	}
	from, to := slices.Index(d.hosts, e.From), slices.Index(d.hosts, e.To)
	arrow := (e.Kind == KindDeliver || e.Kind == KindLost) && from >= 0 && to >= 0 && from != to
	if arrow && d.count > 0 && d.joins(&e) {
		d.pending.Bytes += e.Bytes
		d.pending.At = e.At
		d.count++
		return
	}
	d.flush()
	switch {
	case arrow:
		d.pending, d.count = e, 1
	case to >= 0:
		d.mark(&e, to)
	default:
		d.remark(&e)
	}
}

// joins reports whether a message is one more of those that wait to be drawn.
func (d *Diagram) joins(e *Event) bool {
	p := &d.pending
	return p.Kind == e.Kind && p.From == e.From && p.To == e.To && p.Link == e.Link && p.What == e.What && p.Origin == e.Origin &&
		!p.HasCall && !e.HasCall && slices.Equal(p.Holds, e.Holds) && e.At.Sub(p.At) < gap
}

// heading draws the names of the hosts.
func (d *Diagram) heading(world string) {
	if world != "" {
		if d.begun {
			d.line("")
		}
		d.line(cut("world: "+shown(world), d.width))
	}
	d.begun, d.world, d.last = true, world, 0
	row := d.row("time (s)", ' ')
	for i, host := range d.hosts {
		end := d.width
		if i+1 < len(d.at) {
			end = d.at[i+1] - 1
		}
		row.put(d.at[i], cut(shown(host), end-d.at[i]))
	}
	d.line(row.String())
}

// flush draws the arrow that waits.
func (d *Diagram) flush() {
	if d.count == 0 {
		return
	}
	e := &d.pending
	from, to := slices.Index(d.hosts, e.From), slices.Index(d.hosts, e.To)
	row := d.timed(e.At)
	left, right := d.at[min(from, to)], d.at[max(from, to)]
	for x := left + 1; x < right; x++ {
		row.cells[x] = '─'
	}
	row.cells[d.at[from]], row.cells[d.at[to]] = '├', '▶'
	if from > to {
		row.cells[d.at[from]], row.cells[d.at[to]] = '┤', '◀'
	}
	label := e.What
	if e.Kind == KindLost { // it does not get there
		label = "lost: " + label
		row.cells[d.at[to]] = '│'
		if from > to {
			row.cells[left+1] = '✗'
		} else {
			row.cells[right-1] = '✗'
		}
	}
	if d.count > 1 {
		label += " ×" + strconv.Itoa(d.count)
	}
	if e.HasCall {
		label += " #" + strconv.FormatUint(e.Call, 10)
	}
	if subject := e.Subject(); subject != "" {
		label += " · " + subject
	}
	label += " · " + strconv.Itoa(e.Bytes) + " B" // what is cut first
	label = cut(shown(label), right-left-3)
	row.put(left+1+(right-left-1-utf8.RuneCountInString(label))/2, label)
	d.line(row.String())
	d.count = 0
}

// mark draws what happened at a host.
func (d *Diagram) mark(e *Event, host int) {
	row := d.timed(e.At)
	sign := '•'
	switch e.Kind {
	case KindFault:
		sign = '◆'
	case KindFailed:
		sign = '✗'
	}
	row.cells[d.at[host]] = sign
	text := e.What
	if e.Kind == KindDeliver {
		text += " " + strconv.Itoa(e.Bytes) + " B from " + e.From
	}
	text = shown(strings.TrimSpace(text + "  " + e.Note))
	// Beside the line, where there is more room.
	x := d.at[host] + 2
	size := utf8.RuneCountInString(text)
	if left := d.at[host] - 2 - d.stamp; x+size > d.width && left > d.width-x {
		text = cut(text, left)
		x = d.at[host] - 1 - utf8.RuneCountInString(text)
	}
	row.put(x, cut(text, d.width-x))
	d.line(row.String())
}

// remark draws what is about no host.
func (d *Diagram) remark(e *Event) {
	row := d.timed(e.At)
	text := strings.TrimSpace(e.What + "  " + e.Note)
	if e.To != "" {
		text = e.To + ": " + text
	}
	if e.Kind == KindFailed {
		text = failedSign + " " + text
	}
	row.put(d.at[0]-1, cut("── "+shown(text)+" ──", d.width-d.at[0]+1))
	d.line(row.String())
}

// timed returns a row with its time, after a row that says so if a while passed.
func (d *Diagram) timed(at base.Time) *diagramRow {
	if at.Sub(d.last) >= gap {
		d.line(d.row("⋮", '│').String())
	}
	d.last = at
	return d.row(Stamp(at, d.decimals), '│')
}

// row returns a row with a text at its left and the hosts' lines.
func (d *Diagram) row(left string, line rune) *diagramRow {
	r := &diagramRow{cells: []rune(strings.Repeat(" ", d.width))}
	r.put(0, pad(left, d.stamp, true))
	for _, x := range d.at {
		r.cells[x] = line
	}
	return r
}

func (d *Diagram) line(s string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(s + "\n")
	}
}

// Close draws what waits and returns the first error.
func (d *Diagram) Close() error {
	d.flush()
	if err := d.w.Flush(); d.err == nil {
		d.err = err
	}
	return d.err
}

// diagramRow is a row of characters.
type diagramRow struct{ cells []rune }

// put writes a text from a column on, as far as there is room.
func (r *diagramRow) put(x int, text string) {
	for _, c := range text {
		if x >= 0 && x < len(r.cells) {
			r.cells[x] = c
		}
		x++
	}
}

func (r *diagramRow) String() string { return strings.TrimRight(string(r.cells), " ") }
