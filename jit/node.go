package jit

import (
	"fmt"
	"strconv"
	"strings"
)

// Span is a piece of a function's source: lines from 1 on, columns in bytes from 0 on.
type Span struct{ Line, Column, EndLine, EndColumn int }

// String returns the span as the text form has it.
func (s Span) String() string {
	switch {
	case s.Line == 0:
		return "0"
	case s.Line == s.EndLine:
		return fmt.Sprintf("%d.%d-%d", s.Line, s.Column, s.EndColumn)
	}
	return fmt.Sprintf("%d.%d-%d.%d", s.Line, s.Column, s.EndLine, s.EndColumn)
}

// Node is one node of the text form: a statement, an expression, or a part of a unit.
type Node struct {
	Kind string
	Span Span
	Word string // a name, an operator, a literal; empty for none
	Kids []*Node
}

// kinds is the table of the nodes: the fewest parts of each, and whether it has a word.
var kinds = map[string]struct {
	parts int
	word  bool
}{
	"unit": {1, false}, "function": {5, true}, "file": {0, true}, "line": {0, true}, "source": {0, true},
	"params": {0, false}, "param": {0, true}, "body": {0, false}, "frozen": {1, true},

	// What a frozen name is. A call names a function of the unit by its number, an array one of its arrays, which stand
	// behind its functions: (arrays 0 - (array 0 name (dtype 0 float64) (int 0 axes))).
	"int": {0, true}, "float": {0, true}, "complex": {2, false}, "bool": {0, true}, "none": {0, false}, "str": {0, true},
	"scalar": {1, true}, "member": {1, true}, "known": {0, true}, "module": {0, true}, "dtype": {0, true}, "called": {0, true}, "array": {0, true}, "arrays": {0, false}, "checks": {0, false}, "check": {0, true}, "directives": {0, false}, "directive": {0, true}, "unknown": {0, true},

	"set": {2, false}, "augment": {2, true}, "if": {3, false}, "while": {3, false}, "for": {4, false}, "return": {0, false},
	"break": {0, false}, "continue": {0, false}, "pass": {0, false}, "do": {1, false}, "assert": {1, false},
	"raise": {0, false}, "define": {2, true}, "other": {0, true},

	"name": {0, true}, "binary": {2, true}, "unary": {1, true}, "and": {2, false}, "or": {2, false}, "compare": {2, true},
	"call": {2, false}, "args": {0, false}, "keyword": {1, true}, "attribute": {1, true}, "item": {2, false},
	"slice": {3, false}, "tuple": {0, false}, "choose": {3, false}, "walrus": {1, true}, "lambda": {2, false}, "ellipsis": {0, false},
}

// String prints the node on one line; parse reads it back.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	b.WriteString("(" + n.Kind + " " + n.Span.String() + " " + wordText(n))
	for _, kid := range n.Kids {
		b.WriteByte(' ')
		kid.write(b)
	}
	b.WriteByte(')')
}

func wordText(n *Node) string {
	w := n.Word
	switch {
	case !kinds[n.Kind].word:
		return "-"
	case w == "" || w == "-" && n.Kind == "str" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()"\`, r) }):
		return strconv.Quote(w)
	}
	return w
}

// parse reads one node and wants nothing behind it.
func parse(text string) (*Node, error) {
	p := parser{text: text}
	n, err := p.node(0)
	if err != nil {
		return nil, fmt.Errorf("jit: byte %d of %d: %w", p.at, len(text), err)
	}
	if p.blank(); p.at < len(text) {
		return nil, fmt.Errorf("jit: byte %d of %d: %.20q behind the unit; want one S-expression", p.at, len(text), text[p.at:])
	}
	return n, nil
}

type parser struct {
	text string
	at   int
}

// maxNesting is how deep nodes may nest, so that a text cannot use up the stack.
const maxNesting = 500

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func (p *parser) blank() {
	for p.at < len(p.text) && isBlank(p.text[p.at]) {
		p.at++
	}
}

func (p *parser) node(depth int) (*Node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("nodes nest %d deep; want at most %d", depth, maxNesting)
	}
	if p.blank(); p.at >= len(p.text) || p.text[p.at] != '(' {
		return nil, fmt.Errorf("no parenthesis; want \"(kind position word node...)\"")
	}
	p.at++
	n := &Node{Kind: p.atom()}
	row, ok := kinds[n.Kind]
	if !ok {
		return nil, fmt.Errorf("kind %q; see the table in jit/node.go", n.Kind)
	}
	var err error
	if n.Span, err = parseSpan(p.atom()); err != nil {
		return nil, err
	}
	if n.Word, err = p.word(); err != nil {
		return nil, err
	}
	if !row.word {
		if n.Word != "-" {
			return nil, fmt.Errorf("%s has the word %q; want -", n.Kind, n.Word)
		}
		n.Word = ""
	}
	for {
		if p.blank(); p.at < len(p.text) && p.text[p.at] == ')' {
			p.at++
			break
		}
		kid, err := p.node(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Kids = append(n.Kids, kid)
	}
	if len(n.Kids) < row.parts {
		return nil, fmt.Errorf("%s has %d parts; want %d at least", n.Kind, len(n.Kids), row.parts)
	}
	return n, nil
}

// atom reads up to a blank or parenthesis.
func (p *parser) atom() string {
	p.blank()
	from := p.at
	for p.at < len(p.text) && !isBlank(p.text[p.at]) && p.text[p.at] != '(' && p.text[p.at] != ')' {
		p.at++
	}
	return p.text[from:p.at]
}

// word reads an atom or a quoted string.
func (p *parser) word() (string, error) {
	if p.blank(); p.at >= len(p.text) || p.text[p.at] != '"' {
		w := p.atom()
		if w == "" {
			return "", fmt.Errorf("no word; want an atom, a quoted string or -")
		}
		return w, nil
	}
	quoted, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		return "", fmt.Errorf("%.20q is no quoted string", p.text[p.at:])
	}
	p.at += len(quoted)
	return strconv.Unquote(quoted)
}

func parseSpan(text string) (s Span, err error) {
	if text == "0" {
		return s, nil
	}
	start, end, ok := strings.Cut(text, "-")
	line, column, ok2 := strings.Cut(start, ".")
	endLine, endColumn, two := strings.Cut(end, ".")
	if !two {
		endLine, endColumn = line, end
	}
	numbers := []*int{&s.Line, &s.Column, &s.EndLine, &s.EndColumn}
	for i, t := range []string{line, column, endLine, endColumn} {
		if *numbers[i], err = strconv.Atoi(t); err != nil || *numbers[i] < 0 {
			ok = false
		}
	}
	if !ok || !ok2 || s.Line == 0 {
		return Span{}, fmt.Errorf("position %q; want line.column-column or line.column-line.column", text)
	}
	return s, nil
}
