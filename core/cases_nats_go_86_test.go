package core_test

import (
	"fmt"
	"strings"
	"testing"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/core/wire"
	"chordsim/faults/linkmodel"
	"chordsim/sim"
	"chordsim/sim/netsim"
	"chordsim/sim/trace"
)

// firsts notes what came first over each link, either way.
type firsts struct {
	seen map[string]bool // by receiver and link
	list []string        // "receiver type"
}

func (f *firsts) Event(e trace.Event) {
	if key := e.To + " " + e.Link; e.Kind == trace.KindDeliver && !f.seen[key] {
		f.seen[key] = true
		f.list = append(f.list, e.To+" "+e.What)
	}
}

// TestNatsGo86APartOfAMessageReachesTheNextTransport: the connection is cut after every byte of an exchange, either way, where it
// carries whole messages and where it is a stream of bytes. Each transport begins with its handshake, and all is there once.
func TestNatsGo86APartOfAMessageReachesTheNextTransport(t *testing.T) {
	for _, codec := range []wire.Codec{wire.Binary, wire.Text} {
		for way, stream := range map[string]*netsim.StreamConfig{"messages": nil, "bytes": {Min: 1, Max: 9}} {
			t.Run(fmt.Sprint(codec, " ", way), func(t *testing.T) {
				link := netsim.Config{Stream: stream, Up: linkmodel.Config{Rate: base.MiB}, Down: linkmodel.Config{Rate: base.MiB}}
				for size, step := range map[int]int64{30: 1, 9000: 997} { // the larger ones go in several chunks
					if testing.Short() {
						step *= 7
					}
					for _, up := range []bool{true, false} {
						bytes := int64(1)
						for cutAfter(t, codec, link, up, bytes, size) {
							bytes += step
						}
						if least := 3 * int64(size); bytes < least {
							t.Errorf("up %v: an exchange of more than %d bytes was cut at none beyond %d", up, least, bytes)
						}
					}
				}
			})
		}
	}
}

// cutAfter has a tab make three calls with arguments of a size, over a connection that is cut after so many bytes towards one
// of the hosts. It reports whether it was.
func cutAfter(t *testing.T, codec wire.Codec, link netsim.Config, up bool, bytes int64, size int) bool {
	t.Helper()
	first := &firsts{seen: map[string]bool{}}
	u := newWatchedLab(t, sim.Config{Codec: codec, Trace: first}, link)
	end := u.way.Connection().Link.Dialer()
	if up {
		end = u.way.Connection().Link.Acceptor()
	}
	end.CutAfter(bytes)
	var outcomes [3]outcome
	args := []string{"a" + text(size), "b" + text(size), "c" + text(size)}
	u.at(u.tab, func() {
		for i, s := range args {
			u.ref.Call("stream", s, outcomes[i].done)
		}
	})
	u.settle()
	cut := u.way.Connection().Link != end.Link()
	why := fmt.Sprintf("cut after %d bytes, up %v", bytes, up)
	for i := range outcomes {
		outcomes[i].wantOnce(t, fmt.Sprint(why, ": call ", i), base.CodeNone)
		if want := delta.Int(i + 1); !outcomes[i].value.Equal(want) {
			t.Errorf("%s: call %d made revision %v, want %v", why, i, outcomes[i].value, want)
		}
	}
	wantState(t, u.ref, core.StateLive)
	wantReply(t, u.ref, strings.Join(args, ""))
	for _, got := range first.list {
		if got != "worker hello" && got != "tab welcome" {
			t.Errorf("%s: %q began what came over a transport", why, got)
		}
	}
	return cut
}
