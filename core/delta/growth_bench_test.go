package delta

import (
	"fmt"
	"testing"
)

// BenchmarkGrowth runs the transactions of TestGrowth on documents of every size in between: a draft, its commit, and the
// change at a replica.
func BenchmarkGrowth(b *testing.B) {
	const changes = 64 // after which it starts again, so that a small document stays small
	for _, c := range growthCases {
		b.Run(c.name, func(b *testing.B) {
			for n := c.sizes()[0]; n <= c.sizes()[1]; n *= 10 {
				base, other := c.base(n), c.base(n)
				b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
					b.ReportAllocs()
					doc, replica := base, other
					for i := 0; b.Loop(); i++ {
						if i%changes == 0 {
							doc, replica = base, other
						}
						var err error
						if doc, replica, err = c.transact(doc, replica, i, n); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
