package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// damage copies a file and cuts the copy, or changes a byte of it.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: damage FILE TO N [BYTE]")
	}
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	if n >= len(b) {
		ts.Fatalf("%s has %d bytes", args[0], len(b))
	}
	if len(args) == 4 {
		value, err := strconv.ParseUint(args[3], 10, 8)
		ts.Check(err)
		b[n] = byte(value) ^ b[n] ^ 0xff
	} else {
		b = b[:n]
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}

// same compares stdout, behind its first line, with a file.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: same FILE")
	}
	_, got, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
	if want := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("stdout behind its first line:\n%s\nwant:\n%s", got, want)
	}
}
