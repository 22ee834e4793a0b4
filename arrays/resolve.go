package arrays

import (
	"strings"

	"weft/tile"
)

// resolution is what a ufunc does with operands of given types: which loop runs, and the
// programs for it, by the rank of the index space. A Context keeps one for each
// combination that it has met, so that a repeated operation costs one map lookup.
type resolution struct {
	from     [2]tile.DType // the operands' dtypes; those of weak operands don't matter
	in       [2]tile.DType // the loop's operand dtypes
	loopOut  tile.DType
	result   tile.DType // of the array that is written
	numbers  [2]bool    // operands that are uniforms and not arrays
	programs [maxDims + 1]*tile.Program
	err      error
}

// resolve finds the loop of a ufunc. out is the dtype of a given output or Invalid, want
// that of the dtype argument or Invalid.
func (c *Context) resolve(u Ufunc, x, y operandType, out, want tile.DType) *resolution {
	key := uint64(u)<<32 | uint64(x)<<24 | uint64(y)<<16 | uint64(out)<<8 | uint64(want)
	r := c.resolved[key]
	if r == nil {
		r = newResolution(u, x, y, out, want)
		c.resolved[key] = r
	}
	return r
}

func newResolution(u Ufunc, x, y operandType, out, want tile.DType) *resolution {
	row := &ufuncs[u]
	r := &resolution{numbers: [2]bool{x.number(), y.number() && row.inputs == 2}}
	types := []operandType{x, y}[:row.inputs]
	common := promote(types...)
	for i, t := range types {
		switch {
		case t == weakBool:
			r.in[i] = tile.Bool
		case t.weak():
			r.in[i] = common
		default:
			r.in[i] = t.dtype()
		}
	}
	r.from = r.in
	r.err = r.findLoop(u, types)
	if want != tile.Invalid && (r.err != nil || r.loopOut != want) { // the operands' own loop may have that result: comparisons with dtype=bool, abs of complex numbers with dtype=float
		r.in = r.from
		r.err = r.findOutput(row, types, want)
	}
	if r.err != nil {
		return r
	}
	r.result = r.loopOut
	if out != tile.Invalid {
		if !canCast(r.loopOut, out, "same_kind") {
			r.err = errorf("UFuncTypeError", "Cannot cast ufunc '%s' output from dtype('%v') to dtype('%v') with casting rule 'same_kind'",
				row.plain(), r.loopOut, out)
		}
		r.result = out
	}
	if r.err == nil && r.program(u, 1) == nil {
		r.err = &Fallback{row.name + " of " + r.in[0].String()}
	}
	return r
}

// findLoop takes the loop of the operands' own types, or the first that every operand can safely
// be cast to.
func (r *resolution) findLoop(u Ufunc, types []operandType) error {
	row := &ufuncs[u]
	n := row.inputs
	whole := tile.KindBool | tile.KindInt | tile.KindUint
	switch {
	case u == Divide && r.in[0].Is(whole) && r.in[1].Is(whole):
		r.in[0], r.in[1], r.loopOut = tile.Float64, tile.Float64, tile.Float64
		return nil
	case u == Subtract && r.in[0] == tile.Bool && r.in[1] == tile.Bool:
		return errorf("TypeError", "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead.")
	case u == Negative && r.in[0] == tile.Bool:
		return errorf("TypeError", "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead.")
	case (u == Sign || u == Positive) && r.in[0] == tile.Bool:
		return errorf("UFuncTypeError", "ufunc '%s' did not contain a loop with signature matching types <class 'numpy.dtypes.BoolDType'> -> None", row.plain())
	}
	for _, rule := range []string{"no", "safe"} { // SciPy's loops for float64 stand before those for float32
		for _, loop := range strings.Fields(loopTexts[row.name]) {
			ok := true
			for i, t := range types {
				ok = ok && canCast(r.in[i], ofChar(loop[i]), rule) && !(rule == "no" && t.weak())
			}
			if ok {
				r.take(loop, n)
				return nil
			}
		}
	}
	return noLoop(row.plain())
}

// noLoop says that a ufunc has nothing for the operands' dtypes.
func noLoop(name string) error {
	return errorf("TypeError", "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting rule ''safe''", name)
}

// plain is the name without its namespace, as messages have it.
func (row *ufuncRow) plain() string { return strings.TrimPrefix(row.name, "special.") }

// findOutput takes the loop whose output is the dtype argument.
func (r *resolution) findOutput(row *ufuncRow, types []operandType, want tile.DType) error {
	for _, loop := range strings.Fields(loopTexts[row.name]) {
		if ofChar(loop[len(loop)-1]) != want || row.inputs == 2 && loop[0] != loop[1] {
			continue
		}
		if want == tile.Bool && ofChar(loop[0]) != tile.Bool {
			continue // a comparison's operands are not decided by its result
		}
		for i, t := range types {
			to := ofChar(loop[i])
			if alone := row.inputs == 1; (alone || !t.weak()) && !canCast(r.in[i], to, "same_kind") { // a number that stands alone is an array's element
				number := ""
				if row.inputs > 1 {
					number = " " + string(rune('0'+i))
				}
				return errorf("UFuncTypeError", "Cannot cast ufunc '%s' input%s from dtype('%v') to dtype('%v') with casting rule 'same_kind'",
					row.plain(), number, r.in[i], to)
			}
			if row.inputs > 1 && t.weak() && t != weakBool && withWeak(to, t) != to {
				return &Fallback{"dtype= below a Python scalar's kind"}
			}
		}
		r.take(loop, row.inputs)
		return nil
	}
	return &Fallback{row.name + " with dtype=" + want.String()}
}

func (r *resolution) take(loop string, inputs int) {
	for i := range inputs {
		r.in[i] = ofChar(loop[i])
	}
	r.loopOut = ofChar(loop[len(loop)-1])
}

// ofChar finds a dtype by NumPy's type character.
func ofChar(char byte) tile.DType {
	for t := tile.Bool; t <= tile.Complex128; t++ {
		if t.Char() == char {
			return t
		}
	}
	return tile.Invalid
}
