package simtest

import "chordsim/core/base"

// Decisions is what [Fuzz] steers a world with.
func Decisions(bytes []byte) base.Steer { return &steer{left: bytes} }
