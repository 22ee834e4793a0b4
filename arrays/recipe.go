package arrays

import (
	"math"
	"slices"
	"strings"

	"weft/tile"
)

// RecipeOperand is an operand of a ufunc as far as its recipe depends on it: an array's dtype, or the kind of a number,
// with a dtype where it is a NumPy scalar.
type RecipeOperand struct {
	Kind ValueKind // ArrayValue, or of a number; Missing for none
	Type tile.DType
}

// Recipe is what a ufunc comes to for operands of certain dtypes, whatever their shapes: for bindings that compute few
// elements themselves.
type Recipe struct {
	Program *tile.Program // of rank 1: the arrays in order, then the result; a number is uniform 0
	Result  tile.DType
	Number  tile.DType // of the uniform; Invalid where there is none

	// Which ints the recipe holds for, where the number is one: others are errors, or have an answer of their own.
	Low, High int64
}

// Recipe returns what a ufunc does with operands, of which at most one is a number, or nil where the general functions
// have to look: at errors, at what NumPy does itself, and at what depends on the values of the operands. out is the
// dtype of the array that takes the result, Invalid for a new one. That no integer is raised to one below zero, the
// caller sees to.
func (c *Context) Recipe(u Ufunc, x, y RecipeOperand, out tile.DType) *Recipe {
	operands := [2]RecipeOperand{x, y}
	var types [2]operandType
	r := &Recipe{Low: math.MinInt64, High: math.MaxInt64}
	whole := false
	for i, o := range operands[:ufuncs[u].inputs] {
		t, ok := typeOf(Value{Kind: o.Kind, DType: o.Type, Array: &Array{}})
		switch {
		case o.Kind == ArrayValue:
			t = operandType(o.Type)
		case !ok || r.Number != tile.Invalid:
			return nil
		default:
			r.Number = o.Type // any but Invalid, until it is known
			if r.Number == tile.Invalid {
				r.Number = tile.Bool
			}
			whole = o.Kind == IntValue || o.Kind == BoolValue
		}
		types[i] = t
	}
	if u == Power && !plainPower(types[0], types[1]) {
		return nil
	}
	found := c.resolve(u, types[0], types[1], out, tile.Invalid)
	if found.err != nil {
		return nil
	}
	r.Program, r.Result = found.program(u, 1), found.result
	if r.Number == tile.Invalid {
		return r
	}
	r.Number = found.in[0]
	if !types[0].number() {
		r.Number = found.in[1]
	}
	if whole {
		l := Launch{uniform: r.Number, Low: r.Low, High: r.High}
		l.limit()
		r.Low, r.High = l.Low, l.High
		if u == Power && types[1].number() && promote(types[0]).Is(tile.KindInt|tile.KindUint) {
			r.Low = max(r.Low, 0)
		}
	}
	return r
}

// plainPower reports whether a power is one for all operands: powers of bools are NumPy's.
func plainPower(x, y operandType) bool {
	return x != weakBool && promote(x) != tile.Bool && promote(y) != tile.Bool
}

// Conversion returns the program of rank 1 that converts elements, as an assignment does, or nil for what is told the
// program: complex numbers that lose their imaginary parts.
func (c *Context) Conversion(from, to tile.DType) *tile.Program {
	if from.Is(tile.KindComplex) && !to.Is(tile.KindComplex|tile.KindBool) {
		return nil
	}
	return c.program(programKey{what: moveTemplate, rank: 1, types: [4]tile.DType{from, to}})
}

// Selection returns the program of rank 1 of where: a condition of bools, and two operands of these dtypes, of which
// Invalid is a number.
func (c *Context) Selection(x, y, t tile.DType) *tile.Program {
	k := programKey{what: selectTemplate, rank: 1, types: [4]tile.DType{tile.Bool, x, y, t}}
	for i, of := range []tile.DType{x, y} {
		if of == tile.Invalid {
			k.flags |= weakX << i
		}
	}
	return c.program(k)
}

// Clip returns the program of rank 1 that clips elements by two numbers of the result's dtype.
func (c *Context) Clip(from, t tile.DType) *tile.Program {
	k := programKey{what: clipTemplate, rank: 1, types: [4]tile.DType{from, 0, 0, t}, flags: clipLow | clipHigh | clipLowWeak | clipHighWeak}
	if t.Is(tile.KindFloat) && t != tile.Float16 {
		k.flags |= clipStays
	}
	return c.program(k)
}

// Draw returns the program of rank 1 of PCG64's numbers at places, whose uniforms are the words of the generator's
// state.
func (c *Context) Draw() *tile.Program {
	return c.program(programKey{what: drawTemplate, rank: 1, types: [4]tile.DType{tile.Uint64}, flags: drawPlaces})
}

// FoldKind names a reduction to one number per point that a binding may compute itself.
type FoldKind uint8

// The reductions.
const (
	SumFold FoldKind = iota
	ProdFold
	MinFold
	MaxFold
	AnyFold
	AllFold
	MeanFold  // a sum, divided by the number of elements
	TermsFold // of the terms of a sum of products, in their own dtype
)

// Folding returns how elements of a dtype are reduced: the combiner, and the dtype in which they are combined, which is
// the result's as well; ok is false where that is another.
func Folding(k FoldKind, t tile.DType) (comb tile.Combiner, acc tile.DType, ok bool) {
	switch k {
	case SumFold, ProdFold:
		comb, acc = tile.Sum, accumulator(t)
		if k == ProdFold {
			comb = tile.Prod
		}
	case MeanFold:
		comb, acc = tile.Sum, meanType(tile.Invalid, t)
	case TermsFold:
		comb, acc = tile.Sum, t
		if t == tile.Bool {
			comb = tile.Any
		}
	case MinFold:
		comb, acc = tile.MinOf, t
	case MaxFold:
		comb, acc = tile.MaxOf, t
	case AnyFold:
		comb, acc = tile.Any, tile.Bool
	case AllFold:
		comb, acc = tile.All, tile.Bool
	}
	return comb, acc, comb.Accepts(acc) && acc != tile.Float16
}

// UfuncNamed returns the ufunc of a name of NumPy's or SciPy's.
func UfuncNamed(name string) (Ufunc, bool) {
	for u := range ufuncs {
		if ufuncs[u].name == name || slices.Contains(strings.Fields(ufuncs[u].aliases), name) {
			return Ufunc(u), true
		}
	}
	return 0, false
}

// ViewOf returns a view of the array's store with a layout of its own: offset is where its first element is in the
// store.
func (a *Array) ViewOf(t tile.DType, offset int64, shape []int, strides []int64, writing Writing) *Array {
	v := a.sub(t, offset, shape, strides)
	v.readonly, v.meets = writing != Writes, writing == WritesApart
	return v
}
