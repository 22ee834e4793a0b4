package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// linalgFuncs are the rows of numpy.linalg. Arrays are stacks of matrices in their last two
// axes. What can fail for its data is waited for. They call other functions of the table, so
// that this cannot be a variable.
func linalgFuncs() []row {
	return []row{
		{"linalg.solve", "a, b", "", "Solve a linear matrix equation, or system of linear scalar equations.\n\nLinAlgError if a is singular or not square.", linalgSolve},
		{"linalg.inv", "a", "", "Compute the inverse of a matrix.\n\nLinAlgError if a is singular or not square.", linalgInv},
		{"linalg.cholesky", "a, /, *, upper=False", "", "Cholesky decomposition.\n\nLinAlgError if a is not positive definite.", linalgCholesky},
		{"linalg.det", "a", "", "Compute the determinant of an array.", linalgDet},
		{"linalg.slogdet", "a", "", "Compute the sign and (natural) logarithm of the determinant of an array.", linalgSlogdet},
		{"linalg.lstsq", "a, b, rcond=None", "", "Return the least-squares solution to a linear matrix equation.\n\nLinAlgError if the computation does not converge.", linalgLstsq},
		{"linalg.qr", "a, mode='reduced'", "", "Compute the qr factorization of a matrix.", linalgQR},
		{"linalg.svd", "a, full_matrices=True, compute_uv=True, hermitian=False", "", "Singular Value Decomposition.\n\nLinAlgError if it does not converge.", linalgSVD},
		{"linalg.svdvals", "x, /", "", "Returns the singular values of a matrix (or a stack of matrices).", linalgSVDValues},
		{"linalg.eigh", "a, UPLO='L'", "", "Return the eigenvalues and eigenvectors of a complex Hermitian or a real symmetric matrix.\n\nLinAlgError if the computation does not converge.", linalgEigh},
		{"linalg.eigvalsh", "a, UPLO='L'", "", "Compute the eigenvalues of a complex Hermitian or real symmetric matrix.", linalgEigvalsh},
		{"linalg.eig", "a", "", "Compute the eigenvalues and right eigenvectors of a square array.\n\nLinAlgError if the computation does not converge.", linalgEig},
		{"linalg.eigvals", "a", "", "Compute the eigenvalues of a general matrix.", linalgEigvals},
		{"linalg.norm", "x, ord=None, axis=None, keepdims=False", "", "Matrix or vector norm.", norm},
		{"linalg.cond", "x, p=None", "", "Compute the condition number of a matrix.", linalgCond},
		{"linalg.pinv", "a, rcond=None, hermitian=False, *, rtol=_NoValue", "", "Compute the (Moore-Penrose) pseudo-inverse of a matrix.", linalgPinv},
		{"linalg.matrix_rank", "A, tol=None, hermitian=False, *, rtol=None", "", "Return matrix rank of array using SVD method.", linalgRank},
		{"linalg.matrix_power", "a, n", "", "Raise a square matrix to the (integer) power n.", linalgPower},
		{"linalg.multi_dot", "arrays, *, out=None", "", "Compute the dot product of two or more arrays in a single function call, in the fastest order.", multiDot},
	}
}

func linalgError(format string, args ...any) error { return errorf("LinAlgError", format, args...) }

// matrices reads the arguments of a function of linalg: stacks of matrices, as float64 or
// complex128. As in NumPy, everything is computed in double precision; single says that the
// results go back to float32 or complex64. vectors says that arguments but the first may have
// one dimension.
func (s *scope) matrices(vectors bool, args ...Value) (list []*Array, t tile.DType, single bool, err error) {
	list = make([]*Array, len(args))
	t, single = tile.Float64, true
	for i, v := range args {
		a, err := s.array(v)
		if err != nil {
			return nil, 0, false, err
		}
		list[i] = a
		if a.Ndim() < 2 && !(vectors && i > 0 && a.Ndim() == 1) {
			return nil, 0, false, linalgError("%d-dimensional array given. Array must be at least two-dimensional", a.Ndim())
		}
		of := a.view.Type
		if of == tile.Float16 {
			return nil, 0, false, errorf("TypeError", "array type float16 is unsupported in linalg")
		}
		if of.Is(tile.KindComplex) {
			t = tile.Complex128
		}
		single = single && (of == tile.Float32 || of == tile.Complex64)
	}
	for i, a := range list {
		if a.size == 0 {
			return nil, 0, false, &Fallback{"linear algebra of arrays without elements"}
		}
		if a.view.Type != t {
			if list[i], err = s.own(s.c.cast(a, t, "astype")); err != nil {
				return nil, 0, false, err
			}
		}
	}
	return list, t, single, nil
}

// narrow converts results to single precision where the arguments were.
func (s *scope) narrow(single bool, list []*Array) error {
	for i, a := range list {
		t := tile.Float32
		switch {
		case !single || a.view.Type == tile.Int32:
			continue
		case a.view.Type == tile.Complex128:
			t = tile.Complex64
		}
		var err error
		if list[i], err = s.own(s.c.astype(a, t, "astype")); err != nil {
			return err
		}
	}
	return nil
}

// matrix reads one stack of matrices.
func (s *scope) matrix(v Value) (a *Array, t tile.DType, single bool, err error) {
	list, t, single, err := s.matrices(false, v)
	if err != nil {
		return nil, t, false, err
	}
	return list[0], t, single, nil
}

// square reads one stack of square matrices.
func (s *scope) square(v Value) (a *Array, t tile.DType, single bool, err error) {
	a, t, single, err = s.matrix(v)
	if err == nil {
		err = mustBeSquare(a)
	}
	return a, t, single, err
}

func mustBeSquare(a *Array) error {
	if rows, columns, _ := extents(a); rows != columns {
		return linalgError("Last 2 dimensions of the array must be square")
	}
	return nil
}

// extents returns the extents of the matrices and of the stack.
func extents(a *Array) (rows, columns int, stack []int) {
	n := a.Ndim() - 2
	return a.view.Shape[n], a.view.Shape[n+1], a.view.Shape[:n:n]
}

// results allocates outputs, one per shape behind the stack's, and puts them into the scope
// until give takes them out.
func (s *scope) results(stack []int, types []tile.DType, shapes ...[]int) ([]*Array, error) {
	list := make([]*Array, len(shapes))
	for i, shape := range shapes {
		a, err := s.own(s.c.alloc(types[i], append(slices.Clone(stack), shape...), nil))
		if err != nil {
			return nil, err
		}
		list[i] = a
	}
	return list, nil
}

// factor runs a routine on a stack. With wait it waits for the first result.
func (s *scope) factor(name, routine string, a scheduler.View, wait, single bool, out []*Array, attrs ...tile.Attr) error {
	k := s.c.routine(routine, ofStack(attrs, a.Shape)...).in(a)
	for _, x := range out {
		k.out(x)
	}
	return s.run(k, name, wait, single, out)
}

// ofStack has the attributes of a routine tell devices where it is of several matrices.
func ofStack(attrs []tile.Attr, shape []int) []tile.Attr {
	if len(shape) > 2 {
		return append(slices.Clone(attrs), tile.IntAttr("stack", 1))
	}
	return attrs
}

// run submits a call, waits for its first result if wanted, and narrows all.
func (s *scope) run(k *call, name string, wait, single bool, out []*Array) error {
	if err := k.submit(name); err != nil {
		return err
	}
	if wait {
		if err := s.c.settle(out[0]); err != nil {
			return err
		}
	}
	return s.narrow(single, out)
}

// give takes results out of the scope, which would free them. Numbers are scalars, as NumPy's.
func (s *scope) give(list ...*Array) Value {
	values := make([]Value, len(list))
	for i, a := range list {
		s.owned = slices.DeleteFunc(s.owned, func(x *Array) bool { return x == a })
		a.Scalar = a.Ndim() == 0
		values[i] = Of(a)
	}
	if len(values) == 1 {
		return values[0]
	}
	return Tuple(values...)
}

func linalgSolve(s *scope, v []Value) (Value, error) {
	list, t, single, err := s.matrices(true, v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	a, b := list[0], list[1]
	if err := mustBeSquare(a); err != nil {
		return Value{}, err
	}
	n, _, stack := extents(a)
	vector := b.Ndim() == 1
	name, signature, side := "solve", "(m,m),(m,n)->(m,n)", b.view
	if vector {
		name, signature = "solve1", "(m,m),(m)->(m)"
		side.Shape, side.Strides = []int{b.size, 1}, []int64{b.view.Strides[0], 0}
	}
	core := len(side.Shape) - 2
	if m := side.Shape[core]; m != n {
		return Value{}, errorf("ValueError", "%s: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s (size %d is different from %d)", name, signature, m, n)
	}
	stack, ok := broadcastShapes(stack, side.Shape[:core])
	if !ok || len(stack)+2 > maxDims {
		return Value{}, &Fallback{"solve of stacks that don't fit"} // NumPy words the error
	}
	wide := append(slices.Clone(stack), side.Shape[core:]...)
	x, err := s.results(nil, []tile.DType{t}, wide)
	if err != nil {
		return Value{}, err
	}
	k := s.c.routine("linalg.solve", ofStack(nil, wide)...).in(overSpace(a.view, append(slices.Clone(stack), n, n))).in(overSpace(side, wide)).out(x[0])
	if err := s.run(k, "solve", true, single, x); err != nil {
		return Value{}, err
	}
	if vector {
		return result(x[0].take(len(wide)-1, 0), nil)
	}
	return s.give(x...), nil
}

// identity makes a unit matrix.
func (s *scope) identity(n int, t tile.DType) (*Array, error) {
	return s.own(s.c.Call("eye", n, Keyword{"dtype", t}))
}

func linalgInv(s *scope, v []Value) (Value, error) {
	x, err := s.inverse(v[0])
	if err != nil {
		return Value{}, err
	}
	return s.give(x), nil
}

// inverse solves for the unit matrix, as NumPy does.
func (s *scope) inverse(v Value) (*Array, error) {
	a, t, single, err := s.square(v)
	if err != nil {
		return nil, err
	}
	n, _, stack := extents(a)
	one, err := s.identity(n, t)
	if err != nil {
		return nil, err
	}
	x, err := s.results(stack, []tile.DType{t}, []int{n, n})
	if err != nil {
		return nil, err
	}
	k := s.c.routine("linalg.solve", ofStack(nil, a.view.Shape)...).in(a.view).in(overSpace(one.view, a.view.Shape)).out(x[0])
	if err := s.run(k, "inv", true, single, x); err != nil {
		return nil, err
	}
	return x[0], nil
}

func linalgCholesky(s *scope, v []Value) (Value, error) {
	a, t, single, err := s.square(v[0])
	if err != nil {
		return Value{}, err
	}
	upper, err := truth(v[1], false)
	if err != nil {
		return Value{}, err
	}
	x, err := s.results(nil, []tile.DType{t}, a.view.Shape)
	if err != nil {
		return Value{}, err
	}
	attr := tile.IntAttr("upper", 0)
	if upper {
		attr = tile.IntAttr("upper", 1)
	}
	if err := s.factor("cholesky", "linalg.cholesky", a.view, true, single, x, attr); err != nil {
		return Value{}, err
	}
	return s.give(x...), nil
}

// signAndLog returns the sign of the determinants and the logarithms of their sizes.
// They are in double precision.
func (s *scope) signAndLog(name string, v Value) (x []*Array, single bool, err error) {
	a, t, single, err := s.square(v)
	if err != nil {
		return nil, false, err
	}
	_, _, stack := extents(a)
	if x, err = s.results(stack, []tile.DType{t, t.Real()}, nil, nil); err != nil {
		return nil, false, err
	}
	k := s.c.routine("linalg.slogdet").in(a.view).out(x[0]).out(x[1])
	return x, single, s.run(k.telling(name, tile.Lost), name, false, false, x)
}

func linalgSlogdet(s *scope, v []Value) (Value, error) {
	x, single, err := s.signAndLog("slogdet", v[0])
	if err != nil {
		return Value{}, err
	}
	if err := s.narrow(single, x); err != nil {
		return Value{}, err
	}
	return s.give(x...), nil
}

func linalgDet(s *scope, v []Value) (Value, error) {
	told := s.c.toldAs("det")
	x, single, err := s.signAndLog("det", v[0])
	if err != nil {
		return Value{}, err
	}
	size, err := s.step(Exp, Of(x[1]), Value{})
	if err != nil {
		return Value{}, err
	}
	d, err := s.step(Multiply, Of(x[0]), size)
	if err != nil {
		return Value{}, err
	}
	told()
	x[0] = d.Array
	if err := s.narrow(single, x[:1]); err != nil {
		return Value{}, err
	}
	return s.give(x[0]), nil
}

func linalgLstsq(s *scope, v []Value) (Value, error) {
	for i, arg := range v[:2] {
		x, err := s.array(arg)
		if err != nil {
			return Value{}, err
		}
		if n := x.Ndim(); n != 2 && !(i == 1 && n == 1) {
			return Value{}, linalgError("%d-dimensional array given. Array must be two-dimensional", n)
		}
	}
	list, t, single, err := s.matrices(true, v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	a, b := list[0], list[1]
	rows, columns, _ := extents(a)
	side := b.view
	if b.Ndim() == 1 {
		side.Shape, side.Strides = []int{b.size, 1}, []int64{b.view.Strides[0], 0}
	}
	if side.Shape[0] != rows {
		return Value{}, linalgError("Incompatible dimensions")
	}
	rcond := epsilon(t) * float64(max(rows, columns))
	if v[2].given() {
		x, err := s.number(v[2])
		if err != nil {
			return Value{}, err
		}
		if rcond, err = floatOf(x); err != nil {
			return Value{}, err
		}
	}
	sides := side.Shape[1]
	x, err := s.results(nil, []tile.DType{t, t.Real(), tile.Int32, t.Real()}, []int{columns, sides}, []int{sides}, nil, []int{min(rows, columns)})
	if err != nil {
		return Value{}, err
	}
	k := s.c.routine("linalg.lstsq").in(a.view).in(side)
	for _, y := range x {
		k.out(y)
	}
	if err := s.run(k.uniform(tile.FloatScalar(tile.Float64, rcond)), "lstsq", true, single, x); err != nil {
		return Value{}, err
	}
	rank, err := x[2].Item(s.c.Stop)
	if err != nil {
		return Value{}, err
	}
	if int(rank.Int()) != columns || rows <= columns {
		if x[1], err = s.own(s.c.alloc(x[1].view.Type, []int{0}, nil)); err != nil {
			return Value{}, err
		}
	}
	if b.Ndim() == 1 {
		if x[0], err = s.own(x[0].take(1, 0), nil); err != nil {
			return Value{}, err
		}
	}
	return s.give(x...), nil
}

// floatOf reads a Python number as a float.
func floatOf(v Value) (float64, error) {
	switch v.Kind {
	case IntValue, BoolValue:
		return float64(v.Int), nil
	case FloatValue:
		return v.Float, nil
	}
	return 0, &Fallback{"a tolerance that is not a number"}
}

// epsilon is the distance from 1 to the next number.
func epsilon(t tile.DType) float64 {
	if t.Real() == tile.Float32 {
		return 1.1920929e-07
	}
	return 2.220446049250313e-16
}
