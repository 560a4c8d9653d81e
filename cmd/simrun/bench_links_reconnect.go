package main

import (
	"errors"
	"fmt"
	"time"

	"chordsim/core"
	"chordsim/core/base"
	"chordsim/core/wire"
)

// linksWay is a lasting way of a session's tab to its worker. While it is down nobody answers.
type linksWay struct {
	session *linksSession
	uplink  *core.Uplink
	served  *core.Conn // the worker's end
	down    bool
}

var _ core.Dialer = (*linksWay)(nil)

var errWorkerDown = errors.New("the worker is down")

// Dial connects the tab with the worker, in a later turn.
func (w *linksWay) Dial(c *core.Conn) {
	s := w.session
	s.net.queue.Push(func() {
		if w.down {
			c.Closed(errWorkerDown)
			return
		}
		s.up, s.down = newLinksEnd(&s.net), newLinksEnd(&s.net)
		w.served = s.worker.Accept(s.down)
		s.up.to, s.down.to = w.served, c
		c.Opened(s.up)
	})
}

// withoutHistory has a cold reconnect bring snapshots, which the figures are of.
const withoutHistory = -1

// newLinksWay makes a session whose tab has a lasting way, and holds so many objects, each with a notes list.
func newLinksWay(c wire.Codec, holds int, methods core.Methods) (*linksWay, []*core.Reference, error) {
	value := notesList()
	docs := make([]*core.Document, holds)
	for i := range docs {
		docs[i] = core.NewDocument(value)
	}
	s := newLinksHostsWithin(base.Limits{HistoryBytes: withoutHistory}, c, methods, docs...)
	w := &linksWay{session: s}
	w.uplink = s.tab.Dial(w)
	s.net.run()
	views := make([]*core.Reference, holds)
	for i := range views {
		var err error
		if views[i], err = s.hold(i, nil); err != nil {
			return nil, nil, err
		}
	}
	return w, views, nil
}

// drop ends the session for good: what comes next is a cold reconnect.
func (w *linksWay) drop(views []*core.Reference) error {
	w.down = true
	w.served.Close()
	w.session.net.run()
	for _, view := range views {
		if view.State() != core.StateDown {
			return fmt.Errorf("the worker is down, and a reference is %s", view.State())
		}
	}
	return nil
}

// comeBack lets the tab reach the worker again, does all that follows, and returns what that took.
func (w *linksWay) comeBack() time.Duration {
	w.down = false
	start := time.Now()
	w.uplink.Redial()
	w.session.net.run()
	return time.Since(start)
}

// check reports an error unless all references are live and have what the worker has.
func (w *linksWay) check(views []*core.Reference) error {
	value := notesList()
	for _, view := range views {
		if v, _ := view.Value(linksMember); view.State() != core.StateLive || !v.Equal(value) {
			return fmt.Errorf("the worker is back, and a reference is %s (%v)", view.State(), view.Err())
		}
	}
	return nil
}

// reconnectTimes are those of a cold reconnect: from the moment that the tab dials until all its references are live.
func reconnectTimes(id string, holds, laps int) []linksTimed {
	return []linksTimed{{id, laps, 1, func(plan *linksPlan, c wire.Codec) (linksRound, error) {
		w, views, err := newLinksWay(c, min(holds, plan.references), nil)
		if err != nil {
			return linksRound{}, err
		}
		return linksRound{
			check: func() error { return w.check(views) },
			lap: func(ops int) (took time.Duration, err error) {
				for range ops {
					if err := w.drop(views); err != nil {
						return 0, err
					}
					took += w.comeBack()
				}
				return took, nil
			},
		}, nil
	}}}
}

// reconnectBytes counts the bytes of a cold reconnect, those of the handshake included.
func reconnectBytes(id string, holds int) linksCount {
	return func(plan *linksPlan, c wire.Codec, into linksValues) error {
		w, views, err := newLinksWay(c, min(holds, plan.references), nil)
		if err == nil {
			err = w.drop(views)
		}
		if err != nil {
			return err
		}
		w.comeBack()
		into.set(id+".down", c, float64(w.session.down.bytes))
		into.set(id+".up", c, float64(w.session.up.bytes))
		return w.check(views)
	}
}
