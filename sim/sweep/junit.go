package sweep

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// The elements of a JUnit file, as build servers read them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints the summary as a JUnit file: for each scenario one test that all its runs held, and one for each group of
// failures whose first run is of that scenario.
func (s *Summary) JUnit() ([]byte, error) {
	out := junitSuites{Name: "simrun sweep", Time: strconv.FormatFloat(s.Wall, 'f', 3, 64)}
	for _, c := range s.Scenarios {
		class := "sweep." + c.Scenario
		suite := junitSuite{Name: class}
		whole := junitCase{Class: class, Name: "seeds " + s.Seeds + " shard " + s.Shard}
		if c.Failed > 0 {
			whole.Failure = &junitFailure{
				Message: fmt.Sprintf("%d of %d runs failed", c.Failed, c.Runs), Type: "failed", Text: "by fingerprint below",
			}
		}
		suite.Cases = append(suite.Cases, whole)
		for _, g := range s.Groups {
			if g.First.Scenario != c.Scenario {
				continue
			}
			text := fmt.Sprintf("%s\n%d runs, first seed %d, cheapest seed %d of %s\n%s\n%s\n", g.Text, g.Count, g.First.Seed, g.Cheapest.Seed,
				g.Cheapest.Scenario, strings.Join(g.Stack, "\n"), g.Replay)
			kind, _, _ := strings.Cut(g.Fingerprint, " ")
			suite.Cases = append(suite.Cases, junitCase{
				Class: class, Name: g.Fingerprint, Failure: &junitFailure{Message: g.Text, Type: kind, Text: text},
			})
		}
		for _, c := range suite.Cases {
			suite.Tests++
			if c.Failure != nil {
				suite.Failures++
			}
		}
		out.Tests += suite.Tests
		out.Failures += suite.Failures
		out.Suites = append(out.Suites, suite)
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("sweep: the JUnit file: %w", err)
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}
