package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// layered are the folders whose C files must not call each other in circles. All names that their files share have
// the form of coreName.
var layered = []string{"python/core"}

var (
	// cText matches what is no code in C: comments and strings.
	cText = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"`)
	// cTop matches a line at the top of a file that may define something for other files, and cName what it defines: a
	// function, a pointer to one, a variable.
	cTop  = regexp.MustCompile(`(?m)^[A-Za-z_].*$`)
	cName = regexp.MustCompile(`\b(weft_\w+)\s*(\(|\)\(|=|,|;|\[)`)
	// cValue matches what a variable begins with.
	cValue = regexp.MustCompile(`=[^,;]*`)
	// cOnlyNames matches a line that defines nothing, or nothing for others.
	cOnlyNames = regexp.MustCompile(`^(?:static|extern|typedef|return|enum|struct)\b|^[^=(]*[^=(*]\([^{]*\)\s*;`)
	// cPastes matches a macro's body that makes names of a beginning.
	cPastes = regexp.MustCompile(`\b(weft_\w*)##`)
)

// cGraph is which C files of a folder use what other files of it define: for each pair, a name. A name that a macro
// makes is defined by the file that has the macro.
func cGraph(t Tree, folder string) map[string]map[string]string {
	code := map[string]string{}
	defines, pastes := map[string]string{}, map[string]string{}
	for _, name := range t.with(".c") {
		if path.Dir(name) != folder {
			continue
		}
		text := cText.ReplaceAllString(string(t.read(name)), " ")
		code[name] = text
		for _, line := range cTop.FindAllString(text, -1) {
			if cOnlyNames.MatchString(line) {
				continue
			}
			signature, _, _ := strings.Cut(line, "{")
			signature = cValue.ReplaceAllString(signature, "=")
			for _, m := range cName.FindAllStringSubmatch(signature, -1) {
				defines[m[1]] = name
				if m[2] == "(" { // a function: what follows are its parameters
					break
				}
			}
		}
		for _, m := range cPastes.FindAllStringSubmatch(text, -1) {
			pastes[m[1]] = name
		}
	}
	graph := map[string]map[string]string{}
	for name, text := range code {
		graph[name] = map[string]string{}
		for _, word := range coreName.FindAllString(text, -1) {
			of := defines[word]
			for prefix, by := range pastes {
				if of == "" && strings.HasPrefix(word, prefix) {
					of = by
				}
			}
			if of != "" && of != name && (graph[name][of] == "" || word < graph[name][of]) {
				graph[name][of] = word
			}
		}
	}
	return graph
}

// checkCircles wants the C files of a folder to have an order in which each calls only those before it.
func checkCircles(t Tree) []string {
	var problems []string
	for _, folder := range layered {
		graph := cGraph(t, folder)
		var names []string
		for name := range graph {
			names = append(names, name)
		}
		slices.Sort(names)
		done := map[string]bool{}
		for _, name := range names {
			if trail := circle(graph, done, nil, name); trail != nil {
				var text strings.Builder
				for i, file := range trail {
					next := trail[(i+1)%len(trail)]
					fmt.Fprintf(&text, "%s uses %s of ", path.Base(file), graph[file][next])
				}
				problems = append(problems, fmt.Sprintf("%s: %s%s", folder, text.String(), path.Base(trail[0])))
			}
		}
	}
	return problems
}

// circle follows the files that a file uses, and returns the first circle that it comes to: nil where there is none.
// Files that are done are in none that was not returned before.
func circle(graph map[string]map[string]string, done map[string]bool, trail []string, name string) []string {
	if i := slices.Index(trail, name); i >= 0 {
		return trail[i:]
	}
	if done[name] {
		return nil
	}
	done[name] = true
	trail = append(slices.Clone(trail), name)
	var used []string
	for of := range graph[name] {
		used = append(used, of)
	}
	slices.Sort(used)
	for _, of := range used {
		if found := circle(graph, done, trail, of); found != nil {
			return found
		}
	}
	return nil
}
