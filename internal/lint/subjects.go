package lint

import (
	"fmt"
	"regexp"
	"strings"
)

// vague are words that stand for whatever reads, calls or waits, which has a name in the code.
var vague = regexp.MustCompile(`(?i)\b(some` + `body|some` + `one|any` + `body|no` + `body|who` + `ever|those ` + `who)\b`)

// checkSubjects wants the sentences of comments to be about things of the code.
func checkSubjects(t Tree) []string {
	files, _ := parseAll(t)
	var problems []string
	for _, c := range allComments(t, files) {
		if strings.HasSuffix(c.file, ".ts") || strings.Contains(c.file, "/testdata/") && !strings.HasSuffix(c.file, ".go") {
			continue
		}
		if word := vague.FindString(c.text); word != "" {
			problems = append(problems, fmt.Sprintf("%s:%d: who is %q?", c.file, c.line, word))
		}
	}
	return problems
}
