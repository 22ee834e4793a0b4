package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"path"
	"regexp"
	"slices"
	"strings"
)

func checkPackageDocs(t Tree) []string {
	files, _ := parseAll(t)
	documented := map[string]bool{}
	var packages []string
	for _, f := range files {
		if f.test || f.tool {
			continue
		}
		if !slices.Contains(packages, f.pkg) {
			packages = append(packages, f.pkg)
		}
		documented[f.pkg] = documented[f.pkg] || f.ast.Doc != nil
	}
	var problems []string
	for _, pkg := range packages {
		if !documented[pkg] {
			problems = append(problems, pkg+": no package comment")
		}
	}
	return problems
}

func checkInit(t Tree) []string {
	files, _ := parseAll(t)
	var problems []string
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				problems = append(problems, f.line(fn)+": func init")
			}
		}
	}
	return problems
}

func checkFormat(t Tree) []string {
	var problems []string
	for _, name := range t.with(".go") {
		text := t.read(name)
		if want, err := format.Source(text); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", name, err))
		} else if !bytes.Equal(text, want) {
			problems = append(problems, name+": not formatted")
		}
	}
	return problems
}

// maxLines is where a file of hand-written code is certainly more than one
// concept; good cores have a median of 100 to 200 lines.
const maxLines = 1000

var handWritten = []string{".go", ".c", ".h", ".py", ".ts", ".sh", ".css", ".html"}

// Size is the length of one hand-written file.
type Size struct {
	Name  string
	Lines int
}

// Sizes lists the hand-written files, longest first.
func Sizes(t Tree) []Size {
	var sizes []Size
	for _, name := range t.with(handWritten...) {
		if !t.generated(name) {
			sizes = append(sizes, Size{name, bytes.Count(t.read(name), []byte("\n"))})
		}
	}
	slices.SortFunc(sizes, func(a, b Size) int {
		if a.Lines != b.Lines {
			return b.Lines - a.Lines
		}
		return strings.Compare(a.Name, b.Name)
	})
	return sizes
}

func checkSizes(t Tree) []string {
	var problems []string
	for _, s := range Sizes(t) {
		if s.Lines > maxLines {
			problems = append(problems, fmt.Sprintf("%s: %d lines; at most %d", s.Name, s.Lines, maxLines))
		}
	}
	return problems
}

var (
	// forbiddenName matches one word of a file's or folder's name.
	forbiddenName = regexp.MustCompile(`^(utils?|common|helpers?|manager|impl|v2)$`)
	// forbiddenType matches the end of a type's name.
	forbiddenType = regexp.MustCompile(`([Uu]tils?|[Hh]elpers?|[Mm]anager|[Ii]mpl|_v2)$`)
	betweenWords  = regexp.MustCompile(`[_.\-]+`)
)

func checkNames(t Tree) []string {
	var problems []string
	seen := map[string]bool{}
	for _, name := range t.files {
		parts := strings.Split(name, "/")
		for i, part := range parts {
			prefix := path.Join(parts[:i+1]...)
			if seen[prefix] {
				continue
			}
			seen[prefix] = true
			for _, word := range betweenWords.Split(strings.ToLower(part), -1) {
				if forbiddenName.MatchString(word) {
					problems = append(problems, fmt.Sprintf("%s: %q says nothing", prefix, word))
				}
			}
		}
	}
	files, _ := parseAll(t)
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && forbiddenType.MatchString(spec.Name.Name) {
				problems = append(problems, fmt.Sprintf("%s: type %s says nothing", f.line(spec), spec.Name.Name))
			}
			return true
		})
	}
	return problems
}
