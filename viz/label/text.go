package label

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest bounds a text in an attribute. Graphviz lays out what it gets.
const Longest = 2000

var markupEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", " ")

// Markup makes text for an HTML-like label.
func Markup(s string, limit int) string {
	s = markupEscapes.Replace(Printable(s, limit))
	if strings.TrimSpace(s) == "" {
		return "\u00a0" // Graphviz rejects an empty element
	}
	return s
}

// Printable bounds a text and replaces what XML or Graphviz cannot hold.
func Printable(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			b.WriteString("\u2026")
			break
		}
		if r == utf8.RuneError || r != '\n' && !unicode.IsPrint(r) {
			r = '\ufffd'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// OneLine bounds a text and replaces what cannot be seen.
func OneLine(s string, limit int) string {
	return strings.ReplaceAll(Printable(s, limit), "\n", " ")
}
