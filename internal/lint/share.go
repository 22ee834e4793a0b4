package lint

import (
	"fmt"
	"path"
	"strings"
)

// floor is the least part of a package's lines that are comments, in percent.
type floor struct {
	folder  string
	ending  string // of the files that count: .go, .c with .h, or .ts
	percent int
}

// floors are what packages have reached. Of those at the center, which are read most and explain themselves least, a
// fifth to a third is comments: why, who owns what, invariants, and drawings of geometry and protocols.
var floors = []floor{
	{"scheduler/core", ".go", 20},
	{"scheduler/fuse", ".go", 21},
	{"scheduler/verify", ".go", 21},
	{"scheduler/driver", ".go", 20},
	{"scheduler", ".go", 16},
	{"scheduler/region", ".go", 21},
	{"tile", ".go", 14},
	{"kernel", ".go", 14},
	{"python/core", ".go", 19},
	{"viz/live/timeline/src", ".ts", 9},
}

// share counts the lines of a package's files that say something, and those of them that are comments alone: behind //
// or within /* */. Tests, generated files and files of folders below do not count.
func share(t Tree, f floor) (comments, lines int) {
	for _, name := range t.with(f.ending, map[string]string{".c": ".h"}[f.ending]) {
		base := path.Base(name)
		if path.Dir(name) != f.folder || strings.HasSuffix(base, "_test.go") || strings.Contains(base, ".test.") || t.generated(name) {
			continue
		}
		inside := false
		for _, line := range strings.Split(string(t.read(name)), "\n") {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			lines++
			switch {
			case inside:
				comments++
				inside = !strings.Contains(line, "*/")
			case strings.HasPrefix(line, "/*"):
				comments++
				inside = !strings.Contains(line, "*/")
			case strings.HasPrefix(line, "//"):
				comments++
			}
		}
	}
	return comments, lines
}

// checkShares wants the packages of a table to be there, and to have as many comments as it says.
func checkShares(t Tree, table []floor) []string {
	var problems []string
	for _, f := range table {
		comments, lines := share(t, f)
		if lines == 0 {
			problems = append(problems, fmt.Sprintf("%s: has no %s files", f.folder, f.ending))
		} else if comments*100 < f.percent*lines {
			problems = append(problems, fmt.Sprintf("%s: %d of %d lines are comments (%s): %d %%, want %d %%", f.folder, comments, lines, f.ending, comments*100/lines, f.percent))
		}
	}
	return problems
}
