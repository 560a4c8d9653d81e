package scenarios

import "chordsim/sim"

// All lists the scenarios in the order in which they are shown.
func All() []*sim.Scenario {
	return []*sim.Scenario{ThrottledTab(), ParkedCalls(), Reconnect(), HalfOpen(), Interleave(), Compression(), Churn(), Canary()}
}

// Find returns the scenario of a name. If there is none it returns the name that is nearest, or "".
func Find(name string) (*sim.Scenario, string) {
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, ""
		}
		names = append(names, s.Name)
	}
	return nil, sim.Nearest(name, names)
}
