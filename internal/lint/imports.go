package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "weft"

// row says what the non-test code of one package may import. Tests are free:
// they wire a package to its neighbours, and Go itself forbids cycles.
type row struct {
	ours   string // packages of this module, blank-separated; "*" is all of them
	theirs string // modules of others, blank-separated
	purity purity
}

// purity is how much of the outside world a package may see.
type purity int

const (
	ordinary purity = iota
	noC             // what it needs of C has a package of its own
	noIO            // text and numbers in, text and numbers out
	pure            // no clock, no goroutine machinery and no randomness either
)

// forbidden are the standard packages (with all that lies below them) that a
// purity excludes.
var forbidden = map[purity][]string{
	ordinary: nil,
	noC:      {"C"},
	noIO:     {"os", "net"},
	pure:     {"os", "net", "time", "sync", "math/rand", "io/ioutil", "log", "runtime", "syscall", "context"},
}

// reflection is forbidden to all of our code: tables are written out instead.
const reflection = "reflect"

// table has one row for every package, those to come included. The packages of
// internal/ may be imported by all but the pure ones, which may import only
// internal/invariants.
var table = map[string]row{
	"tile":             {"", "", ordinary},
	"profiler":         {"", "", ordinary},
	"ranks":            {"", "", ordinary},
	"scheduler/region": {"", "", pure},
	"kernel/wire":      {"", "github.com/google/uuid golang.org/x/crypto", ordinary},
	"kernel/usage":     {"", "github.com/shirou/gopsutil/v4", ordinary},
	"cuda/driver":      {"", "gorgonia.org/cu", ordinary},
	"cuda/nvtx":        {"", "", ordinary},
	"cuda/libraries":   {"", "", ordinary},
	"install":          {"", "", ordinary},
	"install/flags":    {"", "", noIO},
	"viz/graphviz":     {"", "github.com/goccy/go-graphviz", ordinary},
	"viz/layered":      {"", "", noIO},

	"tile/tiletest": {"tile", "", ordinary},
	"cpu/vm":        {"", "", noIO},
	"cpu/eager":     {"cpu/vm", "", noIO},
	"cpu/lockstep":  {"cpu/vm", "", noIO},
	"cpu/sorting":   {"", "", noIO},
	"cpu/routines":  {"tile cpu/sorting", "", noIO},
	"cpu":           {"tile cpu/vm cpu/eager cpu/lockstep cpu/sorting cpu/routines cpu/blas cpu/linalg", "", ordinary},
	"cpu/blas":      {"", "gonum.org/v1/gonum", ordinary},
	"cpu/linalg":    {"tile cpu/blas", "", ordinary},
	"cuda/ptx":      {"tile", "", noIO},
	"cuda/routines": {"tile", "", noIO},
	"jit":           {"tile", "", noIO},
	"scheduler":     {"tile scheduler/region internal/units", "", pure},
	"kernel":        {"kernel/wire kernel/usage", "", ordinary},

	"cuda":             {"tile cuda/ptx cuda/routines cuda/driver cuda/libraries", "", ordinary},
	"scheduler/fuse":   {"scheduler scheduler/region tile internal/lru", "", pure},
	"scheduler/core":   {"scheduler scheduler/fuse scheduler/region tile internal/lru", "", pure},
	"scheduler/verify": {"scheduler scheduler/region", "", pure}, // not core: the oracle knows nothing of what it judges
	"scheduler/driver": {"scheduler scheduler/core scheduler/verify scheduler/region tile ranks profiler", "", ordinary},
	"scheduler/sim":    {"scheduler scheduler/core scheduler/verify scheduler/region tile", "", ordinary},

	"arrays":     {"scheduler tile", "", noIO},
	"jit/launch": {"jit arrays tile cuda/ptx", "", noIO},
	"viz/detail": {"profiler", "", pure},
	"viz/label":  {"profiler", "", ordinary},
	"viz/graph":  {"scheduler profiler viz/label viz/layered", "", ordinary},
	"viz/report": {"profiler viz/graph", "", ordinary},
	"viz/live":   {"profiler viz/detail viz/label viz/graph viz/report", "github.com/gorilla/websocket", ordinary},

	"workspace": {"tile scheduler scheduler/core scheduler/verify scheduler/region scheduler/driver profiler cpu cpu/blas cpu/eager cuda cuda/driver cuda/libraries cuda/nvtx " +
		"install/flags viz/graph viz/label viz/live viz/report", "golang.org/x/sys", noC},

	"python/stubs": {"arrays", "", ordinary},
	"python/core":  {"*", "golang.org/x/sys", ordinary},
	"cmd/weft":     {"*", "golang.org/x/sys", ordinary},
	"tests":        {"*", "", ordinary},
	"tests/gpu":    {"tile cuda cuda/driver cuda/libraries", "", ordinary},

	"viz/viztest":            {"scheduler profiler viz/graph viz/graphviz", "", ordinary}, // for tests
	"cuda/driver/fakecuda":   {"", "", ordinary},                                          // for tests
	"cuda/libraries/standin": {"", "", ordinary},                                          // for tests

	"internal/datadriven": {"", "", ordinary},
	"internal/debug":      {"", "", noIO},
	"internal/invariants": {"", "", pure},
	"internal/lint":       {"", "", ordinary},
	"internal/lru":        {"", "", pure},
	"internal/units":      {"", "", pure},
}

// goFile is one parsed Go file of the tree.
type goFile struct {
	name string // path in the tree
	pkg  string // its folder
	test bool
	tool bool // a program for "go generate" or "go run", of no package: //go:build ignore
	ast  *ast.File
	pos  *token.FileSet
}

func (f goFile) line(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.name, f.pos.Position(n.Pos()).Line)
}

// parse returns the tree's Go files outside testdata; problems are files that do
// not parse.
func parseAll(t Tree) (files []goFile, problems []string) {
	for _, name := range t.with(".go") {
		if strings.Contains("/"+name, "/testdata/") {
			continue
		}
		text := t.read(name)
		pos := token.NewFileSet()
		f, err := parser.ParseFile(pos, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		files = append(files, goFile{name, path.Dir(name), strings.HasSuffix(name, "_test.go"),
			strings.Contains(string(text), "//go:build ignore\n"), f, pos})
	}
	return files, problems
}

func checkImports(t Tree) []string {
	files, problems := parseAll(t)
	unlisted := map[string]bool{}
	for _, f := range files {
		if f.tool {
			continue
		}
		allowed, listed := table[f.pkg]
		if !listed {
			if !unlisted[f.pkg] {
				unlisted[f.pkg] = true
				problems = append(problems, fmt.Sprintf("%s: package %q has no row in the import table", f.name, f.pkg))
			}
			continue
		}
		if f.test {
			continue
		}
		for _, imp := range f.ast.Imports {
			target, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				continue // the parser has seen to it
			}
			if p := allowed.judge(f.pkg, target); p != "" {
				problems = append(problems, f.line(imp)+": "+p)
			}
		}
	}
	return problems
}

// judge says what is wrong with pkg, whose row r is, importing target.
func (r row) judge(pkg, target string) string {
	if q, ours := strings.CutPrefix(target, module+"/"); ours {
		switch {
		case r.ours == "*", slices.Contains(strings.Fields(r.ours), q):
			return ""
		case q == "internal/invariants", strings.HasPrefix(q, "internal/") && r.purity != pure:
			return ""
		}
		return fmt.Sprintf("%s may not import %s; allowed: [%s]", pkg, q, r.ours)
	}
	if strings.Contains(strings.Split(target, "/")[0], ".") {
		for _, mod := range strings.Fields(r.theirs) {
			if within(target, mod) {
				return ""
			}
		}
		return fmt.Sprintf("%s may not import %s; allowed of others: [%s]", pkg, target, r.theirs)
	}
	for _, std := range forbidden[r.purity] {
		if target == "C" && std == target {
			return fmt.Sprintf("%s imports \"C\", which hides it from go test and go vet where C's headers are not at hand; what needs it belongs to the packages that it imports, or to python/core", pkg)
		}
		if within(target, std) {
			return fmt.Sprintf("pure package %s imports %q; what needs it belongs to the caller (for the scheduler: scheduler/driver)", pkg, target)
		}
	}
	if target == reflection {
		return fmt.Sprintf("%s imports %q; write the table out", pkg, target)
	}
	return ""
}

// within says whether the import path target is base or lies below it.
func within(target, base string) bool {
	return target == base || strings.HasPrefix(target, base+"/")
}
