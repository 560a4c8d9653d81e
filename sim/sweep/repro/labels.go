package repro

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"chordsim/sim/trace"
)

// Labels is what was drawn at random, by label. In a file each is a line: how many draws, their hash, the label.
type Labels []trace.Label

// MarshalJSON makes the lines.
func (l Labels) MarshalJSON() ([]byte, error) {
	lines := make([]string, len(l))
	for i := range l {
		lines[i] = strconv.FormatInt(l[i].Draws, 10) + " " + l[i].Hash + " " + l[i].Name
	}
	return json.Marshal(lines)
}

// UnmarshalJSON reads the lines.
func (l *Labels) UnmarshalJSON(text []byte) error {
	var lines []string
	if err := json.Unmarshal(text, &lines); err != nil {
		return err
	}
	*l = nil
	for _, line := range lines {
		count, rest, _ := strings.Cut(line, " ")
		hash, name, ok := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(count, 10, 64)
		if !ok || err != nil || n < 0 || !isHash(hash) {
			return fmt.Errorf("the decisions %q, want a number of draws, 16 hexadecimal digits and a label", Clip(line, 80))
		}
		*l = append(*l, trace.Label{Name: name, Draws: n, Hash: hash})
	}
	return nil
}
