package arrays

import (
	"math"

	"weft/tile"
)

// Ufunc names a row of the ufunc table. Operators of the language bindings use it to reach
// the row without a search by name.
type Ufunc uint8

// The ufuncs.
const (
	Add Ufunc = iota
	Subtract
	Multiply
	Divide
	FloorDivide
	Remainder
	Power
	FloatPower
	Negative
	Positive
	Absolute
	Fabs
	Sign
	Minimum
	Maximum
	Fmin
	Fmax
	Equal
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	LogicalAnd
	LogicalOr
	LogicalXor
	LogicalNot
	BitwiseAnd
	BitwiseOr
	BitwiseXor
	Invert
	LeftShift
	RightShift
	Sqrt
	Square
	Reciprocal
	Exp
	Log
	Sin
	Cos
	Tanh
	Exp2
	Expm1
	Log2
	Log10
	Log1p
	Logaddexp
	Logaddexp2
	Tan
	Arcsin
	Arccos
	Arctan
	Arctan2
	Sinh
	Cosh
	Arcsinh
	Arccosh
	Arctanh
	Cbrt
	Hypot
	Fmod
	Copysign
	Signbit
	Heaviside
	Floor
	Ceil
	Trunc
	Rint
	IsNaN
	IsInf
	IsFinite
	Conjugate
	Deg2rad
	Rad2deg
	Erf
	Erfc
	Gamma
	Gammaln
	Expit
	LogExpit
	Logit
	Xlogy
	Xlog1py
	Entr
	Ndtr
	ufuncCount
)

// ufuncRow is one row of the ufunc table. NumPy's loops for it are in numpy_tables.go.
type ufuncRow struct {
	name    string
	inputs  int
	aliases string // other names in NumPy's namespace, blank-separated
	body    body
	doc     string
}

// body adds what a ufunc computes on one element. in are the operands, of the loop's input
// dtypes; out is the loop's output dtype, which the result must have or be cast to. It
// returns tile.NoValue for loops that are left to NumPy.
type body func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value

// ufuncs is the table: a new elementwise function is one row here, its name in
// testdata/tables.py, and a case in testdata/conformance.
var ufuncs = [...]ufuncRow{
	Add:          {"add", 2, "", perKind(tile.Or, tile.Add), "Add arguments element-wise."},
	Subtract:     {"subtract", 2, "", primitive(tile.Sub), "Subtract arguments, element-wise."},
	Multiply:     {"multiply", 2, "", perKind(tile.And, tile.Mul), "Multiply arguments element-wise."},
	Divide:       {"divide", 2, "true_divide", primitiveOn(tile.Div), "Divide arguments element-wise."},
	FloorDivide:  {"floor_divide", 2, "", primitive(tile.FloorDiv), "Return the largest integer smaller or equal to the division of the inputs."},
	Remainder:    {"remainder", 2, "mod", primitive(tile.Rem), "Returns the element-wise remainder of division."},
	Power:        {"power", 2, "pow", primitive(tile.Pow), "First array elements raised to powers from second array, element-wise."},
	FloatPower:   {"float_power", 2, "", primitive(tile.Pow), "First array elements raised to powers from second array, element-wise, in at least float64."},
	Negative:     {"negative", 1, "", primitive(tile.Neg), "Numerical negative, element-wise."},
	Positive:     {"positive", 1, "", identity, "Numerical positive, element-wise."},
	Absolute:     {"absolute", 1, "abs", absolute, "Calculate the absolute value element-wise."},
	Fabs:         {"fabs", 1, "", primitive(tile.Abs), "Compute the absolute values element-wise; always in floats."},
	Sign:         {"sign", 1, "", primitive(tile.Sign), "Returns an element-wise indication of the sign of a number."},
	Minimum:      {"minimum", 2, "", primitive(tile.Min), "Element-wise minimum of array elements; NaNs propagate."},
	Maximum:      {"maximum", 2, "", primitive(tile.Max), "Element-wise maximum of array elements; NaNs propagate."},
	Fmin:         {"fmin", 2, "", ignoreNaN(tile.Min), "Element-wise minimum of array elements; NaNs are ignored."},
	Fmax:         {"fmax", 2, "", ignoreNaN(tile.Max), "Element-wise maximum of array elements; NaNs are ignored."},
	Equal:        {"equal", 2, "", comparison(tile.Eq), "Return (x1 == x2) element-wise."},
	NotEqual:     {"not_equal", 2, "", comparison(tile.Ne), "Return (x1 != x2) element-wise."},
	Less:         {"less", 2, "", comparison(tile.Lt), "Return the truth value of (x1 < x2) element-wise."},
	LessEqual:    {"less_equal", 2, "", comparison(tile.Le), "Return the truth value of (x1 <= x2) element-wise."},
	Greater:      {"greater", 2, "", comparison(tile.Gt), "Return the truth value of (x1 > x2) element-wise."},
	GreaterEqual: {"greater_equal", 2, "", comparison(tile.Ge), "Return the truth value of (x1 >= x2) element-wise."},
	LogicalAnd:   {"logical_and", 2, "", primitiveOn(tile.And), "Compute the truth value of x1 AND x2 element-wise."},
	LogicalOr:    {"logical_or", 2, "", primitiveOn(tile.Or), "Compute the truth value of x1 OR x2 element-wise."},
	LogicalXor:   {"logical_xor", 2, "", primitiveOn(tile.Xor), "Compute the truth value of x1 XOR x2, element-wise."},
	LogicalNot:   {"logical_not", 1, "", primitiveOn(tile.Not), "Compute the truth value of NOT x element-wise."},
	BitwiseAnd:   {"bitwise_and", 2, "", primitive(tile.And), "Compute the bit-wise AND of two arrays element-wise."},
	BitwiseOr:    {"bitwise_or", 2, "", primitive(tile.Or), "Compute the bit-wise OR of two arrays element-wise."},
	BitwiseXor:   {"bitwise_xor", 2, "", primitive(tile.Xor), "Compute the bit-wise XOR of two arrays element-wise."},
	Invert:       {"invert", 1, "bitwise_not bitwise_invert", primitive(tile.Not), "Compute bit-wise inversion, or bit-wise NOT, element-wise."},
	LeftShift:    {"left_shift", 2, "bitwise_left_shift", primitive(tile.Shl), "Shift the bits of an integer to the left."},
	RightShift:   {"right_shift", 2, "bitwise_right_shift", primitive(tile.Shr), "Shift the bits of an integer to the right."},
	Sqrt:         {"sqrt", 1, "", primitive(tile.Sqrt), "Return the non-negative square-root of an array, element-wise."},
	Square:       {"square", 1, "", square, "Return the element-wise square of the input."},
	Reciprocal:   {"reciprocal", 1, "", reciprocal, "Return the reciprocal of the argument, element-wise."},
	Exp:          {"exp", 1, "", primitive(tile.Exp), "Calculate the exponential of all elements in the input array."},
	Log:          {"log", 1, "", primitive(tile.Log), "Natural logarithm, element-wise."},
	Sin:          {"sin", 1, "", primitive(tile.Sin), "Trigonometric sine, element-wise."},
	Cos:          {"cos", 1, "", primitive(tile.Cos), "Cosine element-wise."},
	Tanh:         {"tanh", 1, "", primitive(tile.Tanh), "Compute hyperbolic tangent element-wise."},
	Exp2:         {"exp2", 1, "", primitive(tile.Exp2), "Calculate 2**p for all p in the input array."},
	Expm1:        {"expm1", 1, "", primitive(tile.Expm1), "Calculate exp(x) - 1 for all elements in the array."},
	Log2:         {"log2", 1, "", complexLogOver(tile.Log2, math.Ln2), "Base-2 logarithm of x."},
	Log10:        {"log10", 1, "", complexLogOver(tile.Log10, math.Ln10), "Return the base 10 logarithm of the input array, element-wise."},
	Log1p:        {"log1p", 1, "", primitive(tile.Log1p), "Return the natural logarithm of one plus the input array, element-wise."},
	Logaddexp:    {"logaddexp", 2, "", logOfSum(tile.Exp), "Logarithm of the sum of exponentiations of the inputs."},
	Logaddexp2:   {"logaddexp2", 2, "", logOfSum(tile.Exp2), "Logarithm of the sum of exponentiations of the inputs in base 2."},
	Tan:          {"tan", 1, "", primitive(tile.Tan), "Compute tangent element-wise."},
	Arcsin:       {"arcsin", 1, "asin", primitive(tile.Asin), "Inverse sine, element-wise."},
	Arccos:       {"arccos", 1, "acos", primitive(tile.Acos), "Trigonometric inverse cosine, element-wise."},
	Arctan:       {"arctan", 1, "atan", primitive(tile.Atan), "Trigonometric inverse tangent, element-wise."},
	Arctan2:      {"arctan2", 2, "atan2", primitive(tile.Atan2), "Element-wise arc tangent of x1/x2 choosing the quadrant correctly."},
	Sinh:         {"sinh", 1, "", onParts(tile.Sinh, complexSinh), "Hyperbolic sine, element-wise."},
	Cosh:         {"cosh", 1, "", onParts(tile.Cosh, complexCosh), "Hyperbolic cosine, element-wise."},
	Arcsinh:      {"arcsinh", 1, "asinh", primitive(tile.Asinh), "Inverse hyperbolic sine element-wise."},
	Arccosh:      {"arccosh", 1, "acosh", primitive(tile.Acosh), "Inverse hyperbolic cosine, element-wise."},
	Arctanh:      {"arctanh", 1, "atanh", primitive(tile.Atanh), "Inverse hyperbolic tangent element-wise."},
	Cbrt:         {"cbrt", 1, "", primitive(tile.Cbrt), "Return the cube-root of an array, element-wise."},
	Hypot:        {"hypot", 2, "", primitive(tile.Hypot), "Given the \"legs\" of a right triangle, return its hypotenuse."},
	Fmod:         {"fmod", 2, "", fmod, "Returns the element-wise remainder of division, with the dividend's sign."},
	Copysign:     {"copysign", 2, "", primitive(tile.Copysign), "Change the sign of x1 to that of x2, element-wise."},
	Signbit:      {"signbit", 1, "", signbit, "Returns element-wise True where signbit is set (less than zero)."},
	Heaviside:    {"heaviside", 2, "", heaviside, "Compute the Heaviside step function."},
	Floor:        {"floor", 1, "", rounding(tile.Floor), "Return the floor of the input, element-wise."},
	Ceil:         {"ceil", 1, "", rounding(tile.Ceil), "Return the ceiling of the input, element-wise."},
	Trunc:        {"trunc", 1, "", rounding(tile.Trunc), "Return the truncated value of the input, element-wise."},
	Rint:         {"rint", 1, "", rint, "Round elements of the array to the nearest integer."},
	IsNaN:        {"isnan", 1, "", floatTest(tile.IsNaN, false), "Test element-wise for NaN and return result as a boolean array."},
	IsInf:        {"isinf", 1, "", floatTest(tile.IsInf, false), "Test element-wise for positive or negative infinity."},
	IsFinite:     {"isfinite", 1, "", floatTest(tile.IsFinite, true), "Test element-wise for finiteness (not infinity and not Not a Number)."},
	Conjugate:    {"conjugate", 1, "conj", conjugate, "Return the complex conjugate, element-wise."},
	Deg2rad:      {"deg2rad", 1, "radians", scaled(degree), "Convert angles from degrees to radians."},
	Rad2deg:      {"rad2deg", 1, "degrees", scaled(1 / degree), "Convert angles from radians to degrees."},

	// SciPy's names and loops; exp2, expm1, log1p and cbrt are the same there.
	Erf:      {"special.erf", 1, "", special(tile.Erf), "Error function."},
	Erfc:     {"special.erfc", 1, "", special(tile.Erfc), "Complementary error function, 1 - erf(x)."},
	Gamma:    {"special.gamma", 1, "", special(tile.Gamma), "Gamma function."},
	Gammaln:  {"special.gammaln", 1, "", onFloats(gammaln), "Logarithm of the absolute value of the gamma function."},
	Expit:    {"special.expit", 1, "", onFloats(expit), "Logistic function, 1/(1+exp(-x))."},
	LogExpit: {"special.log_expit", 1, "", onFloats(logExpit), "Logarithm of the logistic function."},
	Logit:    {"special.logit", 1, "", onFloats(logit), "Inverse of the logistic function, log(x/(1-x))."},
	Xlogy:    {"special.xlogy", 2, "", xTimes(tile.Log), "x*log(y), and 0 where x is 0."},
	Xlog1py:  {"special.xlog1py", 2, "", xTimes(tile.Log1p), "x*log1p(y), and 0 where x is 0."},
	Entr:     {"special.entr", 1, "", onFloats(entr), "-x*log(x), the elementwise function of entropy."},
	Ndtr:     {"special.ndtr", 1, "", onFloats(ndtr), "Cumulative distribution of the standard normal distribution."},
}

// Name returns NumPy's name of the ufunc.
func (u Ufunc) Name() string { return ufuncs[u].name }

// Inputs returns the number of operands.
func (u Ufunc) Inputs() int { return ufuncs[u].inputs }

// Ufuncs returns every ufunc, for generators and exhaustive tests.
func Ufuncs() []Ufunc {
	all := make([]Ufunc, ufuncCount)
	for i := range all {
		all[i] = Ufunc(i)
	}
	return all
}
