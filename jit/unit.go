package jit

import (
	"fmt"
	"strconv"
	"strings"

	"weft/tile"
)

// Unit is a function of the user's with all that it calls.
type Unit struct {
	root       *Node
	functions  []*function
	arrays     []frozenArray
	checks     Checks
	directives tile.Directives // of its kernels, where they are threads
}

// function is one function of a unit.
type function struct {
	name   string
	file   string // as the user knows it: In[3]
	line   int    // of the file, that the source begins at
	source []string
	params []*Node
	body   []*Node
	frozen map[string]*Node
}

// Read reads a unit from its text form.
func Read(text string) (*Unit, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	if root.Kind != "unit" {
		return nil, fmt.Errorf("jit: the text is a %s; want a unit", root.Kind)
	}
	u := &Unit{root: root}
	for _, n := range root.Kids {
		if n.Kind == "arrays" {
			if err := u.readArrays(n); err != nil {
				return nil, err
			}
			continue
		}
		if n.Kind == "checks" {
			if err := u.readChecks(n); err != nil {
				return nil, err
			}
			continue
		}
		if n.Kind == "directives" {
			if u.directives, err = readDirectives(n); err != nil {
				return nil, err
			}
			continue
		}
		f, err := readFunction(n)
		if err != nil {
			return nil, fmt.Errorf("jit: function %s: %w", n.Word, err)
		}
		u.functions = append(u.functions, f)
	}
	return u, nil
}

func (u *Unit) readArrays(n *Node) error {
	for _, a := range n.Kids {
		if a.Kind != "array" || len(a.Kids) != 2 {
			return fmt.Errorf("jit: among the arrays is a %s of %d parts; want arrays of a dtype and a number of axes", a.Kind, len(a.Kids))
		}
		t, err := dtypeOf(a.Kids[0].Word)
		if err != nil {
			return err
		}
		axes, err := strconv.Atoi(a.Kids[1].Word)
		if err != nil {
			return err
		}
		u.arrays = append(u.arrays, frozenArray{a.Word, t, axes})
	}
	return nil
}

// readDirectives reads what a device's compiler is told, in the words of tile's text form.
func readDirectives(n *Node) (tile.Directives, error) {
	words := make([]string, len(n.Kids))
	for i, k := range n.Kids {
		words[i] = k.Word
	}
	d, err := tile.ParseDirectives(strings.Join(words, " "))
	if err != nil {
		return d, fmt.Errorf("jit: directives: %w", err)
	}
	return d, nil
}

func readFunction(n *Node) (*function, error) {
	if n.Kind != "function" {
		return nil, fmt.Errorf("it is a %s; want functions", n.Kind)
	}
	for i, kind := range []string{"file", "line", "source", "params", "body"} {
		if n.Kids[i].Kind != kind {
			return nil, fmt.Errorf("part %d is a %s; want the %s of a function", i, n.Kids[i].Kind, kind)
		}
	}
	line, err := strconv.Atoi(n.Kids[1].Word)
	if err != nil {
		return nil, fmt.Errorf("line %q; want a number", n.Kids[1].Word)
	}
	f := &function{
		name: n.Word, file: n.Kids[0].Word, line: line, source: strings.Split(n.Kids[2].Word, "\n"),
		params: n.Kids[3].Kids, body: n.Kids[4].Kids, frozen: map[string]*Node{},
	}
	for _, p := range n.Kids[5:] {
		if p.Kind != "frozen" {
			return nil, fmt.Errorf("it has a %s behind its body; want frozen names", p.Kind)
		}
		f.frozen[p.Word] = p.Kids[0]
	}
	return f, nil
}

// String prints the unit; Read reads it back.
func (u *Unit) String() string { return u.root.String() }

// Name returns the name of the function to compile.
func (u *Unit) Name() string { return u.functions[0].name }

// Param returns the name of a parameter of it.
func (u *Unit) Param(i int) string { return u.functions[0].params[i].Word }

// Params returns how many parameters the function to compile has.
func (u *Unit) Params() int { return len(u.functions[0].params) }
