package lint

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// What waits says so: an exported function of python/core that waits is either called without the interpreter's lock,
// or lets go of it, for what is waited for may be a function of Python's. Its comment says which, and C's calls keep to
// it.
const (
	without = "without the interpreter's lock"
	letsGo  = "may let go of the interpreter's lock"
)

var (
	exports = regexp.MustCompile(`(?m)((?:^//.*\n)*)^func (go[A-Z]\w*)\([^\n]*\{\n((?:[^}\n].*\n|\n)*)^\}`)
	// waiting is what a function has that waits, or submits an operation.
	waiting = regexp.MustCompile(`\b(the|b)\.at\(|\.Call\(the\.ctx|the\.waits\.stop|the\.ctx\.(Adopt|FromBytes)\(|\.closeRetired\(|space\.Close\(`)
	parts   = regexp.MustCompile(`\bWEFT_(CALL|CALLED|MEET|MET)\b|\bPy_(BEGIN|END)_ALLOW_THREADS\b|^static int ask_\w+\(|^\}|\bgo[A-Z]\w*\(`)
)

// checkLocks holds the functions of python/core that wait against C's calls of them.
func checkLocks(t Tree) []string {
	const folder = "python/core"
	says := map[string]string{}
	var problems []string
	for _, name := range t.with(".go") {
		if path.Dir(name) != folder {
			continue
		}
		for _, m := range exports.FindAllStringSubmatch(string(t.read(name)), -1) {
			comment, function, body := strings.Join(strings.Fields(strings.ReplaceAll(m[1], "\n//", " ")), " "), m[2], m[3]
			if !strings.Contains(comment, "export "+function) {
				continue
			}
			switch {
			case strings.Contains(comment, without):
				says[function] = without
			case strings.Contains(comment, letsGo):
				says[function] = letsGo
			case waiting.MatchString(body):
				problems = append(problems, fmt.Sprintf("%s: %s waits, or submits what does: its comment has neither %q nor %q", name, function, without, letsGo))
			}
		}
	}
	for _, name := range t.with(".c") {
		if path.Dir(name) == folder {
			problems = append(problems, checkCalls(name, string(t.read(name)), says)...)
		}
	}
	return problems
}

// checkCalls goes through a file of C's.
func checkCalls(name, text string, says map[string]string) (problems []string) {
	held, lets := true, false
	for i, line := range strings.Split(text, "\n") {
		code, comment, _ := strings.Cut(line, "//")
		if strings.Contains(comment, "nothing is waited for") {
			continue
		}
		for _, part := range parts.FindAllString(code, -1) {
			switch {
			case part == "}":
				held, lets = true, false
			case strings.HasPrefix(part, "WEFT_"):
				lets = part == "WEFT_CALL" || part == "WEFT_MEET"
			case strings.HasPrefix(part, "Py_"):
				held = part == "Py_END_ALLOW_THREADS"
			case strings.HasPrefix(part, "static"):
				held = false // weft_wait calls it
			default:
				function := strings.TrimSuffix(part, "(")
				if want := says[function]; want == without && held || want == letsGo && !lets {
					problems = append(problems, fmt.Sprintf("%s:%d: of %s its comment says %q, and this call is another", name, i+1, function, want))
				}
			}
		}
	}
	return problems
}
