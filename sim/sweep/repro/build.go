package repro

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// shaping lists the modules whose versions show in the bytes that cross links or in the hash of a run.
var shaping = []string{"github.com/klauspost/compress", "github.com/zeebo/xxh3", "modernc.org/sqlite"}

// Build is what made a run, as far as its bytes depend on it.
type Build struct {
	Version  string            `json:"version"`            // of the module
	Revision string            `json:"revision,omitempty"` // of the sources; empty: unknown
	Modified bool              `json:"modified,omitempty"` // the sources were not those of the revision
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Modules  map[string]string `json:"modules,omitempty"` // version by path, of those that shape bytes
	Binary   string            `json:"binary,omitempty"`  // first 16 digits of the program's SHA-256; empty: unknown
}

// ThisBuild returns what this program is.
func ThisBuild() Build {
	b := Build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Binary: binaryHash()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, m := range info.Deps {
		if slices.Contains(shaping, m.Path) {
			if b.Modules == nil {
				b.Modules = map[string]string{}
			}
			b.Modules[m.Path] = m.Version
		}
	}
	return b
}

func binaryHash() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Changes lists how another build differs from this one, the more telling things first. It is empty for the same program.
// Two programs of one revision may differ in how they were linked, and then behave the same; that is listed too.
func (b Build) Changes(other Build) []string {
	if b.Binary != "" && b.Binary == other.Binary {
		return nil
	}
	var list []string
	add := func(what, was, is string) {
		if was != is {
			list = append(list, fmt.Sprintf("%s %s, was %s", what, orUnknown(is), orUnknown(was)))
		}
	}
	add("revision", b.revision(), other.revision())
	add("version", b.Version, other.Version)
	add("Go", b.Go, other.Go)
	for _, path := range shaping {
		add(path, b.Modules[path], other.Modules[path])
	}
	add("platform", b.Platform, other.Platform)
	if len(list) == 0 {
		add("program", b.Binary, other.Binary)
	}
	return list
}

func (b Build) revision() string {
	if b.Modified {
		return b.Revision + " with changes"
	}
	return b.Revision
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return Line(s, MaxFrame)
}
