package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/delta"
)

type growing struct {
	Title string `json:"title"`
	Note  string `json:"note"`
	Cfg   struct {
		X int `json:"x"`
	} `json:"cfg"`
	Tags  []string `json:"tags"`
	Items []struct {
		ID int    `json:"id"`
		S  string `json:"s,omitempty"`
	} `json:"items,omitempty"`
}

// What a type does not know of a document survives its updates, also where the document lacks what the type has got since.
func TestTypedUpdateMerges(t *testing.T) {
	for _, c := range []struct {
		why, doc string
		update   func(*growing)
		want     string
	}{
		{"a field that is new to the document", `{"title":"a","owner":"ada","history":[1,2]}`,
			func(g *growing) { g.Note = "hello" }, `{"title":"a","owner":"ada","history":[1,2],"note":"hello"}`},
		{"a place below one that is new", `{"title":"a","owner":"ada"}`,
			func(g *growing) { g.Cfg.X = 1 }, `{"title":"a","owner":"ada","cfg":{"x":1}}`},
		{"an element with more in it", `{"title":"t","items":[{"id":1,"s":"x","meta":{"m":1}},{"id":2,"meta":{"m":2}}]}`,
			func(g *growing) { g.Items[1].S = "text" }, `{"title":"t","items":[{"id":1,"s":"x","meta":{"m":1}},{"id":2,"meta":{"m":2},"s":"text"}]}`},
		{"keys in another case", `{"TITLE":"t","ITEMS":[{"ID":1,"x":"a"}],"u":1}`,
			func(g *growing) { g.Items[0].ID = 7; g.Title = "T" }, `{"TITLE":"T","ITEMS":[{"ID":7,"x":"a"}],"u":1}`},
		{"an element in front of others", `{"title":"t","items":[{"id":1,"m":1},{"id":2,"m":2}]}`,
			func(g *growing) {
				g.Items = append(g.Items[:0:0], append(g.Items[:1:1], g.Items...)...)
				g.Items[0].ID = 9
			},
			`{"title":"t","items":[{"id":9},{"id":1,"m":1},{"id":2,"m":2}]}`},
		{"an element that is gone", `{"title":"t","items":[{"id":1,"m":1},{"id":2,"m":2}]}`,
			func(g *growing) { g.Items = g.Items[1:] }, `{"title":"t","items":[{"id":2,"m":2}]}`},
		{"a field that is empty again", `{"title":"t","items":[{"id":1,"s":"x","m":1}]}`,
			func(g *growing) { g.Items[0].S = "" }, `{"title":"t","items":[{"id":1,"m":1}]}`},
		{"nothing", `{"title":"t","u":1}`, func(*growing) {}, `{"title":"t","u":1}`},
	} {
		v, err := delta.ParseJSON([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		doc := core.NewDocument(v)
		_, err = core.TypedOf[growing](doc).Update(nil, func(g *growing) error { c.update(g); return nil })
		if err != nil || doc.Value().String() != c.want {
			t.Errorf("%s: %v (%v), want %s", c.why, doc.Value(), err, c.want)
		}
	}
}
