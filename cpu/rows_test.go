package cpu

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"weft/tile"
)

// TestEndsOfRows runs strips on rows of every length between fences: nothing beyond a row is read or
// written, and the elements are those of the reference.
func TestEndsOfRows(t *testing.T) {
	ref := tile.NewReference(0, time.Now(), nil)
	defer func() {
		if err := ref.Close(); err != nil {
			t.Error(err)
		}
	}()
	const high, apart = 3, 2 // rows, and elements from the end of one to the next
	for _, dtype := range []tile.DType{tile.Float32, tile.Float64} {
		p := everyForm(dtype)
		size := int64(dtype.Size())
		for seed := range uint64(2 * len(ISAs())) {
			g := fence(t, seed)
			t.Run(fmt.Sprintf("%v %d", dtype, seed), func(t *testing.T) {
				exe, err := g.Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				plain, err := ref.Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				for n := 1; n <= 140; n++ {
					run := func(d tile.Device, queue int, exe tile.Executable) []byte {
						l := &tile.Launch{Exe: exe, Program: p, Shape: []int{high, n}, Origin: []int{0, 0},
							Uniforms: []tile.Scalar{tile.FloatScalar(dtype, 0.3)}}
						total := ((high-1)*(n+apart) + n) * int(size)
						for range p.Params {
							b, err := d.Alloc(int64(total))
							if err != nil {
								t.Fatal(err)
							}
							defer d.Free(b)
							l.Args = append(l.Args, tile.Binding{Buffer: b, Strides: []int64{int64(n+apart) * size, size}})
						}
						for k := range l.Args {
							l.Args[k].Buffer.Size = int64(total)
						}
						fill(l.Args, dtype)
						done := make(chan error, 1)
						d.Launch(queue, l, func(c tile.Completion) { done <- c.Err })
						if err := <-done; err != nil {
							t.Fatal(err)
						}
						var out []byte
						for k, param := range p.Params {
							if param.Dir.Writes() {
								out = append(out, unsafe.Slice((*byte)(l.Args[k].Buffer.Host), total)...)
							}
						}
						return out
					}
					want, got := run(ref, 0, plain), run(g, tile.Inline, exe)
					if string(want) != string(got) {
						t.Fatalf("rows of %d: the outputs differ from the reference's", n)
					}
				}
			})
		}
	}
}

// everyForm is a program whose strip has operands of every form: windows, a scalar, values that it
// keeps, accumulators and masks.
func everyForm(t tile.DType) *tile.Program {
	nb := tile.NewBuilder("forms", 2)
	do := nb.Do
	x, y, z, u := nb.Load(t), nb.Load(t), nb.Load(t), nb.Uniform(t)
	kept := do(tile.Mul, do(tile.Add, x, y), u)
	deep := do(tile.Sub, do(tile.Mul, kept, z), do(tile.Div, do(tile.Add, kept, x), do(tile.Add, y, u)))
	less := do(tile.Or, do(tile.Lt, x, y), do(tile.Le, kept, z))
	nb.Store(do(tile.Select, less, do(tile.Sqrt, do(tile.Abs, deep)), do(tile.Max, do(tile.Neg, deep), kept)))
	nb.Store(do(tile.Add, deep, kept))
	return nb.Program()
}

// TestShortRows sums over the middle axes of few points a row between fences, which are walked along another axis: the
// sums are those of the reference.
func TestShortRows(t *testing.T) {
	ref := tile.NewReference(0, time.Now(), nil)
	defer func() {
		if err := ref.Close(); err != nil {
			t.Error(err)
		}
	}()
	nb := tile.NewBuilder("short", 4)
	x, y := nb.Load(tile.Float64), nb.Load(tile.Float64)
	nb.Reduce(tile.Sum, nb.Do(tile.Mul, x, y))
	p := nb.Program()
	plain, err := ref.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(len(ISAs())) {
		g := fence(t, seed)
		exe, err := g.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range [][]int{{20, 150, 1, 2}, {3, 9, 40, 3}, {1, 130, 16, 8}, {16, 3, 1, 8}, {5, 4, 1, 3}, {6, 1, 700, 2}} {
			for _, reduced := range []tile.Axes{1 << 1, 1 << 2, 1<<1 | 1<<2, 1 << 0} {
				block := tile.BlockShape(shape, reduced)
				run := func(d tile.Device, queue int, exe tile.Executable) []byte {
					l := &tile.Launch{Exe: exe, Program: p, Shape: shape, Origin: make([]int, 4), Block: block, Reduced: reduced}
					for k := range p.Params {
						strides, total := make([]int64, 4), 8
						for a := 3; a >= 0; a-- {
							n := shape[a]
							if k == 2 && reduced.Has(a) {
								n = (n + block[a] - 1) / block[a]
							}
							strides[a] = int64(total)
							total *= n
						}
						b, err := d.Alloc(int64(total))
						if err != nil {
							t.Fatal(err)
						}
						defer d.Free(b)
						b.Size = int64(total)
						l.Args = append(l.Args, tile.Binding{Buffer: b, Strides: strides})
					}
					fill(l.Args, tile.Float64)
					done := make(chan error, 1)
					d.Launch(queue, l, func(c tile.Completion) { done <- c.Err })
					if err := <-done; err != nil {
						t.Fatal(err)
					}
					out := l.Args[2].Buffer
					return append([]byte(nil), unsafe.Slice((*byte)(out.Host), out.Size)...)
				}
				if want, got := run(ref, 0, plain), run(g, tile.Inline, exe); string(want) != string(got) {
					t.Fatalf("%v, reduced %v, device %d: the sums differ from the reference's", shape, reduced, seed)
				}
			}
		}
	}
}
