package routines

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"weft/tile"
)

// layout is an operand for the tests: elements of a block of memory, in any order of axes,
// with gaps, backwards, or repeated where it is only read.
func layout[T any](r *rand.Rand, t tile.DType, shape []int, written bool) (tile.Operand, func(point []int) *T) {
	strides := make([]int64, len(shape))
	room, lo := int64(1), int64(0)
	for _, axis := range r.Perm(len(shape)) {
		switch r.IntN(6) {
		case 0:
			if !written {
				continue // stride 0
			}
		case 1:
			room += int64(r.IntN(3))
		}
		strides[axis] = room
		room *= int64(shape[axis])
		if r.IntN(4) == 0 {
			strides[axis] = -strides[axis]
			lo -= strides[axis] * int64(shape[axis]-1)
		}
	}
	all := make([]T, room)
	size := int64(t.Size())
	o := tile.Operand{P: unsafe.Pointer(&all[lo]), Type: t, Shape: shape, Strides: make([]int64, len(shape))}
	for i := range strides {
		o.Strides[i] = strides[i] * size
	}
	return o, func(point []int) *T {
		at := lo
		for i, k := range point {
			at += int64(k) * strides[i]
		}
		return &all[at]
	}
}

// pointsOver calls fn for all points of a shape in C order.
func pointsOver(shape []int, fn func(point []int)) {
	n := 1
	for _, s := range shape {
		n *= s
	}
	for k := range n {
		point, rest := make([]int, len(shape)), k
		for i := len(shape) - 1; i >= 0; i-- {
			point[i], rest = rest%shape[i], rest/shape[i]
		}
		fn(point)
	}
}

// placeOf is where an index of some mode lies.
func placeOf(m Mode, i int64, n int) int {
	switch m {
	case Wrap:
		return int(((i % int64(n)) + int64(n)) % int64(n))
	case Clip:
		return int(min(max(i, 0), int64(n-1)))
	}
	return int((i + int64(n)) % int64(n))
}

// TestPoints compares gather, scatter and scatter with a combination with loops.
func TestPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for trial := range 400 {
		axes := 1 + r.IntN(3)
		extent := func(most int) []int {
			shape := make([]int, r.IntN(3))
			for i := range shape {
				shape[i] = 1 + r.IntN(most)
			}
			return shape
		}
		of := make([]int, axes)
		for i := range of {
			of[i] = 1 + r.IntN(6)
		}
		index, rest := extent(7), extent(5)
		if trial%40 == 0 { // many indices, of large rows or to far places
			index = []int{300, 130}
			if trial%80 == 0 {
				rest = []int{3, 2}
			} else {
				of, axes, rest = []int{9_000_000}, 1, nil
			}
		}
		if trial%40 == 20 { // large rows at few places, which processors share
			index, rest = []int{[]int{4, 600}[trial/40%2]}, []int{70, 1 + r.IntN(3)}
		}
		mode := Mode(r.IntN(3))
		whole := slices.Concat(of, rest)
		array, at := layout[uint64](r, tile.Uint64, whole, true)
		p := &Points{Of: array, Mode: mode}
		var indexAt []func([]int) *int64
		for k := range axes {
			o, find := layout[int64](r, tile.Int64, index, false)
			n := int64(of[k])
			pointsOver(index, func(point []int) {
				i := r.Int64N(2*n) - n
				if mode != Raise {
					i *= 3
				}
				*find(point) = i
			})
			p.Indices, indexAt = append(p.Indices, o), append(indexAt, find)
		}
		if axis, i := p.Outside(goroutines); axis >= 0 {
			t.Fatalf("trial %d: index %d of axis %d is refused", trial, i, axis)
		}
		near := slices.Concat(index, rest)
		out, outAt := layout[uint64](r, tile.Uint64, near, true)
		values, valueAt := layout[uint64](r, tile.Uint64, near, false)
		pointsOver(near, func(point []int) { *valueAt(point) = r.Uint64() })
		spot := func(point []int) []int {
			var list []int
			for k := range axes {
				list = append(list, placeOf(mode, *indexAt[k](point[:len(index)]), of[k]))
			}
			return append(list, point[len(index):]...)
		}
		want := map[*uint64]uint64{}
		pointsOver(near, func(point []int) { want[at(spot(point))] = *valueAt(point) })
		Scatter(goroutines, p, &values, nil)
		for q, x := range want {
			if *q != x {
				t.Fatalf("trial %d: scattered %x, want %x", trial, *q, x)
			}
		}
		sums := maps.Clone(want)
		pointsOver(near, func(point []int) { sums[at(spot(point))] += *valueAt(point) })
		add, err := combining(tile.Add, tile.Uint64, tile.Uint64)
		if err != nil {
			t.Fatal(err)
		}
		Scatter(goroutines, p, &values, add)
		for q, x := range sums {
			if *q != x {
				t.Fatalf("trial %d: added up to %x, want %x", trial, *q, x)
			}
		}
		Gather(goroutines, p, &out)
		pointsOver(near, func(point []int) {
			if *outAt(point) != *at(spot(point)) {
				t.Fatalf("trial %d: gathered %x at %v, want %x", trial, *outAt(point), point, *at(spot(point)))
			}
		})
	}
}

// What lies outside is found before anything is written, in the order of the axes.
func TestPointsOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	array, _ := layout[float64](r, tile.Float64, []int{4, 6}, true)
	one := tile.Operand{P: unsafe.Pointer(&[]int64{3, -4, 0}[0]), Type: tile.Int64, Shape: []int{3}, Strides: []int64{8}}
	two := tile.Operand{P: unsafe.Pointer(&[]int64{5, -7, 9}[0]), Type: tile.Int64, Shape: []int{3}, Strides: []int64{8}}
	p := &Points{Of: array, Indices: []tile.Operand{one, two}}
	if axis, i := p.Outside(goroutines); axis != 1 || i != -7 {
		t.Errorf("index %d of axis %d, want -7 of axis 1", i, axis)
	}
	p.Mode = Clip
	if axis, _ := p.Outside(goroutines); axis >= 0 {
		t.Errorf("refused with clip")
	}
}

// Each combination of an opcode and a dtype that has code of its own gives the bits of the
// reference function.
func TestCombining(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	own := 0
	for _, op := range tile.Opcodes() {
		for _, of := range tile.DTypes() {
			fast := combiners(op, of)
			if fast == nil || !op.Accepts(of) {
				continue
			}
			own++
			for range 200 {
				x, y := odd(r, of), odd(r, of)
				got := x
				fast(unsafe.Pointer(&got.Bits), unsafe.Pointer(&y.Bits), []int64{0}, []int64{0})
				if want := tile.Eval(op, of, x, y); got != want && !(want.Type.Is(tile.KindFloat) && math.IsNaN(want.Float()) && math.IsNaN(got.Float())) {
					t.Fatalf("%v of %v and %v is %v, want %v", op, x, y, got, want)
				}
			}
		}
	}
	if own < 40 {
		t.Errorf("only %d combinations have code of their own", own)
	}
}

// odd returns numbers that are often equal, zero of either sign, or none.
func odd(r *rand.Rand, t tile.DType) tile.Scalar {
	x := [...]float64{0, math.Copysign(0, -1), 1, 2, 100, math.NaN(), math.Inf(1), r.NormFloat64()}[r.IntN(8)]
	if t.Is(tile.KindFloat) {
		return tile.FloatScalar(t, x)
	}
	return tile.IntScalar(t, int64(r.IntN(120)))
}

func TestExpand(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, n := range []int{1, 5, 4 * grain} {
		mask := make([]bool, n)
		count := 0
		for i := range mask {
			if mask[i] = r.IntN(3) == 0; mask[i] {
				count++
			}
		}
		for _, rows := range []int{count, 1, 3} {
			if rows == 0 {
				continue
			}
			x, got := blank[int32](tile.Int32, n, 2)
			values := make([]int32, 2*rows)
			for i := range values {
				values[i] = int32(i + 1)
			}
			repeat := rows != count
			if !Expand(goroutines, x, packed(tile.Bool, mask), packed(tile.Int32, values, rows, 2), repeat) {
				t.Fatalf("%d rows refused for %d", rows, count)
			}
			k := 0
			for i, m := range mask {
				want := [2]int32{}
				if m {
					want = [2]int32{values[k%rows*2], values[k%rows*2+1]}
					k++
				}
				if got[2*i] != want[0] || got[2*i+1] != want[1] {
					t.Fatalf("row %d is %v, want %v", i, got[2*i:2*i+2], want)
				}
			}
		}
		more, _ := blank[int32](tile.Int32, n, 2)
		if short, _ := blank[int32](tile.Int32, count+1, 2); Expand(goroutines, more, packed(tile.Bool, mask), short, false) {
			t.Error("took values of another length")
		}
	}
}
