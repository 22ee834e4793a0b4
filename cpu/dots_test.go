package cpu_test

import (
	"math"
	"sync"
	"testing"
	"unsafe"

	"weft/cpu"
	"weft/tile"
)

// Products of vectors have the bits of the canonical order, block by block, on every instruction set.
func TestProductsOfVectors(t *testing.T) {
	b := tile.NewBuilder("product", 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(tile.Float64), b.Load(tile.Float64)))
	p := b.Program()
	const rows, most = 3, 300
	for _, isa := range cpu.ISAs() {
		d := cpu.New(cpu.Options{Workers: 1, ISA: isa})
		defer d.Close()
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		buf, err := d.Alloc(8 * (2*rows*most + rows*most))
		if err != nil {
			t.Fatal(err)
		}
		x := unsafe.Slice((*float64)(buf.Host), 3*rows*most)
		for i := range x {
			x[i] = math.Sin(float64(i)*1.7) / float64(1+i%5)
		}
		out := x[2*rows*most:]
		for _, n := range []int{32, 33, 63, 64, 95, 100, 300} {
			for _, block := range []int{n, 40} {
				blocks := (n + block - 1) / block
				l := &tile.Launch{Exe: exe, Program: p, Shape: []int{rows, 1, n}, Origin: make([]int, 3), Block: []int{1, 1, block}, Reduced: 4,
					Args: []tile.Binding{
						{Buffer: buf, Strides: []int64{most * 8, 0, 8}}, {Buffer: buf, Offset: rows * most * 8, Strides: []int64{most * 8, 0, 8}},
						{Buffer: buf, Offset: 2 * rows * most * 8, Strides: []int64{int64(blocks) * 8, 0, 8}},
					}}
				d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
				if err != nil {
					t.Fatal(err)
				}
				for r := range rows {
					for k := range blocks {
						from, to := r*most+k*block, r*most+min(n, (k+1)*block)
						if want := summed(x[from:to], x[rows*most+from:rows*most+to]); out[r*blocks+k] != want {
							t.Errorf("%s: %d elements in blocks of %d: row %d, block %d is %v, want %v", isa, n, block, r, k, out[r*blocks+k], want)
						}
					}
				}
			}
		}
	}
}

// Products of few vectors have those bits, too, also where there is a library.
func TestProductsOfFewVectors(t *testing.T) {
	b := tile.NewBuilder("product", 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(tile.Float64), b.Load(tile.Float64)))
	p := b.Program()
	const most = 1200
	for _, isa := range cpu.ISAs() {
		d := cpu.New(cpu.Options{Workers: 1, ISA: isa, Dense: sync.OnceValues(dense)})
		defer d.Close()
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		buf, err := d.Alloc(8 * 9 * most)
		if err != nil {
			t.Fatal(err)
		}
		x := unsafe.Slice((*float64)(buf.Host), 9*most)
		for i := range x {
			x[i] = math.Sin(float64(i)*1.7) / float64(1+i%5)
		}
		out := x[6*most:]
		for _, shape := range [][3]int{{2, 2, 255}, {2, 2, 300}, {2, 3, 256}, {3, 2, 1000}, {3, 3, 1200}, {3, 3, 257}} {
			rows, columns, n := shape[0], shape[1], shape[2]
			for _, block := range []int{n, 110} {
				blocks := (n + block - 1) / block
				l := &tile.Launch{Exe: exe, Program: p, Shape: shape[:], Origin: make([]int, 3), Block: []int{1, 1, block}, Reduced: 4, Product: true,
					Args: []tile.Binding{
						{Buffer: buf, Strides: []int64{most * 8, 0, 8}}, {Buffer: buf, Offset: 3 * most * 8, Strides: []int64{0, most * 8, 8}},
						{Buffer: buf, Offset: 6 * most * 8, Strides: []int64{int64(columns) * 8, 8, int64(rows*columns) * 8}},
					}}
				d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
				if err != nil {
					t.Fatal(err)
				}
				for i := range rows {
					for j := range columns {
						for k := range blocks {
							lo, hi := k*block, min(n, (k+1)*block)
							want, got := summed(x[i*most+lo:i*most+hi], x[(3+j)*most+lo:(3+j)*most+hi]), out[(k*rows+i)*columns+j]
							if got != want {
								t.Errorf("%s: %v in blocks of %d: row %d, column %d, block %d is %v, want %v", isa, shape, block, i, j, k, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// summed is one block of the canonical order, of package tile.
func summed(x, y []float64) float64 {
	var lanes [tile.Lanes]float64
	for i := range x {
		term := float64(x[i] * y[i])
		if i < tile.Lanes {
			lanes[i] = term
		} else {
			lanes[i%tile.Lanes] += term
		}
	}
	for s := tile.Lanes / 2; s > 0; s /= 2 {
		for l := 0; l < s && l+s < len(x); l++ {
			lanes[l] += lanes[l+s]
		}
	}
	return lanes[0] + 0
}
