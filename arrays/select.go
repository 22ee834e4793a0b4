package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// selectionFuncs are the rows that choose between elements.
var selectionFuncs = []row{
	{"where", "condition, x=_NoValue, y=_NoValue, /", "",
		"Return elements chosen from x or y depending on condition.", where},
	{"clip", "a, a_min=_NoValue, a_max=_NoValue, out=None, *, min=_NoValue, max=_NoValue, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None",
		"min=None, max=None, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None",
		"Clip (limit) the values in an array.\n\nPython ints beyond the dtype's range limit nothing.", clip},
}

func where(s *scope, v []Value) (Value, error) {
	if v[1].Kind == Missing && v[2].Kind == Missing {
		return nonzeroRow(s, v)
	}
	if v[1].Kind == Missing || v[2].Kind == Missing {
		return Value{}, errorf("ValueError", "either both or neither of x and y should be given")
	}
	condition, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	tx, okX := typeOf(v[1])
	ty, okY := typeOf(v[2])
	if !okX || !okY {
		return Value{}, &Fallback{"where of something that is not an array or a number"}
	}
	t := promote(tx, ty)
	k := programKey{what: selectTemplate, types: [4]tile.DType{condition.view.Type, 0, 0, t}}
	inputs := []*Array{condition}
	var uniforms []tile.Scalar
	shape, ok := condition.view.Shape, true
	shapes := [][]int{shape}
	for i, x := range v[1:3] {
		if x.Kind != ArrayValue {
			literal, err := weakScalar(x, t)
			if err != nil {
				literal = tile.IntScalar(t, x.Int) // where alone lets ints wrap
			}
			uniforms = append(uniforms, literal)
			k.flags |= weakX << i
			shapes = append(shapes, nil)
			continue
		}
		if err := x.Array.alive(); err != nil {
			return Value{}, err
		}
		k.types[1+i] = x.Array.view.Type
		inputs = append(inputs, x.Array)
		shapes = append(shapes, x.Array.view.Shape)
		if ok {
			shape, ok = broadcastShapes(shape, x.Array.view.Shape)
		}
	}
	if !ok {
		return Value{}, broadcastError(shapes...)
	}
	out, err := s.c.allocLike(t, shape, viewsIn(inputs)...)
	if err != nil {
		return Value{}, err
	}
	if err := s.c.mapInto(scheduler.Map, "where", k, uniforms, out, inputs...); err != nil {
		out.Free()
		return Value{}, err
	}
	return Of(out), nil
}

// Flags of clipTemplate: which limits there are, and which are weak scalars.
const (
	clipLow = 1 << iota
	clipHigh
	clipLowWeak
	clipHighWeak

	// Between two numbers an element that is equal to one stays, which shows in zeros: NumPy has a loop for
	// them. Its loop for arrays of limits gives the limit.
	clipStays
)

// clipOptions refuses what clip hands on to NumPy's ufunc, where it is not as usual: where, casting, order, dtype,
// subok, signature.
func clipOptions(v []Value) error {
	if err := usualOptions(v[0], v[1], v[4], v[5]); err != nil {
		return err
	}
	if v[3].given() {
		return &Fallback{"dtype= of clip"}
	}
	for i, usual := range [][]string{{"True"}, {"same_kind"}, {"K"}} {
		if err := plain("an option of clip", v[i], usual...); err != nil {
			return err
		}
	}
	return nil
}

func clip(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	limits := [2]Value{v[1], v[2]}
	if (limits[0].Kind == Missing) != (limits[1].Kind == Missing) {
		return Value{}, &Fallback{"clip with one limit"} // NumPy words the error
	}
	if err := clipOptions(v[6:]); err != nil {
		return Value{}, err
	}
	for i := range limits {
		if v[4+i].Kind != Missing {
			if limits[i].Kind != Missing {
				return Value{}, errorf("ValueError", "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
			}
			limits[i] = v[4+i]
		}
	}
	out, err := ufuncOut(v[3])
	if err != nil {
		return Value{}, err
	}
	return s.clipped(a, limits, out)
}

// clipped is a between two limits, each of which may be missing, in out where that is not nil.
func (s *scope) clipped(a *Array, limits [2]Value, out *Array) (Value, error) {
	types := []operandType{operandType(a.view.Type)}
	for i := range limits {
		if t, ok := typeOf(limits[i]); ok {
			if limits[i].Kind != ArrayValue && a.view.Type.Is(tile.KindInt|tile.KindUint) &&
				(limits[i].Kind == IntValue || limits[i].Kind == UintValue) && !fits(limits[i], a.view.Type) {
				// A limit that no element can reach does nothing; one that all pass is
				// NumPy's own affair.
				above := limits[i].Kind == UintValue || limits[i].Int > 0
				if above == (i == 1) {
					limits[i] = Value{Kind: None}
					continue
				}
				return Value{}, &Fallback{"clip beyond the dtype's range"}
			}
			types = append(types, t)
		} else if limits[i].given() {
			return Value{}, &Fallback{"clip by something that is not an array or a number"}
		}
	}
	t := promote(types...)
	if t.Is(tile.KindComplex) || t == tile.Bool {
		return Value{}, &Fallback{"clip of " + t.String()}
	}
	if out != nil && out.view.Type != t {
		return Value{}, &Fallback{"clip into another dtype"}
	}
	k := programKey{what: clipTemplate, types: [4]tile.DType{a.view.Type, 0, 0, t}}
	inputs, shape, ok := []*Array{a}, a.view.Shape, true
	shapes := [][]int{shape}
	var uniforms []tile.Scalar
	for i, limit := range limits {
		switch {
		case limit.Kind == ArrayValue:
			if err := limit.Array.alive(); err != nil {
				return Value{}, err
			}
			k.flags |= clipLow << i
			k.types[1+i] = limit.Array.view.Type
			inputs = append(inputs, limit.Array)
			shapes = append(shapes, limit.Array.view.Shape)
			if ok {
				shape, ok = broadcastShapes(shape, limit.Array.view.Shape)
			}
		case limit.given():
			literal, err := weakScalar(limit, t)
			if err != nil {
				return Value{}, err
			}
			k.flags |= clipLow<<i | clipLowWeak<<i
			uniforms = append(uniforms, literal)
			shapes = append(shapes, nil)
		}
	}
	if !ok {
		return Value{}, broadcastError(shapes...)
	}
	single := func(limit Value) bool {
		return limit.given() && (limit.Kind != ArrayValue || limit.Array.size == 1)
	}
	if t.Is(tile.KindFloat) && t != tile.Float16 && single(limits[0]) && single(limits[1]) {
		k.flags |= clipStays
	}
	scalar := out == nil && len(shape) == 0
	if out != nil {
		x := Of(a)
		if err := s.c.checkOutput(&x, nil, out, shape); err != nil {
			return Value{}, &Fallback{"clip into an array that does not fit"} // NumPy words the error
		}
	} else {
		var err error
		casts := slices.ContainsFunc(inputs, func(x *Array) bool { return x.view.Type != t && x.Ndim() > 0 })
		if out, err = s.c.allocOrLike(casts, t, shape, viewsIn(inputs)...); err != nil {
			return Value{}, err
		}
	}
	if err := s.c.mapInto(scheduler.Map, "clip", k, uniforms, out, inputs...); err != nil {
		return Value{}, err
	}
	if scalar {
		out.Scalar = true
	}
	return Of(out), nil
}

// buildClip takes of zeros of different signs the one that NumPy does: the element between two numbers, else that of
// minimum and maximum. Max and Min give the second one, and of float16 the first.
func buildClip(b *tile.Builder, k programKey) {
	x := b.Cast(k.types[3], b.Load(k.types[0]))
	for i, op := range []tile.Opcode{tile.Max, tile.Min} {
		var limit tile.Value
		switch {
		case k.flags&(clipLowWeak<<i) != 0:
			limit = b.Uniform(k.types[3])
		case k.flags&(clipLow<<i) != 0:
			limit = b.Cast(k.types[3], b.Load(k.types[1+i]))
		default:
			continue
		}
		if k.flags&clipStays != 0 {
			x = b.Do(op, limit, x)
		} else {
			x = b.Do(op, x, limit)
		}
	}
	b.Store(x)
}
