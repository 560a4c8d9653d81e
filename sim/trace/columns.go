package trace

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chordsim/core/base"
)

// DefaultWidth is how many columns a page has where nobody says otherwise, MinWidth how many it needs.
const (
	DefaultWidth = 100
	MinWidth     = 80
)

// The columns of a page.
const (
	columnNumber = iota
	columnTime
	columnKind
	columnFrom
	columnTo
	columnLink
	columnWhat
	columnObject
	columnBytes
	columnNote
	columnCount
)

// failedSign marks what was found wrong and what was lost, where an event has its number.
const failedSign = "✗"

// column is how a column is laid out.
type column struct {
	title string
	right bool
	width int // in characters; 0: no event has anything in it
}

// Columns prints events as lines of aligned columns. It measures all of them first, gives each column what it needs, and
// takes from the widest where that is more than there is: a text that is cut ends in "…".
type Columns struct {
	columns  [columnCount]column
	width    int
	decimals int // of times
	fitted   bool
}

// NewColumns returns columns for lines of at most so many characters; under MinWidth counts as MinWidth.
func NewColumns(width int) *Columns {
	return &Columns{width: max(width, MinWidth), columns: [columnCount]column{
		columnNumber: {title: "#", right: true},
		columnTime:   {title: "time (s)", right: true},
		columnKind:   {title: "kind"},
		columnFrom:   {title: "from"},
		columnTo:     {title: "to"},
		columnLink:   {title: "link"},
		columnWhat:   {title: "type"},
		columnObject: {title: "hold and object"},
		columnBytes:  {title: "bytes", right: true},
		columnNote:   {title: "note"},
	}}
}

// Measure takes an event into account that is to be printed.
func (c *Columns) Measure(e *Event) {
	c.decimals = max(c.decimals, Decimals(e.At))
	if c.width < DefaultWidth-2 {
		c.decimals = min(c.decimals, 6)
	}
	for i, text := range c.cells(e) {
		if text != "" && (e.Kind != KindFailed || i < columnLink) {
			c.columns[i].width = max(c.columns[i].width, utf8.RuneCountInString(text))
		}
	}
}

// cells are the texts of an event.
func (c *Columns) cells(e *Event) [columnCount]string {
	cells := [columnCount]string{
		columnNumber: strconv.FormatInt(e.Number, 10),
		columnTime:   Stamp(e.At, c.decimals),
		columnKind:   e.Kind.String(),
		columnFrom:   e.From,
		columnTo:     e.To,
		columnLink:   e.Link,
		columnObject: e.Subject(),
		columnNote:   e.Note,
	}
	if e.Bytes > 0 {
		cells[columnBytes] = strconv.Itoa(e.Bytes)
	}
	if !e.Kind.Hashed() {
		cells[columnNumber] = failedSign
	}
	switch e.Kind {
	case KindDeliver, KindPost, KindTimer, KindLost:
		cells[columnWhat] = e.What
	default:
		cells[columnNote] = strings.TrimSpace(e.What + "  " + e.Note)
	}
	if e.HasCall {
		cells[columnNote] = strings.TrimSpace("call " + strconv.FormatUint(e.Call, 10) + "  " + cells[columnNote])
	}
	for i := range cells {
		cells[i] = shown(cells[i])
	}
	return cells
}

// fit decides the widths. What the events do not use is left out.
func (c *Columns) fit() {
	if c.fitted {
		return
	}
	c.fitted = true
	total := -2
	for i := range c.columns {
		col := &c.columns[i]
		if i == columnTime && col.width > 0 {
			col.width = max(col.width, utf8.RuneCountInString(Stamp(0, c.decimals)))
		}
		if col.width > 0 {
			col.width = max(col.width, utf8.RuneCountInString(col.title))
			total += col.width + 2
		}
	}
	for _, step := range []struct{ column, least int }{
		{columnNote, c.width / 4}, {columnLink, 0}, {columnObject, 16}, {columnWhat, 9}, {columnNote, 12},
		{columnFrom, 6}, {columnTo, 6}, {columnObject, 12}, {columnWhat, 7}, {columnNote, 8},
	} {
		col := &c.columns[step.column]
		over := total - c.width
		switch {
		case over <= 0 || col.width <= step.least:
		case step.least == 0: // left out: other columns say nearly as much
			total -= col.width + 2
			col.width = 0
		default:
			narrow := max(col.width-over, step.least)
			total -= col.width - narrow
			col.width = narrow
		}
	}
}

// Heading returns the line above the events.
func (c *Columns) Heading() string {
	var cells [columnCount]string
	for i := range c.columns {
		cells[i] = c.columns[i].title
	}
	return c.line(cells)
}

// Line returns the line of an event. What was found wrong has all the room behind the names of hosts.
func (c *Columns) Line(e *Event) string {
	cells := c.cells(e)
	if e.Kind != KindFailed {
		return c.line(cells)
	}
	text := cells[columnNote]
	for i := columnLink; i < columnCount; i++ {
		cells[i] = ""
	}
	return cut(c.line(cells)+"  "+text, c.width)
}

func (c *Columns) line(cells [columnCount]string) string {
	c.fit()
	var out strings.Builder
	column := 0
	for i := range c.columns {
		col := &c.columns[i]
		if col.width == 0 {
			continue
		}
		if column > 0 {
			out.WriteString("  ")
		}
		column++
		out.WriteString(pad(cells[i], col.width, col.right))
	}
	return cut(strings.TrimRight(out.String(), " "), c.width)
}

// Subject says which holds an event is about: number and address of each, and the origin before the number where there is
// one, as in "2/0 View".
func (e *Event) Subject() string {
	origin := ""
	if e.Origin != 0 {
		origin = strconv.FormatUint(e.Origin, 10) + "/"
	}
	if len(e.Holds) == 0 && origin != "" {
		return "origin " + strings.TrimSuffix(origin, "/")
	}
	var out strings.Builder
	for i, h := range e.Holds {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(origin + strconv.FormatUint(h.ID, 10))
		if h.Object != "" {
			out.WriteString(" " + h.Object)
		}
	}
	return out.String()
}

// Stamp prints an instant in seconds with so many decimals, at most nine. Digits beyond them are cut off.
func Stamp(t base.Time, decimals int) string {
	whole, rest := int64(t)/int64(base.Second), int64(t)%int64(base.Second)
	sign := ""
	if t < 0 {
		sign, whole, rest = "-", -whole, -rest
	}
	s := sign + strconv.FormatInt(whole, 10)
	if decimals <= 0 {
		return s
	}
	digits := strconv.FormatInt(int64(base.Second)+rest, 10)[1:]
	return s + "." + digits[:min(decimals, len(digits))]
}

// Decimals returns how many decimals an instant in seconds needs: 3, 6 or 9.
func Decimals(t base.Time) int {
	switch {
	case t%base.Time(base.Millisecond) == 0:
		return 3
	case t%base.Time(base.Microsecond) == 0:
		return 6
	}
	return 9
}

// shown returns a text without anything that would move a terminal's cursor.
func shown(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '·'
		}
		return c
	}, s)
}

// cut shortens a text to so many characters.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	runes := []rune(s)
	if width <= 1 {
		return string(runes[:max(width, 0)])
	}
	return string(runes[:width-1]) + "…"
}

// pad cuts or fills a text to so many characters.
func pad(s string, width int, right bool) string {
	s = cut(s, width)
	fill := strings.Repeat(" ", width-utf8.RuneCountInString(s))
	if right {
		return fill + s
	}
	return s + fill
}
