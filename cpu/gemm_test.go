package cpu_test

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"unsafe"

	"weft/cpu"
	"weft/cpu/blas"
	"weft/tile"
)

// dense opens the library of the tree's Python environment, of WEFT_BLAS or of the system.
func dense() (*blas.Library, error) {
	s := blas.InEnvironment("../.venv")
	s.Path, s.Threads = os.Getenv("WEFT_BLAS"), 2
	return s.Open()
}

// pure is what computes where there is no library.
func pure() (*blas.Library, error) { return blas.Search{Path: blas.Gonum}.Open() }

// layout is how a matrix lies in a buffer of complex128 or smaller elements.
type layout struct {
	offset, down, right int // elements
}

// layouts are those of a matrix: by rows, by columns, with gaps, backwards, every second
// element, one row for all.
func layouts(rows, columns int) []layout {
	return []layout{
		{0, columns, 1}, {0, 1, rows}, {3, columns + 5, 1}, {7, 1, rows + 2},
		{rows*columns - 1, -columns, -1}, {0, 2 * columns, 2}, {1, 0, 1},
	}
}

// Products by the library agree with sums of products, whatever the layout of the factors
// and of the result.
func TestProductsByLibrary(t *testing.T) {
	for name, open := range map[string]func() (*blas.Library, error){"found": dense, "gonum": pure} {
		t.Run(name, func(t *testing.T) { testProducts(t, sync.OnceValues(open)) })
	}
}

// fewRows are those of products that are no library's.
const fewRows = 3

func testProducts(t *testing.T, open func() (*blas.Library, error)) {
	d := cpu.New(cpu.Options{Workers: 2, Dense: open})
	defer d.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range []tile.DType{tile.Float32, tile.Float64, tile.Complex64, tile.Complex128} {
		b := tile.NewBuilder("product", 3)
		b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(typ), b.Load(typ)))
		p := b.Program()
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range [][3]int{
			{33, 34, 35}, {1, 200, 200}, {200, 1, 200}, {190, 190, 1}, {3, 17, 5000}, {21, 1, 5000}, {131, 131, 37}, {40, 40, 100}, {100, 100, 25}, {33, 33, 40}, {2, 3, 5000}, {3, 3, 700}, {700, 3, 3}, {300, 64, 64},
		} {
			rows, columns, length := shape[0], shape[1], shape[2]
			block := tile.BlockShape(shape[:], 1<<2)
			blocks := tile.GridShape(shape[:], block)[2]
			size := typ.Size()
			room := 2*(rows+10)*(length+10) + 2*(columns+10)*(length+10)
			buf, err := d.Alloc(int64(room * size))
			if err != nil {
				t.Fatal(err)
			}
			out, err := d.Alloc(int64(2 * rows * columns * blocks * size))
			if err != nil {
				t.Fatal(err)
			}
			for i := range room {
				put(typ, unsafe.Add(buf.Host, i*size), complex(r.Float64()-0.5, r.Float64()-0.5))
			}
			value := func(l layout, i, k int) complex128 {
				return get(typ, unsafe.Add(buf.Host, (l.offset+i*l.down+k*l.right)*size))
			}
			for _, la := range layouts(rows, length) {
				lb := layouts(columns, length)[r.IntN(7)]
				if rows == columns && length > 1 && rows > fewRows { // a matrix and its own transpose
					lb = la
				}
				lo := []layout{{0, columns, 1}, {0, 1, rows}, {0, 2 * columns, 2}}[r.IntN(3)]
				bytes := func(n int) int64 { return int64(n * size) }
				l := &tile.Launch{Exe: exe, Program: p, Shape: shape[:], Origin: make([]int, 3), Block: block, Reduced: 1 << 2, Product: true, Args: []tile.Binding{
					{Buffer: buf, Offset: bytes(la.offset), Strides: []int64{bytes(la.down), 0, bytes(la.right)}},
					{Buffer: buf, Offset: bytes(lb.offset), Strides: []int64{0, bytes(lb.down), bytes(lb.right)}},
					{Buffer: out, Strides: []int64{bytes(lo.down), bytes(lo.right), bytes(2 * rows * columns)}},
				}}
				d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
				if err != nil {
					t.Fatal(err)
				}
				eps := 1e-15
				if typ == tile.Float32 || typ == tile.Complex64 {
					eps = 1e-6
				}
				for range 50 {
					i, j := r.IntN(rows), r.IntN(columns)
					want, got := complex128(0), complex128(0)
					for k := range length {
						want += value(la, i, k) * value(lb, j, k)
					}
					for n := range blocks {
						got += get(typ, unsafe.Add(out.Host, (i*lo.down+j*lo.right+2*n*rows*columns)*size))
					}
					if cmplx.Abs(got-want) > eps*float64(length+2) {
						t.Fatalf("%v %v, a %v, b %v, out %v: element (%d,%d) is %v, wanted %v", typ, shape, la, lb, lo, i, j, got, want)
					}
				}
			}
			d.Free(buf)
			d.Free(out)
		}
	}
}

func put(t tile.DType, p unsafe.Pointer, x complex128) {
	switch t {
	case tile.Float32:
		*(*float32)(p) = float32(real(x))
	case tile.Float64:
		*(*float64)(p) = real(x)
	case tile.Complex64:
		*(*complex64)(p) = complex64(x)
	default:
		*(*complex128)(p) = x
	}
}

func get(t tile.DType, p unsafe.Pointer) complex128 {
	switch t {
	case tile.Float32:
		return complex(float64(*(*float32)(p)), 0)
	case tile.Float64:
		return complex(*(*float64)(p), 0)
	case tile.Complex64:
		return complex128(*(*complex64)(p))
	}
	return *(*complex128)(p)
}

// A library that the user named and that cannot be loaded is an error. Without one, a product with
// 0*inf has the NaN that it must have.
func TestProductsWithoutLibrary(t *testing.T) {
	b := tile.NewBuilder("product", 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(tile.Float64), b.Load(tile.Float64)))
	p := b.Program()
	const n = 40
	missing := errors.New("no such file")
	for _, open := range []func() (*blas.Library, error){nil, pure, func() (*blas.Library, error) { return nil, missing }} {
		d := cpu.New(cpu.Options{Workers: 1, Dense: open})
		defer d.Close()
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		buf, err := d.Alloc(3 * n * n * 8)
		if err != nil {
			t.Fatal(err)
		}
		x := unsafe.Slice((*float64)(buf.Host), 3*n*n)
		for i := range x {
			x[i] = 1
		}
		x[0], x[n*n] = 0, math.Inf(1)        // the first row of a, the first column of b
		for _, step := range []int64{1, n} { // b by columns, and by rows
			l := &tile.Launch{Exe: exe, Program: p, Shape: []int{n, n, n}, Origin: make([]int, 3), Block: tile.BlockShape([]int{n, n, n}, 4), Reduced: 4, Product: true,
				Args: []tile.Binding{
					{Buffer: buf, Strides: []int64{n * 8, 0, 8}}, {Buffer: buf, Offset: n * n * 8, Strides: []int64{0, n * 8 / step, 8 * step}},
					{Buffer: buf, Offset: 2 * n * n * 8, Strides: []int64{n * 8, 8, 8}},
				}}
			d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
			got := x[2*n*n:]
			switch {
			case err != nil:
				if !errors.Is(err, missing) {
					t.Error(err)
				}
			case !math.IsNaN(got[0]) || got[1] != n-1 || !math.IsInf(got[n], 1) || got[n+1] != n:
				t.Errorf("got %v, wanted NaN and %d, then +Inf and %d", []float64{got[0], got[1], got[n], got[n+1]}, n-1, n)
			}
		}
	}
}
