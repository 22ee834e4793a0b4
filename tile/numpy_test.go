package tile

import (
	"bufio"
	"math/cmplx"
	"os"
	"strconv"
	"strings"
	"testing"
)

// numpyTolerance is how far, in units in the last place, NumPy may be from the reference; 0
// where it isn't listed. NumPy's own vector loops are within 4,
// Python's gamma function is within 20,
// its logarithm not so near the zeros.
var numpyTolerance = map[Opcode]float64{
	Pow: 4, Exp: 4, Log: 4, Sin: 4, Cos: 4, Tanh: 4, Exp2: 4, Expm1: 4, Log2: 4, Log10: 4, Log1p: 4, Tan: 4, Asin: 4, Acos: 4,
	Atan: 4, Atan2: 4, Sinh: 4, Cosh: 4, Asinh: 4, Acosh: 4, Atanh: 4, Cbrt: 4, Hypot: 4, Erf: 4, Erfc: 4, Gamma: 20, LogGamma: 100,
}

// TestNumPy compares the reference with NumPy's results in testdata/numpy.txt.
func TestNumPy(t *testing.T) {
	f, err := os.Open("testdata/numpy.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	values := map[DType][]Scalar{}
	seen := map[[2]string]bool{}
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		w := strings.Fields(scan.Text())
		d := mustDType(t, w[1])
		if w[0] == "values" {
			values[d] = parseBits(t, d, w[2:])
			continue
		}
		op, err := ParseOpcode(w[0])
		if err != nil {
			t.Fatal(err)
		}
		seen[[2]string{w[0], w[1]}] = true
		result := mustDType(t, w[2])
		want := parseBits(t, result, w[3:])
		x := values[d]
		if op.Arity() == 1 {
			for i, a := range x {
				compareNumPy(t, op, result, want[i], a)
			}
			continue
		}
		for i, a := range x {
			for j, b := range x {
				if op == Pow && d.Is(KindInt) && b.Int() < 0 {
					continue
				}
				compareNumPy(t, op, result, want[i*len(x)+j], []Scalar{a, b, a, b, a}[:op.Arity()]...)
			}
		}
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	for _, op := range Opcodes() {
		for _, d := range DTypes() {
			if op.IsScalar() && op.Accepts(d) && op != Select && op != MakeComplex && !seen[[2]string{op.String(), d.String()}] {
				t.Errorf("testdata/numpy.txt has no line for %v %v; add it to numpy_reference.py", op, d)
			}
		}
	}
}

func compareNumPy(t *testing.T, op Opcode, result DType, want Scalar, args ...Scalar) {
	t.Helper()
	if args[0].Type.Is(KindComplex) && numpyTolerance[op]+complexTolerance[op] > 0 {
		for _, a := range args { // C99 leaves much open there
			if hasNaN(a.Complex()) || hasInf(a.Complex()) {
				return
			}
		}
		if op == Pow && cmplx.Abs(args[1].Complex()) > 10 {
			return
		}
	}
	tolerance := numpyTolerance[op]
	if args[0].Type.Is(KindComplex) {
		tolerance = max(tolerance, complexTolerance[op])
	}
	got := Eval(op, result, args...)
	if d := UlpDistance(want, got); !(d <= tolerance) {
		t.Errorf("%v %v %v: got %v, NumPy gives %v (%.3g ulp; want at most %v)", op, result, args, got, want, d, tolerance)
	}
}

// complexTolerance is numpyTolerance for complex operands.
// The angle of a power has an error in proportion to the exponent, in NumPy too.
var complexTolerance = map[Opcode]float64{Abs: 4, Sqrt: 4, Pow: 128}

func mustDType(t *testing.T, name string) DType {
	t.Helper()
	d, err := ParseDType(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parseBits(t *testing.T, d DType, words []string) []Scalar {
	t.Helper()
	out := make([]Scalar, len(words))
	for i, w := range words {
		s := Scalar{Type: d}
		if len(w) > 16 {
			s.Bits[1] = parseHex(t, w[:len(w)-16])
			w = w[len(w)-16:]
		}
		s.Bits[0] = parseHex(t, w)
		out[i] = s
	}
	return out
}

func parseHex(t *testing.T, w string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(w, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
