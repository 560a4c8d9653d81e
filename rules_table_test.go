package chordsim_test

// The tables of the rules. A new package, a new dependency between packages or an exception is one entry here, with its
// reason; the reason is what the person who breaks the rule gets to read.

// packageRow says what a package may import. Patterns are "x" for x alone and "x/..." for x and all that is below it.
type packageRow struct {
	pkg      string   // below the module, or a pattern
	internal []string // packages of this module, below it
	modules  []string // packages of other modules
	why      string   // why these and no others

	std   []string // imports that stdBans forbids or stdAllowed lacks, allowed all the same
	skip  []string // rules that do not hold here
	apart string   // why std and skip are needed
}

// Paths of other modules' packages, as patterns.
const (
	compress  = "github.com/klauspost/compress/..."
	goPretty  = "github.com/jedib0t/go-pretty/v6/..."
	kong      = "github.com/alecthomas/kong/..."
	rapid     = "pgregory.net/rapid/..."
	sqlite    = "modernc.org/sqlite/..."
	sqliteC   = "modernc.org/libc/..."
	websocket = "github.com/coder/websocket/..."
	xxh3      = "github.com/zeebo/xxh3/..."
)

// packageTable follows the direction cmd -> scenarios -> sim -> {faults, core} and realnet -> {faults, core}.
var packageTable = []packageRow{
	{
		pkg: "core", why: "the façade ties the parts together; storage and jobs are for hosts that want them",
		internal: []string{
			"core/base", "core/delta", "core/wire", "core/part", "core/link", "core/relay", "core/registry", "core/derive",
		},
	},
	{pkg: "core/base", why: "the ground that all stand on: the standard library only"},
	{
		pkg: "core/delta", why: "values and operations know of no message", internal: []string{"core/base"},
		std:  []string{"reflect", "sync/atomic", "unsafe"},
		skip: []string{"float-to-int"},
		apart: "values never change and hosts of one process share them, so memos of what follows from a value are atomic; " +
			"a value is one word that points to one of several boxes, which only unsafe can say; " +
			"Go values are read and written by their types, which only reflect can say; " +
			"numbers are printed and parsed as JavaScript does, and an integer is taken only if it compares equal to the float",
	},
	{pkg: "core/wire", why: "messages carry deltas and know of no link", internal: []string{"core/base", "core/delta"}},
	{
		pkg: "core/part", why: "parts of messages, and the only place of the core that compresses",
		internal: []string{"core/base", "core/wire"}, modules: []string{compress},
	},
	{
		pkg: "core/link", why: "a link moves messages and knows of no object",
		internal: []string{"core/base", "core/wire", "core/part"},
	},
	{
		pkg: "core/relay", why: "a relay forwards bytes between links and never parses what they say",
		internal: []string{"core/base", "core/wire", "core/link"},
	},
	{pkg: "core/registry", why: "what is held is a matter of values", internal: []string{"core/base", "core/delta"}},
	{pkg: "core/derive", why: "computed members are a matter of values", internal: []string{"core/base", "core/delta"}},
	{
		pkg: "core/store", why: "documents in SQLite; it knows of no link",
		internal: []string{"core/base", "core/delta"}, modules: []string{sqlite},
		std:   []string{"context", "database/sql/...", "io/fs", "os", "sync/...", "time"},
		apart: "it owns its SQLite connection: paths, contexts and locks are the driver's language; the clock stays injected",
	},
	{
		pkg: "core/jobs", why: "jobs are objects (core) that may persist (store)",
		internal: []string{"core", "core/base", "core/delta", "core/store"},
	},
	{
		pkg: "core/durable", why: "conversations are documents of the store",
		internal: []string{"core/base", "core/delta", "core/store"},
	},
	{
		pkg: "faults", why: "faults are values and pure decisions about any system; a rate in a plan is written as links have it",
		internal: []string{"core/base", "faults/linkmodel"},
	},
	{pkg: "faults/linkmodel", why: "arithmetic on bytes and time, shared by simulator and proxy", internal: []string{"core/base"}},
	{
		pkg: "sim", why: "the world runs the cores and their faults, and knows of no scenario",
		internal: []string{"core/...", "faults/...", "sim/..."},
	},
	{
		pkg: "sim/events", why: "the queue orders events and knows of no host or link", internal: []string{"core/base"},
	},
	{
		pkg: "sim/netsim", why: "links carry bytes: the link's interface and the fault's arithmetic, no object",
		internal: []string{"core/base", "core/link", "core/wire", "faults", "faults/linkmodel", "sim/events", "sim/trace"},
	},
	{
		pkg: "sim/trace", why: "a trace is read without the system that made it; its hash and its compression are the format",
		internal: []string{"core/base"}, modules: []string{xxh3, compress},
	},
	{
		pkg: "sim/workload", why: "what hosts are told to do is values and text, as faults are, and its errors have their shape",
		internal: []string{"core/base", "faults"},
	},
	{
		pkg: "sim/check", why: "checkers look at cores and at the trace, not at what drives them",
		internal: []string{"core/...", "sim/trace", "sim/netsim"},
	},
	{
		pkg: "sim/disk", why: "a disk under SQLite, for any store",
		internal: []string{"core/base", "faults", "sim/trace"}, modules: []string{sqlite, sqliteC},
		std:   []string{"sync/..."},
		skip:  []string{"address-order"},
		apart: "a virtual file system is called from C code: callbacks are addresses, and the process-wide registry has a lock",
	},
	{
		pkg: "sim/sweep", why: "a sweep runs any scenario that it is handed, and keeps its results in SQLite",
		internal: []string{"core/...", "faults/...", "sim/..."}, modules: []string{sqlite},
		std: []string{
			"context", "database/sql/...", "encoding/json", "encoding/xml", "io/fs", "log/...", "net/...", "os/...", "path/...", "runtime/...",
			"sync/...", "time",
		},
		skip: []string{
			"wall-clock", "goroutine", "channel", "build-tag", "capacity", "sync-pool",
			"float-arith", "float-math", "float-to-int",
		},
		apart: "it runs around the worlds, not in them: worker processes, watchdogs, results on disk, and rates for a person to read",
	},
	{
		pkg: "sim/sweep/repro", why: "what is kept of a failed run, for all who find, replay or shrink one",
		internal: []string{"sim", "sim/trace"},
		std:      []string{"crypto/sha256", "encoding/hex", "encoding/json", "os", "path/...", "regexp", "runtime/..."},
		apart:    "it reads and writes files, and says what build made a run; it runs beside the worlds, not in them",
	},
	{
		pkg: "sim/shrink", why: "a shrinker runs a world again and again",
		internal: []string{"core/...", "faults/...", "sim/..."},
	},
	{
		pkg: "sim/simtest", why: "the bridge from go test and rapid to worlds",
		internal: []string{"core/...", "faults/...", "sim/..."}, modules: []string{rapid},
		std: []string{
			"context", "crypto/sha256", "flag", "io/fs", "os", "path/...", "regexp", "runtime/...", "sync/...", "testing", "time",
		},
		skip: []string{"wall-clock", "goroutine", "channel"},
		apart: "it runs around the worlds: flags, repro files, stacks of panics and hangs, names of tests as patterns, a time budget, " +
			"parallel subtests, inputs named as Go's fuzzing names them",
	},
	{
		pkg: "scenarios/...", why: "a scenario is written against the world, so that it runs on real sockets too",
		internal: []string{"core/...", "faults/...", "sim/...", "scenarios/..."},
		std:      []string{"compress/flate", "math/big"},
		skip:     []string{"float-arith", "float-math", "float-to-int"},
		apart: "a scenario compares and prints measured figures, after the run; what it asks of the world is in integers; " +
			"the standard library's deflate is what ours is held to, and nothing that crosses is made by it",
	},
	{
		pkg: "realnet/...", why: "it runs the same cores without the simulator, as a program in production would",
		internal: []string{"core/...", "faults", "faults/linkmodel", "realnet/..."}, modules: []string{websocket},
	},
	{
		pkg: "cmd/simrun/...", why: "the command line ties everything together",
		internal: []string{"..."}, modules: []string{"..."},
	},
}

// deterministicDirs are the parts of the tree whose behaviour must be a function of the seed.
var deterministicDirs = []string{"core", "faults", "scenarios", "sim"}

// stdAllowance allows imports of the standard library to all deterministic code. It may import no others, unless the
// package's row says so.
type stdAllowance struct {
	paths []string
	why   string
}

var stdAllowed = []stdAllowance{
	{
		why: "functions of their arguments: nothing of the machine, the clock, the scheduler or the collector shows in them",
		paths: []string{
			"bytes", "cmp", "encoding/base64", "encoding/binary", "errors", "fmt", "iter", "maps", "math", "math/bits", "slices", "sort",
			"strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8",
		},
	},
	{why: "what is read and written is the caller's: there is no file in them", paths: []string{"bufio", "io"}},
	{why: "the content is fixed when the program is built", paths: []string{"embed"}},
}

// stdBan forbids imports of the standard library in parts of the tree, under a rule or with a reason of its own.
type stdBan struct {
	rule  string
	dirs  []string // patterns of packages
	paths []string // patterns of imports
	why   string   // empty: the rule's reason
}

var stdBans = []stdBan{
	{
		rule: "random", dirs: []string{"core/...", "faults/...", "scenarios/...", "sim/..."},
		paths: []string{"math/rand/...", "crypto/rand", "hash/maphash"},
	},
	{
		rule: "address-order", dirs: []string{"core/...", "faults/...", "scenarios/...", "sim/..."},
		paths: []string{"unique", "weak"},
	},
	{
		rule: "import-std", dirs: []string{"core/..."},
		paths: []string{"net/...", "os/...", "log/...", "io/fs", "syscall/...", "plugin", "database/sql/..."},
		why:   "a core does no input or output: transports, storage and messages to people are its owner's",
	},
	{
		rule: "import-std", dirs: []string{"core/..."},
		paths: []string{"sync/...", "context"},
		why:   "a host is one thread of turns: a lock or a cancellation from outside would hide a second one",
	},
	{
		rule: "import-std", dirs: []string{"core/..."},
		paths: []string{"time", "testing/..."},
		why:   "time is base.Time and comes from the injected scheduler; test code stays in tests",
	},
	{
		rule: "import-std", dirs: []string{"faults/...", "scenarios/...", "sim/..."},
		paths: []string{"net/...", "os/...", "log/...", "sync/...", "time", "syscall/...", "plugin"},
		why:   "a world is one thread in virtual time: what it takes from the machine cannot be replayed",
	},
}

// exception excuses one rule in one file, or in one function of it. One that excuses nothing is an error.
type exception struct {
	rule     string
	file     string // relative to the module's root
	function string // "Name" or "Type.Method"; empty for the whole file
	why      string
}

var exceptions = []exception{
	{
		rule: "float-arith", file: "core/delta/json_number.go", function: "parser.number",
		why: "one division of two exact numbers, which IEEE 754 rounds to the nearest; nothing is there to fuse it with",
	},
	{
		rule: "map-order", file: "core/delta/from_map.go", function: "mapEntries",
		why: "the keys of a Go map of any type can only be had from reflect in random order; they are sorted before they are used",
	},
	{
		rule: "float-to-int", file: "core/wire/value.go", function: "appendNumber",
		why: "the number is compared with the limits of exact integers first",
	},
}

// rules are all rules with their reasons.
var rules = map[string]string{
	"unknown-package":  "who may import whom is decided once for each package: add it to packageTable in rules_table_test.go, with a reason",
	"import-direction": "the direction is cmd -> scenarios -> sim -> {faults, core}",
	"import-module":    "each dependency has one place and one reason: see docs/DEPENDENCIES.md and packageTable in rules_table_test.go",
	"import-std":       "deterministic code imports what is known to hide no clock, scheduler, collector or machine: see stdAllowed in rules_table_test.go, and std in the package's row",
	"linkname":         "it reaches functions and variables that no import shows, so that every other rule can be passed by",
	"foreign-source":   "no other rule reads it, and it runs on one architecture or needs a C compiler",
	"coroutine":        "a pulled sequence runs on a second stack, which stays if nobody stops it: range over the sequence",
	"relay-parses":     "a relay forwards parts it never reads (C9)",
	"cgo":              "the module builds with Go alone, on every architecture",
	"build-tag":        "code that no checked build selects escapes every other rule, and runs that differ by machine cannot be replayed",
	"random":           "every draw comes from base.Rand under a label, so that a seed means the same run for ever",
	"address-order":    "addresses and what is ordered or decided by them differ from run to run",
	"wall-clock":       "time is virtual: it comes from the injected scheduler, and a replay must see the same",
	"goroutine":        "a host is one thread of turns and a world is one thread: the Go scheduler's order cannot be replayed",
	"channel":          "there is no second goroutine to talk to, and select picks at random",
	"finalizer":        "when the collector runs is not a function of the seed",
	"sync-pool":        "what a pool returns depends on the collector: keep a free list in the owner",
	"map-order":        "maps are ranged in random order: range over slices.Sorted(maps.Keys(m)), or keep a slice beside the map",
	"capacity":         "capacities differ between versions of Go: decide by length or by a limit of your own",
	"unstable-sort":    "equal elements land in an order that the algorithm picks: use slices.SortStableFunc, SortedStableFunc or Sort",
	"float-arith":      "x*y+z is fused on some architectures, which changes hashes and times: use integers (base.MulDiv)",
	"float-math":       "its results differ by architecture: use integers",
	"float-to-int":     "out of range, the result differs by architecture: compare with the limits first, and add an exception that says so",
}

// bannedObjects maps functions, methods, types and builtins to the rule that bans them, whether called or mentioned.
var bannedObjects = map[string]string{
	"time.Now": "wall-clock", "time.Since": "wall-clock", "time.Until": "wall-clock", "time.Sleep": "wall-clock",
	"time.After": "wall-clock", "time.AfterFunc": "wall-clock", "time.Tick": "wall-clock",
	"time.NewTimer": "wall-clock", "time.NewTicker": "wall-clock",

	"iter.Pull": "coroutine", "iter.Pull2": "coroutine",

	"runtime.SetFinalizer": "finalizer", "runtime.AddCleanup": "finalizer",

	"sync.Pool": "sync-pool",

	// maps.Keys is fine as the argument of slices.Sorted, SortedFunc and SortedStableFunc, maps.Values of slices.Sorted.
	"maps.Keys": "map-order", "maps.Values": "map-order", "maps.All": "map-order",
	"(reflect.Value).MapKeys": "map-order", "(reflect.Value).MapRange": "map-order",
	"(reflect.Value).Seq": "map-order", "(reflect.Value).Seq2": "map-order", "(*sync.Map).Range": "map-order",

	"builtin.cap": "capacity", "(reflect.Value).Cap": "capacity", "(*strings.Builder).Cap": "capacity",
	"(*bytes.Buffer).Cap": "capacity", "(*bytes.Buffer).Available": "capacity",

	// slices.SortedFunc is fine over the keys of a map: in random order there is nothing for stability to keep, and
	// what compares keys must be total anyway.
	"sort.Slice": "unstable-sort", "sort.Sort": "unstable-sort",
	"slices.SortFunc": "unstable-sort", "slices.SortedFunc": "unstable-sort",

	"(reflect.Value).Pointer": "address-order", "(reflect.Value).UnsafePointer": "address-order",
	"(reflect.Value).UnsafeAddr": "address-order",

	"builtin.close": "channel",
}
