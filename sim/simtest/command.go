package simtest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// command is what a person types to run one test again.
func command(test string) string {
	var names []string
	for name := range strings.SplitSeq(test, "/") {
		names = append(names, "^"+regexp.QuoteMeta(name)+"$")
	}
	return fmt.Sprintf("go test %s -run %s", quoted(folder()), alwaysQuoted(strings.Join(names, "/")))
}

// plain is what a shell takes as it is.
var plain = regexp.MustCompile(`^[\w./=:,@%+-]+$`)

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return alwaysQuoted(word)
}

func alwaysQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// maxFileName is the most bytes of a test's name in the name of a file.
const maxFileName = 100

// forFiles is what names of files have of names of tests.
var forFiles = regexp.MustCompile(`[^\w=.-]+`)

// fileName returns a test's name as a part of a file's: no two tests have one.
func fileName(test string) string {
	name := forFiles.ReplaceAllString(test, "-")
	if name == test && len(name) <= maxFileName {
		return name
	}
	if len(name) > maxFileName {
		name = name[:maxFileName]
	}
	return fmt.Sprintf("%s-%x", name, sha256.Sum256([]byte(test)))[:len(name)+1+8]
}

// home is the folder in which the process began: that of the package which is tested. Tests may go elsewhere.
var home, _ = os.Getwd()

// folder returns the package's folder as the go command takes it at the root of the module.
func folder() string {
	below, err := filepath.Rel(root(home), home)
	if err != nil || below == "." {
		return "."
	}
	return "./" + filepath.ToSlash(below)
}

// root returns the folder of the module that a folder is in, or the folder if it is in none.
func root(here string) string {
	for up := here; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return up
		}
		if up == filepath.Dir(up) {
			return here
		}
	}
}
