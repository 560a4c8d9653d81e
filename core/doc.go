// Package core is chord: hosts that expose objects with state and methods, and other hosts that hold them, follow their
// state live and call them, over links that throttle, stall, drop and come back.
//
// # Hosts and turns
//
// A [Host] is one thread of turns. A turn takes one input (a chunk from a link, a timer, a function given to [Host.Do]),
// changes state, and at its end sends what has to be sent: first what the commits of the turn changed, then results,
// then credit. Nothing outside a turn may touch a host or what belongs to it. A host starts no goroutine, reads no clock
// and does no I/O; its [Config] brings a scheduler, and its connections bring transports.
//
//	worker := core.NewHost(core.Config{Name: "worker", Scheduler: sched})
//	notes := core.NewDocument(delta.Object(delta.Field{Key: "reply", Value: delta.String("")}))
//	worker.Expose("View", core.Object{State: core.Members{"notes": notes}})
//
//	view := tab.Get("Session/42/View")
//	view.Watch("notes", func(f core.Frame) { ... })
//	view.Call("stream", " tok", func(v delta.Value, err error) { ... })
//
// # What a commit costs
//
// A [Document] changes by [Document.Change]. Each hold of an object that has the document keeps what it was not sent
// yet as a fold. At the end of a turn each consumer (an origin on a link) whose window has room gets one state message,
// with one entry for each of its holds. Without room nothing is encoded: later commits fold into what pends, and the
// credit that makes room sends one message with all of it.
//
// # What comes back
//
// Over an [Uplink] a reference whose session is lost holds its object again and names the revisions that its replicas have. A
// document keeps its last commits within Limits.HistoryBytes and HistoryCommits, while it is followed and for Reconnect.Grace, at
// most twice that, after a session was lost that followed it; who comes back within them is bound by those commits, if they are
// smaller than the value. A watch that has seen the value before is told of them in one frame, or of nothing if there are none.
// [Reference.OnState] tells what becomes of a reference meanwhile.
package core
