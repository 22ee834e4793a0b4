package tile

import "fmt"

// DType is the type of one array element: an index into the dtypes table. The
// zero value is Invalid, so that a forgotten dtype is noticed.
type DType uint8

// The fourteen dtypes, in NumPy's order of kinds.
const (
	Invalid DType = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
	Complex64
	Complex128
)

// Kind is NumPy's kind character: what family of arithmetic a dtype follows.
type Kind uint8

// The kinds; each is one bit so that sets of kinds are masks.
const (
	KindBool Kind = 1 << iota
	KindInt
	KindUint
	KindFloat
	KindComplex
)

// dtypeRow is one row of the dtype table.
type dtypeRow struct {
	name string // NumPy's name, also the text form
	size int    // bytes of one element
	kind Kind
	char byte   // NumPy's type character, as in np.dtype(...).char
	fmt  string // struct format of the buffer protocol (PEP 3118)
	ptx  string // PTX type of the element in memory
	real DType  // type of the real part; the type itself unless complex
}

// dtypes is the table: a new dtype is a new row here and one in each back end.
var dtypes = [...]dtypeRow{
	Invalid:    {"invalid", 0, 0, 0, "", "", Invalid},
	Bool:       {"bool", 1, KindBool, '?', "?", "u8", Bool},
	Int8:       {"int8", 1, KindInt, 'b', "b", "s8", Int8},
	Int16:      {"int16", 2, KindInt, 'h', "h", "s16", Int16},
	Int32:      {"int32", 4, KindInt, 'i', "i", "s32", Int32},
	Int64:      {"int64", 8, KindInt, 'l', "l", "s64", Int64},
	Uint8:      {"uint8", 1, KindUint, 'B', "B", "u8", Uint8},
	Uint16:     {"uint16", 2, KindUint, 'H', "H", "u16", Uint16},
	Uint32:     {"uint32", 4, KindUint, 'I', "I", "u32", Uint32},
	Uint64:     {"uint64", 8, KindUint, 'L', "L", "u64", Uint64},
	Float16:    {"float16", 2, KindFloat, 'e', "e", "b16", Float16},
	Float32:    {"float32", 4, KindFloat, 'f', "f", "f32", Float32},
	Float64:    {"float64", 8, KindFloat, 'd', "d", "f64", Float64},
	Complex64:  {"complex64", 8, KindComplex, 'F', "Zf", "v2.f32", Float32},
	Complex128: {"complex128", 16, KindComplex, 'D', "Zd", "v2.f64", Float64},
}

// DTypes returns every dtype, for exhaustive tests and generators.
func DTypes() []DType {
	all := make([]DType, 0, len(dtypes)-1)
	for d := Bool; int(d) < len(dtypes); d++ {
		all = append(all, d)
	}
	return all
}

// String returns NumPy's name of the dtype.
func (d DType) String() string {
	if int(d) >= len(dtypes) {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the bytes of one element.
func (d DType) Size() int { return dtypes[d].size }

// Kind returns the family of arithmetic that the dtype follows.
func (d DType) Kind() Kind { return dtypes[d].kind }

// Char returns NumPy's type character.
func (d DType) Char() byte { return dtypes[d].char }

// Format returns the buffer protocol's format string.
func (d DType) Format() string { return dtypes[d].fmt }

// PTX returns the PTX memory type.
func (d DType) PTX() string { return dtypes[d].ptx }

// Real returns the dtype of the real part, which is d itself unless d is complex.
func (d DType) Real() DType { return dtypes[d].real }

// Is reports whether the dtype is of one of the given kinds (a mask).
func (d DType) Is(kinds Kind) bool { return dtypes[d].kind&kinds != 0 }

// ParseDType finds a dtype by its name.
func ParseDType(name string) (DType, error) {
	for d := Bool; int(d) < len(dtypes); d++ {
		if dtypes[d].name == name {
			return d, nil
		}
	}
	return Invalid, fmt.Errorf("tile: unknown dtype %q; see the table in tile/dtypes.go", name)
}
