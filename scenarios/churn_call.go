package scenarios

import (
	"bytes"
	"slices"
	"strconv"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
	"chordsim/sim/workload"
)

// churnLargeBytes is how many raw bytes a call has now and then: more than a chunk, and over the threshold of deflating.
const churnLargeBytes = 18 * base.KiB

// call makes a call as an item says, within a turn.
func (t *churnTab) call(want *churnWant, method string, arg uint64, it *workload.Item) {
	if want.ref == nil {
		return
	}
	c := &churnCall{tab: t, ref: want.ref, method: method, arg: arg, life: t.host.Incarnation()}
	var options []core.CallOption
	if method == "echo" {
		c.bytes = t.rawBytes(arg)
		options = append(options, core.WithBytes(c.bytes...))
	}
	how := it.Index(churnHow, churnHows)
	if how == churnDeadline {
		options = append(options, core.Deadline(t.deadline(it)))
	}
	t.w.tally.made[method]++
	if how == churnNobody {
		t.w.tally.unwaited++
		want.ref.Call(method, float64(arg), nil, options...)
		return
	}
	t.waits(c)
	c.pending = want.ref.Call(method, float64(arg), c.settled, options...)
	if how == churnCancel {
		t.w.after(base.Duration(it.Index(churnMillis, churnMostMillis))*base.Millisecond, func() {
			if t.host.Up() && t.host.Incarnation() == c.life {
				t.host.Do(c.pending.Cancel)
			}
		})
	}
}

// rawBytes makes some raw bytes: one to three parts of up to 300 bytes, and now and then a large one.
func (t *churnTab) rawBytes(arg uint64) [][]byte {
	parts := make([][]byte, 1+arg%3)
	for i := range parts {
		size := int((arg/3 + 97*uint64(i)) % 300)
		if i == 0 && arg%16 == 5 {
			size = churnLargeBytes / t.w.weight
		}
		parts[i] = bytes.Repeat([]byte{byte(size), byte(i), 7}, size/3+1)
	}
	return parts
}

// churnCall is a call that its caller waits for.
type churnCall struct {
	tab     *churnTab
	ref     *core.Reference
	pending *core.PendingCall // nil while it is made
	method  string
	arg     uint64
	bytes   [][]byte
	life    uint64
	made    base.Time
	told    bool
}

// waits notes that a call is made and waited for.
func (t *churnTab) waits(c *churnCall) {
	c.made = t.w.world.Now()
	t.open = append(t.open, c)
}

// settled is told what became of the call.
func (c *churnCall) settled(v delta.Value, err error) {
	t, w := c.tab, c.tab.w
	switch {
	case c.told:
		w.fault("C5: the call %s of %s settled twice", c.method, t.host.Name())
		return
	case c.life != t.host.Incarnation() || !t.host.Up():
		w.fault("C5: the call %s of a life of %s that is over settled", c.method, t.host.Name())
		return
	}
	c.told = true
	t.open = slices.DeleteFunc(t.open, func(o *churnCall) bool { return o == c })
	code := base.CodeOf(err)
	w.tally.codes[code]++
	if err != nil {
		return
	}
	if why := c.wrong(v); why != "" {
		w.fault("the call %s of %s: %s", c.method, t.host.Name(), why)
	}
}

// wrong says what is wrong with a result, or "".
func (c *churnCall) wrong(v delta.Value) string {
	switch c.method {
	case "fail", "no such method":
		return "it did not fail"
	case "prose":
		if v.Text().String() != c.tab.w.prose(c.arg) {
			return "another text came"
		}
	case "later":
		if v.Number() != float64(c.arg) {
			return "another number came"
		}
	case "bump":
		if count, ok := c.ref.Value("count"); ok && c.ref.State() == core.StateLive {
			if n, _ := count.At("n"); n.Number() < v.Number() {
				return "C15: it counted to " + strconv.FormatInt(int64(v.Number()), 10) + ", and its caller does not see that"
			}
		}
	case "echo":
		if c.pending == nil {
			return "it settled at once"
		}
		got := c.pending.Bytes()
		if len(got) != len(c.bytes) {
			return strconv.Itoa(len(got)) + " parts of bytes came back, of " + strconv.Itoa(len(c.bytes))
		}
		for i := range got {
			if !bytes.Equal(got[i], c.bytes[i]) {
				return "other bytes came back"
			}
		}
	}
	return ""
}

// ping asks whether a reference is answered, within a turn.
func (t *churnTab) ping(want *churnWant) {
	asked, ref := t.w.world.Now(), want.ref
	want.asked = asked
	t.w.tally.made["ping"]++
	c := &churnCall{tab: t, ref: ref, method: "ping", life: t.host.Incarnation()}
	t.waits(c)
	ref.Call("ping", nil, func(v delta.Value, err error) {
		c.settled(v, err)
		if want.ref != ref {
			return
		}
		if want.asked == asked {
			want.asked = 0
		}
		if err == nil {
			want.heard = asked
		}
	})
}
