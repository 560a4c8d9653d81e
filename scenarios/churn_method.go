package scenarios

import (
	"errors"
	"strconv"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/delta"
)

// churnChange is a method that changes a document, which the worker does on its own as well. The argument decides all.
type churnChange struct {
	name string
	do   func(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error)
}

var churnChanges = []churnChange{
	{"append", appendItem}, {"remove", removeItem}, {"splice", spliceItems}, {"edit", editItem},
	{"stream", streamText}, {"permute", permutePlaces}, {"bump", bumpCount},
}

// change changes a document of the worker.
func (p *churnWorker) change(member string, c *core.Call, fn func(*delta.Draft) error) (delta.Value, error) {
	revision, err := p.docs[member].Change(c, fn)
	return delta.Number(float64(revision)), err
}

// churnItem makes an item of a list.
func churnItem(arg uint64) delta.Value {
	return delta.Object(
		delta.Field{Key: "id", Value: delta.String("e" + strconv.FormatUint(arg%100_000, 10))},
		delta.Field{Key: "text", Value: delta.String(englishAt(arg, int(20+arg%60)))},
		delta.Field{Key: "done", Value: delta.Bool(arg%2 == 0)},
	)
}

// englishAt returns so many characters of English from a place on that the argument says. Small arguments lead all over the text.
func englishAt(arg uint64, characters int) string {
	const apart = 7919 // a prime
	text := english()
	from := int(arg * apart % uint64(len(text)-characters))
	return text[from : from+characters]
}

func appendItem(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error) {
	return p.change("items", c, func(d *delta.Draft) error {
		list := d.At("items")
		if most := churnItems / p.w.weight; list.Len() > most {
			if err := list.Splice(0, list.Len()-most*3/4); err != nil {
				return err
			}
		}
		return list.Push(churnItem(arg))
	})
}

func removeItem(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error) {
	return p.change("items", c, func(d *delta.Draft) error {
		if n := d.At("items").Len(); n > 0 {
			return d.At("items", int(arg%uint64(n))).Delete()
		}
		return nil
	})
}

func spliceItems(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error) {
	return p.change("items", c, func(d *delta.Draft) error {
		list := d.At("items")
		return list.Splice(int(arg%uint64(list.Len()+1)), 1+int(arg%3), churnItem(arg), churnItem(arg+1))
	})
}

func editItem(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error) {
	return p.change("items", c, func(d *delta.Draft) error {
		n := d.At("items").Len()
		if n == 0 {
			return nil
		}
		at := int(arg % uint64(n))
		if _, ok := d.At("items", at, "text").Value(); !ok {
			return errors.New("an item without a text")
		}
		if err := d.At("items", at, "done").Set(arg%3 == 0); err != nil {
			return err
		}
		return d.At("items", at, "text").Set(englishAt(arg, int(10+arg%100)))
	})
}

func streamText(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error) {
	return p.change("text", c, func(d *delta.Draft) error {
		text := d.At("text")
		if most := churnText / p.w.weight; text.Len() > most {
			if err := text.Truncate(text.Len() - most/2); err != nil {
				return err
			}
		}
		return text.Append(englishAt(arg, int(1+arg%12)))
	})
}

func permutePlaces(p *churnWorker, c *core.Call, arg uint64) (delta.Value, error) {
	return p.change("order", c, func(d *delta.Draft) error {
		perm := make([]int, d.At("order").Len())
		draws := base.NewRand(arg).Stream("permutation")
		for i := range perm {
			perm[i] = i
			j := int(draws.Below(uint64(i + 1)))
			perm[i], perm[j] = perm[j], perm[i]
		}
		return d.At("order").Permute(perm)
	})
}

// bumpCount returns the new count.
func bumpCount(p *churnWorker, c *core.Call, _ uint64) (delta.Value, error) {
	n, _ := p.docs["count"].Value().At("n")
	next := delta.Int(int(n.Number()) + 1)
	_, err := p.change("count", c, func(d *delta.Draft) error { return d.At("n").Set(next) })
	return next, err
}

// The sizes of what a large result has, in characters: around and over the threshold of deflating.
const (
	churnProseLeast = 15 * base.KiB
	churnProseMost  = 24 * base.KiB
)

// prose returns the text that the call "prose" returns for an argument.
func (w *churnWorld) prose(arg uint64) string {
	return englishAt(arg, int(churnProseLeast+arg%(churnProseMost-churnProseLeast))/w.weight)
}

// errChurn is what the call "fail" fails with.
var errChurn = errors.New("churn: a call that fails")

// methods are those of both objects.
func (p *churnWorker) methods() core.Methods {
	methods := core.Methods{
		"ping": func(*core.Call) (delta.Value, error) { return delta.Null(), nil },
		"fail": func(*core.Call) (delta.Value, error) { return delta.Null(), errChurn },
		"prose": func(c *core.Call) (delta.Value, error) {
			return delta.String(p.w.prose(uint64(c.Arg.Number()))), nil
		},
		"echo": func(c *core.Call) (delta.Value, error) {
			c.Attach(c.Bytes...)
			return c.Arg, nil
		},
		"later": p.later,
	}
	for _, change := range churnChanges {
		methods[change.name] = func(c *core.Call) (delta.Value, error) { return change.do(p, c, uint64(c.Arg.Number())) }
	}
	return methods
}

// later answers after so many milliseconds of the worker's clock as the argument says, and changes something then.
func (p *churnWorker) later(c *core.Call) (delta.Value, error) {
	c.Defer()
	p.host.NewTimer(func() {
		p.host.Do(func() {
			_, err := streamText(p, c, uint64(c.Arg.Number()))
			c.Settle(c.Arg, err)
		})
	}).Set(p.host.Now().Add(base.Duration(uint64(c.Arg.Number())%300) * base.Millisecond))
	return delta.Null(), nil
}
