package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Use is what a parameter of a program of the user's is bound to: an array as a whole, or its element for each
// point of an index space.
type Use struct {
	Array *Array
	Whole bool
	From  []int // for each axis of the array, the index at the first point; nil for zeros
	Axes  []int // and the axis of the index space along which it moves, or -1
}

// view returns the operand as an op over the index space uses it.
func (o *Use) view(shape []int) scheduler.View {
	v := o.Array.view
	if o.Whole {
		return v
	}
	strides := make([]int64, len(shape))
	for i, axis := range o.Axes {
		if o.From != nil {
			v.Offset += int64(o.From[i]) * v.Strides[i]
		}
		if axis >= 0 {
			strides[axis] += v.Strides[i]
		}
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// Submit submits a program of the user's, which runs at each point of an index space. There is an operand for each of
// its parameters, and a scalar for each of its uniforms. What it reads of arrays that it writes elsewhere is as it was
// before. No two of those that it writes share elements.
func (c *Context) Submit(name string, p *tile.Program, shape []int, operands []Use, uniforms []tile.Scalar) error {
	c.collect()
	if slices.Contains(shape, 0) {
		return nil
	}
	uses := make([]scheduler.Use, len(operands))
	for i := range operands {
		o := &operands[i]
		if err := o.Array.alive(); err != nil {
			return err
		}
		if p.Params[i].Dir.Writes() {
			if err := o.Array.refuse("output array is read-only"); err != nil {
				return err
			}
		}
		uses[i] = scheduler.Use{View: o.view(shape), Access: scheduler.AccessOf[p.Params[i].Dir]}
	}
	for i := range uses {
		if uses[i].Access.Writes() || !meetsOther(uses, i) {
			continue
		}
		copied, err := c.copyOf(operands[i].Array)
		if err != nil {
			return err
		}
		defer copied.Free()
		o := operands[i]
		o.Array = copied
		uses[i].View = o.view(shape)
	}
	return dataError(c.submit(&scheduler.Op{
		Kind: scheduler.Map, Name: name, Shape: shape, Program: p, Uses: uses, Uniforms: uniforms, Where: c.where,
	}))
}

// meetsOther reports whether what an operand reads may be written as another element than the point's own.
func meetsOther(uses []scheduler.Use, i int) bool {
	for k := range uses {
		a, b := uses[i].View, uses[k].View
		if k != i && uses[k].Access.Writes() && mayOverlap(a, b) &&
			(a.Offset != b.Offset || a.Type != b.Type || !slices.Equal(a.Shape, b.Shape) || !slices.Equal(a.Strides, b.Strides)) {
			return true
		}
	}
	return false
}

// Overlap reports whether two arrays may share a byte.
func (a *Array) Overlap(b *Array) bool {
	return a.size > 0 && b.size > 0 && a.store == b.store && mayOverlap(a.view, b.view)
}

// Same reports whether two arrays have the same elements at the same indices.
func (a *Array) Same(b *Array) bool { return sameView(a, b) }

// Apply computes a function of the user's of the elements of some arrays, which are broadcast. program gives it for an
// index space of a rank; its last parameter is the result, which is out, or a new array of dtype t. Where no operand
// has an axis, the result is a scalar.
func (c *Context) Apply(name string, program func(rank int) *tile.Program, t tile.DType, out *Array, inputs []*Array, shape []int, uniforms []tile.Scalar) (*Array, error) {
	c.collect()
	for _, a := range inputs {
		if err := a.alive(); err != nil {
			return nil, err
		}
	}
	fresh := out == nil
	if fresh {
		var err error
		if out, err = c.allocLike(t, shape, viewsIn(inputs)...); err != nil {
			return nil, err
		}
		out.Scalar = len(shape) == 0
	} else if !slices.Equal(out.view.Shape, shape) {
		if all, ok := broadcastShapes(shape, out.view.Shape); !ok || !slices.Equal(all, out.view.Shape) {
			return nil, broadcastError(shape, out.view.Shape)
		}
		shape = out.view.Shape
	}
	flat := out.contiguous
	for _, a := range inputs {
		flat = flat && a.contiguous && (a.size == 1 || a.size == out.size)
	}
	space := shape
	if flat || len(shape) == 0 {
		space = []int{out.size}
	}
	operands := make([]Use, 0, len(inputs)+1)
	for _, a := range append(inputs[:len(inputs):len(inputs)], out) {
		if flat || len(shape) == 0 {
			operands = append(operands, c.flatUse(a, out.size))
			continue
		}
		o := Use{Array: a, Axes: make([]int, a.Ndim())}
		for i, n := range a.view.Shape {
			if o.Axes[i] = len(shape) - a.Ndim() + i; n == 1 && shape[o.Axes[i]] != 1 {
				o.Axes[i] = -1
			}
		}
		operands = append(operands, o)
	}
	if err := c.Submit(name, program(len(space)), space, operands, uniforms); err != nil {
		if fresh {
			out.Free()
		}
		return nil, err
	}
	return out, nil
}

// flatUse is a contiguous array, or one element, as an operand over n points in a row.
func (c *Context) flatUse(a *Array, n int) Use {
	flat := *a
	flat.view = c.flatten(a, []int{n}, n)
	return Use{Array: &flat, Axes: []int{0}}
}

// Broadcast returns the shape that arrays have together, or NumPy's error.
func Broadcast(inputs []*Array) ([]int, error) {
	shape := []int{}
	shapes := make([][]int, len(inputs))
	ok := true
	for i, a := range inputs {
		shapes[i] = a.view.Shape
		if ok {
			shape, ok = broadcastShapes(shape, a.view.Shape)
		}
	}
	if !ok {
		return nil, broadcastError(shapes...)
	}
	return shape, nil
}

// ScalarOf returns a number of the program's as an element of a dtype, or Python's error.
func ScalarOf(v Value, t tile.DType) (tile.Scalar, error) { return weakScalar(v, t) }
