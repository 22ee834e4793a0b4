package lint

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// comment is one line of a comment.
type comment struct {
	file string
	line int
	text string
}

// comments returns the lines of the comments in a file that is not Go's: behind // and between /* and */, or in
// Python behind # and in texts with three quotes.
func comments(t Tree, name string) []comment {
	var found []comment
	inside := false
	marks := []string{"//", "/*", "*/"}
	if path.Ext(name) == ".py" {
		marks = []string{"# ", `"""`, `"""`}
	}
	for i, line := range strings.Split(string(t.read(name)), "\n") {
		rest, text := line, ""
		for rest != "" {
			if inside {
				before, after, ends := strings.Cut(rest, marks[2])
				text += before + " "
				rest, inside = after, !ends
				continue
			}
			to, begin := strings.Index(rest, marks[0]), strings.Index(rest, marks[1])
			if to < 0 && begin < 0 {
				break
			}
			if begin < 0 || to >= 0 && to < begin {
				text += rest[to+len(marks[0]):]
				break
			}
			rest, inside = rest[begin+len(marks[1]):], true
		}
		if text != "" {
			found = append(found, comment{name, i + 1, text})
		}
	}
	return found
}

// allComments returns those of all files that people write.
func allComments(t Tree, files []goFile) []comment {
	var found []comment
	for _, f := range files {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for i, text := range strings.Split(c.Text, "\n") {
					found = append(found, comment{f.name, f.pos.Position(c.Pos()).Line + i, text})
				}
			}
		}
	}
	for _, name := range t.with(".c", ".h", ".py", ".ts") {
		if !t.generated(name) {
			found = append(found, comments(t, name)...)
		}
	}
	return found
}

var (
	// fileName matches what looks like a file of sources, with or without its folders.
	fileName = regexp.MustCompile(`(^|[^\w/.*<\-])((?:[\w.\-]+/)*[\w\-]{2,}\.(?:go|c|h|py|ts|sh|md))($|[^\w/])`)
	// coreName matches what the C of python/core calls its functions and variables.
	coreName = regexp.MustCompile(`\bweft_[a-z]\w*[a-z0-9]\b`)
	// goName matches a name of a package's, or a method or field of a type's.
	goName = regexp.MustCompile(`(^|[^\w./"])([A-Za-z]\w*)\.([A-Z]\w*)`)
	// pythonName matches what a private module of Python's has.
	pythonName = regexp.MustCompile(`(^|[^\w./])(_[a-z]\w*)\.([A-Za-z_]\w*)`)
	// inComments matches comments of Go's and C's.
	inComments = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	// placeholder is a word that stands for names that the reader chooses.
	placeholder = regexp.MustCompile(`[A-Z]{3,}`)
)

// ofOthers are folders of other projects, whose files comments name, and examples are names of files of programs.
var (
	ofOthers = []string{"numpy/"}
	examples = []string{"script.py", "heat.py", "file.go", "lib/tests/test_io.py"}
)

// checkComments wants what comments name to be there: files, names of the core's C, and what Go's packages and types
// have.
func checkComments(t Tree) []string {
	files, _ := parseAll(t)
	bases := map[string]bool{}
	for _, name := range t.files {
		bases[path.Base(name)] = true
	}
	core := coreNames(t)
	declared := declarations(files)
	modules := pythonModules(t)
	var problems []string
	for _, c := range allComments(t, files) {
		for _, m := range fileName.FindAllStringSubmatch(c.text, -1) {
			if !isThere(t, bases, path.Dir(c.file), m[2]) {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", c.file, c.line, m[2]))
			}
		}
		for _, word := range coreName.FindAllString(c.text, -1) {
			if !core[word] {
				problems = append(problems, fmt.Sprintf("%s:%d: nothing is called %s", c.file, c.line, word))
			}
		}
		for _, m := range pythonName.FindAllStringSubmatch(c.text, -1) {
			if text, known := modules[m[2]]; known && !defines(text, m[3]) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s has no %s", c.file, c.line, m[2], m[3]))
			}
		}
		if path.Ext(c.file) != ".go" {
			continue
		}
		for _, m := range goName.FindAllStringSubmatch(c.text, -1) {
			variable := strings.HasPrefix(c.text, "//\t") && m[2][0] >= 'a' // of an example's code
			if of, known := declared[m[2]]; known && !variable && !of[m[3]] {
				problems = append(problems, fmt.Sprintf("%s:%d: %s has no %s", c.file, c.line, m[2], m[3]))
			}
		}
	}
	return problems
}

// isThere says whether a word names a file of the tree: by its path from the top or from a folder around the comment,
// or without folders.
func isThere(t Tree, bases map[string]bool, folder, word string) bool {
	word = strings.TrimPrefix(word, "./")
	if bases[word] || slices.Contains(examples, word) || placeholder.MatchString(word) {
		return true
	}
	for _, other := range ofOthers {
		if strings.HasPrefix(word, other) {
			return true
		}
	}
	for ; folder != "."; folder = path.Dir(folder) {
		if t.has(path.Join(folder, word)) {
			return true
		}
	}
	return t.has(word)
}

// pythonModules are the texts of Python's private modules. Of _core, the compiled one, it is that of the C and Go which
// give their names as texts.
func pythonModules(t Tree) map[string]string {
	found := map[string]string{}
	for _, name := range t.files {
		module, isPython := strings.CutSuffix(path.Base(name), ".py")
		switch {
		case isPython && strings.HasPrefix(module, "_") && !strings.HasPrefix(module, "__"):
			found[module] += string(t.read(name))
		case path.Dir(name) == "python/core":
			found["_core"] += string(t.read(name))
		}
	}
	return found
}

// defines says whether a module defines a name, or C gives it one. An ending of a file is no name.
func defines(text, name string) bool {
	return name == "py" || name == "abi3" ||
		regexp.MustCompile(`(?m)^\s*(def|class) `+name+`\b|^`+name+`\b|\b`+name+` =|"`+name+`"`).MatchString(text)
}

// coreNames are the names of that form that stand in code.
func coreNames(t Tree) map[string]bool {
	found := map[string]bool{}
	for _, name := range t.with(".c", ".h", ".go", ".py") {
		code := t.read(name)
		if path.Ext(name) != ".py" {
			code = inComments.ReplaceAll(code, nil)
		}
		for _, word := range coreName.FindAllString(string(code), -1) {
			found[word] = true
		}
	}
	return found
}

// declarations are the names of each package, by the package's name, and the methods and fields of each type, by the
// type's, where it is exported. Types of one name are taken together; a type that embeds another one is left out.
func declarations(files []goFile) map[string]map[string]bool {
	found := map[string]map[string]bool{}
	add := func(of, name string) {
		if found[of] == nil {
			found[of] = map[string]bool{}
		}
		found[of][name] = true
	}
	open := map[string]bool{} // whose members are not all in its own text
	for _, f := range files {
		pkg := strings.TrimSuffix(f.ast.Name.Name, "_test")
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(pkg, d.Name.Name)
				} else if name := receiver(d.Recv.List[0].Type); ast.IsExported(name) {
					add(name, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							add(pkg, name.Name)
						}
					case *ast.TypeSpec:
						add(pkg, spec.Name.Name)
						var fields *ast.FieldList
						switch of := spec.Type.(type) {
						case *ast.StructType:
							fields = of.Fields
						case *ast.InterfaceType:
							fields = of.Methods
						case *ast.Ident, *ast.SelectorExpr: // another name of a type
							open[spec.Name.Name] = true
						}
						if fields == nil || !spec.Name.IsExported() {
							continue
						}
						for _, field := range fields.List {
							if len(field.Names) == 0 {
								open[spec.Name.Name] = true
							}
							for _, name := range field.Names {
								add(spec.Name.Name, name.Name)
							}
						}
					}
				}
			}
		}
	}
	for name := range open {
		delete(found, name)
	}
	return found
}

// receiver is the name of a method's type.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
