package jit

import (
	"fmt"
	"strings"

	"weft/tile"
)

// TypeKind is what family a Type belongs to.
type TypeKind uint8

// The kinds of types.
const (
	Number  TypeKind = iota // a scalar of a dtype
	Array                   // of a dtype and a number of axes
	Tuple                   // of Items
	None                    // Python's None
	Records                 // an array of Items, one for each field, of Names
	Object                  // what is known while compiling: a function, module, dtype or string; Name says which
)

// Type is what Numba would call the type of an expression.
type Type struct {
	Kind  TypeKind
	DType tile.DType
	Axes  int
	Items []Type
	Name  string   // of an Object, or of a vector type, which is a Tuple
	Names []string // of the items of a Tuple, or the fields of Records
	Maybe bool     // it is None on some paths; Numba's Optional
}

// Of returns the type of a scalar.
func Of(d tile.DType) Type { return Type{Kind: Number, DType: d} }

// ArrayOf returns the type of an array.
func ArrayOf(d tile.DType, axes int) Type { return Type{Kind: Array, DType: d, Axes: axes} }

// String spells the type as Numba does.
func (t Type) String() string {
	if t.Maybe && t.Kind != None {
		return fmt.Sprintf("OptionalType(%v)", t.bare())
	}
	switch t.Kind {
	case Number:
		return t.DType.String()
	case Array:
		return fmt.Sprintf("array(%v, %dd)", t.DType, t.Axes)
	case None:
		return "none"
	case Object:
		return t.Name
	case Records:
		fields := make([]string, len(t.Names))
		for i, name := range t.Names {
			fields[i] = name + ": " + t.Items[i].DType.String()
		}
		return fmt.Sprintf("array(Record(%s), %dd)", strings.Join(fields, ", "), t.Axes)
	}
	if t.Name != "" {
		return t.Name
	}
	if name := t.enumeration(); name != "" {
		return fmt.Sprintf("Enum<%v>(%s)", t.Items[0], name)
	}
	words := make([]string, len(t.Items))
	same := len(t.Items) > 1
	for i, item := range t.Items {
		words[i] = item.String()
		same = same && words[i] == words[0]
	}
	if same {
		return fmt.Sprintf("UniTuple(%s x %d)", words[0], len(words))
	}
	return "Tuple(" + strings.Join(words, ", ") + ")"
}

// Widths in bits, by which Numba's rules order numbers. Integers of up to 16 bits fit a float32.
const (
	kindsInteger = tile.KindBool | tile.KindInt | tile.KindUint
	kindsInexact = tile.KindFloat | tile.KindComplex
)

// arithmetic returns the dtype in which Numba computes with two dtypes: integers in 64 bits, unsigned where both are;
// others in the narrowest float or complex that holds both, where only int8, uint8 and int16 fit a float32.
func arithmetic(a, b tile.DType) tile.DType {
	if a.Is(kindsInteger) && b.Is(kindsInteger) {
		if a.Is(tile.KindUint) && b.Is(tile.KindUint) {
			return tile.Uint64
		}
		return tile.Int64
	}
	if a == tile.Float16 && b == tile.Float16 {
		return a
	}
	double := floatBits(a) > 32 || floatBits(b) > 32
	if a == tile.Float16 && b.Is(kindsInteger) || b == tile.Float16 && a.Is(kindsInteger) {
		double = true
	}
	switch complexes := a.Is(tile.KindComplex) || b.Is(tile.KindComplex); {
	case complexes && double:
		return tile.Complex128
	case complexes:
		return tile.Complex64
	case double:
		return tile.Float64
	}
	return tile.Float32
}

// floatBits returns how wide a float has to be that takes a dtype's numbers.
func floatBits(d tile.DType) int {
	switch {
	case d.Is(tile.KindComplex):
		return d.Size() * 4
	case d.Is(tile.KindFloat):
		return d.Size() * 8
	case d.Size() <= 2 && d != tile.Uint16: // from which Numba has no conversion to float32
		return 32
	}
	return 64
}

// unify returns the dtype of a name that is of one of two dtypes where paths join: NumPy's promotion, in which a bool
// becomes any number.
func unify(a, b tile.DType) tile.DType {
	switch {
	case a == b || b == tile.Bool:
		return a
	case a == tile.Bool:
		return b
	case a.Is(kindsInexact) || b.Is(kindsInexact):
		return promoteInexact(a, b)
	case a.Is(tile.KindUint) == b.Is(tile.KindUint):
		if a.Size() >= b.Size() {
			return a
		}
		return b
	}
	if b.Is(tile.KindInt) { // then a is the signed one
		a, b = b, a
	}
	for _, d := range []tile.DType{tile.Int16, tile.Int32, tile.Int64} {
		if d.Size() > b.Size() && d.Size() >= a.Size() {
			return d
		}
	}
	return tile.Float64
}

func promoteInexact(a, b tile.DType) tile.DType {
	bits := func(d tile.DType) int {
		if d.Is(kindsInteger) {
			return min(16*d.Size(), 64) // 8 bits fit a float16
		}
		return floatBits(d)
	}
	n := max(bits(a), bits(b))
	switch complexes := a.Is(tile.KindComplex) || b.Is(tile.KindComplex); {
	case complexes && n > 32:
		return tile.Complex128
	case complexes:
		return tile.Complex64
	case n > 32:
		return tile.Float64
	case n > 16:
		return tile.Float32
	}
	return tile.Float16
}

// toFloat returns the dtype in which a mathematical function is computed: floats and complex numbers stay, others are
// float64.
func toFloat(d tile.DType) tile.DType {
	if d.Is(kindsInexact) {
		return d
	}
	return tile.Float64
}
