package core_test

import (
	"errors"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim/netsim"
)

type note struct {
	ID   int    `json:"id"`
	Text string `json:"text,omitempty"`
}

type notes struct {
	Entries []note          `json:"entries"`
	Reply   string          `json:"reply"`
	Meta    struct{ N int } `json:"meta"`
	Any     any             `json:"any,omitempty"`
}

func typedNotes(t *testing.T, v notes) *core.Typed[notes] {
	t.Helper()
	doc, err := core.NewTyped(v)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func parse(t *testing.T, text string) delta.Value {
	t.Helper()
	v, err := delta.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func wantValue(t *testing.T, why string, d *core.Document, want string) {
	t.Helper()
	if !d.Value().Equal(parse(t, want)) {
		t.Errorf("%s: the document is %v, want %s", why, d.Value(), want)
	}
}

// TestTypedUpdateTravelsSmall looks at the frames of a consumer.
func TestTypedUpdateTravelsSmall(t *testing.T) {
	l := newLab(t, base.Limits{}, netsim.Memory)
	doc := typedNotes(t, notes{Entries: []note{{1, "one entry"}, {2, "another"}}, Reply: "Hel"})
	l.worker.Core().Expose("Typed", core.Object{State: core.Members{"notes": doc.Document()}})
	r := l.hold(l.tab, "Typed")
	var frames []string
	var last notes
	l.at(l.tab, func() {
		r.Watch("notes", func(f core.Frame) {
			frames = append(frames, string(delta.AppendOpsJSON(nil, f.Ops)))
			var err error
			if last, err = delta.To[notes](f.Value); err != nil {
				t.Error(err)
			}
		})
	})
	frames = nil
	for _, c := range []struct {
		want string
		fn   func(*notes)
	}{
		{`[["a",["reply"],"lo"]]`, func(n *notes) { n.Reply += "lo" }},
		{`[["p",["entries"],2,0,[{"id":3,"text":"a third"}]]]`, func(n *notes) { n.Entries = append(n.Entries, note{3, "a third"}) }},
		{`[["a",["entries",1,"text"]," one"],["s",["meta","N"],7]]`, func(n *notes) { n.Entries[1].Text += " one"; n.Meta.N = 7 }},
		{`[["p",["entries"],0,1,[]]]`, func(n *notes) { n.Entries = n.Entries[1:] }},
		{`[["d",["entries",0,"text"]]]`, func(n *notes) { n.Entries[0].Text = "" }},
	} {
		l.at(l.worker, func() {
			if _, err := doc.Update(nil, func(n *notes) error { c.fn(n); return nil }); err != nil {
				t.Error(err)
			}
		})
		l.run(base.Second)
		if len(frames) != 1 || frames[0] != c.want {
			t.Errorf("frames %v, want %s", frames, c.want)
		}
		frames = nil
	}
	l.settle()
	if want, err := doc.Value(); err != nil || len(last.Entries) != 2 || last.Entries[1] != want.Entries[1] || last.Reply != "Hello" {
		t.Errorf("the consumer has %+v, the document %+v (%v)", last, want, err)
	}
}

func TestTypedUpdateIsAtomic(t *testing.T) {
	doc := typedNotes(t, notes{Reply: "x"})
	before := doc.Document().Value()
	stop := errors.New("stop")
	for why, c := range map[string]struct {
		fn   func(*notes) error
		want error
	}{
		"nothing":    {func(*notes) error { return nil }, nil},
		"there back": {func(n *notes) error { n.Reply += "y"; n.Reply = n.Reply[:1]; return nil }, nil},
		"an error":   {func(n *notes) error { n.Reply = "half"; return stop }, stop},
		"no JSON":    {func(n *notes) error { n.Reply, n.Any = "half", make(chan int); return nil }, delta.ErrGoType},
	} {
		if rev, err := doc.Update(nil, c.fn); rev != 0 || !errors.Is(err, c.want) || doc.Document().Value() != before {
			t.Errorf("%s: revision %d, %v", why, rev, err)
		}
	}
	func() {
		defer func() { recover() }()
		doc.Update(nil, func(n *notes) error { n.Reply = "half"; panic("within") })
	}()
	if rev, err := doc.Update(nil, func(n *notes) error { n.Reply = "whole"; return nil }); rev != 1 || err != nil {
		t.Errorf("revision %d, %v", rev, err)
	}
	_, err := doc.Update(nil, func(n *notes) error {
		_, inner := doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append("inner") })
		return inner
	})
	wantCode(t, "a change within an update", err, base.CodeRefused)
	wantValue(t, "after all", doc.Document(), `{"entries":null,"reply":"whole","meta":{"N":0}}`)
}

// TestTypedUpdateKeepsForeignFields updates documents that say their T in other words.
func TestTypedUpdateKeepsForeignFields(t *testing.T) {
	grow := func(n *notes) error {
		n.Entries = append(n.Entries, note{ID: 9})
		n.Reply += "!"
		n.Meta.N++
		return nil
	}
	for _, c := range []struct{ why, in, want string }{
		{"further fields", `{"entries":[{"id":1,"by":"ada"}],"reply":"a","meta":{"N":1,"x":[1]},"more":{"k":1}}`,
			`{"entries":[{"id":1,"by":"ada"},{"id":9}],"reply":"a!","meta":{"N":2,"x":[1]},"more":{"k":1}}`},
		{"half of a pair", `{"entries":[{"id":1,"text":"\ud83d"}],"reply":"a\ud83d","meta":{"N":1}}`,
			`{"entries":[{"id":1,"text":"\ud83d"},{"id":9}],"reply":"a\ud83d!","meta":{"N":2}}`},
		{"fields that are missing", `{}`, `{"entries":[{"id":9}],"reply":"!","meta":{"N":1}}`},
		{"keys in another case", `{"Entries":[],"REPLY":"a","meta":{"n":4}}`, `{"Entries":[{"id":9}],"REPLY":"a!","meta":{"n":5}}`},
		{"a key in two cases", `{"entries":[],"reply":"a","meta":{"N":1},"REPLY":"b"}`, `{"entries":[{"id":9}],"reply":"b!","meta":{"N":2}}`},
		{"null", `null`, `{"entries":[{"id":9}],"reply":"!","meta":{"N":1}}`},
	} {
		doc := core.TypedOf[notes](core.NewDocument(parse(t, c.in)))
		before, err := doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		if rev, err := doc.Update(nil, func(*notes) error { return nil }); rev != 0 || err != nil {
			t.Errorf("%s: an update that changes nothing is revision %d, %v", c.why, rev, err)
		}
		if rev, err := doc.Update(nil, grow); rev != 1 || err != nil {
			t.Errorf("%s: revision %d, %v", c.why, rev, err)
		}
		wantValue(t, c.why, doc.Document(), c.want)
		after, err := doc.Value()
		if err != nil || len(after.Entries) != len(before.Entries)+1 || after.Meta.N != before.Meta.N+1 || after.Reply != before.Reply+"!" {
			t.Errorf("%s: read as %+v (%v)", c.why, after, err)
		}
	}
}

func TestTypedOfAnotherType(t *testing.T) {
	doc := core.TypedOf[notes](core.NewDocument(parse(t, `{"entries":[{"id":"one"}]}`)))
	var where *delta.GoError
	if _, err := doc.Value(); !errors.As(err, &where) || where.Path != "Entries[0].ID" {
		t.Errorf("got %v", err)
	}
	if rev, err := doc.Update(nil, func(*notes) error { return nil }); rev != 0 || !errors.Is(err, delta.ErrGoType) {
		t.Errorf("revision %d, %v", rev, err)
	}
	if _, err := core.NewTyped(make(chan int)); !errors.Is(err, delta.ErrGoType) {
		t.Errorf("got %v", err)
	}
}

// TestTypedUpdateIsOfItsCall checks that the call is told of the update: its result is not seen before it (C15).
func TestTypedUpdateIsOfItsCall(t *testing.T) {
	l := newLab(t, base.Limits{}, slow(1000))
	doc := typedNotes(t, notes{Reply: text(3000)})
	l.worker.Core().Expose("Typed", core.Object{
		State: core.Members{"notes": doc.Document()},
		Methods: core.Methods{"add": func(c *core.Call) (delta.Value, error) {
			rev, err := doc.Update(c, func(n *notes) error { n.Entries = append(n.Entries, note{ID: 1}); return nil })
			return delta.Int(int(rev)), err
		}},
	})
	r := l.hold(l.tab, "Typed")
	l.settle()
	// The window is full, so that the update waits while the result could go.
	for range 6 {
		l.at(l.worker, func() {
			if _, err := doc.Change(nil, func(d *delta.Draft) error { return d.At("reply").Append(text(500)) }); err != nil {
				t.Error(err)
			}
		})
	}
	done := false
	l.at(l.tab, func() {
		r.Call("add", nil, func(v delta.Value, err error) {
			done = true
			value, _ := r.Value("notes")
			seen, to := delta.To[notes](value)
			if err != nil || to != nil || len(seen.Entries) != 1 || v.Number() == 0 {
				t.Errorf("the result %v (%v) was seen before the update: %+v (%v)", v, err, seen.Entries, to)
			}
		})
	})
	l.settle()
	if !done {
		t.Error("the call did not settle")
	}
}
