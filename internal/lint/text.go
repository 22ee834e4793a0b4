package lint

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The strings below are put together from halves, so that this file does not
// break the rules that it states.
var (
	machinePath = regexp.MustCompile(`(^|[^A-Za-z0-9_.\-/])(/(` + strings.Join([]string{"wo" + "rk", "ro" + "ot", "ho" + "me"}, "|") + `)/[^\s"'` + "`" + `)]*)`)
	hosts       = []string{
		"proxy.golang" + ".org", "sum.golang" + ".org", "py" + "pi.org", "pythonhosted" + ".org",
		"registry.npm" + "js.org", "npm" + "js.com", "crates" + ".io", "deb.debian" + ".org", "archive.ubuntu" + ".com",
		"conda.ana" + "conda.org", "maven" + ".org",
	}
)

func checkMachinePaths(t Tree) []string {
	return eachLine(t, func(line []byte) string {
		if m := machinePath.FindSubmatch(line); m != nil {
			return fmt.Sprintf("path of one machine: %s", m[2])
		}
		return ""
	})
}

func checkHosts(t Tree) []string {
	return eachLine(t, func(line []byte) string {
		for _, host := range hosts {
			if bytes.Contains(line, []byte(host)) {
				return "names the registry host " + host
			}
		}
		return ""
	})
}

// eachLine runs judge over every line of every file, binary files included: a
// path in a picture's metadata is as wrong as one in a text.
func eachLine(t Tree, judge func(line []byte) string) []string {
	var problems []string
	for _, name := range t.files {
		for i, line := range bytes.Split(t.read(name), []byte("\n")) {
			if p := judge(line); p != "" {
				problems = append(problems, fmt.Sprintf("%s:%d: %s", name, i+1, p))
			}
		}
	}
	return problems
}

// checkBuilt names each folder once: there may be thousands of files in it.
func checkBuilt(t Tree) []string {
	count := map[string]int{}
	var places []string
	for _, name := range t.built {
		place := name
		for i, part := range strings.Split(name, "/") {
			if slices.Contains(builtAnywhere, part) || i == 0 && slices.Contains(builtAtTop, part) {
				place = strings.Join(strings.Split(name, "/")[:i+1], "/") + "/"
				break
			}
		}
		if count[place] == 0 {
			places = append(places, place)
		}
		count[place]++
	}
	var problems []string
	for _, place := range places {
		problems = append(problems, fmt.Sprintf("%s: belongs to the repository (%d files), but is made from it", place, count[place]))
	}
	return problems
}

func checkTopFiles(t Tree) []string {
	var problems []string
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "RATIONALE.md", "LICENSE", "Makefile", "go.mod", ".ci/run"} {
		if !t.has(name) {
			problems = append(problems, name+": missing")
		}
	}
	return problems
}

// prose are the texts whose quoted paths are promises.
var prose = []string{"README.md", "ARCHITECTURE.md", "RATIONALE.md"}

var (
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	linked   = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	pathLike = regexp.MustCompile(`^[A-Za-z0-9_.\-/*]+$`)
	// sourceEnd are the endings that make a quoted word with a slash a path,
	// even where its first folder does not exist.
	sourceEnd = []string{".go", ".c", ".h", ".py", ".ts", ".sh", ".md", ".ipynb", ".txt", ".toml", ".css", ".html"}
)

// checkQuotedPaths wants every path in backticks, and every relative link, to
// lead somewhere. Built things (bin/, out/, .venv/) are not in the tree and may
// be named.
func checkQuotedPaths(t Tree) []string {
	var problems []string
	for _, name := range prose {
		fenced := false
		for i, line := range strings.Split(string(t.read(name)), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
				continue
			}
			if fenced {
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				for _, word := range strings.Fields(m[1]) {
					if p := missing(t, word); p != "" {
						problems = append(problems, fmt.Sprintf("%s:%d: `%s` names %s, which does not exist", name, i+1, m[1], p))
					}
				}
			}
			for _, m := range linked.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(m[1], ":") && !t.has(path.Clean(m[1])) {
					problems = append(problems, fmt.Sprintf("%s:%d: the link to %s leads nowhere", name, i+1, m[1]))
				}
			}
		}
	}
	return problems
}

// missing returns the path that word names when word looks like a path of this
// repository and there is no such file or folder.
func missing(t Tree, word string) string {
	word = strings.TrimPrefix(strings.TrimRight(word, ".,;:"), "./")
	word, _, _ = strings.Cut(word, ":") // file.go:12
	first, rest, slash := strings.Cut(word, "/")
	if !slash || first == "" || !pathLike.MatchString(word) || isBuilt(word) || strings.Contains(word, "...") {
		return ""
	}
	if _, planned := table[path.Clean(word)]; planned {
		return "" // a package may be named before it exists
	}
	switch {
	case first == module: // an import path, or what is installed
		if t.has("python/" + word) {
			return ""
		}
		if _, planned := table[rest]; planned {
			return ""
		}
		word = rest
	case strings.Contains(strings.TrimPrefix(first, "."), "."): // a module of others, such as gorgonia.org/cu
		return ""
	case !t.has(first) && !slices.Contains(sourceEnd, path.Ext(word)): // such as text/html
		return ""
	}
	if strings.Contains(word, "*") {
		for _, name := range t.files {
			if ok, err := path.Match(word, name); ok && err == nil {
				return ""
			}
		}
		return word
	}
	if t.has(path.Clean(word)) {
		return ""
	}
	return word
}

// requirement matches a line of go.mod that requires a module of others.
var requirement = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([\w.\-]+\.[\w\-]+/\S+)\s+v\S+[ \t]*(// indirect)?[ \t]*$`)

// checkDependencies wants a paragraph of RATIONALE.md for each module that our
// code imports, and go.mod to tell those from what they bring along themselves.
func checkDependencies(t Tree) []string {
	var problems []string
	files, _ := parseAll(t)
	rationale := string(t.read("RATIONALE.md"))
	for _, m := range requirement.FindAllStringSubmatch(string(t.read("go.mod")), -1) {
		mod, indirect, importer := m[1], m[2] != "", ""
		for _, f := range files {
			for _, imp := range f.ast.Imports {
				if target, err := strconv.Unquote(imp.Path.Value); err == nil && within(target, mod) && importer == "" {
					importer = f.line(imp)
				}
			}
		}
		switch {
		case indirect && importer == "": // a dependency's dependency
		case indirect || importer == "":
			problems = append(problems, fmt.Sprintf("go.mod: %s is wrongly listed (our first import of it: %q); run go mod tidy", mod, importer))
		case !strings.Contains(rationale, mod):
			problems = append(problems, fmt.Sprintf("RATIONALE.md: no paragraph names %s, which %s imports", mod, importer))
		}
	}
	return problems
}
