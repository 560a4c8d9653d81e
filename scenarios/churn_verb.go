package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"chordsim/sim/workload"
)

// churnVerb is a method as the workload names it: in a word or a letter, since there are a thousand of them in a run.
type churnVerb struct {
	verb   string
	method string
	calls  int    // how often tabs call it, among the others
	alone  int    // how often workers do it on their own, among the others
	args   uint64 // how many arguments there are; 0: it takes none
}

// churnVerbs are the methods that tabs call. Those that change a document are also what workers do on their own.
var churnVerbs = []churnVerb{
	{"a", "append", 4, 1, 1000},
	{"r", "remove", 2, 1, 100},
	{"sp", "splice", 1, 1, 1000},
	{"e", "edit", 3, 1, 1000},
	{"s", "stream", 7, 3, 1000},
	{"p", "permute", 3, 1, 1000},
	{"b", "bump", 6, 1, 0},
	{"echo", "echo", 2, 0, 10_000},
	{"later", "later", 2, 0, 1000},
	{"fail", "fail", 1, 0, 0},
	{"no", "no such method", 1, 0, 0},
	{"prose", "prose", 1, 0, 10_000},
}

// What else tabs do, and workers.
const (
	churnWanted = "want"   // OBJECT WORKER: wants one more thing
	churnAgain  = "again"  // WANT: lets go of it, and holds it again at once
	churnDrop   = "drop"   // WANT: wants it no more
	churnReload = "reload" // ends its life and begins another
	churnSave   = "save"   // writes all documents to the store
	churnSync   = "sync"   // and sees to it that they stay there
)

// churnWorkload is the name of the workload. There is no other one.
const churnWorkload = "churn"

// The operands of a call, behind the want that it is of.
const (
	churnArgument = 1
	churnTimes    = 2 // how often, in one turn, with arguments that count up; 0: once
	churnHow      = 3
	churnMillis   = 4 // of how
)

// How a call is made.
const (
	churnPlain    = iota
	churnNobody   // nobody waits for the result
	churnDeadline // so many milliseconds from then
	churnCancel   // after so many milliseconds
	churnHows
)

// churnMostTimes bounds how often a call is repeated.
const churnMostTimes = 32

// churnLegend says in a workload's text what its verbs are.
func churnLegend() string {
	var methods []string
	for _, v := range churnVerbs {
		if v.verb != v.method {
			methods = append(methods, v.verb+" "+v.method)
		}
	}
	return "# " + strings.Join(methods, ", ") + "\n# of a worker: ARGUMENT; of a tab: WANT ARGUMENT TIMES HOW MS, how 1 unwaited, 2 deadline, 3 cancelled; want OBJECT WORKER\n"
}

// churnVerbOf returns the method of a verb, or nil.
func churnVerbOf(verb string) *churnVerb {
	for i := range churnVerbs {
		if churnVerbs[i].verb == verb {
			return &churnVerbs[i]
		}
	}
	return nil
}

// churnKnown is what a workload by hand may say.
func churnKnown() workload.Known {
	var tabs, workers, hosts []string
	for _, v := range churnVerbs {
		tabs = append(tabs, v.verb)
		if v.alone > 0 {
			workers = append(workers, v.verb)
		}
	}
	tabs = append(tabs, churnWanted, churnAgain, churnDrop, churnReload)
	workers = append(workers, churnSave, churnSync)
	for i := range churnWorkers {
		hosts = append(hosts, churnWorkerName(i))
	}
	for i := range churnManyTabs {
		hosts = append(hosts, churnTabName(i))
	}
	return workload.Known{
		Names: []string{churnWorkload}, Hosts: hosts,
		Verbs: func(host string) []string {
			if slices.Contains(hosts[:churnWorkers], host) {
				return workers
			}
			return tabs
		},
	}
}

// parseChurnWorkload reads a workload that a run is given; nil: it is given none.
func parseChurnWorkload(text string) (workload.Set, error) {
	if text == "" {
		return nil, nil
	}
	set, err := churnKnown().Parse(text)
	if err == nil && len(set) == 0 {
		err = fmt.Errorf(`a workload without its name: "workload %s" comes first`, churnWorkload)
	}
	return set, err
}
