package arrays

import (
	"weft/scheduler"
	"weft/tile"
)

// selectionFuncs are the rows that choose between elements.
var selectionFuncs = []row{
	{"where", "condition, x=None, y=None, /", "",
		"Return elements chosen from x or y depending on condition.", where},
	{"clip", "a, a_min=_NoValue, a_max=_NoValue, out=None, *, min=_NoValue, max=_NoValue", "min=None, max=None, out=None",
		"Clip (limit) the values in an array.\n\nPython ints beyond the dtype's range limit nothing.", clip},
}

func where(s *scope, v []Value) (Value, error) {
	if !v[1].given() && !v[2].given() {
		return nonzeroRow(s, v)
	}
	if !v[1].given() || !v[2].given() {
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
)

func clip(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	limits := [2]Value{v[1], v[2]}
	for i := range limits {
		if len(v) > 4 && v[4+i].Kind != Missing {
			if limits[i].Kind != Missing {
				return Value{}, errorf("ValueError", "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
			}
			limits[i] = v[4+i]
		}
	}
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
	out, err := outArg(v[3])
	if err != nil {
		return Value{}, err
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
	scalar := out == nil && len(shape) == 0
	if out != nil {
		x := Of(a)
		if err := s.c.checkOutput(&x, nil, out, shape); err != nil {
			return Value{}, err
		}
	} else if out, err = s.c.allocLike(t, shape, viewsIn(inputs)...); err != nil {
		return Value{}, err
	}
	if err := s.c.mapInto(scheduler.Map, "clip", k, uniforms, out, inputs...); err != nil {
		return Value{}, err
	}
	if scalar {
		out.Scalar = true
	}
	return Of(out), nil
}

func buildClip(b *tile.Builder, k programKey) {
	x := b.Cast(k.types[3], b.Load(k.types[0]))
	for i, op := range []tile.Opcode{tile.Max, tile.Min} {
		switch {
		case k.flags&(clipLowWeak<<i) != 0:
			x = b.Do(op, x, b.Uniform(k.types[3]))
		case k.flags&(clipLow<<i) != 0:
			x = b.Do(op, x, b.Cast(k.types[3], b.Load(k.types[1+i])))
		}
	}
	b.Store(x)
}
