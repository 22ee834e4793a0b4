package arrays

import (
	"weft/scheduler"
	"weft/tile"
)

// reduction is one reduction under way: an index space, the axes to reduce, and the
// operands of the first launch.
type reduction struct {
	c     *Context
	name  string           // as the user knows it, for the ops
	kind  scheduler.OpKind // of the first launch
	shape []int            // index space; at least one axis
	axes  tile.Axes        // reduced; at least one
	comb  tile.Combiner    // of the later launches
	acc   tile.DType       // of the accumulators
	first programKey       // program of the first launch
	views []scheduler.View // its inputs, of the index space's rank
	with  []tile.Scalar    // its uniforms
	tells string           // what NumPy calls it where it tells what went wrong; "" where it does not
}

// overSpace returns a view as an operand over an index space to whose shape it broadcasts.
func overSpace(v scheduler.View, shape []int) scheduler.View {
	strides := make([]int64, len(shape))
	lead := len(shape) - len(v.Shape)
	for i, s := range v.Shape {
		if s == shape[lead+i] {
			strides[lead+i] = v.Strides[i]
		}
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// spaceOf returns the index space of a reduction over an array.
func spaceOf(a *Array) []int {
	if a.Ndim() == 0 {
		return []int{1}
	}
	return a.view.Shape
}

// resultShape returns the shape without the reduced axes, or with ones for keepdims. ndim
// is the array's, which is 0 when the index space was given an axis.
func resultShape(shape []int, axes tile.Axes, keep bool, ndim int) []int {
	result := make([]int, 0, len(shape))
	for i, s := range shape {
		if !axes.Has(i) {
			result = append(result, s)
		} else if keep && ndim > 0 {
			result = append(result, 1)
		}
	}
	return result
}

// run launches until one block is left. The result has the accumulators' dtype and the
// result shape. There must be at least one element to reduce for each point of the result.
func (r *reduction) run(result *Array) error {
	if result.size == 0 {
		return nil
	}
	kind, key, views, uniforms, shape := r.kind, r.first, r.views, r.with, r.shape
	var temp *Array         // what the last launch wrote
	var begun *scheduler.Op // the last launch
	for {
		block := scheduler.Blocks(kind, shape, r.axes)
		grid := tile.GridShape(shape, block)
		last := true
		for i, g := range grid {
			last = last && (g == 1 || !r.axes.Has(i))
		}
		var dst scheduler.View
		next := result
		if last {
			dst = r.withAxes(result.view, grid)
		} else {
			var err error
			if next, err = r.c.alloc(r.acc, grid, partial(kind, grid, r.acc)); err != nil {
				return err
			}
			dst = next.view
		}
		key.rank = uint8(len(shape))
		uses := make([]scheduler.Use, len(views)+1)
		for i, v := range views {
			uses[i].View = v
		}
		uses[len(views)] = scheduler.Use{View: dst, Access: scheduler.Write}
		op := &scheduler.Op{
			Kind: kind, Name: r.name, Shape: shape, Reduced: r.axes, Program: r.c.program(key),
			Uses: uses, Uniforms: uniforms, Where: r.c.where, Tells: r.tells, Continues: begun,
		}
		if r.tells != "" {
			op.Wanted = r.c.wanted
		}
		begun = op
		err := r.c.submit(op)
		if temp != nil {
			temp.Free()
		}
		if err != nil || last {
			if !last {
				next.Free()
			}
			return err
		}
		temp = next
		kind, uniforms, shape, views = scheduler.Reduce, nil, grid, []scheduler.View{next.view}
		key = programKey{what: reduceTemplate, types: [4]tile.DType{r.acc, r.acc}, flags: uint16(r.comb)}
	}
}

// partial returns how the results of blocks lie: those of a contraction block by block, so that each
// is a matrix that a library can write.
func partial(kind scheduler.OpKind, grid []int, t tile.DType) []int64 {
	last := len(grid) - 1
	if kind != scheduler.Contract {
		return nil
	}
	strides := scheduler.CStrides(grid[:last], t.Size())
	return append(strides, int64(points(grid, 1<<last-1))*int64(t.Size()))
}

// withAxes puts the reduced axes, of one block each, back into the result's view.
func (r *reduction) withAxes(v scheduler.View, grid []int) scheduler.View {
	strides := make([]int64, len(grid))
	from := 0
	full := len(v.Shape) == len(grid) // keepdims
	for i := range grid {
		switch {
		case full:
			strides[i] = v.Strides[i]
		case r.axes.Has(i):
			strides[i] = int64(v.Type.Size())
		default:
			strides[i] = v.Strides[from]
			from++
		}
	}
	v.Shape, v.Strides = grid, strides
	return v
}

func buildReduce(b *tile.Builder, k programKey) {
	comb, from := tile.Combiner(k.flags), b.Load(k.types[0])
	x := b.Cast(k.types[1], from)
	if comb == tile.Sum || comb == tile.Prod {
		watchCast(b, from, x)
	}
	if (comb == tile.Sum || comb == tile.Prod) && k.types[1].Is(tile.KindFloat|tile.KindComplex) {
		b.ReduceWatched(comb, tile.NoValue, tile.NoValue, x)
		return
	}
	b.Reduce(comb, x)
}

// folding says how one of NumPy's reductions folds an array.
type folding struct {
	name     string // as the user calls it
	ufunc    string // as NumPy's errors call it
	comb     tile.Combiner
	acc      tile.DType  // of the accumulators; elements are converted to it
	identity tile.Scalar // of an empty reduction; Invalid where there is none
}

// fold reduces one array, into out when that is given (of the accumulators' dtype and the
// right shape, and not overlapping a), else into a new array.
func (s *scope) fold(f folding, a *Array, axes tile.Axes, keep bool, out *Array) (*Array, error) {
	shape := spaceOf(a)
	result := out
	if out == nil {
		var err error
		if result, err = s.c.allocIn(f.acc, resultShape(shape, axes, keep, a.Ndim()), reducedOrder(a.view, axes, keep)); err != nil {
			return nil, err
		}
	}
	err := s.foldInto(f, a, shape, axes, result)
	if err != nil && out == nil {
		result.Free()
	}
	return result, err
}

func (s *scope) foldInto(f folding, a *Array, shape []int, axes tile.Axes, result *Array) error {
	switch {
	case f.identity.Type == tile.Invalid && points(shape, axes) == 0:
		return errorf("ValueError", "zero-size array to reduction operation %s which has no identity", f.ufunc)
	case result.size == 0:
		return nil
	case a.size == 0:
		return s.c.fill(result, f.identity, f.name)
	case axes == 0:
		if err := s.c.move(result, a, f.name); err != nil {
			return err
		}
		if _, tells := f.comb.Neutral(f.acc); !tells {
			return nil
		}
		u, neutral := Add, Float(0)
		if f.comb == tile.Prod {
			u, neutral = Multiply, Float(1)
		}
		x := Of(result)
		_, err := s.c.apply(u, &x, &neutral, result, tile.Invalid)
		return err
	}
	r := reduction{
		c: s.c, name: f.name, kind: scheduler.Reduce, shape: shape, axes: axes, comb: f.comb, acc: f.acc,
		first: programKey{what: reduceTemplate, types: [4]tile.DType{a.view.Type, f.acc}, flags: uint16(f.comb)},
		views: []scheduler.View{overSpace(a.view, shape)}, tells: "reduce",
	}
	return r.run(result)
}

// finish gives a reduction's result its final dtype and place: out, when it is given,
// otherwise a new array. It takes ownership of x.
func (s *scope) finish(x *Array, t tile.DType, out *Array) (*Array, error) {
	if out != nil {
		if x != out {
			defer x.Free()
			return out, s.c.move(out, x, "cast")
		}
		return out, nil
	}
	if x.view.Type != t {
		defer x.Free()
		cast, err := s.c.castAsItLies(x, t, "cast")
		if err != nil {
			return nil, err
		}
		x = cast
	}
	x.Scalar = x.Ndim() == 0
	return x, nil
}

// checkReduced checks the shape of a reduction's out.
func checkReduced(name string, out *Array, shape []int, keep bool) error {
	if out == nil {
		return nil
	}
	if err := out.refuse("output array is read-only"); err != nil {
		return err
	}
	if out.Ndim() != len(shape) {
		why := ""
		if keep {
			why = " (must match the operand's when keepdims=True)"
		}
		return errorf("ValueError", "output parameter for reduction operation %s has the wrong number of dimensions: Found %d but expected %d%s", name, out.Ndim(), len(shape), why)
	}
	for i, n := range shape {
		if out.view.Shape[i] != n {
			return &Fallback{"out= of another shape"} // NumPy words the error
		}
	}
	return nil
}
