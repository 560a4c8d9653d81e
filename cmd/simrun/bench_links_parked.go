package main

import (
	"fmt"
	"time"

	"chordsim/core"
	"chordsim/core/delta"
	"chordsim/core/wire"
)

// parkedCalls is how many calls are parked while the worker is down.
const parkedCalls = 1000

// linksParked makes calls while the worker is down, and sees what becomes of them.
type linksParked struct {
	way     *linksWay
	views   []*core.Reference
	ran     []int // what the handler was called with, in order
	settled int
	err     error
}

func newLinksParked(c wire.Codec) (p *linksParked, err error) {
	p = &linksParked{}
	p.way, p.views, err = newLinksWay(c, 1, core.Methods{wireMethod: func(call *core.Call) (delta.Value, error) {
		p.ran = append(p.ran, int(call.Arg.Number()))
		return delta.Int(wireReply), nil
	}})
	return p, err
}

// next drops the way, parks the calls, comes back, and returns the time until the last result.
func (p *linksParked) next() (time.Duration, error) {
	if err := p.way.drop(p.views); err != nil {
		return 0, err
	}
	p.ran, p.settled, p.err = p.ran[:0], 0, nil
	s := p.way.session
	s.net.do(s.tab, func() {
		for i := range parkedCalls {
			p.views[0].Call(wireMethod, i, func(_ delta.Value, err error) {
				p.settled++
				if err != nil {
					p.err = err
				}
			})
		}
	})
	if p.settled > 0 {
		return 0, fmt.Errorf("%d of the parked calls settled at once: %v", p.settled, p.err)
	}
	took := p.way.comeBack()
	if p.err == nil && (p.settled != parkedCalls || len(p.ran) != parkedCalls) {
		p.err = fmt.Errorf("%d of %d parked calls ran, %d settled", len(p.ran), parkedCalls, p.settled)
	}
	return took, p.err
}

// inOrder reports whether the calls ran in the order in which they were made.
func (p *linksParked) inOrder() bool {
	for i, arg := range p.ran {
		if arg != i {
			return false
		}
	}
	return true
}

// parkedTimes are those of calls that were made while the worker was down: from the moment that the tab dials until the last
// result is there.
func parkedTimes() []linksTimed {
	return []linksTimed{{"parked1000", 3, 1, func(_ *linksPlan, c wire.Codec) (linksRound, error) {
		p, err := newLinksParked(c)
		if err != nil {
			return linksRound{}, err
		}
		return linksRound{lap: func(ops int) (took time.Duration, err error) {
			for range ops {
				one, err := p.next()
				if err != nil {
					return 0, err
				}
				took += one
			}
			return took, nil
		}}, nil
	}}}
}

// measureParkedOrder sees whether parked calls run in order.
func measureParkedOrder(c wire.Codec, into linksValues) error {
	p, err := newLinksParked(c)
	if err != nil {
		return err
	}
	if _, err := p.next(); err != nil {
		return err
	}
	order := 0.0
	if p.inOrder() {
		order = 1
	}
	into.set("parked1000.order", c, order)
	return nil
}
