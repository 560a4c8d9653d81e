package part

// Stats counts what a [Deflater] or an [Inflater] did. The zero value is where each begins.
type Stats struct {
	Parts     uint64 // parts deflated, or inflated
	RawBytes  uint64 // bytes of these parts when not deflated
	PartBytes uint64 // bytes of these parts when deflated, with their sizes in front
	Refused   uint64 // parts over [Threshold] that would not get smaller, or parts that were not valid or over the limit
}

func (s *Stats) add(raw, part int) {
	s.Parts++
	s.RawBytes += uint64(raw)
	s.PartBytes += uint64(part)
}
