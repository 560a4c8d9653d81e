package core

// StateChange is a change of what a reference is good for.
type StateChange struct {
	Reference *Reference
	From, To  State
	// Err is why the reference is down or failed; nil in other states.
	Err error
	// Episode counts how often the reference went down, from 1; a change to live ends the episode that it names. 0: it never was.
	Episode uint64
}

// OnState has fn told of each change of the reference's state from now on, in the order in which they come; nil: nobody is. Fn is told
// at the end of the turn of the change, behind the frames and the results of that turn and before anything of it is sent: it may
// call, get, watch and release as any other code in the turn, and [Reference.State] may be further on by then. What it calls goes
// behind what was parked (C4). That a reference is down is told once in an episode, with the first reason, however often its object
// is held in vain.
func (r *Reference) OnState(fn func(StateChange)) {
	r.host.mustTurn("Reference.OnState")
	r.onState = fn
}

// become puts the reference in a state.
func (r *Reference) become(to State, err error) {
	from := r.state
	r.state, r.err = to, err
	if from == to {
		return
	}
	if to == StateDown {
		r.episode++
	}
	if r.onState != nil {
		r.host.changes.Push(toldState{r.onState, StateChange{r, from, to, err, r.episode}})
	}
}

// toldState is a change that somebody is to be told of.
type toldState struct {
	fn     func(StateChange)
	change StateChange
}

// tellStates tells of the changes of the turn, also of those that come of it. A panic of one who is told leaves the others for the
// next turn.
func (h *Host) tellStates() {
	for h.changes.Len() > 0 {
		told := h.changes.Pop()
		told.fn(told.change)
	}
}
