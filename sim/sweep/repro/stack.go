package repro

import (
	"path"
	"regexp"
	"strings"
)

// Frame is a function in a stack and the place in it.
type Frame struct {
	Function string // with its package, without the module's name, such as core.(*Host).Do
	Position string // file:line, without folders
	Own      bool   // it is this module's
}

// String prints the frame in one line.
func (f Frame) String() string { return Line(f.Function+" "+f.Position, MaxFrame) }

// modulePrefix is what functions of this module begin with.
const modulePrefix = "chordsim/"

var (
	arguments = regexp.MustCompile(`\([^()]*\)$`)
	closure   = regexp.MustCompile(`(?:\.func\d+|\.gowrap\d+|-range\d+|\.\d+)+$`)
	typeArgs  = regexp.MustCompile(`\[[^\]]*\]`)
)

// ParseStack reads the frames of one goroutine, innermost first, from what package runtime prints of it. Lines that are
// none are left out.
func ParseStack(text string) []Frame {
	var frames []Frame
	function := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		place, isPlace := strings.CutPrefix(line, "\t")
		switch {
		case !isPlace:
			function = line
		case function != "":
			place, _, _ = strings.Cut(place, " ")
			frames = append(frames, Frame{
				Function: functionName(function), Position: path.Base(place),
				Own: strings.HasPrefix(function, modulePrefix) || strings.HasPrefix(function, "main."),
			})
			function = ""
		}
	}
	return frames
}

// functionName takes off the arguments, and what the compiler numbers.
func functionName(line string) string {
	line = strings.TrimPrefix(line, "created by ")
	line = arguments.ReplaceAllString(line, "")
	line = typeArgs.ReplaceAllString(line, "")
	line = closure.ReplaceAllString(line, "")
	return strings.TrimPrefix(line, modulePrefix)
}

// AfterPanic drops the frames of whoever caught the panic, and those of the runtime that raised it.
func AfterPanic(frames []Frame) []Frame {
	for i, f := range frames {
		if f.Function == "panic" {
			frames = frames[i+1:]
			break
		}
	}
	for len(frames) > 0 && strings.HasPrefix(frames[0].Function, "runtime.") {
		frames = frames[1:]
	}
	return frames
}

// Common returns the frames that all stacks share, seen from the outermost one, by function: what went on in all of
// them. It is innermost first, with the positions of the first stack.
func Common(stacks [][]Frame) []Frame {
	if len(stacks) == 0 {
		return nil
	}
	first := stacks[0]
	n := len(first)
	for _, other := range stacks[1:] {
		same := 0
		for same < min(n, len(other)) && first[len(first)-1-same].Function == other[len(other)-1-same].Function {
			same++
		}
		n = same
	}
	return first[len(first)-n:]
}

// Place returns the innermost function of this module, else the innermost of all, or "".
func Place(frames []Frame) string {
	for _, f := range frames {
		if f.Own {
			return f.Function
		}
	}
	if len(frames) > 0 {
		return frames[0].Function
	}
	return ""
}

// Lines prints the innermost frames, a recursion's once.
func Lines(frames []Frame) []string {
	var lines []string
	for _, f := range frames {
		line := f.String()
		if len(lines) == MaxFrames {
			break
		}
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines
}
