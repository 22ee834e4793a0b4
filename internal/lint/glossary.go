package lint

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// inGlossary are the packages whose exported types are words of the architecture.
var inGlossary = []string{
	"tile", "scheduler", "scheduler/core", "scheduler/fuse", "scheduler/verify", "scheduler/region", "scheduler/driver", "arrays", "profiler",
}

// selfEvident are names of types that say enough by themselves, in their package.
var selfEvident = strings.Fields(`
	Options Error Kind Param Axes Dir Value ValueKind Number Operand Stats MemoryStats Memory Access Runtime Stream Task Total Use Field Text Part Source

	DeviceInfo CounterInfo KindInfo LaneInfo OpInfo TaskKind Point
	DataError LostError MemoryError OpError PanicError Violation

	Counter Cost Moves DeviceBusy DeviceGlance MemoryGlance LaneSummary LinePart LargeStore Working Waiting Verification Checked Ranges Writer Parser
	ProgramNames

	Keyword FoldKind PatternOperand RecipeOperand
`)

// checkGlossary wants every exported type of the packages in the glossary of ARCHITECTURE.md, unless its name is
// self-evident or an ID, and no name on that list which is no type's.
func checkGlossary(t Tree) []string {
	_, text, found := strings.Cut("\n"+string(t.read("ARCHITECTURE.md")), "\n## Glossary\n")
	if !found {
		return []string{"ARCHITECTURE.md: there is no glossary"}
	}
	text, _, _ = strings.Cut(text, "\n## ")
	files, _ := parseAll(t)
	var problems []string
	known := map[string]bool{}
	for _, f := range files {
		if f.test || !slices.Contains(inGlossary, f.pkg) {
			continue
		}
		for _, d := range f.ast.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				named, ok := spec.(*ast.TypeSpec)
				if !ok || !named.Name.IsExported() || strings.HasSuffix(named.Name.Name, "ID") {
					continue
				}
				name := named.Name.Name
				known[name] = true
				if !slices.Contains(selfEvident, name) && !regexp.MustCompile(`\b`+name+`s?\b`).MatchString(text) {
					problems = append(problems, fmt.Sprintf("%s: type %s is not in the glossary of ARCHITECTURE.md", f.line(spec), name))
				}
			}
		}
	}
	for _, name := range selfEvident {
		if !known[name] && t.has("internal/lint/glossary.go") {
			problems = append(problems, fmt.Sprintf("internal/lint/glossary.go: %s is self-evident, but no type of the packages is called so", name))
		}
	}
	return problems
}
