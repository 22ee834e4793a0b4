package jit

// hinted is the table of what tells hardware how to do something: loads and stores by caches, and waits. They do what
// is done without the hint.
var hinted = map[string]functionRow{
	"cuda.const.array_like": {1, 1, true, nil, constantLike},
	"cuda.nanosleep":        {1, 1, false, nil, func(_ *lower, _ *Node, _ []value) value { return value{typ: Type{Kind: None}} }},
	"cuda.ldca":             {2, 2, true, nil, loaded}, "cuda.ldcg": {2, 2, true, nil, loaded}, "cuda.ldcs": {2, 2, true, nil, loaded},
	"cuda.ldlu": {2, 2, true, nil, loaded}, "cuda.ldcv": {2, 2, true, nil, loaded},
	"cuda.stcg": {3, 3, true, nil, stored}, "cuda.stcs": {3, 3, true, nil, stored}, "cuda.stwb": {3, 3, true, nil, stored}, "cuda.stwt": {3, 3, true, nil, stored},
}

// addressed is the array with the index that a load or store names.
func (l *lower) addressed(n *Node, a, index value) value {
	if a.typ.Kind != Array {
		l.fail(n, typing, "", "%v has no elements to load or store", a.typ)
	}
	if a = l.withIndex(n, a, index); len(a.index) < a.typ.Axes {
		l.fail(n, typing, "Give an index for each axis.", "%d indices of %v", len(a.index), a.typ)
	}
	return a
}

func loaded(l *lower, n *Node, v []value) value { return l.element(n, l.addressed(n, v[0], v[1])) }

func stored(l *lower, n *Node, v []value) value {
	l.put(n, l.addressed(n, v[0], v[1]), v[2])
	return value{typ: Type{Kind: None}}
}

// constantLike is an array in constant memory: one that the function has frozen.
func constantLike(l *lower, n *Node, v []value) value {
	if !v[0].constant {
		l.fail(n, typing, "Name an array outside of the kernel.", "cuda.const.array_like of %v, which is not constant", v[0].typ)
	}
	return v[0]
}
