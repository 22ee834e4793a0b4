package jit

import (
	"maps"
	"slices"
	"strings"
)

// A name that only some paths have set is zero on the others, as in Numba. Guarded kernels say so where such a name is
// read (UnboundLocalError): beside each name that may be read before it is set stands another one, its flag, which is
// true from where the name is set on. It is joined and carried as names are.
//
//	if x > 1:        y?  false before
//	    y = 3        y?  true
//	out[0] = y       the thread fails where y? is false

// flagOf is the name of a name's flag.
func flagOf(name string) string { return name + "?set" }

// flagUnset begins the flags of a function's names, where the kernel is guarded.
func (l *lower) flagUnset(f *frame) {
	if !l.threads || !l.unit.checks.Guards {
		return
	}
	for _, name := range unsure(f.function.body) {
		if _, given := f.vars.find(name); !given {
			f.vars.set(flagOf(name), l.truth(false))
		}
	}
}

// noteSet has a name's flag say that it is set.
func (l *lower) noteSet(name string) {
	if _, flagged := l.frame.vars.find(flagOf(name)); flagged {
		l.frame.set(flagOf(name), l.truth(true))
	}
}

// wantSet has the thread fail where a name of a frame that is read is not set.
func (l *lower) wantSet(n *Node, f *frame) {
	flag, flagged := f.vars.find(flagOf(n.Word))
	if !flagged {
		return
	}
	l.branch(n, flag, func() {}, func() {
		l.failWith(n, "UnboundLocalError", "local variable '"+n.Word+"' referenced before assignment", nil)
	})
}

// withFlags is names with the flags of those among them that are not known to be set.
func (l *lower) withFlags(names []string) []string {
	made := names
	for _, name := range names {
		flag, flagged := l.frame.vars.find(flagOf(name))
		if !flagged {
			continue
		}
		if s, known := flag.literalOf(); !known || s.Bits[0] == 0 {
			made = append(slices.Clip(made), flagOf(name))
		}
	}
	return made
}

// unsure returns the names that statements may read before they set them. It says so of more than do, since what a loop
// sets counts in the loop alone.
func unsure(list []*Node) (names []string) {
	own := assigned(list)
	found := map[string]bool{}
	var reads func(n *Node, set map[string]bool)
	reads = func(n *Node, set map[string]bool) {
		switch n.Kind {
		case "name":
			if !set[n.Word] {
				found[n.Word] = true
			}
		case "define", "lambda": // what they read of names around them is not looked at
			return
		case "walrus":
			reads(n.Kids[0], set)
			set[n.Word] = true
			return
		}
		for _, k := range n.Kids {
			reads(k, set)
		}
	}
	var target func(n *Node, set map[string]bool)
	target = func(n *Node, set map[string]bool) {
		switch n.Kind {
		case "name":
			set[n.Word] = true
		case "tuple":
			for _, k := range n.Kids {
				target(k, set)
			}
		default:
			reads(n, set)
		}
	}
	var run func(list []*Node, set map[string]bool) (ended bool)
	run = func(list []*Node, set map[string]bool) (ended bool) {
		for _, n := range list {
			switch n.Kind {
			case "set":
				last := len(n.Kids) - 1
				reads(n.Kids[last], set)
				for _, t := range n.Kids[:last] {
					target(t, set)
				}
			case "augment":
				reads(n.Kids[0], set)
				reads(n.Kids[1], set)
				target(n.Kids[0], set)
			case "define":
				set[n.Word] = true
			case "if":
				reads(n.Kids[0], set)
				one, two := maps.Clone(set), maps.Clone(set)
				endsOne, endsTwo := run(n.Kids[1].Kids, one), run(n.Kids[2].Kids, two)
				if endsOne && endsTwo {
					return true
				}
				for name := range one {
					if two[name] || endsTwo {
						set[name] = true
					}
				}
				for name := range two {
					if endsOne {
						set[name] = true
					}
				}
			case "while":
				reads(n.Kids[0], set)
				run(n.Kids[1].Kids, maps.Clone(set))
				run(n.Kids[2].Kids, maps.Clone(set))
			case "for":
				reads(n.Kids[1], set)
				turn := maps.Clone(set)
				target(n.Kids[0], turn)
				run(n.Kids[2].Kids, turn)
				run(n.Kids[3].Kids, maps.Clone(set))
			default:
				reads(n, set)
				if n.Kind == "return" || n.Kind == "raise" || n.Kind == "break" || n.Kind == "continue" {
					return true
				}
			}
		}
		return false
	}
	run(list, map[string]bool{})
	for _, name := range own {
		if found[name] && !strings.Contains(name, "?") {
			names = append(names, name)
		}
	}
	return names
}
