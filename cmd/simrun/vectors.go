package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"chordsim/core/delta"
)

// vectorsCmd checks delta vectors that another implementation made.
type vectorsCmd struct {
	File string `arg:"" help:"JSON: a list of streams, each a list of batches {base, ops, wire, value}; ops and wire in the tuples of the text codec."`
	JSON bool   `name:"json" help:"Print the result as JSON."`
}

// maxVectorBytes is the largest file of vectors that is read, in bytes.
const maxVectorBytes = 256 << 20

// vectorsResult counts what was checked, and lists what differs.
type vectorsResult struct {
	File        string       `json:"file"`
	Streams     int          `json:"streams"`
	Batches     int          `json:"batches"`
	Ops         int          `json:"ops"`
	Differences int          `json:"differences"`
	First       []difference `json:"first_differences"`
	Reproduce   string       `json:"reproduce"`
}

// difference is one check of one batch that did not give what the file says.
type difference struct {
	Stream int    `json:"stream"` // both from 0
	Batch  int    `json:"batch"`
	Check  string `json:"check"` // apply, encode or decode
	Got    string `json:"got"`
	Want   string `json:"want"`
}

// Run checks the file: our apply gives its values, our encoder its wire ops, our decoder its ops.
func (c *vectorsCmd) Run(e *env) error {
	streams, err := c.read()
	if err != nil {
		return err
	}
	r := vectorsResult{File: c.File, First: []difference{}, Reproduce: "go run ./cmd/simrun vectors " + quoted(c.File)}
	for i, stream := range streams.Elements() {
		if stream.Kind() != delta.KindList || stream.Len() == 0 {
			return fmt.Errorf("vectors %s: stream %d is no list of batches", c.File, i)
		}
		r.Streams++
		s := vectorStream{index: i}
		for j, batch := range stream.Elements() {
			if err := r.check(&s, j, batch); err != nil {
				return fmt.Errorf("vectors %s: stream %d, batch %d: %w", c.File, i, j, err)
			}
		}
	}
	if r.Differences > 0 {
		e.exit = exitFailed
	}
	if c.JSON {
		out := json.NewEncoder(e.stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	r.print(e)
	return nil
}

func (c *vectorsCmd) read() (delta.Value, error) {
	file, err := os.Open(c.File)
	if err != nil {
		return delta.Null(), fmt.Errorf("vectors: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return delta.Null(), fmt.Errorf("vectors: %s is a directory, want a file", c.File)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxVectorBytes+1)) // a size says nothing of a pipe or a device
	switch {
	case err != nil:
		return delta.Null(), fmt.Errorf("vectors: %w", err)
	case len(text) > maxVectorBytes:
		return delta.Null(), fmt.Errorf("vectors: %s has over %d bytes, which is all that is read", c.File, maxVectorBytes)
	}
	v, err := delta.ParseJSON(text)
	switch {
	case err != nil:
		return v, fmt.Errorf("vectors %s: %w", c.File, err)
	case v.Kind() != delta.KindList || v.Len() == 0:
		return v, fmt.Errorf("vectors %s: want a list of streams, each a list of batches {base, ops, wire, value}", c.File)
	}
	return v, nil
}

// vectorStream is what the batches of one stream share.
type vectorStream struct {
	index int
	enc   delta.WireEncoder
	dec   delta.WireDecoder
	value delta.Value // after the batch before
}

// check looks at one batch. An error is about the file.
func (r *vectorsResult) check(s *vectorStream, batch int, b delta.Value) error {
	var part [4]delta.Value
	for i, name := range []string{"base", "ops", "wire", "value"} {
		v, ok := b.Get(name)
		if !ok {
			return fmt.Errorf("there is no %q", name)
		}
		part[i] = v
	}
	if batch > 0 && !part[0].Equal(s.value) {
		return errors.New("its base is not the value of the batch before")
	}
	s.value = part[3]
	opsText, wireText := part[1].String(), part[2].String()
	ops, err := delta.ParseOpsJSON([]byte(opsText))
	if err != nil {
		return fmt.Errorf("ops: %w", err)
	}
	r.Batches++
	r.Ops += len(ops)
	differ := func(check, got, want string) {
		if got == want {
			return
		}
		if r.Differences++; len(r.First) < shownFailures {
			r.First = append(r.First, difference{s.index, batch, check, got, want})
		}
	}
	if got, err := delta.Apply(part[0], ops); err != nil {
		differ("apply", err.Error(), part[3].String())
	} else if !got.Equal(part[3]) {
		differ("apply", got.String(), part[3].String())
	}
	differ("encode", string(s.enc.AppendJSON(nil, ops)), wireText)
	if got, err := s.dec.ParseJSON([]byte(wireText)); err != nil {
		differ("decode", err.Error(), opsText)
	} else {
		differ("decode", string(delta.AppendOpsJSON(nil, got)), opsText)
	}
	return nil
}

// shownValue is how much of a value is shown to a person, in bytes.
const shownValue = 200

func (r *vectorsResult) print(e *env) {
	fmt.Fprintf(e.stdout, "%s: %s, %s, %s: ", r.File, counted(r.Streams, "stream", "streams"), counted(r.Batches, "batch", "batches"), counted(r.Ops, "op", "ops"))
	if r.Differences == 0 {
		fmt.Fprintln(e.stdout, "apply, encode and decode give what it says")
		return
	}
	fmt.Fprintln(e.stdout, counted(r.Differences, "difference", "differences"))
	for _, d := range r.First {
		fmt.Fprintf(e.stdout, "stream %d, batch %d, %s:\n  got  %s\n  want %s\n", d.Stream, d.Batch, d.Check, clip(d.Got), clip(d.Want))
	}
	if more := r.Differences - len(r.First); more > 0 {
		fmt.Fprintf(e.stdout, "and %d more\n", more)
	}
	fmt.Fprintf(e.stdout, "reproduce: %s\n", r.Reproduce)
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

func clip(s string) string {
	if len(s) <= shownValue {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:shownValue], ""), len(s))
}
