package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"chordsim/scenarios"
	"chordsim/sim"
)

// listCmd lists the scenarios.
type listCmd struct {
	JSON bool `name:"json" help:"Print the list as JSON."`
}

// Run prints the list.
func (c *listCmd) Run(e *env) error {
	if c.JSON {
		return c.printJSON(e)
	}
	for i, s := range scenarios.All() {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		fmt.Fprintf(e.stdout, "%s\n  %s\n  invariants: %s\n", s.Name, s.Summary, strings.Join(s.Invariants, " "))
		t := sim.Table{Columns: []string{"  parameter", "default", "kind", "what it is"}}
		for _, p := range s.Parameters() {
			help := p.Help
			if len(p.Choices) > 0 {
				help += " (" + strings.Join(p.Choices, ", ") + ")"
			}
			t.Rows = append(t.Rows, []string{"  " + p.Name, fmt.Sprintf("%q", p.Default), p.Kind.String(), help})
		}
		fmt.Fprintln(e.stdout, render(t))
	}
	return nil
}

// versionCmd says what the build is.
type versionCmd struct{}

// Run prints the version, the revision if it is known, and what it was built with.
func (versionCmd) Run(e *env) error {
	fmt.Fprintln(e.stdout, buildName())
	return nil
}

// buildName says what the build is, in one line.
func buildName() string {
	version, revision := "(devel)", "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = "revision " + s.Value
			}
		}
	}
	return fmt.Sprintf("simrun %s, %s, %s %s/%s", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type jsonParam struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Default string   `json:"default"`
	Choices []string `json:"choices,omitempty"`
	Help    string   `json:"help"`
}

type jsonScenario struct {
	Name       string      `json:"name"`
	Summary    string      `json:"summary"`
	Invariants []string    `json:"invariants"`
	Params     []jsonParam `json:"parameters"`
}

func (c *listCmd) printJSON(e *env) error {
	list := []jsonScenario{}
	for _, s := range scenarios.All() {
		out := jsonScenario{Name: s.Name, Summary: s.Summary, Invariants: s.Invariants}
		for _, p := range s.Parameters() {
			out.Params = append(out.Params, jsonParam{p.Name, p.Kind.String(), p.Default, p.Choices, p.Help})
		}
		list = append(list, out)
	}
	enc := json.NewEncoder(e.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
