package arrays

import (
	"math"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Pattern is a ufunc, an assignment or a copy in terms of forms: all that decides which op it comes to,
// but for the numbers among its operands.
type Pattern struct {
	Assign bool // X to Out, or to a new array of the same shape; otherwise Ufunc
	Ufunc  Ufunc
	X, Y   PatternOperand // the second of a ufunc with one operand, and of an assignment, is zero
	Out    FormID         // NoForm for a new array
}

// PatternOperand is an array of a form, or a number.
type PatternOperand struct {
	Form FormID
	Kind ValueKind  // of a number
	Type tile.DType // of a number that is a NumPy scalar
	Two  bool       // the number is the int 2, the one whose value the pattern may depend on

	// Of an array that views the same store as Out: how many bytes behind Out it begins.
	Near bool
	Away int64
}

// Launch is how to submit all ops of one pattern: its general form was checked, resolved and
// collapsed once, so that only stores, offsets and numbers are left to fill in.
type Launch struct {
	ID int // its place in the Context's list

	// Of the result, for a pattern without Out.
	Result FormID
	Scalar bool
	Bytes  int64 // of its store

	Writes int64 // bytes of the elements that it writes

	// Which ints the pattern holds for, where a number is among the operands: others are errors, or
	// have an answer of their own.
	Low, High int64

	inputs  int       // arrays among the operands
	number  ValueKind // of the operand that is one; Missing for none
	uniform tile.DType
	form    *Form          // of Result
	op      *scheduler.Op  // with the uses of a prototype; nil where there is nothing to do
	shared  scheduler.Form // of all its ops
}

// Prepare returns the launch of a pattern, or nil where there is none: a call that fails, that
// NumPy has to do, that has to copy an operand first or whose op depends on a number's value.
// These have to go to Unary, Binary, InPlace or SetItem.
func (c *Context) Prepare(p Pattern) *Launch {
	if c.FormsFull() {
		return nil
	}
	if l, known := c.prepared[p]; known {
		return l
	}
	l := &Launch{ID: len(c.launches), Low: math.MinInt64, High: math.MaxInt64}
	ok := false
	if p.Assign {
		ok = c.prepareAssign(l, &p)
	} else {
		ok = c.prepareUfunc(l, &p)
	}
	if !ok {
		c.prepared[p] = nil
		return nil
	}
	l.Writes = l.Bytes
	if f := c.Form(p.Out); f != nil {
		l.Writes = int64(f.Size * f.Type.Size())
	}
	c.prepared[p] = l
	c.launches = append(c.launches, l)
	return l
}

// Launch returns a launch by its ID.
func (c *Context) Launch(id int) *Launch { return c.launches[id] }

// prototypeStore is the store of the output of a prototype, and of the operands near it.
const prototypeStore, otherStore scheduler.StoreID = 1, 2

// prototype returns an array of a form to make an op of, which is never submitted.
func (c *Context) prototype(id FormID, s *store, at int64) *Array {
	f := c.Form(id)
	return &Array{
		c: c, store: s, size: f.Size, contiguous: f.Contiguous,
		view: scheduler.View{Store: s.id, Type: f.Type, Offset: at, Shape: f.Shape, Strides: f.Strides},
	}
}

// operand returns a stand-in for an operand, nil for none.
func (c *Context) operand(o *PatternOperand, out, other *store) *Value {
	switch {
	case o.Form != NoForm && o.Near:
		return &Value{Kind: ArrayValue, Array: c.prototype(o.Form, out, o.Away)}
	case o.Form != NoForm:
		return &Value{Kind: ArrayValue, Array: c.prototype(o.Form, other, 0)}
	case o.Kind == Missing:
		return nil
	case o.Two:
		return &Value{Kind: IntValue, Int: 2}
	}
	return &Value{Kind: o.Kind, Int: 1, Float: 1, DType: o.Type}
}

func (c *Context) prepareUfunc(l *Launch, p *Pattern) bool {
	mine, other := &store{id: prototypeStore, refs: 1}, &store{id: otherStore, refs: 1}
	x, y := c.operand(&p.X, mine, other), c.operand(&p.Y, mine, other)
	u := p.Ufunc
	tx, ok := typeOf(*x)
	ty := operandType(0)
	if y != nil {
		ty, _ = typeOf(*y)
	}
	if u == Power {
		// Only squares: what other numbers come to depends on their values, and whether a power of
		// whole numbers is an error on the data.
		if !p.Y.Two || p.X.Form == NoForm {
			return false
		}
		if u, y, _ = c.powerAs(x, y, tx, ty); u != Square {
			return false
		}
		ty = 0
	}
	if !ok || (y != nil) != (ufuncs[u].inputs == 2) {
		return false
	}
	var inputs []*Array
	var shape []int
	first := true
	for _, v := range []*Value{x, y} {
		if v == nil {
			continue
		}
		if v.Kind != ArrayValue {
			l.number = v.Kind
			continue
		}
		inputs = append(inputs, v.Array)
		if first {
			shape, first = v.Array.view.Shape, false
		} else if shape, ok = broadcastShapes(shape, v.Array.view.Shape); !ok {
			return false
		}
	}
	if len(inputs) == 0 {
		return false
	}
	outType := tile.Invalid
	if p.Out != NoForm {
		outType = c.Form(p.Out).Type
	}
	r := c.resolve(u, tx, ty, outType, tile.Invalid)
	if r.err != nil {
		return false
	}
	var uniforms []tile.Scalar
	if l.number != Missing {
		l.uniform = r.in[0]
		if y != nil && y.Kind != ArrayValue {
			l.uniform = r.in[1]
		}
		l.limit()
		uniforms = []tile.Scalar{{Type: l.uniform}}
	}
	var out *Array
	if p.Out != NoForm {
		out = c.prototype(p.Out, mine, 0)
		if c.checkOutput(x, y, out, shape) != nil || slices.ContainsFunc(inputs, func(a *Array) bool { return collides(a, out) }) {
			return false
		}
	} else {
		if out = c.result(l, r.result, shape, mine, keptOrder(shape, viewsOf(x, y)...)); out == nil {
			return false
		}
	}
	l.inputs = len(inputs)
	if out.size > 0 {
		l.op = c.ufuncOp(u, r, inputs, uniforms, out)
	}
	return true
}

// collides reports whether an operand must be copied before out is written.
func collides(a, out *Array) bool {
	return a.store == out.store && !sameView(a, out) && out.size > 0 && mayOverlap(a.view, out.view)
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

func (c *Context) prepareAssign(l *Launch, p *Pattern) bool {
	mine, other := &store{id: prototypeStore, refs: 1}, &store{id: otherStore, refs: 1}
	if p.Out == NoForm {
		return c.prepareCopy(l, p, mine, other)
	}
	out := c.prototype(p.Out, mine, 0)
	v := c.operand(&p.X, mine, other)
	t := out.view.Type
	if v.Kind != ArrayValue {
		if v.Kind == FloatValue && t.Is(tile.KindInt|tile.KindUint) {
			return false // an error for some numbers, nan among them
		}
		l.number, l.uniform = v.Kind, t
		l.limit()
		if out.size > 0 {
			l.op = c.mapOp(scheduler.Fill, "fill", programKey{what: fillTemplate, types: [4]tile.DType{t}}, []tile.Scalar{{Type: t}}, out)
		}
		return true
	}
	src := v.Array
	if src.view.Type.Is(tile.KindComplex) && !t.Is(tile.KindComplex|tile.KindBool) {
		return false // with a warning; see discards
	}
	for len(src.view.Shape) > out.Ndim() && src.view.Shape[0] == 1 { // as in assign
		src.view.Shape, src.view.Strides = src.view.Shape[1:], src.view.Strides[1:]
	}
	if !fitsInto(src.view.Shape, out.view.Shape) {
		return false
	}
	l.inputs = 1
	if sameView(out, src) || out.size == 0 {
		return true
	}
	if collides(src, out) {
		return false
	}
	l.op = c.mapOp(scheduler.Move, "copy", programKey{what: moveTemplate, types: [4]tile.DType{src.view.Type, t}}, nil, out, src)
	return true
}

// prepareCopy is what copyOf does.
func (c *Context) prepareCopy(l *Launch, p *Pattern, mine, other *store) bool {
	src := c.operand(&p.X, mine, other)
	if src.Kind != ArrayValue || src.Array.Ndim() == 0 { // a copy of a scalar is one, that of an array is not
		return false
	}
	t := src.Array.view.Type
	out := c.result(l, t, src.Array.view.Shape, mine, nil)
	if out == nil {
		return false
	}
	l.inputs = 1
	if out.size > 0 {
		l.op = c.mapOp(scheduler.Move, "copy", programKey{what: moveTemplate, types: [4]tile.DType{t, t}}, nil, out, src.Array)
	}
	return true
}

// result makes a new array of the shape, whose axes lie in an order, the launch's result, and returns a
// stand-in for it, or nil when it cannot be had.
func (c *Context) result(l *Launch, t tile.DType, shape []int, s *store, order []int) *Array {
	size, err := checkedSize(shape, t.Size())
	if err != nil {
		return nil
	}
	if l.Result = c.intern(t, shape, orderedStrides(shape, order, t.Size())); l.Result == NoForm {
		return nil
	}
	l.form = c.Form(l.Result)
	l.Scalar = len(shape) == 0
	l.Bytes = int64(max(size, 1)) * int64(t.Size())
	return c.prototype(l.Result, s, 0)
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
// whoever waits for it: Run itself never fails.
func (c *Context) Run(l *Launch, operands []Operand, n Number, out Operand) *Array {
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
	if err := c.run(l, operands, n, out); err != nil && out.Array.store.lost == nil {
		out.Array.store.lost = err
	}
	return out.Array
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
	b.op.Where = c.where
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
	f := l.form
	b.array = Array{
		c: c, store: &b.store, size: f.Size, contiguous: f.Contiguous, Scalar: l.Scalar, form: l.Result,
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
