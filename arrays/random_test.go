package arrays_test

import (
	encoding "encoding/binary"
	"errors"
	"math"
	"testing"

	"weft/arrays"
	"weft/tile"
)

// state is a generator for tests.
var state = arrays.Tuple(arrays.String("PCG64"), arrays.Int(0), arrays.Int(1), arrays.Int(2), arrays.Int(3), arrays.Int(5))

// draw calls a row of random.Generator and returns its elements.
func draw(t *testing.T, name string, dtype tile.DType, args ...any) []float64 {
	t.Helper()
	c := arrays.New(newDirect(t))
	a, err := c.Call("random.Generator."+name, append(append([]any{state}, args...), arrays.Keyword{Name: "dtype", Value: dtype})...)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := c.Call("astype", a, tile.Float64)
	if err != nil {
		t.Fatal(err)
	}
	data, err := wide.Bytes(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, len(data)/8)
	for i := range v {
		v[i] = math.Float64frombits(encoding.LittleEndian.Uint64(data[8*i:]))
	}
	return v
}

// numbers are the first numbers of the generator, by the opcode that the reference device defines.
func numbers(n int) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		var args []tile.Scalar
		for _, word := range []int{i, 1, 2, 3, 5} {
			args = append(args, tile.UintScalar(tile.Uint64, uint64(word)))
		}
		v[i] = tile.Eval(tile.PCG64, tile.Uint64, args...).Uint()
	}
	return v
}

// TestDraws compares the draws that NumPy has no numbers for with their definitions.
func TestDraws(t *testing.T) {
	const n = 500
	word := numbers(2 * n)
	unit := func(w uint64) float64 { return float64(w>>11) * 0x1p-53 }
	for _, c := range []struct {
		name string
		t    tile.DType
		args []any
		want func(i int) float64
		near float64
	}{
		{"standard_normal", tile.Float64, []any{n}, func(i int) float64 {
			return math.Sqrt(-2*math.Log(unit(word[i])+0x1p-53)) * math.Cos(2*math.Pi*unit(word[n+i]))
		}, 1e-14},
		{"standard_normal", tile.Float32, []any{n}, func(i int) float64 {
			return math.Sqrt(-2*math.Log((float64(word[i]>>24)+1)*0x1p-40)) * math.Cos(2*math.Pi*float64(word[i]&(1<<24-1))*0x1p-24)
		}, 1e-5},
		{"standard_exponential", tile.Float64, []any{n}, func(i int) float64 { return -math.Log(unit(word[i]) + 0x1p-53) }, 1e-14},
		{"standard_exponential", tile.Float32, []any{n}, func(i int) float64 { return -math.Log((float64(word[i]>>24) + 1) * 0x1p-40) }, 1e-5},
		{"integers", tile.Int64, []any{-3, 7, n}, func(i int) float64 { return float64(int(float64(word[i])*0x1p-64*10) - 3) }, 0},
		{"integers", tile.Int8, []any{-128, 128, n}, func(i int) float64 { return float64(int(word[i]>>56) - 128) }, 0},
		{"integers", tile.Uint16, []any{0, 999, n}, func(i int) float64 { return math.Floor(float64(word[i]) * 0x1p-64 * 999) }, 0},
	} {
		got := draw(t, c.name, c.t, c.args...)
		for i, v := range got {
			if want := c.want(i); !(math.Abs(v-want) <= c.near*max(1, math.Abs(want))) {
				t.Errorf("%s of %v: element %d is %v, want %v", c.name, c.t, i, v, want)
				break
			}
		}
		if len(got) != n {
			t.Errorf("%s of %v: %d elements, want %d", c.name, c.t, len(got), n)
		}
	}
}

// TestDrawsOfTheEnds draws from generators whose first number has all bits clear or set: no
// logarithm may be infinite, no float 1.
func TestDrawsOfTheEnds(t *testing.T) {
	c := arrays.New(newDirect(t))
	// The state 0 with increment 0 stays 0, whose number is 0.
	zero := arrays.Tuple(arrays.String("PCG64"), arrays.Int(0), arrays.Int(0), arrays.Int(0), arrays.Int(0), arrays.Int(0))
	for name, want := range map[string]float64{"random": 0, "standard_normal": math.Sqrt(106 * math.Ln2), "standard_exponential": 53 * math.Ln2} {
		a, err := c.Call("random.Generator."+name, zero, 1)
		if err != nil {
			t.Fatal(err)
		}
		x, err := a.Item(nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(x.Float()-want) > 1e-14 {
			t.Errorf("%s of the number 0 is %v, want %v", name, x.Float(), want)
		}
	}
}

// words is a state with ones and another last word.
func words(name string, last arrays.Value) arrays.Value {
	one := arrays.Int(1)
	return arrays.Tuple(arrays.String(name), one, one, one, one, last)
}

// TestDrawRefusals gives what is no state of a generator.
func TestDrawRefusals(t *testing.T) {
	c := arrays.New(newDirect(t))
	for _, self := range []any{1, arrays.Tuple(arrays.String("PCG64")), words("MT19937", arrays.Int(1)), words("Philox", arrays.Float(1))} {
		_, err := c.Call("random.Generator.random", self, 3)
		var fallback *arrays.Fallback
		if !errors.As(err, &fallback) {
			t.Errorf("a state %v: got %v, want a fallback", self, err)
		}
	}
}
