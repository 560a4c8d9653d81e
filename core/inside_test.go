package core

// HoldCount counts what a host keeps of holds, as a provider.
func HoldCount(h *Host) (n int) {
	for _, p := range h.peers {
		for _, c := range p.consumers {
			n += len(c.holds) + len(c.toBind) + len(c.behind) + len(c.sent)
		}
	}
	return n
}

// SubscriptionCount counts the holds that follow a document.
func SubscriptionCount(d *Document) int { return len(d.subs) }

// CallCount counts what a host keeps of calls, as a provider and as a caller, ids that wait for their answer included.
func CallCount(h *Host) (provider, caller int) {
	for _, p := range h.peers {
		for _, c := range p.consumers {
			provider += len(c.calls.byID) + len(c.calls.waiting)
		}
		caller += len(p.client.calls) + len(p.client.waiting)
		for _, g := range p.client.grips {
			caller += len(g.held)
			for _, r := range g.refs {
				caller += len(r.parked)
			}
		}
	}
	return provider, caller
}

// HistoryLen counts the commits that a document keeps.
func HistoryLen(d *Document) int { return d.past.commits.Len() }
