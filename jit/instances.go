package jit

import (
	"maps"
	"slices"
	"strings"

	"weft/tile"
)

// instances is the table of classes of which isinstance knows the instances: by their types, as Numba has them. An int
// is an int64, and a truth value is none.
var instances = map[string]func(t Type) bool{
	"builtins.bool": isNumber(tile.Bool), "builtins.int": isNumber(tile.Int64), "builtins.float": isNumber(tile.Float64), "builtins.complex": isNumber(tile.Complex128),
	"builtins.tuple": func(t Type) bool { return t.Kind == Tuple }, "np.ndarray": func(t Type) bool { return t.Kind == Array },
}

func isNumber(d tile.DType) func(t Type) bool {
	return func(t Type) bool { return t.Kind == Number && t.DType == d }
}

// isInstance is known while compiling, so that a branch that is for others is not compiled.
func isInstance(l *lower, n *Node, v []value) value {
	classes := v[1:]
	if classes[0].typ.Kind == Tuple && classes[0].items != nil {
		classes = classes[0].items
	}
	found := false
	for _, class := range classes {
		is, known := instances[class.known]
		switch {
		case class.dtype != tile.Invalid:
			is = isNumber(class.dtype)
		case !known:
			l.fail(n.Kids[1].Kids[1], unsupported, "Write a dtype, or one of "+strings.Join(slices.Sorted(maps.Keys(instances)), ", ")+".",
				"isinstance with %v", class.typ)
		}
		found = found || is(v[0].typ)
	}
	return l.truth(found)
}
