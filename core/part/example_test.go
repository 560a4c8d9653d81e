package part_test

import (
	"fmt"
	"strings"

	"chordsim/core/base"
	"chordsim/core/part"
)

// An origin deflates a large part; its owner asks for the size, and inflates it under a limit.
func Example() {
	raw := []byte(strings.Repeat("A token, and another one. ", 2000))

	var deflater part.Deflater
	deflated, ok := deflater.Append(nil, raw)
	fmt.Printf("%d bytes, deflated: %t, at most a tenth: %t\n", len(raw), ok, len(deflated) <= len(raw)/10)

	size, err := part.Size(deflated)
	fmt.Println("declares", size, err)

	var inflater part.Inflater
	back, err := inflater.Inflate(deflated, 64*base.KiB)
	fmt.Println("inflates to the same:", string(back) == string(raw), err)

	_, err = inflater.Inflate(deflated, 32*base.KiB)
	fmt.Println(err)

	_, ok = deflater.Append(nil, raw[:part.Threshold])
	fmt.Println("deflated at the threshold:", ok)
	// Output:
	// 52000 bytes, deflated: true, at most a tenth: true
	// declares 52000 <nil>
	// inflates to the same: true <nil>
	// chord: limit: deflated part: declares 52000 bytes, the limit is 32768
	// deflated at the threshold: false
}
