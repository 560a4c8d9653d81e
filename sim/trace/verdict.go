package trace

// Verdict is how a run ended.
type Verdict struct {
	Ended    bool   // to its end, well or not; false: it broke off, as a finding says
	Ran      int64  // events that its worlds ran, those included that are in no trace: what a world and its links do by themselves
	Headline string // what was run, in one line; empty: not known
	Findings []Finding
}

// Finding is one way in which a run failed.
type Finding struct {
	Kind  string   // violated, missed, stuck, differs; panic, hang, memory: those that break a run off
	Count int64    // how many there were
	Texts []string // the first of them, each a line; at most MaxTexts
	Place string   // the function where a run broke off; empty: not known
	Stack []string // its innermost frames, innermost first; at most MaxStack
}

// Find adds what was found of a kind: all of it counts, the first of it is kept. Nothing found adds nothing.
func (v *Verdict) Find(kind string, texts []string) {
	if len(texts) > 0 {
		v.Findings = append(v.Findings, Finding{Kind: kind, Count: int64(len(texts)), Texts: texts[:min(len(texts), MaxTexts)]})
	}
}

// verdict writes a verdict.
func (f *FileWriter) verdict(v *Verdict) {
	ended := byte(0)
	if v.Ended {
		ended = 1
	}
	f.record = append(f.record, ended)
	f.number(uint64(v.Ran))
	f.text(v.Headline)
	findings := v.Findings[:min(len(v.Findings), MaxFindings)]
	f.number(uint64(len(findings)))
	for i := range findings {
		found := &findings[i]
		f.text(found.Kind)
		f.number(uint64(found.Count))
		f.texts(found.Texts, MaxTexts)
		f.text(found.Place)
		f.texts(found.Stack, MaxStack)
	}
}

func (f *FileWriter) texts(list []string, most int) {
	list = list[:min(len(list), most)]
	f.number(uint64(len(list)))
	for _, s := range list {
		f.text(s)
	}
}

// verdict reads a verdict.
func (f *FileReader) verdict() (v Verdict) {
	switch ended := f.byte(); ended {
	case 0, 1:
		v.Ended = ended == 1
	default:
		f.fail("an end that is neither")
	}
	v.Ran, v.Headline = f.count(), f.text()
	for range f.upTo(MaxFindings, "findings") {
		v.Findings = append(v.Findings, Finding{
			Kind: f.text(), Count: f.count(), Texts: f.texts(MaxTexts, "texts"), Place: f.text(), Stack: f.texts(MaxStack, "frames"),
		})
	}
	return v
}

func (f *FileReader) texts(most uint64, what string) (list []string) {
	for range f.upTo(most, what) {
		list = append(list, f.text())
	}
	return list
}
