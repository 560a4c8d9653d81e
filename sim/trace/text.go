package trace

// clip shortens a text to at most limit bytes, of which the last ones say that something is missing, at a whole character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const sign = "…"
	cut := limit - len(sign)
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + sign
}
