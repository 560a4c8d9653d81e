package simtest

import (
	"strings"
	"testing"
	"time"
)

func TestCommand(t *testing.T) {
	for _, c := range []struct{ test, want string }{
		{"TestX", `go test ./sim/simtest -run '^TestX$'`},
		{"TestX/a_b/c", `go test ./sim/simtest -run '^TestX$/^a_b$/^c$'`},
		{"TestX/[1]_(a|b)$", `go test ./sim/simtest -run '^TestX$/^\[1\]_\(a\|b\)\$$'`},
		{"TestX/it's", `go test ./sim/simtest -run '^TestX$/^it'\''s$'`},
	} {
		if got := command(c.test); got != c.want {
			t.Errorf("%s: %s, want %s", c.test, got, c.want)
		}
	}
	for word, want := range map[string]string{"a/b-c.json": "a/b-c.json", "a b": "'a b'", "": "''", "$x": "'$x'", "0x2a": "0x2a"} {
		if got := quoted(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}

// Files of tests are their own: names that would be one are told apart, and no name is too long or is a folder's.
func TestFileNamesAreTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for _, test := range []string{
		"TestX", "TestX/a", "TestX-a", "TestX/a/b", "TestX/a-b", "TestX/a_b", "TestX/a b", "TestX/ä", "TestX/ö", "TestX/..", "TestX/\x00",
		"TestX/" + strings.Repeat("long", 100), "TestX/" + strings.Repeat("long", 100) + "er",
	} {
		name := fileName(test)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %s", test, other, name)
		}
		seen[name] = test
		if len(name) > maxFileName+9 || strings.ContainsAny(name, "/\x00 ") || name == "." || name == ".." {
			t.Errorf("%q is %q", test, name)
		}
	}
	if name := fileName("TestX"); name != "TestX" {
		t.Errorf("a plain name is %s", name)
	}
}

func TestHangAfter(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		hang, deadline time.Duration // from now on; 0: none
		span           time.Duration
		timed          bool
	}{
		{0, 0, 0, false},
		{0, time.Hour, 0, false},
		{time.Minute, 0, time.Minute, false},
		{time.Minute, 10 * time.Minute, time.Minute, false},
		{time.Minute, 62 * time.Second, time.Minute, false},
		{time.Minute, 61 * time.Second, 59 * time.Second, true},
		{time.Minute, 4 * time.Second, 3 * time.Second, true},
		{time.Minute, -time.Second, 1, true},
	} {
		deadline := time.Time{}
		if c.deadline != 0 {
			deadline = now.Add(c.deadline)
		}
		if span, timed := hangAfter(c.hang, now, deadline); span != c.span || timed != c.timed {
			t.Errorf("%+v: %v, %v", c, span, timed)
		}
	}
}
