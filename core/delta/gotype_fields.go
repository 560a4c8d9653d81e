package delta

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// goField is one field of a struct's JSON: one of its own, or one of a struct that it embeds.
type goField struct {
	name   string
	index  []int // where it is, through the embedded structs
	tagged bool  // the name is from the tag
	plan   *goType

	omitEmpty, omitZero bool
	zero                func(reflect.Value) bool // the type's IsZero, nil if it has none
	quoted              bool                     // a scalar inside of a text, by the option "string"
}

// planFields plans a struct. Embedded structs are flattened by Go's rules of visibility, which tags amend: of fields
// with one name the one that is embedded least deep is taken, a tagged one before the others, and none if two are left.
func (p *planner) planFields(g *goType) {
	fields := collectFields(g.typ)
	slices.SortStableFunc(fields, func(a, b goField) int {
		tags := 0
		if a.tagged != b.tagged {
			tags = 1
			if a.tagged {
				tags = -1
			}
		}
		return cmp.Or(
			strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), tags, slices.Compare(a.index, b.index),
		)
	})
	for len(fields) > 0 {
		n := 1
		for n < len(fields) && fields[n].name == fields[0].name {
			n++
		}
		if n == 1 || len(fields[0].index) < len(fields[1].index) || fields[0].tagged != fields[1].tagged {
			g.fields = append(g.fields, fields[0])
		}
		fields = fields[n:]
	}
	slices.SortStableFunc(g.fields, func(a, b goField) int { return slices.Compare(a.index, b.index) })
	names := make([]string, len(g.fields))
	g.exact, g.folded = make(map[string]int, len(names)), make(map[string]int, len(names))
	for i := range g.fields {
		f := &g.fields[i]
		f.plan = p.plan(fieldType(g.typ, f.index))
		names[i] = canonical(f.name)
		g.exact[f.name] = i
		if folded := foldCase(f.name); !hasKey(g.folded, folded) {
			g.folded[folded] = i
		}
	}
	g.keys = newShape(names)
}

func hasKey(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}

// embedded is a struct whose fields are to be collected, and where it is.
type embedded struct {
	typ   reflect.Type
	index []int
}

// collectFields returns the fields of a struct and of those that it embeds, level by level. Of a struct that is
// embedded more than once in a level every field is there twice, so that none of them is taken.
func collectFields(t reflect.Type) (fields []goField) {
	level, visited := []embedded{{typ: t}}, map[reflect.Type]bool{}
	var times map[reflect.Type]int
	for len(level) > 0 {
		var below []embedded
		timesBelow := map[reflect.Type]int{}
		for _, e := range level {
			if visited[e.typ] {
				continue
			}
			visited[e.typ] = true
			for i := range e.typ.NumField() {
				f, inner, ok := fieldOf(e, i)
				switch {
				case !ok:
				case inner != nil:
					if timesBelow[inner]++; timesBelow[inner] == 1 {
						below = append(below, embedded{inner, f.index})
					}
				default:
					fields = append(fields, f)
					if times[e.typ] > 1 {
						fields = append(fields, f)
					}
				}
			}
		}
		level, times = below, timesBelow
	}
	return fields
}

// fieldOf returns a field as its tag says. inner is the struct whose fields take its place, if it is embedded without a
// name; ok is false for a field that is ignored.
func fieldOf(e embedded, i int) (f goField, inner reflect.Type, ok bool) {
	sf := e.typ.Field(i)
	under := sf.Type // without one unnamed pointer
	if under.Name() == "" && under.Kind() == reflect.Pointer {
		under = under.Elem()
	}
	way := wayOf(under)
	if !sf.IsExported() && !(sf.Anonymous && way == wayStruct) {
		return f, nil, false // an unexported struct that is embedded may have fields that are exported
	}
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return f, nil, false
	}
	name, options, _ := strings.Cut(tag, ",")
	if !isTagName(name) {
		name = ""
	}
	f = goField{name: name, tagged: name != "", index: append(slices.Clone(e.index), i)}
	if name == "" && sf.Anonymous && way == wayStruct {
		return f, under, true
	}
	if name == "" {
		f.name = sf.Name
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			f.omitEmpty = true
		case "omitzero":
			f.omitZero, f.zero = true, zeroOf(sf.Type)
		case "string":
			switch way {
			case wayBool, wayInt, wayUint, wayFloat, wayString, wayNumber:
				f.quoted = true
			}
		}
	}
	return f, nil, true
}

// isTagName reports whether a tag may give a field this name.
func isTagName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}

// zeroOf returns what the type's IsZero says, or nil.
func zeroOf(t reflect.Type) func(reflect.Value) bool {
	ask := func(v reflect.Value) bool { return v.Interface().(zeroer).IsZero() }
	switch {
	case t.Kind() == reflect.Interface && t.Implements(zeroerType):
		return func(v reflect.Value) bool {
			return v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() || ask(v)
		}
	case t.Kind() == reflect.Pointer && t.Implements(zeroerType):
		return func(v reflect.Value) bool { return v.IsNil() || ask(v) }
	case t.Implements(zeroerType):
		return ask
	case reflect.PointerTo(t).Implements(zeroerType):
		return func(v reflect.Value) bool {
			if !v.CanAddr() {
				box := reflect.New(v.Type())
				box.Elem().Set(v)
				v = box.Elem()
			}
			return ask(v.Addr())
		}
	}
	return nil
}

// fieldType returns the type of a field of a struct, through embedded structs and pointers to such.
func fieldType(t reflect.Type, index []int) reflect.Type {
	for _, i := range index {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		t = t.Field(i).Type
	}
	return t
}

// foldCase returns the same string for names that differ in case only.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, s)
}

// isEmpty reports whether the option "omitempty" leaves a field out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return false
	}
	return v.IsZero()
}
