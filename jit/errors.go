package jit

import (
	"fmt"
	"slices"
	"strings"
)

// Error is what is wrong with a function: the name of Numba's exception, and a text that points into the source.
type Error struct {
	Class string
	Text  string
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// The classes. Python has them under these names.
const (
	typing      = "TypingError"
	unsupported = "UnsupportedError"
)

// fail panics with an Error about a node; instead says what to write, or is empty. The exported functions recover it.
func (l *lower) fail(n *Node, class, instead, format string, args ...any) {
	panic(&Error{class, l.describe(n, instead, fmt.Sprintf(format, args...))})
}

// describe adds to what is wrong where it is, the types of the names that are known there, and what is possible.
func (l *lower) describe(n *Node, instead, what string) string {
	var b strings.Builder
	b.WriteString(what)
	f := l.frame
	if n != nil && n.Span.Line > 0 {
		fn := f.function
		fmt.Fprintf(&b, "\n\nFile %q, line %d, in %s:", fn.file, fn.line+n.Span.Line-1, fn.name)
		if n.Span.Line <= len(fn.source) {
			line := fn.source[n.Span.Line-1]
			end := len(line)
			if n.Span.EndLine == n.Span.Line {
				end = min(n.Span.EndColumn, len(line))
			}
			from := min(n.Span.Column, len(line))
			fmt.Fprintf(&b, "\n    %s\n    %s%s", line, strings.Repeat(" ", len([]rune(line[:from]))), strings.Repeat("^", max(len([]rune(line[from:max(end, from)])), 1)))
		}
	}
	var names []string
	for name, v := range f.vars {
		if !strings.HasSuffix(name, "?") && v.typ.Kind != Object {
			names = append(names, fmt.Sprintf("%s: %v", name, v.typ))
		}
	}
	if slices.Sort(names); len(names) > 0 {
		b.WriteString("\n\nTypes of names there: " + strings.Join(names, ", "))
	}
	if instead != "" {
		b.WriteString("\n\n" + instead)
	}
	return b.String()
}

// recovered turns the panic of fail into an error.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}
