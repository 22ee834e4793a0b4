package arrays

import (
	"cmp"
	"errors"
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// productFuncs are the rows of NumPy's sums of products.
var productFuncs = []row{
	{"matmul", "x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, subok=True, signature=None, axes=_NoValue, axis=_NoValue, keepdims=_NoValue", "",
		"Matrix product of two arrays.\n\nVectors become rows or columns; leading axes are broadcast. ValueError where the core dimensions differ.", matmulRow},
	{"dot", "a, b, out=None", "other, out=None", "Dot product of two arrays: over the last axis of a and the second to last of b.", dot},
	{"inner", "a, b, /", "", "Inner product of two arrays, over the last axes.", inner},
	{"outer", "a, b, out=None", "", "Compute the outer product of two vectors.", outer},
	{"vdot", "a, b, /", "", "Return the dot product of two vectors; the first is conjugated.", vdot},
	{"trace", "a, offset=0, axis1=0, axis2=1, dtype=None, out=None", "offset=0, axis1=0, axis2=1, dtype=None, out=None",
		"Return the sum along diagonals of the array.", trace},
}

// contraction is one sum of products: out[i...] = sum over the last axis of a[i...]*b[i...].
// Both views have the rank of the index space shape.
func (s *scope) contraction(name string, t tile.DType, shape []int, a, b scheduler.View, conjugate bool, final []int) (*Array, error) {
	acc := wide(t)
	shape = joined(shape, &a, &b)
	x, err := s.c.alloc(acc, final, nil)
	if err != nil {
		return nil, err
	}
	if x.size == 0 {
		return s.finish(x, t, nil)
	}
	n := len(shape) - 1
	if shape[n] == 0 {
		err = s.c.fill(x, tile.Scalar{Type: acc}, name)
	} else {
		kept := resultShape(shape, 1<<n, false, n+1)
		flat := x.sub(acc, 0, kept, scheduler.CStrides(kept, acc.Size()))
		defer flat.Free()
		err = s.products(name, acc, shape, []scheduler.View{a, b}, conjugate).run(flat)
	}
	if err != nil {
		x.Free()
		return nil, err
	}
	if name, told := numpysProducts[name], s.c.telling(); told.as == "" {
		told.as = name // NumPy's loops round each sum themselves, and have no cast
	}
	return s.finish(x, t, nil)
}

// joined makes one axis of neighbouring ones that both factors go through as through one, in their index space and in
// both views, and returns the space. The result of a contraction lies without gaps, so that it goes along.
//
//	(60,80,3) @ (3,3)     60 80 3 | 3     4800 3 | 3: one matrix, as a library has it
func joined(shape []int, a, b *scheduler.View) []int {
	n := len(shape) - 1
	space, x, y := make([]int, 0, n+1), make([]int64, 0, n+1), make([]int64, 0, n+1)
	for i, extent := range shape {
		last := len(space) - 1
		if by := int64(extent); i < n && last >= 0 && (extent == 1 || space[last] == 1 || x[last] == by*a.Strides[i] && y[last] == by*b.Strides[i]) {
			space[last] *= extent
			if extent != 1 {
				x[last], y[last] = a.Strides[i], b.Strides[i]
			}
			continue
		}
		space, x, y = append(space, extent), append(x, a.Strides[i]), append(y, b.Strides[i])
	}
	a.Shape, a.Strides, b.Shape, b.Strides = space, x, space, y
	return space
}

// libraryLeast is from how many multiplications on factors of two dtypes are converted before they are multiplied: a
// library may multiply what has one. Package cpu's gemmVolume, and LIBRARY of the eager tier.
const libraryLeast = 1000

// ofOneType returns the factors of a product over an index space in its dtype, where a library may multiply them, and
// whether they were not.
func (s *scope) ofOneType(a, b *Array, t tile.DType, shape []int) (x, y *Array, converted bool, err error) {
	points := 1
	for _, n := range shape {
		points *= n
	}
	if a.view.Type == b.view.Type || points < libraryLeast || points == shape[len(shape)-1] || t == tile.Float16 || !t.Is(tile.KindFloat|tile.KindComplex) {
		return a, b, false, nil
	}
	if x, err = s.packed(a, t); err == nil {
		y, err = s.packed(b, t)
	}
	return x, y, true, err
}

// numpysProducts are the functions in which NumPy tells what goes wrong, and what it calls them.
var numpysProducts = map[string]string{"matmul": "matmul", "dot": "dot", "inner": "dot"}

// products is the sums of products of two views over the last axis of an index space.
func (s *scope) products(name string, acc tile.DType, shape []int, views []scheduler.View, conjugate bool) *reduction {
	r := &reduction{
		c: s.c, name: name, kind: scheduler.Contract, shape: shape, axes: 1 << (len(shape) - 1), comb: tile.Sum, acc: acc,
		first: programKey{what: productTemplate, types: [4]tile.DType{views[0].Type, views[1].Type, acc}},
		views: views, tells: numpysProducts[name],
	}
	if acc == tile.Bool {
		r.comb = tile.Any
	}
	if conjugate {
		r.first.flags = 1
	}
	return r
}

func buildProduct(b *tile.Builder, k programKey) {
	x, y := b.Cast(k.types[2], b.Load(k.types[0])), b.Cast(k.types[2], b.Load(k.types[1]))
	if k.types[2] == tile.Bool {
		b.Reduce(tile.Any, b.Do(tile.And, x, y))
		return
	}
	if k.flags != 0 && k.types[2].Is(tile.KindComplex) {
		x = b.Do(tile.Conj, x)
	}
	product := b.Do(tile.Mul, x, y)
	if k.types[2].Is(tile.KindFloat | tile.KindComplex) {
		b.ReduceWatched(tile.Sum, x, y, product)
	} else {
		b.Reduce(tile.Sum, product)
	}
}

// Matmul is a @ b.
func (c *Context) Matmul(x, y Value) (*Array, error) {
	c.collect()
	s := scope{c: c}
	defer s.free()
	a, err := s.array(x)
	if err != nil {
		return nil, err
	}
	b, err := s.array(y)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkNumber(x, y), checkNumber(y, x)); err != nil { // NumPy looks at the dtypes first
		return nil, err
	}
	return s.matmul(a, b, promotions[a.view.Type][b.view.Type])
}

const matmulSignature = "(n?,k),(k,m?)->(n?,m?)"

func (s *scope) matmul(a, b *Array, t tile.DType) (*Array, error) {
	for i, x := range []*Array{a, b} {
		if x.Ndim() == 0 {
			return nil, errorf("ValueError", "matmul: Input operand %d does not have enough dimensions (has 0, gufunc core with signature %s requires 1)", i, matmulSignature)
		}
	}
	vectorA, vectorB := a.Ndim() == 1, b.Ndim() == 1
	av, bv := a.view, b.view
	if vectorA {
		av.Shape, av.Strides = []int{1, av.Shape[0]}, []int64{0, av.Strides[0]}
	}
	if vectorB {
		bv.Shape, bv.Strides = []int{bv.Shape[0], 1}, []int64{bv.Strides[0], 0}
	}
	na, nb := len(av.Shape)-2, len(bv.Shape)-2
	n, k, m := av.Shape[na], av.Shape[na+1], bv.Shape[nb+1]
	if bv.Shape[nb] != k {
		return nil, errorf("ValueError", "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s (size %d is different from %d)", matmulSignature, bv.Shape[nb], k)
	}
	batch, ok := broadcastShapes(av.Shape[:na], bv.Shape[:nb])
	if !ok {
		return nil, &Fallback{"matmul of stacks that don't fit"} // NumPy words the error
	}
	shape := append(slices.Clone(batch), n, m, k)
	if len(shape) > maxDims {
		return nil, &Fallback{"matmul of more than 31 dimensions"}
	}
	if x, y, converted, err := s.ofOneType(a, b, t, shape); converted {
		if err != nil {
			return nil, err
		}
		return s.matmul(x, y, t)
	}
	// Over (batch..., n, m, k), a has no m and b has no n; b's last two axes trade places.
	av.Shape = slices.Insert(slices.Clone(av.Shape), na+1, 1)
	av.Strides = slices.Insert(slices.Clone(av.Strides), na+1, 0)
	lead := slices.Clone(bv.Shape[:nb])
	leadStrides := slices.Clone(bv.Strides[:nb])
	bv.Shape = append(lead, 1, m, k)
	bv.Strides = append(leadStrides, 0, bv.Strides[nb+1], bv.Strides[nb])
	final := slices.Clone(batch)
	if !vectorA {
		final = append(final, n)
	}
	if !vectorB {
		final = append(final, m)
	}
	return s.contraction("matmul", t, shape, overSpace(av, shape), overSpace(bv, shape), false, final)
}

func matmulRow(s *scope, v []Value) (Value, error) {
	if err := usualOptions(Value{}, v[3], v[6], v[7]); err != nil {
		return Value{}, err
	}
	if err := plain("casting=", v[3], "same_kind"); err != nil {
		return Value{}, err
	}
	if err := plain("order=", v[4], "K", "C"); err != nil {
		return Value{}, err
	}
	for _, axes := range v[8:11] {
		if axes.Kind != Missing {
			return Value{}, &Fallback{"axes of matmul"}
		}
	}
	if v[5].given() {
		return Value{}, &Fallback{"dtype= of matmul"}
	}
	x, err := s.c.Matmul(v[0], v[1])
	if user := (*Error)(nil); v[2].given() && errors.As(err, &user) {
		return Value{}, &Fallback{"operands of matmul that do not fit, with out="} // NumPy looks at out first, and words the error
	}
	if err != nil || !v[2].given() {
		return result(x, err)
	}
	s.owned = append(s.owned, x)
	out, err := ufuncOut(v[2])
	if err != nil {
		return Value{}, err
	}
	return s.into(x, Of(out), "matmul")
}

// into moves a product into its out argument.
func (s *scope) into(x *Array, out Value, name string) (Value, error) {
	dst, err := outArg(out)
	if err != nil || dst == nil {
		return result(x, err)
	}
	if dst.readonly || !slices.Equal(dst.view.Shape, x.view.Shape) || dst.view.Type != x.view.Type {
		return Value{}, &Fallback{"out= of " + name + " that does not fit"} // NumPy words the error
	}
	return result(dst, s.c.move(dst, x, name))
}

// pair reads the operands of a product.
func (s *scope) pair(x, y Value) (a, b *Array, t tile.DType, err error) {
	if a, err = s.array(x); err != nil {
		return
	}
	if b, err = s.array(y); err != nil {
		return
	}
	tx, _ := typeOf(x)
	ty, _ := typeOf(y)
	return a, b, promote(tx, ty), nil
}

func dot(s *scope, v []Value) (Value, error) {
	if v[2].Kind == ArrayValue && !v[2].Array.view.Contiguous() {
		return Value{}, &Fallback{"an out= with gaps"} // NumPy words the error
	}
	a, b, t, err := s.pair(v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	var x *Array
	if a.Ndim() == 0 || b.Ndim() == 0 {
		x, err = s.scaled(a, b)
	} else if onePoint(t, a, b) {
		x, err = s.multipliedPoint(t, a, b)
	} else {
		axis := max(b.Ndim()-2, 0)
		x, err = s.aligned("dot", t, a, b, axis)
	}
	if err != nil || !v[2].given() {
		return result(x, err)
	}
	s.owned = append(s.owned, x)
	return s.into(x, v[2], "dot")
}

// scaled is a product one operand of which is a number: an array of its own dtype here. NumPy has the BLAS library
// multiply matrices of floats, and their product lies in the order of C.
func (s *scope) scaled(a, b *Array) (*Array, error) {
	x, err := s.c.Binary(Multiply, Of(a), Of(b))
	if err != nil || x.Ndim() != 2 {
		return x, err
	}
	t := x.view.Type
	if !t.Is(tile.KindFloat|tile.KindComplex) || t == tile.Float16 || slices.Equal(x.view.Strides, scheduler.CStrides(x.view.Shape, t.Size())) {
		return x, nil
	}
	return s.c.copyOwned(x)
}

// onePoint reports whether a dot product is one product, which NumPy does not add to zero: -0.0 stays.
func onePoint(t tile.DType, a, b *Array) bool {
	return t.Is(tile.KindFloat|tile.KindComplex) && t != tile.Float16 && a.size == 1 && b.size == 1
}

func (s *scope) multipliedPoint(t tile.DType, a, b *Array) (*Array, error) {
	shape := ones(a.Ndim() + b.Ndim() - 2)
	x, err := s.own(s.c.Reshape(a, shape))
	if err != nil {
		return nil, err
	}
	y, err := s.own(s.c.Reshape(b, shape))
	if err != nil {
		return nil, err
	}
	left, right := Of(x), Of(y)
	return s.c.apply(Multiply, &left, &right, nil, t)
}

// aligned contracts the last axis of a with an axis of b; the other axes of a come first.
func (s *scope) aligned(name string, t tile.DType, a, b *Array, axis int) (*Array, error) {
	last := a.Ndim() - 1
	k := a.view.Shape[last]
	if b.view.Shape[axis] != k {
		// NumPy names b as it is when the axis to contract is the second to last.
		shape, at := slices.Clone(b.view.Shape), max(b.Ndim()-2, 0)
		shape[at], shape[axis] = shape[axis], shape[at]
		return nil, errorf("ValueError", "shapes %s and %s not aligned: %d (dim %d) != %d (dim %d)",
			units.Shape(a.view.Shape), units.Shape(shape), k, last, shape[at], at)
	}
	final := append(slices.Clone(a.view.Shape[:last]), slices.Delete(slices.Clone(b.view.Shape), axis, axis+1)...)
	shape := append(slices.Clone(final), k)
	if len(shape) > maxDims {
		return nil, &Fallback{name + " of more than 31 dimensions"}
	}
	if x, y, converted, err := s.ofOneType(a, b, t, shape); converted {
		if err != nil {
			return nil, err
		}
		return s.aligned(name, t, x, y, axis)
	}
	// a is a[..., 1 for each axis of b, k]; b is broadcast along a's axes.
	others := b.Ndim() - 1
	av, bv := a.view, b.view
	av.Shape = append(append(slices.Clone(av.Shape[:last]), ones(others)...), k)
	av.Strides = append(append(slices.Clone(av.Strides[:last]), make([]int64, others)...), a.view.Strides[last])
	bv.Shape = append(slices.Delete(slices.Clone(bv.Shape), axis, axis+1), k)
	bv.Strides = append(slices.Delete(slices.Clone(bv.Strides), axis, axis+1), b.view.Strides[axis])
	return s.contraction(name, t, shape, overSpace(av, shape), overSpace(bv, shape), false, final)
}

func inner(s *scope, v []Value) (Value, error) {
	a, b, t, err := s.pair(v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() == 0 || b.Ndim() == 0 {
		return result(s.scaled(a, b))
	}
	if onePoint(t, a, b) {
		return result(s.multipliedPoint(t, a, b))
	}
	return result(s.aligned("inner", t, a, b, b.Ndim()-1))
}

func vdot(s *scope, v []Value) (Value, error) {
	a, b, t, err := s.pair(v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	flatA, err := s.own(s.c.Reshape(a, []int{a.size}))
	if err != nil {
		return Value{}, err
	}
	flatB, err := s.own(s.c.Reshape(b, []int{b.size}))
	if err != nil {
		return Value{}, err
	}
	if a.size != b.size {
		return Value{}, errorf("ValueError", "cannot reshape array of size %d into shape (%d,)", b.size, a.size)
	}
	return result(s.contraction("vdot", t, flatA.view.Shape, flatA.view, flatB.view, true, nil))
}

func outer(s *scope, v []Value) (Value, error) {
	a, b, _, err := s.pair(v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	column, err := s.own(s.c.Reshape(a, []int{a.size, 1}))
	if err != nil {
		return Value{}, err
	}
	row, err := s.own(s.c.Reshape(b, []int{1, b.size}))
	if err != nil {
		return Value{}, err
	}
	out, err := outArg(v[2])
	if err != nil {
		return Value{}, err
	}
	x, y := Of(column), Of(row)
	return result(s.c.apply(Multiply, &x, &y, out, tile.Invalid))
}

func trace(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	d, err := s.own(s.diagonalOf(a, v[1], v[2], v[3]))
	if err != nil {
		return Value{}, err
	}
	args := make([]Value, 7)
	args[0], args[1], args[2], args[3] = Of(d), Int(-1), v[4], v[5]
	return sum(s, args)
}
