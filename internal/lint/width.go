package lint

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// widest is how many columns a line of a comment or of prose has at most; a tab counts as four.
const widest = 120

// longestCode is how many words a piece of code in prose has at most.
const longestCode = 12

var (
	// goComment matches a line that is a comment of Go's and nothing else, and what its text begins behind: an item of
	// a list has a mark.
	goComment = regexp.MustCompile(`^(\s*//)( +)((?:[\-*]|\d+\.) +)?(\S.*)$`)
	// markdown matches a line of a paragraph or of a list.
	markdown = regexp.MustCompile(`^()( {0,3})((?:[\-*+]|\d+\.) +)?([^\s#|<>!` + "`" + `].*|` + "`[^`].*|" + `!\S.*)$`)
	// drawn matches what stands in columns.
	drawn = regexp.MustCompile(`\S {2,}\S`)
	// marks is what must not come to the beginning of a line, because it would be a mark there.
	marks = regexp.MustCompile(`^(?:[\-*+#>|=]+|\d+[.)]|//\S*)$`)
)

// prosaic returns the lines of a text that may be wrapped, with where their text begins: nil for all others.
func prosaic(name string, lines []string) [][]string {
	form, fence := goComment, false
	if path.Ext(name) == ".md" {
		form = markdown
	}
	found := make([][]string, len(lines))
	for i, line := range lines {
		if form == markdown && strings.HasPrefix(strings.TrimSpace(line), "```") {
			fence = !fence
			continue
		}
		if m := form.FindStringSubmatch(line); m != nil && !fence && !drawn.MatchString(m[4]) {
			found[i] = m
		}
		if form == goComment && line == `import "C"` { // what stands above is C
			for k := i - 1; k >= 0 && strings.HasPrefix(lines[k], "//"); k-- {
				found[k] = nil
			}
		}
	}
	return found
}

// columns is how wide a line is.
func columns(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }

// Wrap breaks the lines of comments or prose that are too wide, and fills the rest of their paragraphs anew.
func Wrap(name, text string) string {
	lines := strings.Split(text, "\n")
	found := prosaic(name, lines)
	var out []string
	for i := 0; i < len(lines); i++ {
		m := found[i]
		if m == nil || columns(lines[i]) <= widest {
			out = append(out, lines[i])
			continue
		}
		first := m[1] + m[2] + m[3]
		next := m[1] + m[2] + strings.Repeat(" ", len(m[3]))
		text := m[4]
		for i+1 < len(lines) && found[i+1] != nil && found[i+1][3] == "" && found[i+1][1]+found[i+1][2] == next {
			i++
			text += " " + found[i][4]
		}
		out = append(out, fill(first, next, words(text))...)
	}
	return strings.Join(out, "\n")
}

// words cuts a text at its spaces, but not within what is quoted as code.
func words(text string) []string {
	var found []string
	all := strings.Fields(text)
	for i := 0; i < len(all); i++ {
		word, quotes := all[i], strings.Count(all[i], "`")
		for j := i + 1; quotes%2 == 1 && j < min(len(all), i+longestCode); j++ {
			if quotes += strings.Count(all[j], "`"); quotes%2 == 0 {
				word, i = strings.Join(all[i:j+1], " "), j
			}
		}
		found = append(found, word)
	}
	return found
}

// fill puts words into lines. A word that would be a mark at the beginning of a line takes the one before it along.
func fill(first, next string, words []string) []string {
	var lines []string
	prefix := first
	for len(words) > 0 {
		n, width := 1, columns(prefix+words[0])
		for n < len(words) && width+1+columns(words[n]) <= widest {
			width += 1 + columns(words[n])
			n++
		}
		for n > 1 && n < len(words) && marks.MatchString(words[n]) {
			n--
		}
		lines = append(lines, prefix+strings.Join(words[:n], " "))
		words, prefix = words[n:], next
	}
	return lines
}

// wrapped are the files whose comments or prose are as wide as the rule says.
func wrapped(t Tree) []string {
	var names []string
	for _, name := range t.with(".go", ".md") {
		if !t.generated(name) && !strings.Contains(name, "testdata/") && (path.Ext(name) == ".go" || strings.Count(name, "/") == 0 || name == "kernel/SAFETY.md") {
			names = append(names, name)
		}
	}
	return names
}

// checkWidths wants lines of comments and of prose to end before they are too wide, but for those of a single word.
func checkWidths(t Tree) []string {
	var problems []string
	for _, name := range wrapped(t) {
		lines := strings.Split(string(t.read(name)), "\n")
		for i, m := range prosaic(name, lines) {
			if m != nil && columns(lines[i]) > widest && strings.Contains(m[4], " ") {
				problems = append(problems, fmt.Sprintf("%s:%d: %d columns; at most %d", name, i+1, columns(lines[i]), widest))
			}
		}
	}
	return problems
}
