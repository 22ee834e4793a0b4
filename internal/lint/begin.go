package lint

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// beginning is the heading of ARCHITECTURE.md's table of where to begin, and begun are what its rows have to be about.
const beginning = "## Where do I begin?"

var begun = []string{
	"a wrong copy between GPUs", "a statement that is not fused", "a slow small operation", "a wrong label on the timeline",
	"a new function", "a new opcode", "a new device", "a new message", "a new magic",
	"a function that a compiled function may call", "why a kernel is no lane program", "a new intrinsic of kernels",
	"a wrong result of threads on a CPU", "a new form of a GPU's launch", "a new instruction of threads",
}

var (
	// begins matches the file that a cell of the table begins with, and the names behind it.
	begins = regexp.MustCompile("^`([^`]+)`(?:: (`\\w+`(?:, `\\w+`)*))?")
	// declares is, by a file's ending, how a line begins that declares a NAME.
	declares = map[string]string{
		".go": `(?m)^(func (\([^)]*\) )?|var |type |const )NAME\b`,
		".c":  `(?m)^\w.*\bNAME\(`,
		".h":  `(?m)^\w.*\bNAME\(`,
		".py": `(?m)^\s*(def|class) NAME\b|^NAME\b.*=`,
	}
)

// checkBeginnings wants the table to have its rows, each with a file or two which exist and declare what is named
// behind them.
func checkBeginnings(t Tree) []string {
	const name = "ARCHITECTURE.md"
	var problems []string
	told := map[string]bool{}
	inside := false
	for i, line := range strings.Split(string(t.read(name)), "\n") {
		if strings.HasPrefix(line, "## ") {
			inside = line == beginning
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !inside || !strings.HasPrefix(line, "| ") || len(cells) != 3 || strings.TrimSpace(cells[0]) == "what" {
			continue
		}
		told[strings.TrimSpace(cells[0])] = true
		for _, cell := range cells[1:] {
			m := begins.FindStringSubmatch(strings.TrimSpace(cell))
			if m == nil {
				problems = append(problems, fmt.Sprintf("%s:%d: a cell does not begin with a file: %s", name, i+1, strings.TrimSpace(cell)))
				continue
			}
			if !t.has(m[1]) {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", name, i+1, m[1]))
				continue
			}
			for _, word := range strings.Split(m[2], ", ") {
				word = strings.Trim(word, "`")
				if word == "" {
					continue
				}
				form, known := declares[path.Ext(m[1])]
				if form = strings.ReplaceAll(form, "NAME", regexp.QuoteMeta(word)); !known || !regexp.MustCompile(form).Match(t.read(m[1])) {
					problems = append(problems, fmt.Sprintf("%s:%d: %s declares no %s", name, i+1, m[1], word))
				}
			}
		}
	}
	for _, what := range begun {
		if !told[what] {
			problems = append(problems, fmt.Sprintf("%s: %q has no row %q", name, beginning, what))
		}
	}
	return problems
}
