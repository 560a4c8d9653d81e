package delta

import "slices"

// maxDiffEdits is how many elements two lists may differ by, those that are only in one of them, and still be aligned.
// Time and memory of aligning them grow with its square.
const maxDiffEdits = 64

// gap is where two sequences differ: elements [i, iEnd) of one stand where [j, jEnd) of the other do.
type gap struct{ i, iEnd, j, jEnd int }

// gaps aligns two sequences of n and m elements by the shortest edit script (Myers 1986) and returns where they differ,
// in order. It is one gap if the script is longer than maxDiffEdits.
func gaps(n, m int, same func(i, j int) bool) []gap {
	if n == 0 && m == 0 {
		return nil
	}
	most := min(n+m, maxDiffEdits)
	// reach[most+k] is how far i gets on the diagonal k = i-j with the edits so far.
	reach := make([]int, 2*most+2)
	var trace [][]int // reach before each number of edits, from the diagonal -edits on
	for edits := 0; edits <= most; edits++ {
		trace = append(trace, slices.Clone(reach[most-edits:most+edits+2]))
		for k := -edits; k <= edits; k += 2 {
			i := furthest(reach, most, edits, k)
			j := i - k
			for i < n && j < m && same(i, j) {
				i, j = i+1, j+1
			}
			if reach[most+k] = i; i >= n && j >= m {
				return gapsOf(trace, n, m)
			}
		}
	}
	return []gap{{0, n, 0, m}}
}

// furthest returns how far i gets on a diagonal by one more edit from a diagonal beside it.
func furthest(reach []int, zero, edits, k int) int {
	switch {
	case edits == 0:
		return 0
	case k == -edits || k != edits && reach[zero+k-1] < reach[zero+k+1]:
		return reach[zero+k+1] // an element of the second
	}
	return reach[zero+k-1] + 1 // one of the first
}

// gapsOf goes back from the end to the beginning and collects the edits, those in a row as one gap.
func gapsOf(trace [][]int, n, m int) []gap {
	var out []gap
	i, j := n, m
	for edits := len(trace) - 1; edits > 0; edits-- {
		reach, k := trace[edits], i-j
		// The row starts with the diagonal -edits.
		before := k - 1
		if k == -edits || k != edits && reach[edits+k-1] < reach[edits+k+1] {
			before = k + 1
		}
		from := reach[edits+before]
		end := gap{from, from, from - before, from - before}
		if before < k {
			end.iEnd++
		} else {
			end.jEnd++
		}
		if last := len(out) - 1; last >= 0 && out[last].i == end.iEnd && out[last].j == end.jEnd {
			out[last].i, out[last].j = end.i, end.j
		} else {
			out = append(out, end)
		}
		i, j = from, from-before
	}
	slices.Reverse(out)
	return out
}
