package arrays

import (
	"errors"
	"math"

	"weft/scheduler"
	"weft/tile"
)

// Pattern is a ufunc, an assignment or a copy in terms of layouts: all that decides which op it comes to,
// but for the numbers among its operands.
type Pattern struct {
	Assign bool // X to Out, or to a new array of the same shape; otherwise Ufunc
	Ufunc  Ufunc
	X, Y   PatternOperand // the second of a ufunc with one operand, and of an assignment, is zero
	Out    LayoutID       // NoLayout for a new array
}

// PatternOperand is an array of a layout, or a number.
type PatternOperand struct {
	Layout LayoutID
	Kind   ValueKind  // of a number
	Type   tile.DType // of a number that is a NumPy scalar
	Two    bool       // the number is the int 2, the one whose value the pattern may depend on

	// Of an array that views the same store as Out: how many bytes behind Out it begins.
	Near bool
	Away int64
}

// Launch is how to submit all ops of one pattern: its general form was checked, resolved and
// collapsed once, so that only stores, offsets and numbers are left to fill in.
type Launch struct {
	ID int // counts up

	// Of the result, for a pattern without Out.
	Result LayoutID
	Scalar bool
	Bytes  int64 // of its store

	Writes int64 // bytes of the elements that it writes

	// Which ints the pattern holds for, where a number is among the operands: others are errors, or
	// have an answer of their own.
	Low, High int64

	inputs  int       // arrays among the operands
	number  ValueKind // of the operand that is one; Missing for none
	uniform tile.DType
	layout  *Layout        // of Result
	op      *scheduler.Op  // of the stand-ins; nil where there is nothing to do
	shared  scheduler.Form // of all its ops
}

// Prepare returns the launch of a pattern, or nil where there is none: a call that fails, that
// NumPy has to do, that has to copy an operand first or whose op depends on a number's value.
// These have to go to Unary, Binary, InPlace or SetItem.
func (c *Context) Prepare(p Pattern) *Launch {
	if c.LayoutsFull() {
		return nil
	}
	if l, known := c.launches.find(&p); known {
		return l
	}
	l := &Launch{Low: math.MinInt64, High: math.MaxInt64}
	if !c.trace(l, &p) {
		c.launches.add(&p, nil)
		return nil
	}
	l.Writes = l.Bytes
	if f := c.Layout(p.Out); f != nil {
		l.Writes = int64(f.Size * f.Type.Size())
	}
	c.launches.add(&p, l)
	return l
}

// Launch returns a launch by its ID.
func (c *Context) Launch(id int) *Launch { return c.launches.list[id-c.launches.base] }

// launches is a Context's table of launches, in two generations like its layouts.
type launches struct {
	base  int // the ID of list[0]
	list  []*Launch
	old   map[Pattern]*Launch // nil for a pattern without one
	young map[Pattern]*Launch
	since int // the first ID of the young generation
}

func newLaunches() launches {
	return launches{old: map[Pattern]*Launch{}, young: map[Pattern]*Launch{}}
}

func (t *launches) find(p *Pattern) (l *Launch, known bool) {
	if l, known = t.young[*p]; !known {
		l, known = t.old[*p]
	}
	return l, known
}

// add gives a launch its ID. nil says that a pattern has none.
func (t *launches) add(p *Pattern, l *Launch) {
	if t.young[*p] = l; l != nil {
		l.ID = t.base + len(t.list)
		t.list = append(t.list, l)
	}
}

func (t *launches) full() bool { return len(t.young) >= maxLayouts/2 }

// age forgets the old generation, and of the young one the launches whose results have layouts that were forgotten.
func (t *launches) age(layouts LayoutID) {
	t.list = append(make([]*Launch, 0, maxLayouts/2), t.list[t.since-t.base:]...)
	t.base = t.since
	t.since += len(t.list)
	t.old, t.young = t.young, map[Pattern]*Launch{}
	for p, l := range t.old {
		if l != nil && l.Result != NoLayout && l.Result < layouts {
			delete(t.old, p)
		}
	}
}

// trace has the general functions do what the pattern says, to stand-ins of its operands over a runtime that computes
// nothing (tracing.go). The one op that they submit is that of the launch.
func (c *Context) trace(l *Launch, p *Pattern) bool {
	if c.tracer == nil {
		c.tracer = newTracer(c)
	}
	s := c.tracer
	s.begin()
	near, other := &store{id: prototypeStore, refs: 1}, &store{id: otherStore, refs: 1}
	x, y := s.operand(&p.X, near, other, c.Layout), s.operand(&p.Y, near, other, c.Layout)
	var out *Array
	if f := c.Layout(p.Out); f != nil {
		out = s.standIn(f, near, 0)
	}
	for _, v := range []*Value{x, y} {
		switch {
		case v == nil:
		case v.Kind == ArrayValue:
			l.inputs++
		default:
			l.number = v.Kind
		}
	}
	if x == nil || l.inputs == 0 && (p.Out == NoLayout || !p.Assign) || p.dependsOnValues(c) {
		return false
	}
	made, err := s.perform(p, x, y, out)
	if err != nil || len(s.ops) > 1 || len(s.ops) == 0 && l.number != Missing { // which numbers are errors is not known then
		return false
	}
	if len(s.ops) == 1 && !l.adopt(s.ops[0], made) {
		return false
	}
	if p.Out == NoLayout {
		v := &made.view
		if l.Result = c.Intern(v.Type, v.Shape, v.Strides); l.Result == NoLayout {
			return false
		}
		l.layout, l.Scalar, l.Bytes = c.Layout(l.Result), made.Scalar, made.store.bytes
	}
	return true
}

// adopt makes the op that writes an array the launch's.
func (l *Launch) adopt(op *scheduler.Op, made *Array) bool {
	l.op = op
	switch len(op.Uniforms) {
	case 0:
		l.number = Missing // a square
	case 1:
		l.uniform = op.Uniforms[0].Type
		l.limit()
	}
	last := len(op.Uses) - 1
	return last == l.inputs && op.Uses[last].View.Store == made.store.id
}

// dependsOnValues reports whether it depends on numbers or elements which op there is, or whether there is an error. Of
// powers, only squares are the same for all elements.
func (p *Pattern) dependsOnValues(c *Context) bool {
	if p.Assign {
		out := c.Layout(p.Out)
		return p.X.Layout == NoLayout && p.X.Kind == FloatValue && out != nil && out.Type.Is(tile.KindInt|tile.KindUint)
	}
	return p.Ufunc == Power && (p.X.Layout == NoLayout || !p.Y.Two)
}

// limit says for which numbers the launch is, whose uniform has a dtype.
func (l *Launch) limit() {
	if !l.uniform.Is(tile.KindInt | tile.KindUint) {
		return
	}
	bits := uint(l.uniform.Size()*8) - 1
	l.Low, l.High = -1<<bits, 1<<bits-1
	if l.uniform.Is(tile.KindUint) {
		l.Low = 0
		if bits < 63 {
			l.High = 1<<(bits+1) - 1
		}
	}
}

// Operand is an array of a launch: a view of a store that the array is over.
type Operand struct {
	Array  *Array
	Offset int64 // of the view's first element in the store
}

// Number is the number among the operands of a launch, of the kind in its pattern.
type Number struct {
	Int   int64 // also of a bool
	Float float64
}

// runBlock is an op of a launch.
type runBlock struct {
	op       scheduler.Op
	uses     [3]scheduler.Use
	uniforms [1]tile.Scalar
}

// Run submits the op of a launch. operands are the arrays of the pattern in order. out is the zero
// Operand for a new array, which is returned. A value that can not be had is told by
// the call that waits for it: Run itself fails only where it was interrupted before the op was submitted.
func (c *Context) Run(l *Launch, operands []Operand, n Number, out Operand) (*Array, error) {
	c.collect()
	fresh := out.Array == nil
	if fresh {
		b := c.arrayBlock()
		b.fill(c, l, c.rt.NewStore(l.Bytes))
		if !c.Exact {
			c.watch(&b.store)
		}
		out.Array = &b.array
	}
	err := c.run(l, operands, n, out)
	if err == nil {
		return out.Array, nil
	}
	if errors.Is(err, ErrInterrupted) {
		if fresh {
			out.Array.Free()
		}
		return nil, err
	}
	if out.Array.store.lost == nil {
		out.Array.store.lost = err
	}
	return out.Array, nil
}

func (c *Context) run(l *Launch, operands []Operand, n Number, out Operand) error {
	if err := out.Array.alive(); err != nil {
		return err
	}
	if l.op == nil {
		return nil
	}
	b := take(&c.runs, chunkRuns)
	b.op = *l.op
	b.op.Where, b.op.Wanted = c.where, c.wanted
	b.op.Form = &l.shared
	b.op.Uses = b.uses[:len(l.op.Uses)]
	for i := range l.inputs {
		a := operands[i].Array
		if err := a.alive(); err != nil {
			return err
		}
		b.uses[i] = l.op.Uses[i]
		b.uses[i].View.Store, b.uses[i].View.Offset = a.store.id, operands[i].Offset
	}
	last := len(b.op.Uses) - 1
	b.uses[last] = l.op.Uses[last]
	b.uses[last].View.Store, b.uses[last].View.Offset = out.Array.store.id, out.Offset
	if l.number != Missing {
		l.setUniform(&b.uniforms[0], n)
		b.op.Uniforms = b.uniforms[:]
	}
	return c.submit(&b.op)
}

// setUniform stores the number of a launch as its op has it.
func (l *Launch) setUniform(s *tile.Scalar, n Number) {
	f := n.Float
	if l.number != FloatValue {
		f = float64(n.Int)
	} else { // as weakScalar does; that it fits was known before
		n.Int = int64(f)
	}
	*s = numberScalar(l.uniform, f, n.Int)
}

// fill makes the block an array of the launch's result.
func (b *arrayBlock) fill(c *Context, l *Launch, id scheduler.StoreID) {
	b.store = store{id: id, refs: 1, bytes: l.Bytes}
	f := l.layout
	b.array = Array{
		c: c, store: &b.store, size: f.Size, contiguous: f.Contiguous, Scalar: l.Scalar, layout: l.Result,
		view: scheduler.View{Store: id, Type: f.Type, Shape: f.Shape, Strides: f.Strides},
	}
}

// Ground returns the store that an array views, and whether it has a value.
func (a *Array) Ground() (id scheduler.StoreID, ok bool) {
	if a == nil || a.store == nil || a.store.lost != nil {
		return 0, false
	}
	return a.store.id, true
}
