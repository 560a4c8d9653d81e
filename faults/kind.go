package faults

// Kind is what goes wrong.
type Kind uint8

// The kinds. After each, the form of it in the language, and the unit of [Fault.Amount] where it has one. LINK is the name
// of a link, or of the host that dialed (all its links), or "all links"; with ".up" it is the direction from the dialer, with
// ".down" the one towards it, else both.
const (
	_         Kind = iota
	Stall          // stall LINK for D: nothing is delivered, nothing is lost
	Drop           // drop LINK loses N messages [reconnect after D]: the next N messages (Amount; 0: none) are lost, then it is reset
	Reset          // reset LINK [reconnect after D]: what is under way is lost, both ends get an error
	Close          // close LINK [by HOST] [reconnect after D]: an end closes; what it sent still arrives
	HalfOpen       // half-open LINK [by HOST] [reconnect after D]: an end is gone and says nothing
	BlackHole      // black hole LINK for D: what is sent is taken, and lost
	Cut            // cut LINK.up after N bytes [reconnect after D]: N more bytes (Amount) cross, then it is reset
	Latency        // latency LINK D for D
	Jitter         // jitter LINK D for D
	Rate           // rate LINK R for D: bytes per second (Amount)
	Squeeze        // squeeze LINK N for D: the buffer has N bytes (Amount)
	Crash          // crash HOST [keep N%] [restart after D]: all but N percent (Amount) of what was not synced is lost
	Partition      // partition {HOST …} from|to {HOST …} for D: what goes between them waits
	Swizzle        // swizzle LINK for D: links stall one after the other and go on one after the other, in drawn orders
	Skew           // skew HOST D: its clock jumps
	Drift          // drift HOST N for D: its clock gains N parts per million (Amount), as 200ppm or -200ppm
	Slow           // slow HOST N for D: its turns take N times as long (Amount), as 8x
	Timers         // timers HOST late D for D: its timers fire up to D late
	kinds
)

// Kinds lists the kinds in order.
func Kinds() []Kind {
	list := make([]Kind, 0, kinds-1)
	for k := Kind(1); k < kinds; k++ {
		list = append(list, k)
	}
	return list
}

// kindRow is how a kind is written.
type kindRow struct {
	name    string
	lasts   bool // it has a span, or lasts to the heal
	clauses []clause
}

// The most that amounts can be.
const (
	maxFactor = 1_000_000
	maxPPM    = 500_000
	maxBytes  = 1 << 40
	maxRate   = 1 << 50
)

var kindTable = [kinds]kindRow{
	Stall:     {"stall", true, []clause{onLink{}, lasting{}}},
	Drop:      {"drop", false, []clause{onLink{whole: true}, amount{before: "loses", after: "message", max: MaxCount, optional: true}, again{"reconnect"}}},
	Reset:     {"reset", false, []clause{onLink{whole: true}, again{"reconnect"}}},
	Close:     {"close", false, []clause{onLink{whole: true}, byHost{}, again{"reconnect"}}},
	HalfOpen:  {"half-open", false, []clause{onLink{whole: true}, byHost{}, again{"reconnect"}}},
	BlackHole: {"black hole", true, []clause{onLink{}, lasting{}}},
	Cut:       {"cut", false, []clause{onLink{directed: true}, amount{before: "after", after: "byte", max: maxBytes}, again{"reconnect"}}},
	Latency:   {"latency", true, []clause{onLink{}, span{what: "a latency"}, lasting{}}},
	Jitter:    {"jitter", true, []clause{onLink{}, span{what: "a jitter"}, lasting{}}},
	Rate:      {"rate", true, []clause{onLink{}, rate{}, lasting{}}},
	Squeeze:   {"squeeze", true, []clause{onLink{}, size{}, lasting{}}},
	Crash:     {"crash", false, []clause{onHost{}, amount{before: "keep", suffix: "%", max: 100, optional: true}, again{"restart"}}},
	Partition: {"partition", true, []clause{sides{}, lasting{}}},
	Swizzle:   {"swizzle", true, []clause{onLink{whole: true}, lasting{}}},
	Skew:      {"skew", false, []clause{onHost{}, span{what: "how far its clock jumps", signed: true}}},
	Drift:     {"drift", true, []clause{onHost{}, amount{suffix: "ppm", min: -maxPPM, max: maxPPM}, lasting{}}},
	Slow:      {"slow", true, []clause{onHost{}, amount{suffix: "x", min: 2, max: maxFactor}, lasting{}}},
	Timers:    {"timers", true, []clause{onHost{}, span{before: "late", what: "how late its timers fire"}, lasting{}}},
}

func (k Kind) row() *kindRow {
	if k >= kinds {
		k = 0
	}
	return &kindTable[k]
}

// String returns the kind as it is written, such as "stall" or "black hole".
func (k Kind) String() string {
	if name := k.row().name; name != "" {
		return name
	}
	return "unknown"
}

// Lasts reports whether faults of the kind go on for a time, and then heal.
func (k Kind) Lasts() bool { return k.row().lasts }

// OfLinks reports whether faults of the kind have a [Fault.Link].
func (k Kind) OfLinks() bool { return k.has(fieldLink) }

// OfHosts reports whether faults of the kind happen to a [Fault.Host].
func (k Kind) OfHosts() bool { return k.has(fieldHost) && !k.has(fieldLink) }

func (k Kind) has(s fields) bool {
	for _, c := range k.row().clauses {
		if c.fields()&s != 0 {
			return true
		}
	}
	return false
}
