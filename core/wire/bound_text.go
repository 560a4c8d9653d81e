package wire

import "chordsim/core/base"

// In text a Bound is its id, the list of methods unless there are none, and for each member a name, a revision and a part.
// The revision is a number where the epoch is 1 and the part a value in full, as it is most of the time; otherwise a list:
// epoch, number, and a form if it is not 0. The part is JSON, or the length of deflated bytes behind the array.

// formDeflated is the bit of a member's form that says that the part is deflated.
const formDeflated = 1 << 1

// plain reports whether the revision says it all.
func (b *BoundMember) plain() bool { return b.Epoch == 1 && b.form() == 0 }

func (b *BoundMember) form() uint64 {
	form := uint64(b.Form)
	if b.Deflated {
		form |= formDeflated
	}
	return form
}

func (m *Bound) appendText(dst []byte) []byte {
	w := writer{codec: Text, dst: dst}
	w.number(m.ID)
	if len(m.Methods) > 0 {
		w.begin(len(m.Methods))
		for _, name := range m.Methods {
			w.name(name)
		}
		w.end()
	}
	for i := range m.Members {
		m.Members[i].appendText(&w)
	}
	return w.done()
}

func (b *BoundMember) appendText(w *writer) {
	w.name(b.Name)
	if b.plain() {
		w.number(b.Number)
	} else {
		w.begin(3)
		w.number(b.Epoch)
		w.number(b.Number)
		if form := b.form(); form != 0 {
			w.number(form)
		}
		w.end()
	}
	switch {
	case b.source != nil:
		w.sep()
		w.dst = b.source.append(w.dst)
	case b.Deflated:
		w.beside(b.Part)
	default:
		w.raw(b.Part)
	}
}

func parseBoundText(body []byte, limits *base.Limits) (Bound, error) {
	r := newMessage(Text, "bound", body)
	m := Bound{ID: r.number()}
	if r.after(',') == '[' {
		for l := r.list(maxMethods, "methods"); r.next(&l); {
			m.Methods = append(m.Methods, r.string(MaxMethod, "method name"))
		}
	}
	for r.more() {
		if len(m.Members) == limits.Members {
			r.Fail("members over their limit")
			break
		}
		m.Members = append(m.Members, r.memberText(limits))
	}
	return m, r.End()
}

func (r *Reader) memberText(limits *base.Limits) BoundMember {
	b := BoundMember{Name: r.string(limits.AddressBytes, "member name")}
	if r.after(',') != '[' {
		b.Epoch, b.Number = 1, r.number()
		b.Part = r.json()
		return b
	}
	fields := [3]uint64{}
	n := 0
	for l := r.list(len(fields), "fields of a revision"); r.next(&l); n++ {
		fields[n] = r.number()
	}
	if n < 2 || fields[2] > uint64(MemberOps)|formDeflated {
		r.Fail("bad revision")
	}
	b.Epoch, b.Number = fields[0], fields[1]
	b.Form = MemberForm(fields[2] &^ formDeflated)
	if b.Deflated = fields[2]&formDeflated != 0; b.Deflated {
		b.Part = r.beside()
	} else {
		b.Part = r.json()
	}
	return b
}
