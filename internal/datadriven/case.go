package datadriven

import (
	"fmt"
	"strconv"
	"strings"
)

// Case is one command of a file, as the test's function sees it.
type Case struct {
	Cmd   string            // first word of the command line
	Args  map[string]string // key=value words; a bare word is a key with an empty value
	Input string            // the lines below the command, up to "----"
	Pos   string            // file:line, for messages

	line     string // the command line, verbatim
	expected string // as normal() leaves it
	before   string // remarks and blank lines in front, verbatim
}

// Has says whether the command line names key.
func (c *Case) Has(key string) bool {
	_, ok := c.Args[key]
	return ok
}

// String is the value of key, or otherwise when the command line does not name it.
func (c *Case) String(key, otherwise string) string {
	if v, ok := c.Args[key]; ok {
		return v
	}
	return otherwise
}

// Int is the value of key as a number, or otherwise when it is not named. It
// panics on a value that is no integer: a file with such a value is wrong.
func (c *Case) Int(key string, otherwise int) int {
	v, ok := c.Args[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		panic(fmt.Sprintf("%s: %s=%s: want an integer", c.Pos, key, v))
	}
	return n
}

// file is a parsed file. It prints back to the bytes that it was read from, apart
// from the outputs that were replaced.
type file struct {
	cases []*Case
	after string // remarks and blank lines behind the last case
}

func parse(path, text string) (*file, error) {
	f := &file{}
	lines := strings.SplitAfter(text, "\n")
	i := 0
	trimmed := func(at int) string { return strings.TrimRight(lines[at], " \t\r\n") }
	line := func() string { return trimmed(i) }
	for {
		var before strings.Builder
		for i < len(lines) && (line() == "" || strings.HasPrefix(line(), "#")) {
			before.WriteString(lines[i])
			i++
		}
		if i == len(lines) {
			f.after = before.String()
			return f, nil
		}
		c := &Case{Pos: fmt.Sprintf("%s:%d", path, i+1), line: line(), before: before.String()}
		if c.line == "----" {
			return nil, fmt.Errorf("%s: \"----\" without a command above it", c.Pos)
		}
		var err error
		if c.Cmd, c.Args, err = parseCommand(c.line); err != nil {
			return nil, fmt.Errorf("%s: %v", c.Pos, err)
		}
		var input, expected strings.Builder
		for i++; i < len(lines) && line() != "----"; i++ {
			input.WriteString(lines[i])
		}
		if i == len(lines) {
			return nil, fmt.Errorf("%s: no \"----\" below %q", c.Pos, c.line)
		}
		c.Input = input.String()
		i++ // past "----"
		if i < len(lines) && line() == "----" {
			for i++; ; i++ {
				if i+1 >= len(lines) {
					return nil, fmt.Errorf("%s: the doubled \"----\" is never closed by another doubled one", c.Pos)
				}
				// Only a pair with nothing or a blank line behind it closes, so
				// that an output may itself begin or end with a separator.
				if line() == "----" && trimmed(i+1) == "----" && (i+2 == len(lines) || trimmed(i+2) == "") {
					i += 2
					break
				}
				expected.WriteString(lines[i])
			}
		} else {
			for ; i < len(lines) && line() != ""; i++ {
				expected.WriteString(lines[i])
			}
		}
		c.expected = normal(expected.String())
		f.cases = append(f.cases, c)
	}
}

// parseCommand splits "cmd key=value flag shape=(3, 4) text="a b"" into words.
// Values in brackets or double quotes may hold blanks; quotes are Go's.
func parseCommand(line string) (cmd string, args map[string]string, err error) {
	args = map[string]string{}
	depth, quoted, start := 0, false, 0
	var words []string
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line), depth == 0 && !quoted && (line[i] == ' ' || line[i] == '\t'):
			if start < i {
				words = append(words, line[start:i])
			}
			start = i + 1
		case quoted && line[i] == '\\' && i+1 < len(line):
			i++
		case line[i] == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{", line[i]) >= 0:
			depth++
		case strings.IndexByte(")]}", line[i]) >= 0:
			depth--
		}
	}
	if depth != 0 || quoted {
		return "", nil, fmt.Errorf("%q: a bracket or a quote is not closed", line)
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		if strings.HasPrefix(value, `"`) {
			if value, err = strconv.Unquote(value); err != nil {
				return "", nil, fmt.Errorf("%s: %v", word, err)
			}
		}
		if _, twice := args[key]; twice {
			return "", nil, fmt.Errorf("%q: %s is given twice", line, key)
		}
		args[key] = value
	}
	return words[0], args, nil
}

// text prints the file with the outputs that its cases hold now.
func (f *file) text() string {
	var out strings.Builder
	for i, c := range f.cases {
		if i > 0 && !strings.HasPrefix(c.before, "\n") {
			out.WriteString("\n") // a case whose output shrank to nothing still needs its blank line
		}
		out.WriteString(c.before + c.line + "\n" + c.Input + "----\n")
		doubled := strings.Contains(c.expected, "\n\n") || strings.HasPrefix(c.expected, "----\n")
		if doubled {
			out.WriteString("----\n" + c.expected + "----\n----\n")
		} else {
			out.WriteString(c.expected)
		}
	}
	out.WriteString(f.after)
	return out.String()
}
