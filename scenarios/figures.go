package scenarios

import (
	_ "embed"
	"strings"
)

// figuresTSV is every figure of the seed document that a scenario is shown beside: id, slice, case, variant, value, unit
// and kind. They are references, never results.
//
//go:embed figures.tsv
var figuresTSV string

// figure returns the seed document's value for an id and a variant, or "".
func figure(id, variant string) string {
	for line := range strings.Lines(figuresTSV) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) == 7 && f[0] == id && f[3] == variant {
			return f[4]
		}
	}
	return ""
}
