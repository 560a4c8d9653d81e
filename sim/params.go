package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"chordsim/core/base"
	"chordsim/faults"
	"chordsim/faults/linkmodel"
)

// ParamKind is what a parameter's value is.
type ParamKind uint8

// The kinds of parameters.
const (
	ParamInt      ParamKind = iota // a whole number
	ParamDuration                  // such as 10ms or 1.5s
	ParamRate                      // such as 64KiB/s; 0 is unlimited
	ParamBytes                     // such as 4096 or 64KiB
	ParamChoice                    // one of Choices
	ParamText                      // any text in UTF-8
)

var paramKinds = [...]string{"number", "duration", "rate", "bytes", "choice", "text"}

// String returns the kind's name.
func (k ParamKind) String() string { return paramKinds[k] }

// Param is a parameter of a scenario.
type Param struct {
	Name    string
	Kind    ParamKind
	Default string // as it is written on a command line
	Min     int64  // least value of a number, a duration in nanoseconds or bytes; of a text its least length in bytes
	Max     int64  // greatest one; 0: none
	Choices []string
	Help    string
}

// Values are the parameters of one run.
type Values struct {
	params []Param
	text   []string
	number []int64
}

// ParseValues reads settings of the form name=value, over the defaults. Of two settings of one name the later counts.
func ParseValues(params []Param, settings []string) (Values, error) {
	v := Values{params: params, text: make([]string, len(params)), number: make([]int64, len(params))}
	for i, p := range params {
		if err := v.set(i, p.Default); err != nil {
			panic("sim: the default of a parameter: " + err.Error())
		}
	}
	for _, s := range settings {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return v, fmt.Errorf("--set %s: want name=value", s)
		}
		i := v.index(name)
		if i < 0 {
			return v, fmt.Errorf("--set %s: there is no parameter %q%s", s, name, v.suggest(name))
		}
		if err := v.set(i, value); err != nil {
			return v, fmt.Errorf("--set %s: %w", s, err)
		}
	}
	return v, nil
}

func (v *Values) index(name string) int {
	for i := range v.params {
		if v.params[i].Name == name {
			return i
		}
	}
	return -1
}

func (v *Values) suggest(name string) string {
	names := make([]string, len(v.params))
	for i := range v.params {
		names[i] = v.params[i].Name
	}
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are " + strings.Join(names, ", ")
}

func (v *Values) set(i int, text string) error {
	p := &v.params[i]
	n, err := p.parse(text)
	if err != nil {
		return err
	}
	has := "is " + text
	if p.Kind == ParamText {
		has = "has " + p.print(n)
	}
	if n < p.Min {
		return fmt.Errorf("%s %s, want at least %s", p.Name, has, p.print(p.Min))
	}
	if p.Max != 0 && n > p.Max {
		return fmt.Errorf("%s %s, want at most %s", p.Name, has, p.print(p.Max))
	}
	v.text[i], v.number[i] = text, n
	return nil
}

func (p *Param) parse(text string) (int64, error) {
	switch p.Kind {
	case ParamInt:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is %q, want a whole number", p.Name, text)
		}
		return n, nil
	case ParamDuration:
		d, err := base.ParseDuration(text)
		return int64(d), err
	case ParamRate:
		return linkmodel.ParseRate(text)
	case ParamBytes:
		return parseBytes(p.Name, text)
	case ParamChoice:
		for i, c := range p.Choices {
			if c == text {
				return int64(i), nil
			}
		}
		return 0, fmt.Errorf("%s is %q, want one of %s", p.Name, text, strings.Join(p.Choices, ", "))
	}
	if !utf8.ValidString(text) {
		return 0, fmt.Errorf("%s is %q, want text in UTF-8", p.Name, text)
	}
	return int64(len(text)), nil
}

func parseBytes(name, text string) (int64, error) {
	number, unit := text, int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = rest, u.unit
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return 0, fmt.Errorf("%s is %q, want a number of bytes, such as 4096 or 64KiB", name, text)
	}
	return n * unit, nil
}

var byteUnits = []struct {
	suffix string
	unit   int64
}{{"KiB", base.KiB}, {"MiB", base.MiB}, {"B", 1}}

func (p *Param) print(n int64) string {
	switch p.Kind {
	case ParamDuration:
		return base.Duration(n).String()
	case ParamRate:
		return linkmodel.FormatRate(n)
	case ParamText:
		return plural(n, "byte")
	}
	return strconv.FormatInt(n, 10)
}

func (v Values) get(name string, kinds ...ParamKind) int64 {
	i := v.index(name)
	if i < 0 {
		panic("sim: the scenario has no parameter " + name)
	}
	for _, k := range kinds {
		if v.params[i].Kind == k {
			return v.number[i]
		}
	}
	panic("sim: the parameter " + name + " is a " + v.params[i].Kind.String())
}

// Int returns a number, or the number of bytes of a rate or a size.
func (v Values) Int(name string) int64 { return v.get(name, ParamInt, ParamRate, ParamBytes) }

// Duration returns a duration.
func (v Values) Duration(name string) base.Duration { return base.Duration(v.get(name, ParamDuration)) }

// Text returns the value as it was written.
func (v Values) Text(name string) string {
	i := v.index(name)
	if i < 0 {
		panic("sim: the scenario has no parameter " + name)
	}
	return v.text[i]
}

// IsDefault reports whether a parameter has its default value.
func (v Values) IsDefault(name string) bool {
	i := v.index(name)
	n, err := v.params[i].parse(v.params[i].Default)
	return err == nil && n == v.number[i] && (v.params[i].Kind != ParamText || v.text[i] == v.params[i].Default)
}

// Changed lists the settings that differ from the defaults, as name=value, in the order of the parameters.
func (v Values) Changed() []string {
	var list []string
	for i := range v.params {
		if !v.IsDefault(v.params[i].Name) {
			list = append(list, v.params[i].Name+"="+v.text[i])
		}
	}
	return list
}

// Nearest is [faults.Nearest], for the names of scenarios, parameters, hosts and links.
func Nearest(written string, names []string) string { return faults.Nearest(written, names) }

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}
