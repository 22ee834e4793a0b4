package arrays

import (
	"errors"
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// Unary applies a ufunc of one operand.
func (c *Context) Unary(u Ufunc, x Value) (*Array, error) {
	return c.apply(u, &x, nil, nil, tile.Invalid)
}

// Binary applies a ufunc of two operands, at least one of them an array as a rule.
func (c *Context) Binary(u Ufunc, x, y Value) (*Array, error) {
	return c.apply(u, &x, &y, nil, tile.Invalid)
}

// InPlace is x op= y.
func (c *Context) InPlace(u Ufunc, x *Array, y Value) error {
	left := Of(x)
	_, err := c.apply(u, &left, &y, x, tile.Invalid)
	return err
}

// apply is the whole of a ufunc call. y is nil for one operand. out is nil, or where the
// result goes; want is Invalid, or the dtype argument. The result is out when it is given.
func (c *Context) apply(u Ufunc, x, y *Value, out *Array, want tile.DType) (*Array, error) {
	return c.applyAs("", u, x, y, out, want)
}

// applyAs is apply for a function that has a name, also where another ufunc computes it, such as a square; an operator
// has that of the ufunc.
func (c *Context) applyAs(name string, u Ufunc, x, y *Value, out *Array, want tile.DType) (*Array, error) {
	c.collect()
	tx, ok := typeOf(*x)
	ty, ok2 := operandType(0), true
	if y != nil {
		ty, ok2 = typeOf(*y)
	}
	if !ok || !ok2 {
		return nil, &Fallback{ufuncs[u].name + " of something that is not an array or a number"}
	}
	outType := tile.Invalid
	if out != nil {
		outType = out.view.Type
	}
	operands := [2]*Value{x, y}
	var shape []int
	for _, v := range operands {
		if v == nil || v.Kind != ArrayValue {
			continue
		}
		if err := v.Array.alive(); err != nil {
			return nil, err
		}
		if shape == nil {
			shape = v.Array.view.Shape
		} else if !slices.Equal(shape, v.Array.view.Shape) {
			if shape, ok = broadcastShapes(shape, v.Array.view.Shape); !ok {
				if r := c.resolve(u, tx, ty, outType, want); r.err != nil {
					return nil, r.err // NumPy looks at the dtypes first
				}
				return nil, c.notTogether(x, y, out)
			}
		}
	}
	if u == Power && want == tile.Invalid {
		var user *Error
		if errors.As(c.resolve(u, tx, ty, outType, want).err, &user) {
			return nil, user
		}
		if same, exponent, err := c.powerAs(x, y, tx, ty); err != nil {
			if out != nil && errors.As(err, &user) { // NumPy looks at out before any exponent
				if wrong := c.checkOutput(x, y, out, shape); wrong != nil {
					return nil, wrong
				}
			}
			return nil, err
		} else if same != Power {
			if name == "" && same != Sqrt && y.Kind == FloatValue { // NumPy has these where the exponent is an int
				name = ufuncs[Power].name
			}
			return c.applyAs(name, same, x, exponent, out, want)
		}
	}
	r := c.resolve(u, tx, ty, outType, want)
	if r.err != nil {
		return nil, r.err
	}
	var uniforms [2]tile.Scalar
	weak := 0
	for i, v := range operands {
		if v == nil || v.Kind == ArrayValue {
			continue
		}
		s, err := weakScalar(*v, r.in[i])
		if err != nil {
			if answer, known := outOfRange(u, i, v); known {
				return c.constant(u, shape, answer, operands, out)
			}
			return nil, err
		}
		uniforms[weak] = s
		weak++
	}
	fresh := out == nil
	if fresh {
		var err error
		if out, err = c.allocResult(u, r, shape, operands); err != nil {
			return nil, err
		}
		out.Scalar = len(shape) == 0
	} else if err := c.checkOutput(x, y, out, shape); err != nil {
		return nil, err
	}
	if out.size == 0 {
		return out, nil
	}
	if name == "" {
		name = ufuncs[u].name
	}
	if err := c.launchUfunc(name, u, r, operands, uniforms[:weak], out); err != nil {
		if fresh {
			out.Free()
		}
		return nil, err
	}
	return out, nil
}

// allocResult makes the array of a ufunc's result.
func (c *Context) allocResult(u Ufunc, r *resolution, shape []int, operands [2]*Value) (*Array, error) {
	if shared := sharedStrides(operands, shape, r.result); shared != nil {
		return c.alloc(r.result, shape, shared)
	}
	return c.allocOrLike(r.casts(u, operands), r.result, shape, viewsOf(operands[:]...)...)
}

// casts reports whether NumPy casts operands before its loop; numbers that are no operands of its iterator cost none.
func (r *resolution) casts(u Ufunc, operands [2]*Value) bool {
	for i, v := range operands {
		switch {
		case v == nil:
		case v.Kind != ArrayValue:
			if u == LogicalAnd || u == LogicalOr || u == LogicalXor { // which have no loop for a number beside an array
				return true
			}
		case v.Array.view.Type != r.in[i] && (v.Array.Ndim() > 0 || r.result == tile.Bool):
			return true
		}
	}
	return false
}

// viewsOf returns the views of those operands that are arrays.
func viewsOf(operands ...*Value) []scheduler.View {
	views := make([]scheduler.View, 0, len(operands))
	for _, v := range operands {
		if v != nil && v.Kind == ArrayValue {
			views = append(views, v.Array.view)
		}
	}
	return views
}

// sharedStrides lends the result the strides of an operand that has the same layout.
func sharedStrides(operands [2]*Value, shape []int, t tile.DType) []int64 {
	for _, v := range operands {
		if v == nil || v.Kind != ArrayValue {
			continue
		}
		a := v.Array
		if a.contiguous && len(shape) == len(a.view.Shape) && a.view.Type.Size() == t.Size() && a.size > 0 &&
			(len(shape) == 0 || &shape[0] == &a.view.Shape[0]) && falls(a.view) {
			return a.view.Strides
		}
	}
	return nil
}

// falls reports whether the strides of a contiguous view are those of a new array, also along axes of one point.
func falls(v scheduler.View) bool {
	step := int64(v.Type.Size())
	for i := len(v.Shape) - 1; i >= 0; i-- {
		if v.Strides[i] != step {
			return false
		}
		step *= int64(v.Shape[i])
	}
	return true
}

// flatBlock is an op over contiguous operands.
type flatBlock struct {
	op       scheduler.Op
	uses     [3]scheduler.Use
	shape    [1]int
	uniforms [2]tile.Scalar
}

// launchUfunc submits the op of a ufunc into out. The shapes are known to fit.
func (c *Context) launchUfunc(name string, u Ufunc, r *resolution, operands [2]*Value, uniforms []tile.Scalar, out *Array) error {
	var inputs [2]*Array
	n := 0
	for _, v := range operands {
		if v == nil || v.Kind != ArrayValue {
			continue
		}
		a := v.Array
		if a.store == out.store && a != out && !sameView(a, out) && mayOverlap(a.view, out.view) {
			copied, err := c.copyOf(a)
			if err != nil {
				return err
			}
			defer copied.Free()
			a = copied
		}
		inputs[n] = a
		n++
	}
	return c.submit(c.ufuncOp(name, u, r, inputs[:n], uniforms, out))
}

// ufuncOp makes the op of a ufunc into out.
func (c *Context) ufuncOp(name string, u Ufunc, r *resolution, inputs []*Array, uniforms []tile.Scalar, out *Array) *scheduler.Op {
	flat := out.contiguous
	for _, a := range inputs {
		flat = flat && a.contiguous && (a.size == 1 || a.size == out.size)
	}
	if !flat {
		var s space
		s.init(out.view.Shape)
		for _, a := range inputs {
			s.add(a.view)
		}
		s.add(out.view)
		s.arrange()
		s.collapse()
		op := s.op(c, scheduler.Map, name, r.program(u, s.rank), slices.Clone(uniforms))
		op.Wanted = c.wanted
		return op
	}
	n := len(inputs)
	b := take(&c.flats, chunkBlocks)
	b.shape = [1]int{out.size}
	for i, a := range inputs {
		b.uses[i].View = c.flatten(a, b.shape[:], out.size)
	}
	b.uses[n] = scheduler.Use{View: c.flatten(out, b.shape[:], out.size), Access: scheduler.Write}
	copy(b.uniforms[:], uniforms)
	b.op = scheduler.Op{
		Kind: scheduler.Map, Name: name, Shape: b.shape[:], Program: r.program(u, 1),
		Uses: b.uses[:n+1], Uniforms: b.uniforms[:len(uniforms)], Where: c.where, Wanted: c.wanted,
	}
	return &b.op
}

// flatten returns a contiguous array as a view of rank 1; one element is broadcast.
func (c *Context) flatten(a *Array, shape []int, n int) scheduler.View {
	step := a.view.Type.Size()
	if a.size != n {
		step = 0
	}
	return scheduler.View{Store: a.view.Store, Type: a.view.Type, Offset: a.view.Offset, Shape: shape, Strides: c.unit[step]}
}

// sameView reports whether two arrays have the same elements at the same indexes.
func sameView(a, b *Array) bool {
	return a.view.Store == b.view.Store && a.view.Type == b.view.Type && a.view.Offset == b.view.Offset &&
		slices.Equal(a.view.Shape, b.view.Shape) && slices.Equal(a.view.Strides, b.view.Strides)
}

// program returns the loop as a program over an index space of the given rank; nil for a
// loop that the ufunc's body leaves to NumPy.
func (r *resolution) program(u Ufunc, rank int) *tile.Program {
	if p := r.programs[rank]; p != nil {
		return p
	}
	row := &ufuncs[u]
	b := tile.NewBuilder(row.name, rank)
	var in [2]tile.Value
	for i := range row.inputs {
		if r.numbers[i] {
			in[i] = b.Uniform(r.in[i])
		} else {
			in[i] = b.Cast(r.in[i], b.Load(r.from[i]))
		}
	}
	v := row.body(b, r.loopOut, in[:row.inputs])
	if v == tile.NoValue {
		return nil
	}
	v = b.Cast(r.loopOut, v)
	watch(b, u, in, v)
	stored := b.Cast(r.result, v)
	watchCast(b, v, stored) // under the ufunc's name, as NumPy does
	b.Store(stored)
	r.programs[rank] = b.Program()
	return r.programs[rank]
}

// checkOutput checks an output operand's shape against the inputs'.
func (c *Context) checkOutput(x, y *Value, out *Array, shape []int) error {
	if err := out.alive(); err != nil {
		return err
	}
	if err := out.refuse("output array is read-only"); err != nil {
		return err
	}
	if slices.Equal(out.view.Shape, shape) {
		return nil
	}
	all, ok := broadcastShapes(shape, out.view.Shape)
	if !ok {
		return c.notTogether(x, y, out)
	}
	if !slices.Equal(all, out.view.Shape) {
		return errorf("ValueError", "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
			units.Shape(out.view.Shape), units.Shape(all))
	}
	return nil
}

// notTogether is NumPy's error, which names the shapes of all operands.
func (c *Context) notTogether(x, y *Value, out *Array) error {
	var shapes [][]int
	for _, v := range []*Value{x, y} {
		if v == nil {
			continue
		}
		if v.Kind == ArrayValue {
			shapes = append(shapes, v.Array.view.Shape)
		} else {
			shapes = append(shapes, nil)
		}
	}
	if out != nil {
		shapes = append(shapes, out.view.Shape)
	}
	return broadcastError(shapes...)
}

// outOfRange answers a comparison with a Python int beyond the other operand's dtype.
func outOfRange(u Ufunc, position int, v *Value) (answer, known bool) {
	large := v.Kind == UintValue || v.Int > 0
	if position == 0 {
		large = !large // x < y asks the same as y > x
	}
	switch u {
	case Equal:
		return false, true
	case NotEqual:
		return true, true
	case Less, LessEqual:
		return large, true
	case Greater, GreaterEqual:
		return !large, true
	}
	return false, false
}

// constant gives a ufunc's result that does not depend on the data.
func (c *Context) constant(u Ufunc, shape []int, answer bool, operands [2]*Value, out *Array) (*Array, error) {
	if out == nil {
		a, err := c.allocOrLike(false, tile.Bool, shape, viewsOf(operands[:]...)...)
		if err != nil {
			return nil, err
		}
		a.Scalar = len(shape) == 0
		out = a
	} else if err := c.checkOutput(nil, nil, out, shape); err != nil {
		return nil, err
	}
	return out, c.fill(out, numberScalar(out.view.Type, boolFloat(answer), int64(boolFloat(answer))), ufuncs[u].name)
}

func boolFloat(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// powerAs replaces powers that NumPy computes otherwise, to the same bits: squares, roots
// and reciprocals. It also raises NumPy's error for negative powers of integers, for which
// it has to wait where the exponents are data.
func (c *Context) powerAs(x, y *Value, tx, ty operandType) (Ufunc, *Value, error) {
	base, exponent := promote(tx), promote(ty)
	whole := tile.KindBool | tile.KindInt | tile.KindUint
	// uint64 has no integer dtype in common with those below zero: their powers are float64.
	integers := promotions[base][exponent].Is(whole)
	if y.Kind != ArrayValue && y.DType != tile.Invalid { // a NumPy scalar: an array of one, as NumPy has it
		if integers && exponent.Is(tile.KindInt) && y.Int < 0 && (x.Kind != ArrayValue || x.Array.size > 0) {
			return Power, nil, errorf("ValueError", "Integers to negative integer powers are not allowed.")
		}
		return Power, y, nil
	}
	if y.Kind == ArrayValue {
		if integers && exponent.Is(tile.KindInt) && y.Array.size > 0 {
			negative, err := c.anyNegative(y.Array)
			if err != nil {
				return Power, nil, err
			}
			if negative {
				return Power, nil, errorf("ValueError", "Integers to negative integer powers are not allowed.")
			}
		}
		return Power, y, nil
	}
	if y.Kind == IntValue && y.Int < 0 && base.Is(tile.KindBool|tile.KindInt) && !base.Is(tile.KindUint) {
		return Power, nil, errorf("ValueError", "Integers to negative integer powers are not allowed.")
	}
	if x.Kind != ArrayValue || base == tile.Bool && (y.Kind != IntValue || y.Int != 2) {
		return Power, y, nil
	}
	inexact := base.Is(tile.KindFloat | tile.KindComplex)
	e := y.Float
	if y.Kind == IntValue {
		e = float64(y.Int)
	} else if y.Kind != FloatValue || !inexact {
		return Power, y, nil
	}
	switch {
	case e == 2:
		return Square, nil, nil
	case e == 1 && inexact:
		return Positive, nil, nil
	case e == 0.5 && inexact:
		return Sqrt, nil, nil
	case e == -1 && inexact:
		return Reciprocal, nil, nil
	}
	return Power, y, nil
}
