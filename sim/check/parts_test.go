package check_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/part"
	"chordsim/core/wire"
)

// partsLab is a lab whose hosts deflate, in a codec. What they deflate is kept.
type partsLab struct {
	*lab
	made [][]byte
}

func newPartsLab(t *testing.T, s labSetup, codec wire.Codec) *partsLab {
	l := &partsLab{}
	rewire := s.rewire
	s.rewire = func(p *core.Probe) {
		deflated := p.Deflated
		p.Deflated = func(h *core.Host, raw, part []byte) {
			deflated(h, raw, part)
			l.made = append(l.made, part)
		}
		if rewire != nil {
			rewire(p)
		}
	}
	s.hosts = func(c *core.Config) { c.Deflate, c.Codec = true, codec }
	l.lab = newLab(t, s)
	return l
}

// words is n bytes that deflate.
func words(n int) string { return strings.Repeat("deflated at the origin, once. ", n/30+1)[:n] }

// TestPartsClean has parts in every place of a message that may be deflated, and such as must not be.
func TestPartsClean(t *testing.T) {
	for _, codec := range []wire.Codec{wire.Binary, wire.Text} {
		for _, relayed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, relayed=%v", codec, relayed), func(t *testing.T) {
				l := newPartsLab(t, labSetup{relayed: relayed}, codec)
				l.add(words(20_000))
				l.get()             // a snapshot
				l.add(words(17000)) // a change
				results := 0
				l.do(l.tab, func() {
					for _, n := range []int{10, 16_000, 18_000} { // arguments, and results of which one is deflated
						l.view.Call("echo", words(n), func(v delta.Value, err error) {
							if err == nil && v.Len() == n {
								results++
							}
						}, core.WithBytes([]byte(words(n))))
					}
				})
				l.settle()
				l.wantNone(false)
				if inflated := l.tab.Stats().Inflated; results != 3 || inflated != 3 || len(l.made) != 3 {
					t.Errorf("%d results, %d parts deflated, %d inflated; want 3 each", results, len(l.made), inflated)
				}
				// Two for each part that is deflated, one for each that comes, is an argument's, or is there no more; two when
				// it is inflated.
				if looks := l.looks("C10"); looks < 3*2+2*3+3*2+3*2 {
					t.Errorf("%d looks", looks)
				}
			})
		}
	}
}

// TestC10Origin breaks what is deflated: too small, or for nothing.
func TestC10Origin(t *testing.T) {
	l := newPartsLab(t, labSetup{}, wire.Binary)
	l.probe.Deflated(l.worker, make([]byte, 16_385), make([]byte, 16_384))
	l.wantNone(false)
	l.probe.Deflated(l.worker, make([]byte, 16_384), make([]byte, 100))
	l.wantViolation("C10", "at worker: a part of 16384 bytes is deflated, which is not over 16384")
	l.probe.Deflated(l.worker, make([]byte, 20_000), make([]byte, 20_000))
	l.wantViolation("C10", "at worker: a part of 20000 bytes is deflated to 20000")
}

// TestC10Distrusted has a host that is not trusted deflate what it likes, and send what it did not tell of.
func TestC10Distrusted(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		l := newPartsLab(t, labSetup{relayed: relayed}, wire.Binary)
		l.set.Distrust(l.worker)
		l.probe.Deflated(l.worker, make([]byte, 16), make([]byte, 100))
		l.add(words(20_000))
		l.get()
		var d part.Deflater
		small, _ := d.Append(nil, []byte(words(16_385)))
		small = append([]byte{0x80, 0x80, 0x01}, small[3:]...) // declares 16,384 bytes
		l.first().mangle = withResult(func(m *wire.Result) { m.Value, m.Deflated = small, true })
		l.do(l.tab, func() { l.view.Call("echo", 1, nil) })
		l.wantNone(false)
		if n := l.tab.Stats().Inflated; n != 1 {
			t.Errorf("%d parts inflated, want 1", n)
		}
	}
}

// first is the end that writes what the worker says: towards a server, if there is one.
func (l *partsLab) first() *end {
	if l.route != nil {
		return &l.route.dialer
	}
	return l.down()
}

// withResult changes the results on their way.
func withResult(change func(m *wire.Result)) func([]byte) [][]byte {
	return onlyType(wire.TypeResult, func(chunk []byte) [][]byte {
		h, body, _ := wire.ParseHeader(wire.Binary, chunk)
		m, err := wire.ParseResult(wire.Binary, body)
		if err != nil {
			return [][]byte{chunk}
		}
		change(&m)
		return [][]byte{m.Append(wire.Binary, h.Append(wire.Binary, nil))}
	})
}

// TestC10Wire breaks what comes to an owner.
func TestC10Wire(t *testing.T) {
	var d part.Deflater
	other, _ := d.Append(nil, []byte(strings.ToUpper(words(20_000))))
	t.Run("made by nobody", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.get()
		l.down().mangle = withResult(func(m *wire.Result) { m.Value, m.Deflated = other, true })
		l.do(l.tab, func() { l.view.Call("echo", 1, nil) })
		l.wantViolation("C10", fmt.Sprintf("at tab: a deflated part of %d bytes came that no host made", len(other)))
	})
	t.Run("at the threshold", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.get()
		small := append([]byte{0x80, 0x80, 0x01}, other[3:]...) // declares 16,384 bytes
		l.down().mangle = withResult(func(m *wire.Result) { m.Bytes, m.DeflatedBytes = [][]byte{small}, 1 })
		l.do(l.tab, func() { l.view.Call("echo", 1, nil) })
		l.wantViolation("C10", "bytes came that is 16384 when inflated: not over its own size, or over 16384")
	})
	t.Run("grown", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.get()
		grown := append(bytes.Clone(other), make([]byte, 20_000)...)
		l.down().mangle = onlyType(wire.TypeResult, func([]byte) (chunks [][]byte) {
			rest := wire.Result{Value: grown, Deflated: true}.Append(wire.Binary, nil)
			for typ := wire.TypeResultBulk; len(rest) > 0; typ = wire.TypeBulkMore {
				n := min(len(rest), 4096)
				h := wire.Header{Type: typ, More: n < len(rest)}
				chunks = append(chunks, append(h.Append(wire.Binary, nil), rest[:n]...))
				rest = rest[n:]
			}
			return chunks
		})
		l.do(l.tab, func() { l.view.Call("echo", 1, nil) })
		l.wantViolation("C10", "bytes came that is 20000 when inflated: not over its own size, or over 16384")
	})
	t.Run("in a change", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.get()
		l.down().mangle = onlyType(wire.TypeState, func([]byte) [][]byte {
			sec := wire.Section{Base: 0, Span: 1, Ops: other, Deflated: true}
			return [][]byte{sec.Append(wire.Binary, wire.AppendEntry(wire.Binary, wire.Header{Type: wire.TypeState}.Append(wire.Binary, nil), 0), false)}
		})
		l.add("x")
		l.wantViolation("C10", "came that no host made")
	})
	t.Run("in a snapshot", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.down().mangle = onlyType(wire.TypeBound, func(chunk []byte) [][]byte {
			h, body, _ := wire.ParseHeader(wire.Binary, chunk)
			m, _ := wire.ParseBound(wire.Binary, body, l.wire.dialer.conn.Link().Limits())
			m.Members[0].Part, m.Members[0].Deflated = other, true
			return [][]byte{m.Append(wire.Binary, h.Append(wire.Binary, nil))}
		})
		l.get()
		l.wantViolation("C10", "came that no host made")
	})
}

// TestC10Owner breaks what is inflated.
func TestC10Owner(t *testing.T) {
	altered := func(p *core.Probe) {
		inflated := p.Inflated
		p.Inflated = func(h *core.Host, raw []byte) {
			raw = bytes.Clone(raw)
			raw[len(raw)/2] ^= 1
			inflated(h, raw)
		}
	}
	t.Run("something else", func(t *testing.T) {
		l := newPartsLab(t, labSetup{rewire: altered}, wire.Binary)
		l.add(words(20_000))
		l.get()
		l.wantViolation("C10", "bytes is inflated that is not what was deflated")
	})
	t.Run("out of nothing", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.add(words(20_000))
		l.get()
		l.wantNone(false)
		l.probe.Inflated(l.tab, make([]byte, 20_000))
		l.wantViolation("C10", "at tab: a part of 20000 bytes is inflated that nothing brought")
	})
	t.Run("over the limit", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.get()
		l.wire.dialer.conn.Link().Limits().InflatedBytes = 40_000 // which the tab's core does not see
		call := func(n int) {
			l.do(l.tab, func() {
				l.view.Call("echo", words(n), nil, core.WithBytes())
			})
		}
		call(39_900)
		l.wantNone(false)
		call(40_001)
		l.wantViolation("C10", "bytes of a message are inflated, the limit is 40000")
	})
	t.Run("over the limit together", func(t *testing.T) {
		l := newPartsLab(t, labSetup{}, wire.Binary)
		second := core.NewDocument(delta.String(""))
		first := core.NewDocument(delta.String(""))
		l.worker.Expose("Two", core.Object{State: core.Members{"a": first, "b": second}})
		l.do(l.tab, func() { l.view = l.tab.Get("Two") })
		l.wire.dialer.conn.Link().Limits().InflatedBytes = 40_000
		l.do(l.worker, func() { // one state message
			for _, d := range []*core.Document{first, second} {
				if _, err := d.Change(nil, func(d *delta.Draft) error { return d.At().Set(words(30_000)) }); err != nil {
					t.Error(err)
				}
			}
		})
		l.wantViolation("C10", "at tab: 600")
	})
	t.Run("thrown away", func(t *testing.T) { // a message that is not inflated leaves the book when a later one is
		l := newPartsLab(t, labSetup{}, wire.Binary)
		l.get()
		for range 3 {
			l.down().held = true
			var pc *core.PendingCall
			l.do(l.tab, func() { pc = l.view.Call("echo", words(20_000), nil) })
			l.do(l.tab, pc.Cancel)
			l.down().free()
			l.do(l.tab, func() { l.view.Call("echo", words(30_000), nil) })
		}
		l.settle()
		l.wantNone(false)
		if n := l.tab.Stats().Inflated; n != 3 {
			t.Errorf("%d parts inflated, want 3", n)
		}
		l.probe.Inflated(l.tab, make([]byte, 20_004)) // what the cancelled calls give, encoded
		l.wantViolation("C10", "is inflated that nothing brought")
	})
}

// TestC10Requests breaks what goes up.
func TestC10Requests(t *testing.T) {
	for name, c := range map[string]struct {
		typ    wire.Type
		mangle func(l *partsLab, body []byte) []byte
		want   string
	}{
		"an argument": {wire.TypeCall, func(l *partsLab, body []byte) []byte {
			m, _ := wire.ParseCall(wire.Binary, body)
			m.Args = l.made[0]
			return m.Append(wire.Binary, nil)
		}, "an argument came deflated"},
		"bytes": {wire.TypeCall, func(l *partsLab, body []byte) []byte {
			m, _ := wire.ParseCall(wire.Binary, body)
			m.Bytes = [][]byte{l.made[0]}
			return m.Append(wire.Binary, nil)
		}, "bytes beside an argument came deflated"},
		"parameters": {wire.TypeHold, func(l *partsLab, body []byte) []byte {
			m, _ := wire.ParseHold(wire.Binary, body, l.wire.dialer.conn.Link().Limits())
			m.Params = l.made[0]
			return m.Append(wire.Binary, nil)
		}, "parameters of a hold came deflated"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newPartsLab(t, labSetup{}, wire.Binary)
			l.add(words(20_000))
			l.get()
			l.wire.dialer.mangle = onlyType(c.typ, func(chunk []byte) [][]byte {
				h, body, _ := wire.ParseHeader(wire.Binary, chunk)
				return [][]byte{append(h.Append(wire.Binary, nil), c.mangle(l, body)...)}
			})
			l.do(l.tab, func() { l.view.Call("echo", "x", nil) })
			l.do(l.tab, func() { l.tab.Get("View", core.Unshared()) })
			l.wantViolation("C10", fmt.Sprintf("at worker: %s, as %d bytes", c.want, len(l.made[0])))
		})
	}
}
