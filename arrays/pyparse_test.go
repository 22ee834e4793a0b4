package arrays_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The conformance cases are lines of Python that NumPy runs too. This is a parser of the
// little Python that they use: assignments, operators, calls, indexes, lists and tuples.

// node is one expression. Op says which: "name", "num", "str", "tuple", "list", "slice",
// "ellipsis", "call", "index", "attr", "neg", "pos", "not", or a binary operator.
type node struct {
	op    string
	text  string
	args  []*node
	names []string // of the keyword arguments, which stand last in args
}

// statement is target = value, target op= value, or a value alone.
type statement struct {
	target *node
	op     string // of an assignment in place
	value  *node
}

type pyParser struct {
	tokens []string
	at     int
}

func parseStatement(line string) (statement, error) {
	p := &pyParser{}
	if err := p.scan(line); err != nil {
		return statement{}, err
	}
	value, err := p.tuple()
	if err != nil {
		return statement{}, err
	}
	s := statement{value: value}
	if t := p.peek(); t == "=" || len(t) > 1 && strings.HasSuffix(t, "=") && !strings.Contains("== != <= >=", t) {
		p.at++
		s.target, s.op = value, strings.TrimSuffix(t, "=")
		if s.value, err = p.tuple(); err != nil {
			return s, err
		}
	}
	if p.peek() != "" {
		return s, fmt.Errorf("unexpected %q in %q", p.peek(), line)
	}
	return s, nil
}

var operators = []string{"**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="}

func (p *pyParser) scan(line string) error {
	for i := 0; i < len(line); {
		c := rune(line[i])
		start := i
		switch {
		case c == ' ':
			i++
			continue
		case unicode.IsDigit(c) || c == '.' && i+1 < len(line) && unicode.IsDigit(rune(line[i+1])):
			for i < len(line) && (strings.ContainsRune("0123456789.xabcdefABCDEFj_", rune(line[i])) ||
				(line[i] == '-' || line[i] == '+') && line[i-1] == 'e' && !strings.HasPrefix(line[start:], "0x")) {
				i++
			}
		case unicode.IsLetter(c) || c == '_':
			for i < len(line) && (unicode.IsLetter(rune(line[i])) || unicode.IsDigit(rune(line[i])) || line[i] == '_') {
				i++
			}
		case c == '\'' || c == '"':
			end := strings.IndexByte(line[i+1:], line[i])
			if end < 0 {
				return fmt.Errorf("open string in %q", line)
			}
			i += end + 2
		default:
			i++
			for _, op := range operators {
				if strings.HasPrefix(line[start:], op) {
					i = start + len(op)
					break
				}
			}
		}
		p.tokens = append(p.tokens, line[start:i])
	}
	return nil
}

func (p *pyParser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *pyParser) take(t string) bool {
	if p.peek() == t {
		p.at++
		return true
	}
	return false
}

// tuple reads one expression, or several with commas.
func (p *pyParser) tuple() (*node, error) {
	first, err := p.expr(0)
	if err != nil || p.peek() != "," {
		return first, err
	}
	items := []*node{first}
	for p.take(",") {
		if t := p.peek(); t == "" || t == ")" || t == "]" || t == "=" {
			break
		}
		x, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return &node{op: "tuple", args: items}, nil
}

var precedence = map[string]int{
	"==": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "|": 2, "^": 3, "&": 4, "<<": 5, ">>": 5,
	"+": 6, "-": 6, "*": 7, "/": 7, "//": 7, "%": 7, "@": 7, "**": 9,
}

func (p *pyParser) expr(least int) (*node, error) {
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		op := p.peek()
		prec, ok := precedence[op]
		if !ok || prec < max(least, 1) {
			return left, nil
		}
		p.at++
		next := prec + 1
		if op == "**" {
			next = prec
		}
		right, err := p.expr(next)
		if err != nil {
			return nil, err
		}
		left = &node{op: op, args: []*node{left, right}}
	}
}

func (p *pyParser) unary() (*node, error) {
	for sign, op := range map[string]string{"-": "neg", "+": "pos", "~": "not"} {
		if p.take(sign) {
			x, err := p.expr(8)
			return &node{op: op, args: []*node{x}}, err
		}
	}
	x, err := p.atom()
	for err == nil {
		switch {
		case p.take("("):
			x, err = p.call(x)
		case p.take("["):
			x, err = p.index(x)
		case p.take("."):
			x = &node{op: "attr", text: p.peek(), args: []*node{x}}
			p.at++
		default:
			return x, nil
		}
	}
	return x, err
}

func (p *pyParser) call(f *node) (*node, error) {
	c := &node{op: "call", args: []*node{f}}
	for !p.take(")") {
		if p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "=" {
			c.names = append(c.names, p.peek())
			p.at += 2
		}
		x, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, x)
		if !p.take(",") && p.peek() != ")" {
			return nil, fmt.Errorf("expected ) before %q", p.peek())
		}
	}
	return c, nil
}

func (p *pyParser) index(of *node) (*node, error) {
	var items []*node
	comma := false
	for !p.take("]") {
		x, err := p.slice()
		if err != nil {
			return nil, err
		}
		items = append(items, x)
		if p.take(",") {
			comma = true
		} else if p.peek() != "]" {
			return nil, fmt.Errorf("expected ] before %q", p.peek())
		}
	}
	index := &node{op: "tuple", args: items}
	if len(items) == 1 && !comma {
		index = items[0]
	}
	return &node{op: "index", args: []*node{of, index}}, nil
}

func (p *pyParser) slice() (*node, error) {
	parts := []*node{nil}
	for {
		t := p.peek()
		if t == ":" {
			p.at++
			parts = append(parts, nil)
			continue
		}
		if t == "," || t == "]" {
			break
		}
		x, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		parts[len(parts)-1] = x
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	s := &node{op: "slice", args: make([]*node, 3)}
	copy(s.args, parts)
	return s, nil
}

func (p *pyParser) atom() (*node, error) {
	t := p.peek()
	p.at++
	switch {
	case t == "":
		return nil, fmt.Errorf("unexpected end")
	case t == "...":
		return &node{op: "ellipsis"}, nil
	case t == "(" && p.take(")"):
		return &node{op: "tuple"}, nil
	case t == "(":
		x, err := p.tuple()
		if err == nil && !p.take(")") {
			err = fmt.Errorf("expected ) before %q", p.peek())
		}
		return x, err
	case t == "[":
		l := &node{op: "list"}
		for !p.take("]") {
			x, err := p.expr(0)
			if err != nil {
				return nil, err
			}
			l.args = append(l.args, x)
			if !p.take(",") && p.peek() != "]" {
				return nil, fmt.Errorf("expected ] before %q", p.peek())
			}
		}
		return l, nil
	case t[0] == '\'' || t[0] == '"':
		return &node{op: "str", text: t[1 : len(t)-1]}, nil
	case unicode.IsDigit(rune(t[0])) || t[0] == '.':
		return &node{op: "num", text: t}, nil
	case unicode.IsLetter(rune(t[0])) || t[0] == '_':
		return &node{op: "name", text: t}, nil
	}
	return nil, fmt.Errorf("unexpected %s", strconv.Quote(t))
}
