package trace

// A trace file is one zstd frame. Inside are a line that says what it is, and records: each a length (varint) and that many
// bytes, of which the first is a tag.
//
//	"chordsim trace 2\n"
//	header  = 'h' · scenario text · seed varint · settings varint · text of each · link text · build text · command text
//	event   = 'e' · kind byte · flags varint · time since the event before, signed varint · what ref · fields by flag
//	end     = 'z' · events varint · hash of the run, 8 bytes · verdict
//	verdict = ended byte, 0 or 1 · ran varint · headline text · findings varint · each
//	finding = kind text · count varint · texts varint · each · place text · stack varint · text of each
//	text    = length varint · bytes
//	ref     = 0 · text, which gets the next number · or the number of a text that came before, from 1
//
// A header comes first, an end last: a file without one was cut, or is of a run that was. Numbers are little-endian base-128
// as in encoding/binary. What is written is handed on at least every flushEvents events, so that no more is lost with a process
// that is killed.
const (
	magicStem = "chordsim trace "
	version   = "2"
	magicLine = magicStem + version + "\n"

	tagHeader = 'h'
	tagEvent  = 'e'
	tagEnd    = 'z'
)

// What an event's record has, in this order.
const (
	hasWorld  = 1 << iota // ref; the world of the event before otherwise
	hasFrom               // ref
	hasTo                 // ref
	hasLink               // ref
	hasBytes              // varint
	hasOrigin             // varint
	hasHolds              // varint, then for each its number and the ref of its object
	hasCall               // varint
	hasNote               // text
	allFields = 1<<iota - 1
)

// Bounds on what is written and read.
const (
	// MaxText is how many bytes of a text are kept.
	MaxText = 4096
	// MaxSettings is how many settings the header has at most.
	MaxSettings = 64
	// MaxFindings is how many kinds of findings a verdict has at most, MaxTexts how many texts of a kind, and MaxStack how many
	// frames.
	MaxFindings = 8
	MaxTexts    = 10
	MaxStack    = 12
	// maxRecord is beyond the largest record, which is an end.
	maxRecord = MaxFindings*(MaxTexts+MaxStack+2)*(MaxText+16) + 2*MaxText
	// flushEvents is how many events there are between two points up to which a file is read although it was cut.
	flushEvents = 1024
	// maxNames and maxNameBytes bound the texts that have numbers. Further ones are written out each time.
	maxNames     = 1 << 16
	maxNameBytes = 16 << 20
	// window is how far back the compression looks, in bytes. A reader takes no larger one.
	window = 1 << 20
)

// FileHeader says what a trace is of.
type FileHeader struct {
	Scenario string
	Seed     uint64
	Settings []string // name=value of the parameters that were off their default
	Link     string   // the recorded link that the run went over; empty: none
	Build    string   // of the program that made the trace
	Command  string   // plays the run again; empty: not known
}

// FileEnd is known when a run is over.
type FileEnd struct {
	Events  int64  // in the file
	Hash    uint64 // of the run; 0: it did not come to its end
	Verdict Verdict
}
