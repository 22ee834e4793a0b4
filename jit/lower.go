package jit

import (
	"slices"

	"weft/tile"
)

// lower walks the statements of one function, and of those that it calls, and makes instructions of them.
type lower struct {
	unit      *Unit
	lookup    func(name string) (functionRow, bool) // finds the row of a function that is called
	methods   map[string]arrayMethod                // of arrays
	iterators map[string]func(l *lower, n *Node, args []*Node) ([]value, *series)
	cuda      bool // the function is a kernel or called by one: some functions have other types there
	kernel    bool // its threads become lanes
	single    [3]Along
	args      []Type
	names     []string // of the arguments
	log       int      // the first of the two arguments that print writes to; -1 as long as nothing does
	leaves    int      // how many arguments there are: behind them come frozen arrays

	threads   bool                     // the kernel becomes a program of threads
	scratches []scratch                // arrays of its own
	scratchOf map[string]map[*Node]int // by calls and by where they are made
	messages  []tile.Message
	places    map[tile.Form]*instr
	path      string         // the calls that are inlined now
	naming    string         // the name that an expression is for
	notes     map[Named]Type // of names, where they are set; those of loops have settled when they are walked last
	line      place

	out   *block
	frame *frame
	depth int // of calls

	constants map[tile.Scalar]*instr
	shares    map[string]*instr // by type and number
	uniforms  []Uniform
	axes      [3]*instr

	elements  []element
	elementOf map[string]int
	loads     map[int]*instr         // by element of an array that is written: its value before all
	cells     map[int]*instr         // by element: what was last written there
	written   map[int]bool           // arrays of which elements are written, as an earlier walk found
	wrote     map[int]bool           // the same, of this walk
	surely    map[int]bool           // elements that each thread within the bounds writes
	stored    map[int]*Node          // where an element is written
	holds     map[*instr]tile.Scalar // what conditions are where this is walked; see optional.go
	open      int                    // loops that are walked with a name of which no type but None is known yet
	skipped   int                    // statements that wanted to know it
	guesses   bool                   // they are told that it is a bool

	spine    bool // what is walked now is done once by each thread that is within the bounds
	tail     bool // and the last that the kernel does
	bounds   []bound
	premises []premise
	strided  [3]bool // the turns of such a loop are walked now
	over     [3]bool // a loop strides over the axis: the number of threads is no bound
}

// frame is the names of one call.
type frame struct {
	function *function
	vars     names
	outer    *frame               // that the function was defined in
	unset    map[string]looseness // names without a value before a loop that is walked now
}

func newLower(u *Unit, written map[int]bool) *lower {
	return &lower{
		unit: u, lookup: lookup, methods: arrayMethods, iterators: iterators, log: -1, out: &block{}, constants: map[tile.Scalar]*instr{}, shares: map[string]*instr{},
		elementOf: map[string]int{}, loads: map[int]*instr{}, cells: map[int]*instr{}, written: written, wrote: map[int]bool{},
		scratchOf: map[string]map[*Node]int{}, notes: map[Named]Type{}, places: map[tile.Form]*instr{}, surely: map[int]bool{}, stored: map[int]*Node{},
		holds: map[*instr]tile.Scalar{},
	}
}

// Flags of a frame, which are names that no program can write.
const (
	returned  = "return?"
	result    = "result?"
	broken    = "break?"
	continued = "continue?"
)

func (l *lower) truth(v bool) value { return of(l.constant(tile.BoolScalar(v))) }

// run walks statements in a row.
func (l *lower) run(list []*Node) {
	tail := l.tail
	for i, n := range list {
		rest := list[i+1:]
		if n.Kind == "if" && len(rest) > 0 { // what follows a branch that ends the row belongs to the other one
			then, els := n.Kids[1].Kids, n.Kids[2].Kids
			switch {
			case ends(then):
				l.tail = tail
				l.choose(n, then, slices.Concat(els, rest))
				return
			case ends(els):
				l.tail = tail
				l.choose(n, slices.Concat(then, rest), els)
				return
			}
		}
		l.tail = tail && len(rest) == 0
		l.statement(n)
		l.tail = tail
		left := escapes([]*Node{n})
		if len(left) == 0 || len(rest) == 0 {
			continue
		}
		gone := l.truth(false)
		for _, flag := range left {
			if v, ok := l.frame.vars.find(flag); ok {
				gone = l.any(gone, v)
			}
		}
		if s, known := gone.literalOf(); known {
			if s.Bits[0] != 0 {
				return
			}
			continue
		}
		l.branch(n, gone, func() {}, func() { l.run(rest) })
		return
	}
}

// any is whether one of two flags is set.
func (l *lower) any(a, b value) value {
	if s, known := a.literalOf(); known && s.Bits[0] == 0 {
		return b
	}
	return of(l.do(tile.Or, a.in, b.in))
}

// ends reports whether statements never fall through.
func ends(list []*Node) bool {
	for _, n := range list {
		switch n.Kind {
		case "return", "break", "continue", "raise":
			return true
		case "if":
			if ends(n.Kids[1].Kids) && ends(n.Kids[2].Kids) {
				return true
			}
		}
	}
	return false
}

// escapes returns the flags by which statements may leave the row that they stand in.
func escapes(list []*Node) (flags []string) {
	add := func(more ...string) {
		for _, f := range more {
			if !slices.Contains(flags, f) {
				flags = append(flags, f)
			}
		}
	}
	for _, n := range list {
		switch n.Kind {
		case "return":
			add(returned)
		case "break":
			add(broken)
		case "continue":
			add(continued)
		case "if":
			add(escapes(n.Kids[1].Kids)...)
			add(escapes(n.Kids[2].Kids)...)
		case "while", "for":
			body, otherwise := n.Kids[len(n.Kids)-2].Kids, n.Kids[len(n.Kids)-1].Kids
			if slices.Contains(escapes(body), returned) {
				add(returned)
			}
			add(escapes(otherwise)...)
		}
	}
	return flags
}

func (l *lower) statement(n *Node) {
	l.attempt(func() { l.does(n) })
}

// does walks a statement.
func (l *lower) does(n *Node) {
	l.line = place{l.frame.function.file, l.frame.function.line + n.Span.Line - 1}
	switch n.Kind {
	case "set":
		l.set(n.Kids[:len(n.Kids)-1], n.Kids[len(n.Kids)-1])
	case "augment":
		l.augment(n)
	case "if":
		l.choose(n, n.Kids[1].Kids, n.Kids[2].Kids)
	case "while":
		l.while(n)
	case "for":
		l.each(n)
	case "return":
		l.leave(n)
	case "break":
		l.frame.set(broken, l.truth(true))
	case "continue":
		l.frame.set(continued, l.truth(true))
	case "pass":
	case "do":
		if k := n.Kids[0].Kind; k != "str" && k != "ellipsis" {
			l.optional(n.Kids[0])
		}
	case "define":
		l.define(n)
	case "raise":
		l.raise(n)
	case "assert":
		l.assert(n)
	default:
		l.refuse(n)
	}
}

// augment is x += y. An element's index is computed once.
func (l *lower) augment(n *Node) {
	target := n.Kids[0]
	if target.Kind == "item" {
		if to := l.expression(target.Kids[0]); to.typ.Kind == Array {
			to = l.indexed(target, to)
			x := to
			if len(to.index) == to.typ.Axes {
				x = l.element(target, to)
			}
			l.put(target, to, l.binary(n, n.Word, x, l.expression(n.Kids[1])))
			return
		}
	}
	l.assign(target, l.binary(n, n.Word, l.expression(target), l.expression(n.Kids[1])))
}

func (l *lower) define(n *Node) {
	inner := *l.frame.function
	inner.name, inner.params, inner.body = n.Word, n.Kids[0].Kids, n.Kids[1].Kids
	v := object("function " + n.Word)
	v.called = &closure{&inner, l.frame}
	l.standards(inner.params)
	l.frame.set(n.Word, v)
}

// leave is a return.
func (l *lower) leave(n *Node) {
	v := value{typ: Type{Kind: None}}
	if len(n.Kids) > 0 {
		v = l.optional(n.Kids[0])
	}
	if l.cuda && l.depth == 0 && v.typ.Kind != None {
		l.fail(n, "TypeError", "Write what is to be returned to an array that is an argument.", "CUDA kernel must have void return type.")
	}
	if l.threads && l.depth == 0 {
		l.act(n, &instr{op: tile.Leave, typ: tile.Bool})
	}
	l.frame.set(result, v)
	l.frame.set(returned, l.truth(true))
}

// set is an assignment. What an iterator gives has no name: only a tuple of targets takes its items.
func (l *lower) set(targets []*Node, given *Node) {
	l.naming = targets[0].Word
	if len(targets) == 1 && targets[0].Kind == "tuple" {
		if items, s, made := l.iterator(given); made {
			l.spread(targets[0], items, s)
			return
		}
	}
	v := l.optional(given)
	for _, target := range targets {
		l.assign(target, v)
	}
}

// assign gives a target a value: a name, a tuple of targets, or an element.
func (l *lower) assign(target *Node, v value) {
	switch target.Kind {
	case "name":
		l.frame.set(target.Word, v)
		l.noteSet(target.Word)
		l.note(target, v)
	case "tuple":
		l.unpack(target, l.here(target, v))
	case "item":
		l.store(target, l.present(target, v))
	case "attribute":
		to := l.expression(target.Kids[0])
		if to.typ.Kind != Records {
			l.fail(target, typing, "", "Cannot resolve setattr: (%v).%s = %v", to.typ, target.Word, v.typ)
		}
		l.put(target, l.member(target, to, target.Word), l.present(target, v))
	default:
		l.refuse(target)
	}
}

// assigned returns the names that statements set, in the order in which they stand there.
func assigned(list []*Node) (names []string) {
	var walk func(n *Node)
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var target func(n *Node)
	target = func(n *Node) {
		switch n.Kind {
		case "name":
			add(n.Word)
		case "tuple":
			for _, k := range n.Kids {
				target(k)
			}
		}
	}
	walk = func(n *Node) {
		switch n.Kind {
		case "set":
			for _, t := range n.Kids[:len(n.Kids)-1] {
				target(t)
			}
		case "augment", "for":
			target(n.Kids[0])
		case "walrus", "define":
			add(n.Word)
		}
		if n.Kind == "define" || n.Kind == "lambda" {
			for _, p := range n.Kids[0].Kids {
				if len(p.Kids) > 0 && !literalKinds[p.Kids[0].Kind] {
					add(standardName(p))
				}
			}
		}
		if n.Kind != "define" && n.Kind != "lambda" {
			for _, k := range n.Kids {
				walk(k)
			}
		}
	}
	for _, n := range list {
		walk(n)
	}
	return names
}
