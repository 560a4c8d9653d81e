package core_test

import (
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/sim"
	"chordsim/sim/netsim"
)

// noUTF8 are names that nothing may have.
var noUTF8 = []string{"\xff", "a\xc3", "\xed\xa0\xbd", "\xc0\xaf"}

// A name that is no UTF-8 fails the one reference or call that it was given for, before anything is sent.
func TestNamesThatAreNoTextAreRefusedHere(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec}, netsim.Memory)
		r := l.hold(l.tab, "View")
		before := l.log.count["worker hold"] + l.log.count["worker call"]
		for _, name := range noUTF8 {
			bad := l.hold(l.tab, name)
			wantState(t, bad, core.StateFailed)
			wantCode(t, "an address", bad.Err(), base.CodeLimit)
			var o outcome
			l.at(l.tab, func() { r.Call(name, nil, o.done) })
			o.wantOnce(t, "a method", base.CodeRefused)
		}
		wantInt(t, "holds and calls that were sent", l.log.count["worker hold"]+l.log.count["worker call"]-before, 0)
		var o outcome
		l.at(l.tab, func() { r.Call("echo", 1, o.done) })
		l.settle()
		o.wantOnce(t, "a good call", base.CodeNone)
		wantState(t, l.hold(l.tab, "View"), core.StateLive)
	})
}

func TestNamesThatAreNoTextAreNotExposed(t *testing.T) {
	for _, name := range noUTF8 {
		for why, expose := range map[string]func(*core.Host){
			"an address": func(h *core.Host) { h.Expose(name, core.Object{}) },
			"a member":   func(h *core.Host) { h.Expose("A", core.Object{State: core.Members{name: textDoc(1)}}) },
			"a method":   func(h *core.Host) { h.Expose("A", core.Object{Methods: core.Methods{name: echo}}) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s %q is exposed", why, name)
					}
				}()
				expose(newRawHost(t, "worker", base.Limits{}).Host)
			}()
		}
	}
}

// nested is a value of so many levels.
func nested(levels int) delta.Value {
	v := delta.List()
	for range levels - 1 {
		v = delta.List(v)
	}
	return v
}

// A handler may make a value that nobody reads, as it is too deep. Its call fails; the link stays.
func TestAResultThatIsTooDeepFailsItsCall(t *testing.T) {
	codecs(t, func(t *testing.T, codec wire.Codec) {
		l := newLabIn(t, sim.Config{Codec: codec}, netsim.Memory)
		l.worker.Core().Expose("Deep", core.Object{Methods: core.Methods{
			"nested": func(c *core.Call) (delta.Value, error) {
				c.Attach([]byte("beside"))
				return nested(int(c.Arg.Number())), nil
			},
		}})
		r := l.hold(l.tab, "Deep")
		for levels, code := range map[int]base.Code{
			delta.MaxDepth: base.CodeNone, delta.MaxDepth + 1: base.CodeInternal, 4 * delta.MaxDepth: base.CodeInternal,
		} {
			var o outcome
			l.at(l.tab, func() { r.Call("nested", levels, o.done) })
			l.settle()
			o.wantOnce(t, "a result of many levels", code)
			if code == base.CodeNone && o.value.Depth() != levels {
				t.Errorf("%d levels came back as %d", levels, o.value.Depth())
			}
			wantState(t, r, core.StateLive)
		}
	})
}
