package lint

// Rule is one thing that the tree must keep.
type Rule struct {
	Name  string
	Wants string // printed with the problems: what to do instead
	Check func(Tree) []string
}

// Rules is the table.
var Rules = []Rule{
	{"imports", "move the code, or argue for a new row or edge in internal/lint/imports.go", checkImports},
	{"package docs", "write a doc.go that says what the package is for and what it must not know", checkPackageDocs},
	{"no init", "build the table as a literal, or call the set-up from main", checkInit},
	{"gofmt", "run make fmt", checkFormat},
	{"file sizes", "cut the file where its concepts part", checkSizes},
	{"names", "name it after what it does", checkNames},
	{"built files", "git rm -r --cached it, and list it in .gitignore", checkBuilt},
	{"machine paths", "build the path from the repository root, a flag or the environment", checkMachinePaths},
	{"registry hosts", "leave it to the client's own configuration", checkHosts},
	{"top files", "write it", checkTopFiles},
	{"quoted paths", "correct the text, or keep what it promises", checkQuotedPaths},
	{"where to begin", "name the file and the function that one begins with", checkBeginnings},
	{"glossary", "say in the glossary what it is, or list it in internal/lint/glossary.go where its name says it", checkGlossary},
	{"subjects of comments", "name the function, type, thread or program that does it", checkSubjects},
	{"widths of comments and prose", "run go test ./internal/lint -run TestWrap -wrap FILE", checkWidths},
	{"names in comments", "name what is there, or leave the name out", checkComments},
	{"circles of C files", "move what both want to a third file, or the end of a thing away from its beginning", checkCircles},
	{"waits and locks", "have the call let go of the lock (WEFT_CALL, WEFT_MEET, Py_BEGIN_ALLOW_THREADS), or say in the comment what it does", checkLocks},
	{"dependencies argued", "add a paragraph: what it is, why not our own code, licence, maintained", checkDependencies},
}
