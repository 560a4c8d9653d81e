package delta

// maxOverlap is how many units a text and the one that it moves on to may have in common and be found to: it takes six
// bytes of memory for each while they are compared.
const maxOverlap = 1 << 18

func (d *differ) text(old, new Text) int {
	if old.Equal(new) {
		return 0
	}
	if len(d.path) == 0 {
		return tooMuch // no op but a replace changes a text that is the root
	}
	n := old.Len()
	if n <= new.Len() && new.Slice(0, n).Equal(old) {
		return d.push(Op{Code: OpAppend, Text: new.Slice(n, new.Len())})
	}
	common := overlap(old, new)
	if common == 0 {
		return tooMuch
	}
	size := d.push(Op{Code: OpTruncate, N: n - common})
	if common < new.Len() {
		size += d.push(Op{Code: OpAppend, Text: new.Slice(common, new.Len())})
	}
	return size
}

// overlap returns the length of the longest end of a, up to maxOverlap, that b begins with. It is the algorithm of
// Knuth, Morris and Pratt: borders[i] is the longest proper end of b's first i+1 units that b begins with.
func overlap(a, b Text) int {
	n := min(a.Len(), b.Len(), maxOverlap)
	if n == 0 {
		return 0
	}
	begin := b.Slice(0, n).Units()
	borders := make([]int32, n)
	k := 0
	for i := 1; i < n; i++ {
		for k > 0 && begin[i] != begin[k] {
			k = int(borders[k-1])
		}
		if begin[i] == begin[k] {
			k++
		}
		borders[i] = int32(k)
	}
	k = 0
	for _, u := range a.Slice(a.Len()-n, a.Len()).Units() {
		// Invariant: k is at most the number of units so far, hence less than n.
		for k > 0 && u != begin[k] {
			k = int(borders[k-1])
		}
		if u == begin[k] {
			k++
		}
	}
	return k
}
