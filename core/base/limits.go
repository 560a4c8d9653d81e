package base

// The sizes that traffic is counted in.
const (
	KiB = 1 << 10
	MiB = 1 << 20
)

// Limits bounds everything that a host keeps or takes on behalf of somebody. The zero value of a field means its
// default; [Limits.WithDefaults] fills them in, as it does those of negative ones but for HistoryBytes. No field has a value that means "without limit".
type Limits struct {
	// WindowMessages is how many state messages an origin may have outstanding: sent and not credited. Default 4.
	WindowMessages int
	// WindowBytes is how many bytes of state messages an origin may have outstanding, in bytes. A message starts
	// whenever there is room for a byte of it. Default 256 KiB.
	WindowBytes int
	// BulkBytes is how many bytes of snapshots and large parts an origin may have in flight. Default 64 KiB.
	BulkBytes int
	// BulkSlots is how many bulk messages of an origin may be under way at once, in turn. Default 8, at most 64.
	BulkSlots int
	// ChunkBytes is the largest body of a chunk in bytes. Default 4 KiB.
	ChunkBytes int
	// SmallRun is after how many small messages a waiting bulk chunk goes at the latest. Default 8.
	SmallRun int
	// MessageBytes is the largest reassembled message in bytes. Default 64 MiB.
	MessageBytes int
	// PartBytes is the largest part of a message, as it is sent, in bytes: the snapshot or the change of a member, an
	// argument, a result, or raw bytes beside one. Default 64 MiB.
	PartBytes int
	// InflatedBytes is how many bytes the deflated parts of one message may have when they are inflated, and the largest part
	// that is deflated. Default 16 MiB.
	InflatedBytes int
	// ResumeBytes is how many bytes of chunks a side keeps for a resume. Default 1 MiB.
	ResumeBytes int
	// AckChunks and AckBytes say how much may have arrived before it is acknowledged. Defaults 32 and 64 KiB.
	AckChunks int
	AckBytes  int
	// RunningCalls is how many calls of an origin run at a provider, and how many a caller keeps unanswered on a
	// link. Default 256.
	RunningCalls int
	// QueuedCalls is how many further calls of an origin a provider keeps before it refuses. Default 256.
	QueuedCalls int
	// ParkedCalls and ParkedBytes bound the calls that wait at a caller. Defaults 16,384 and 16 MiB.
	ParkedCalls int
	ParkedBytes int
	// Holds is how many holds an origin may have at a provider. Default 4,096.
	Holds int
	// Members is how many members an object may have. Default 64.
	Members int
	// Origins is how many origins a link may carry. Default 4,096.
	Origins int
	// HistoryBytes is how many bytes of its last commits a document keeps for consumers that lost their session, as estimated;
	// never more than its value has. HistoryCommits is how many commits. Defaults 16 KiB and 256; HistoryBytes below 0: none
	// are kept, who comes back gets the value again, and the host itself asks for nothing else.
	HistoryBytes   int
	HistoryCommits int
	// AddressBytes is the longest address in bytes. Default 1,024.
	AddressBytes int
}

// WithDefaults returns the limits with every zero field at its default.
func (l Limits) WithDefaults() Limits {
	fill := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	fill(&l.WindowMessages, 4)
	fill(&l.WindowBytes, 256*KiB)
	fill(&l.BulkBytes, 64*KiB)
	fill(&l.BulkSlots, 8)
	fill(&l.ChunkBytes, 4*KiB)
	fill(&l.SmallRun, 8)
	fill(&l.MessageBytes, 64*MiB)
	fill(&l.PartBytes, 64*MiB)
	fill(&l.InflatedBytes, 16*MiB)
	fill(&l.ResumeBytes, 1*MiB)
	fill(&l.AckChunks, 32)
	fill(&l.AckBytes, 64*KiB)
	fill(&l.RunningCalls, 256)
	fill(&l.QueuedCalls, 256)
	fill(&l.ParkedCalls, 16384)
	fill(&l.ParkedBytes, 16*MiB)
	fill(&l.Holds, 4096)
	fill(&l.Members, 64)
	fill(&l.Origins, 4096)
	if l.HistoryBytes == 0 {
		l.HistoryBytes = 16 * KiB
	}
	fill(&l.HistoryCommits, 256)
	fill(&l.AddressBytes, 1024)
	return l
}
