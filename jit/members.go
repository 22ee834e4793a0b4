package jit

import "strings"

// A member of an enumeration is a tuple of one item, its value, whose name says of which enumeration it is. It is equal
// to itself alone, as in Python: not to members of others, nor to numbers. Members of IntEnum and the like are no such
// tuples, but numbers.

// memberOf stands before the enumeration's name.
const memberOf = "value of "

// enumeration is the name of that of which a value of this type is a member, or nothing.
func (t Type) enumeration() string {
	if t.Kind != Tuple || len(t.Names) != 1 {
		return ""
	}
	name, of := strings.CutPrefix(t.Names[0], memberOf)
	if !of {
		return ""
	}
	return name
}

// enumerated is a member.
func enumerated(name string, v value) value {
	return like(Type{Names: []string{memberOf + name}}, v)
}

// identical is whether two values are the same member, where at least one is a member.
func (l *lower) identical(n *Node, a, b value) value {
	if a.typ.enumeration() != b.typ.enumeration() {
		return l.truth(false)
	}
	return l.compare(n, "==", a.items[0], b.items[0])
}
