package main

import (
	"fmt"
	"io"
	"strings"
)

// option is one row of a command's table: how it is written, what its value looks like ("" for a switch), what it
// does, and what takes its value, which is "" for a switch.
type option struct {
	name  string
	value string
	about string
	take  func(value string) error
}

// usage is how an option is written: "--port N".
func (o *option) usage() string {
	if o.value == "" {
		return o.name
	}
	return o.name + " " + o.value
}

// isSet makes a switch set a variable.
func isSet(b *bool) func(string) error {
	return func(string) error { *b = true; return nil }
}

// isText makes an option's value that of a variable.
func isText(s *string) func(string) error {
	return func(value string) error { *s = value; return nil }
}

// asksHelp says whether words ask for a command's help. What stands behind "--" is not the command's.
func asksHelp(words []string) bool {
	for _, word := range words {
		switch word {
		case "--":
			return false
		case "-h", "--help":
			return true
		}
	}
	return false
}

// takeOptions hands the options among a command's words to their rows, and returns the other words. All words behind
// "--" are such. A value may stand in the option's own word, as in --port=8000; a lone "-" is no option but a file.
func (c *command) takeOptions(words []string) (others []string, err error) {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			return append(others, words...), nil
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			others = append(others, word)
			continue
		}
		name, value, joined := strings.Cut(word, "=")
		o := c.option(name)
		if o == nil {
			return nil, usagef("%s: unknown option %s; usage: weft %s %s; options: %s", c.name, name, c.name, c.args, optionNames(c.options))
		}
		switch {
		case o.value == "" && joined:
			return nil, usagef("%s: %s takes no value, got %q", c.name, name, value)
		case o.value != "" && !joined:
			if len(words) == 0 {
				return nil, usagef("%s: %s needs a value; want %s", c.name, name, o.usage())
			}
			value, words = words[0], words[1:]
		}
		if err := o.take(value); err != nil {
			return nil, usagef("%s: %s: %v", c.name, o.name, err)
		}
	}
	return others, nil
}

func (c *command) option(name string) *option {
	for i := range c.options {
		if c.options[i].name == name {
			return &c.options[i]
		}
	}
	return nil
}

func optionNames(table []option) string {
	if len(table) == 0 {
		return "none"
	}
	var names []string
	for i := range table {
		names = append(names, table[i].usage())
	}
	return strings.Join(names, ", ")
}

// writeOptions prints a table for people, a line for each option.
func writeOptions(w io.Writer, table []option) {
	for i := range table {
		fmt.Fprintf(w, "  %-20s %s\n", table[i].usage(), table[i].about)
	}
}
