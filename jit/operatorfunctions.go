package jit

// operatorFunctions is the table of the functions of Python's module operator: a call of one is the expression that it
// stands for, with all that is known of that.
var operatorFunctions = map[string]struct {
	arguments int
	stands    func(args []*Node) *Node
}{
	"operator.add": {2, binaryNode("+")}, "operator.sub": {2, binaryNode("-")}, "operator.mul": {2, binaryNode("*")},
	"operator.truediv": {2, binaryNode("/")}, "operator.floordiv": {2, binaryNode("//")}, "operator.mod": {2, binaryNode("%")},
	"operator.pow": {2, binaryNode("**")}, "operator.and_": {2, binaryNode("&")}, "operator.or_": {2, binaryNode("|")},
	"operator.xor": {2, binaryNode("^")}, "operator.lshift": {2, binaryNode("<<")}, "operator.rshift": {2, binaryNode(">>")},

	// Of numbers those that work in place give what the others do.
	"operator.iadd": {2, binaryNode("+")}, "operator.isub": {2, binaryNode("-")}, "operator.imul": {2, binaryNode("*")},
	"operator.itruediv": {2, binaryNode("/")}, "operator.ifloordiv": {2, binaryNode("//")}, "operator.imod": {2, binaryNode("%")},
	"operator.ipow": {2, binaryNode("**")}, "operator.iand": {2, binaryNode("&")}, "operator.ior": {2, binaryNode("|")},
	"operator.ixor": {2, binaryNode("^")}, "operator.ilshift": {2, binaryNode("<<")}, "operator.irshift": {2, binaryNode(">>")},

	"operator.eq": {2, compareNode("==")}, "operator.ne": {2, compareNode("!=")}, "operator.lt": {2, compareNode("<")},
	"operator.le": {2, compareNode("<=")}, "operator.gt": {2, compareNode(">")}, "operator.ge": {2, compareNode(">=")},
	"operator.is_": {2, compareNode("is")}, "operator.is_not": {2, compareNode("is not")},
	"operator.contains": {2, func(args []*Node) *Node { return compareNode("in")([]*Node{args[1], args[0]}) }},

	"operator.neg": {1, unaryNode("-")}, "operator.pos": {1, unaryNode("+")}, "operator.invert": {1, unaryNode("~")},
	"operator.inv": {1, unaryNode("~")}, "operator.not_": {1, unaryNode("not")},
	"operator.truth":   {1, func(args []*Node) *Node { return unaryNode("not")([]*Node{unaryNode("not")(args)}) }},
	"operator.getitem": {2, func(args []*Node) *Node { return &Node{Kind: "item", Kids: args} }},
}

func binaryNode(op string) func(args []*Node) *Node {
	return func(args []*Node) *Node { return &Node{Kind: "binary", Word: op, Kids: args} }
}

func compareNode(op string) func(args []*Node) *Node {
	return func(args []*Node) *Node { return &Node{Kind: "compare", Word: op, Kids: args} }
}

func unaryNode(op string) func(args []*Node) *Node {
	return func(args []*Node) *Node { return &Node{Kind: "unary", Word: op, Kids: args} }
}

// operatorCall is a call of one; ok is false for other functions.
func (l *lower) operatorCall(n *Node, name string) (v value, ok bool) {
	row, ok := operatorFunctions[name]
	if !ok {
		return v, false
	}
	args := n.Kids[1].Kids
	for _, k := range args {
		if k.Kind == "keyword" {
			l.fail(k, typing, "Give it by position.", "the argument %s is given by name", k.Word)
		}
	}
	if len(args) != row.arguments {
		l.fail(n, typing, "", "%s takes %d arguments (%d given)", name, row.arguments, len(args))
	}
	as := row.stands(args)
	as.Span = n.Span
	return l.optional(as), true
}
