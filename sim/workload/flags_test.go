package workload_test

// The flags of simtest are known to the tests of each package of sim, so that one command line runs them all.
import _ "chordsim/sim/simtest"
