package scenarios

import (
	"slices"
	"testing"

	"chordsim/sim"
)

// TestHalfOpenReport wants what went wrong at a place to be named, and bounds to be held to.
func TestHalfOpenReport(t *testing.T) {
	f := &halfOpenFound{halfOpenCase: halfOpenCase{form: formDirect, goes: goesLink}, cuts: 1, settle: 10, settleBound: 10, live: 10, liveBound: 10}
	report := &sim.Report{}
	reportHalfOpen("binary", []*halfOpenFound{f}, report)
	if len(report.Failures) != 0 {
		t.Errorf("failures %q", report.Failures)
	}
	f.live = 11
	for range maxWrong + 2 {
		f.note("place 7: gone")
	}
	reportHalfOpen("binary", []*halfOpenFound{f}, report)
	want := []string{
		"direct link: place 7: gone", "direct link: place 7: gone", "direct link: place 7: gone",
		"direct link: something goes wrong at 2 places more",
		"direct link: halfopen.direct.link.live is 0.000000011 s, want at most 0.00000001",
	}
	if !slices.Equal(report.Failures, want) {
		t.Errorf("failures %q, want %q", report.Failures, want)
	}
	report = &sim.Report{}
	reportHalfOpen("binary", []*halfOpenFound{{halfOpenCase: halfOpenCase{form: formDirect, goes: goesLink}}}, report)
	if want := []string{"direct link: no case has the place that was asked for"}; !slices.Equal(report.Failures, want) {
		t.Errorf("without a place: failures %q, want %q", report.Failures, want)
	}
}
