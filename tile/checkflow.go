package tile

import "fmt"

// scope is a block whose values are seen in it and in the blocks within.
//
// Scopes are the blocks that values belong to. An instruction sees the values of its own scope and of those around it:
//
//	v0 = ...                 scope 0, the program
//	v1 if v0                 scope 1 within 0
//	  v2 = ... v0
//	v3 else                  scope 2 within 0: v2 is not seen
//	  v4 = ... v0
//	v5 end                   scope 0 again: neither v2 nor v4 is seen,
//	v6 = merge v2 v4         but by the merges right behind the end
//	v7 loop                  scope 3 within 0: carries and what the condition is made of
//	v8 = carry v6            its first value belongs to scope 0
//	  v9 = ... v8
//	v10 while v9             scope 4 within 3
//	  v11 = ...
//	  v12 next v8 v11
//	v13 end                  scope 0, which sees the loop's carries
//
// That is what makes a value of a branch that was not taken, or of a turn that never was, one that nothing can read.
type scope struct {
	parent int
	loop   bool // it is the body of a loop, or within one
}

// open is a block that has not ended.
type open struct {
	head     Value
	middle   Value // its else or while
	scope    int   // what is computed now belongs to it
	first    int   // scope of an if's first branch; of a loop, where its condition is computed
	outer    int
	carries  []Value
	nexts    int
	nextSeen bool // nothing but nexts and the end may follow
}

// blocks follows the control flow of a program while it is checked.
type blocks struct {
	scopes []scope // the first is the program itself
	open   []open
	scope  int   // the current one
	of     []int // by value: its scope

	merging *open // the if that has just ended
}

func newBlocks(n int) blocks {
	return blocks{scopes: []scope{{parent: -1}}, of: make([]int, n)}
}

// enter begins a new scope within the given one.
func (b *blocks) enter(parent int, loop bool) int {
	b.scopes = append(b.scopes, scope{parent, loop || b.scopes[parent].loop})
	b.scope = len(b.scopes) - 1
	return b.scope
}

// sees reports whether values of scope s are seen from another one.
func (b *blocks) sees(from, s int) bool {
	for ; from >= 0; from = b.scopes[from].parent {
		if from == s {
			return true
		}
	}
	return false
}

// flow checks where an instruction stands, and keeps track of blocks. It runs before the
// instruction's operands are looked at.
func (c *checker) flow(v Value) error {
	b := &c.blocks
	in := &c.p.Code[v]
	if in.Op != Merge {
		b.merging = nil
	}
	var top *open
	if n := len(b.open); n > 0 {
		top = &b.open[n-1]
	}
	isLoop := top != nil && c.p.Code[top.head].Op == Loop
	if top != nil && top.nextSeen && in.Op != Next && in.Op != End {
		return fmt.Errorf("it follows a next; want all nexts right before the end of the loop")
	}
	switch in.Op {
	case If, Loop:
		if len(b.open) == maxDepth {
			return fmt.Errorf("blocks nest %d deep; want at most %d", len(b.open)+1, maxDepth)
		}
		outer := b.scope
		s := b.enter(outer, in.Op == Loop)
		b.open = append(b.open, open{head: v, middle: NoValue, scope: s, first: s, outer: outer})
	case Else:
		if top == nil || isLoop {
			return fmt.Errorf("there is no if that it belongs to")
		}
		if top.middle != NoValue {
			return fmt.Errorf("the if has an else already")
		}
		top.middle, top.scope = v, b.enter(top.outer, false)
	// The condition of a loop is computed once more than its body. So the while divides the two: what is computed
	// before it is seen in the body, too.
	case While:
		if !isLoop {
			return fmt.Errorf("there is no loop that it belongs to; want it right within one")
		}
		if top.middle != NoValue {
			return fmt.Errorf("the loop has a while already")
		}
		top.middle = v // the body is entered once the condition was looked at
	case Carry:
		if before := v - 1; before < 0 || c.p.Code[before].Op != Loop && c.p.Code[before].Op != Carry {
			return fmt.Errorf("want it right behind a loop or another carry")
		}
		top.carries = append(top.carries, v)
	case Merge:
		if b.merging == nil {
			return fmt.Errorf("want it right behind the end of an if or another merge")
		}
	case Next:
		if !isLoop || top.middle == NoValue {
			return fmt.Errorf("there is no loop that it belongs to; want it in the body of one")
		}
		top.nextSeen = true
	case End:
		return c.end(top, isLoop)
	// A store in a loop would happen once a turn, in an order that other lanes could see; a reduction in a block would
	// have fewer elements in some lanes, and the canonical order counts them.
	case Store:
		if b.scopes[b.scope].loop {
			return fmt.Errorf("a store in a loop; carry the value out and store it behind the end")
		}
	case Reduce:
		if top != nil {
			return fmt.Errorf("a reduction in a block; merge what it combines and reduce behind the end")
		}
	}
	b.of[v] = b.scope
	return nil
}

// end checks and ends a block.
func (c *checker) end(top *open, isLoop bool) error {
	b := &c.blocks
	switch {
	case top == nil:
		return fmt.Errorf("there is no if or loop that it ends")
	case isLoop && top.middle == NoValue:
		return fmt.Errorf("the loop has no while; want \"while vN\" between its condition and its body")
	case isLoop && top.nexts != len(top.carries):
		return fmt.Errorf("the loop has %d carries and %d nexts; want one for each", len(top.carries), top.nexts)
	}
	// A loop's results are its carries, as they were when the condition was false.
	for _, v := range top.carries { // they are seen behind the loop
		b.of[v] = top.outer
	}
	done := *top
	b.open = b.open[:len(b.open)-1]
	b.scope = done.outer
	if !isLoop {
		b.merging = &done
	}
	return nil
}

// seen checks that an operand may be used where the instruction stands.
func (c *checker) seen(in *Instr, i int) error {
	b := &c.blocks
	// A merge looks into the branches that have just ended, each operand into its own; where there is no else, the
	// second one is a value from before. A carry's first value is made before the loop.
	from := b.scope
	switch {
	case in.Op == Merge && i == 0:
		from = b.merging.first
	case in.Op == Merge && b.merging.middle != NoValue:
		from = b.merging.scope
	case in.Op == Carry:
		from = b.open[len(b.open)-1].outer
	}
	if a := in.Args[i]; !b.sees(from, b.of[a]) {
		return fmt.Errorf("operand %v belongs to a block which it does not see; hand it out with a merge or a carry", a)
	}
	return nil
}

// flowTypes checks the operands of control flow, which have been found to be values.
func (c *checker) flowTypes(v Value) error {
	in := &c.p.Code[v]
	t := func(i int) DType { return c.p.Code[in.Args[i]].Type }
	switch in.Op {
	case If, While:
		if t(0) != Bool {
			return fmt.Errorf("the condition %v has dtype %v; want bool", in.Args[0], t(0))
		}
	case Merge:
		if t(0) != in.Type || t(1) != in.Type {
			return fmt.Errorf("%v has dtype %v, %v has %v; want %v", in.Args[0], t(0), in.Args[1], t(1), in.Type)
		}
	case Carry:
		if t(0) != in.Type {
			return fmt.Errorf("%v has dtype %v; want %v", in.Args[0], t(0), in.Type)
		}
	case Next:
		top := &c.blocks.open[len(c.blocks.open)-1]
		if top.nexts == len(top.carries) {
			return fmt.Errorf("the loop has %d carries, each of which has its next", top.nexts)
		}
		if want := top.carries[top.nexts]; in.Args[0] != want {
			return fmt.Errorf("%v; want the nexts of the loop's carries in their order: now %v", in.Args[0], want)
		}
		if t(0) != in.Type || t(1) != in.Type {
			return fmt.Errorf("%v has dtype %v, %v has %v; want equal dtypes (insert a cast)", in.Args[0], t(0), in.Args[1], t(1))
		}
		top.nexts++
	}
	if !in.Op.HasResult() && in.Op != Next && in.Type != Bool {
		return fmt.Errorf("%v has dtype %v; want bool, as whatever has no result", in.Op, in.Type)
	}
	if in.Op == While { // what follows is computed in the body
		top := &c.blocks.open[len(c.blocks.open)-1]
		top.scope = c.blocks.enter(top.first, true)
	}
	return nil
}

// gather checks a Gather: a whole parameter and an int64 for each of its axes.
func (c *checker) gather(in *Instr) error {
	if err := c.param(in, In); err != nil {
		return err
	}
	axes := c.p.Params[in.N].Axes
	if axes == 0 {
		return fmt.Errorf("p%d has an element for each point; want \"param p%d in %v axes N\", or a load", in.N, in.N, in.Type)
	}
	if n := len(in.Operands()); n != axes {
		return fmt.Errorf("%d indices of p%d; want one for each of its %d axes", n, in.N, axes)
	}
	for _, a := range in.Args[axes:] {
		if a != NoValue {
			return fmt.Errorf("operand %v stands behind a missing one", a)
		}
	}
	for _, a := range in.Operands() {
		if t := c.p.Code[a].Type; t != Int64 {
			return fmt.Errorf("the index %v has dtype %v; want int64 (insert a cast)", a, t)
		}
	}
	return nil
}
