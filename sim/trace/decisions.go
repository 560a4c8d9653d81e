package trace

import (
	"strconv"
	"strings"

	"chordsim/core/base"
)

// MaxLabels is how many labels Decisions tells apart, of which a run of churn has about a hundred. Draws under labels beyond it
// are one label, OtherLabels.
const MaxLabels = 1024

// MaxLabel is how many bytes of a label are kept. Two labels that are the same up to there are one.
const MaxLabel = 80

// OtherLabels is the label of all draws under labels that found no place.
const OtherLabels = "(other labels)"

// Decisions keeps of all that was drawn at random in a run: for each label, how often and a hash of what came. Labels are
// in the order of their first draw. The zero value has none.
type Decisions struct {
	labels []Label
	index  map[string]int
	last   string // the label of the newest draw, and where it is
	lastAt int
}

// Label is what was drawn under one label. Its JSON form is part of repro files.
type Label struct {
	Name  string `json:"label"`
	Draws int64  `json:"draws"`
	Hash  string `json:"hash"` // 16 hexadecimal digits: the rolling hash over the draws
	hash  Hash
}

var _ base.Observer = (*Decisions)(nil)

// Drew takes a draw in.
func (d *Decisions) Drew(label string, draw uint64) {
	if d.last != label || len(d.labels) == 0 {
		d.last, d.lastAt = label, d.find(label)
	}
	l := &d.labels[d.lastAt]
	l.Draws++
	l.hash.mix(draw)
}

// find returns where the draws of a label go.
func (d *Decisions) find(label string) int {
	if at, ok := d.index[label]; ok {
		return at
	}
	name := clip(label, MaxLabel)
	at, ok := d.index[name]
	if !ok && len(d.labels) >= MaxLabels {
		name = OtherLabels
		at, ok = d.index[name]
	}
	if !ok {
		if d.index == nil {
			d.index = map[string]int{}
		}
		at = len(d.labels)
		d.labels = append(d.labels, Label{Name: name})
		d.index[name] = at
	}
	return at
}

// World returns the observer of a world of that name: its labels begin with "name: ". Without a name they are as they are.
func (d *Decisions) World(name string) base.Observer {
	if name == "" {
		return d
	}
	return &worldDecisions{d, name + ": ", map[string]string{}}
}

// worldDecisions puts the world's name before each label.
type worldDecisions struct {
	all    *Decisions
	prefix string
	joined map[string]string // by label, at most MaxLabels of them
}

func (w *worldDecisions) Drew(label string, draw uint64) {
	name, ok := w.joined[label]
	if !ok {
		name = w.prefix + label
		if len(w.joined) < MaxLabels {
			w.joined[label] = name
		}
	}
	w.all.Drew(name, draw)
}

// Labels returns what was drawn, in the order of the first draws. It is what goes into a repro file.
func (d *Decisions) Labels() []Label {
	list := make([]Label, len(d.labels))
	for i, l := range d.labels {
		list[i] = Label{Name: l.Name, Draws: l.Draws, Hash: l.hash.String()}
	}
	return list
}

// Drift is how the decisions of two runs differ. The zero value: not at all.
type Drift struct {
	First bool  // a label of the older run differs; the first one that does is Old's
	Old   Label // what the older run drew under it
	New   Label // what the newer one drew; no draws if it did not use the label
	// Added are labels that the older run has not, which is not taken for a difference: a draw under a label of its own moves
	// no other.
	Added []string
}

// Differs reports whether a label of the older run differs.
func (d Drift) Differs() bool { return d.First }

// String says it in one line; empty where there is nothing to say.
func (d Drift) String() string {
	var out strings.Builder
	if d.Differs() {
		out.WriteString("the first label that differs is \"" + d.Old.Name + "\": ")
		switch {
		case d.New.Draws == 0:
			out.WriteString(counted(d.Old.Draws, "draw") + ", then none")
		case d.Old.Draws != d.New.Draws:
			out.WriteString(counted(d.Old.Draws, "draw") + ", then " + strconv.FormatInt(d.New.Draws, 10))
		default:
			out.WriteString(counted(d.Old.Draws, "draw") + " each, of other values")
		}
	}
	if n := len(d.Added); n > 0 {
		if out.Len() > 0 {
			out.WriteString("; ")
		}
		out.WriteString(counted(int64(n), "new label") + " passed over, which the older run has not: \"" + d.Added[0] + "\"")
		if n > 1 {
			out.WriteString(" and others")
		}
	}
	return out.String()
}

// CompareLabels compares what an older run drew with what a newer one drew, label by label in the order of the older run's
// first draws. Draws under labels that the older run has not are passed over, and named. Where the older run had more
// labels than it could keep, the rest of them is not compared.
func CompareLabels(older, newer []Label) Drift {
	var drift Drift
	fresh := make(map[string]Label, len(newer))
	for _, l := range newer {
		fresh[l.Name] = l
	}
	known := make(map[string]bool, len(older))
	for _, old := range older {
		known[old.Name] = true
		now := fresh[old.Name]
		if old.Name == OtherLabels && len(newer) > 0 || drift.Differs() || now.Draws == old.Draws && now.Hash == old.Hash {
			continue
		}
		_, overflowed := fresh[OtherLabels]
		if now.Draws == 0 && overflowed {
			continue // it may be among those that found no place
		}
		now.Name = old.Name
		drift.First, drift.Old, drift.New = true, old, now
	}
	if known[OtherLabels] {
		return drift // what is new cannot be told
	}
	for _, l := range newer {
		if !known[l.Name] {
			drift.Added = append(drift.Added, l.Name)
		}
	}
	return drift
}

// counted prints a number and a noun.
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}
