package region

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// bits is the twin of Set: one bool per byte.
type bits [64]bool

func (b *bits) set(x Interval, v bool) {
	for i := x.Lo; i < x.Hi; i++ {
		b[i] = v
	}
}

func (b *bits) parts(x Interval, want bool) []Interval {
	var list []Interval
	for i := x.Lo; i < x.Hi; i++ {
		switch n := len(list); {
		case b[i] != want:
		case n > 0 && list[n-1].Hi == i:
			list[n-1].Hi++
		default:
			list = append(list, Interval{i, i + 1})
		}
	}
	return list
}

func TestSetAgainstBits(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func() Interval {
			lo := r.Int64N(64)
			return Interval{lo, lo + r.Int64N(65-lo)}
		}
		var s Set
		var b bits
		for range 40 {
			x := some()
			switch r.IntN(8) {
			case 0, 1, 2:
				s.Add(x)
				b.set(x, true)
			case 3, 4, 5:
				s.Remove(x)
				b.set(x, false)
			case 6:
				u := Of(x, some())
				s.Union(&u)
				for _, p := range u.Intervals() {
					b.set(p, true)
				}
			case 7:
				u := Of(x, some())
				s.Subtract(&u)
				for _, p := range u.Intervals() {
					b.set(p, false)
				}
			}
			all := Interval{0, 64}
			if got, want := fmt.Sprint(s.Intervals()), fmt.Sprint(b.parts(all, true)); got != want {
				t.Fatalf("seed %d: set is %s, want %s", seed, got, want)
			}
			q := some()
			if got, want := fmt.Sprint(s.Missing(q, nil)), fmt.Sprint(b.parts(q, false)); got != want {
				t.Fatalf("seed %d: missing of %v in %v is %s, want %s", seed, q, &s, got, want)
			}
			if got, want := fmt.Sprint(s.Common(q, nil)), fmt.Sprint(b.parts(q, true)); got != want {
				t.Fatalf("seed %d: common of %v and %v is %s, want %s", seed, q, &s, got, want)
			}
			if got, want := s.Covers(q), len(b.parts(q, false)) == 0; got != want {
				t.Fatalf("seed %d: %v covers %v is %v", seed, &s, q, got)
			}
		}
	}
}

// elements marks the bytes of a layout's elements.
func elements(l Layout, origin, shape []int) map[int64]bool {
	set := map[int64]bool{}
	n := 1
	for _, s := range shape {
		n *= s
	}
	for k := range n {
		at := l.Offset
		for i, rest := len(shape)-1, k; i >= 0; i-- {
			at += int64(origin[i]+rest%shape[i]) * l.Strides[i]
			rest /= shape[i]
		}
		for b := range l.Size {
			set[at+b] = true
		}
	}
	return set
}

func layout(r *rand.Rand) Layout {
	l := Layout{Offset: r.Int64N(40), Size: []int64{1, 2, 4}[r.IntN(3)]}
	natural := l.Size
	for range r.IntN(4) {
		n := r.IntN(4) + 1
		if r.IntN(30) == 0 {
			n = 0
		}
		step := []int64{natural, natural, natural, natural * 2, 0, r.Int64N(20), 12}[r.IntN(7)]
		natural = max(natural, step*int64(n))
		if r.IntN(3) == 0 {
			step = -step
		}
		l.Shape = append([]int{n}, l.Shape...)
		l.Strides = append([]int64{step}, l.Strides...)
	}
	return l
}

func TestFootprintAgainstElements(t *testing.T) {
	gaps := 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 2))
		l := layout(r)
		origin, shape := make([]int, len(l.Shape)), make([]int, len(l.Shape))
		for i, n := range l.Shape {
			origin[i] = r.IntN(n + 1)
			shape[i] = r.IntN(n - origin[i] + 1)
		}
		set := elements(l, origin, shape)
		hull, dense := Footprint(l, origin, shape)
		var want Interval
		for b := range set {
			want = want.Hull(Interval{b, b + 1})
		}
		if hull != want || dense != (int64(len(set)) == want.Len()) {
			t.Fatalf("seed %d: %+v tile %v+%v: got %v dense %v, want %v with %d bytes", seed, l, origin, shape, hull, dense, want, len(set))
		}
		if !dense {
			gaps++
		}
	}
	if gaps < 100 {
		t.Errorf("only %d footprints had gaps", gaps)
	}
}

func TestOverlapAgainstElements(t *testing.T) {
	var yes, no int
	for seed := range uint64(30000) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := layout(r), layout(r)
		if r.IntN(2) == 0 { // another slice of the same array
			b = a
			b.Shape = append([]int(nil), a.Shape...)
			b.Offset += r.Int64N(20) - 10
			for i := range b.Shape {
				b.Shape[i] = r.IntN(b.Shape[i] + 1)
			}
		}
		want := false
		of := elements(b, make([]int, len(b.Shape)), b.Shape)
		for x := range elements(a, make([]int, len(a.Shape)), a.Shape) {
			want = want || of[x]
		}
		if got := Overlap(a, b); got != want {
			t.Fatalf("seed %d: %+v and %+v: got %v, want %v", seed, a, b, got, want)
		}
		if want {
			yes++
		} else {
			no++
		}
	}
	if yes < 1000 || no < 1000 {
		t.Errorf("%d overlapped, %d did not: the test looks at one side only", yes, no)
	}
}

// The slices that programs write must be told apart however large the arrays are.
func TestOverlapOfLargeSlices(t *testing.T) {
	const n, row = 4000, 4000 * 8
	all := Layout{Shape: []int{n, n}, Strides: []int64{row, 8}, Size: 8}
	at := func(i, j, ni, nj, si, sj int) Layout {
		return Layout{Offset: int64(i*row + j*8), Shape: []int{ni, nj}, Strides: []int64{int64(si * row), int64(sj * 8)}, Size: 8}
	}
	for _, c := range []struct {
		name string
		a, b Layout
		want bool
	}{
		{"whole and part", all, at(1, 1, n-2, n-2, 1, 1), true},
		{"two columns", at(0, 0, n, 1, 1, 1), at(0, n-1, n, 1, 1, 1), false},
		{"left and right half", at(0, 0, n, n/2, 1, 1), at(0, n/2, n, n/2, 1, 1), false},
		{"halves and a column more", at(0, 0, n, n/2+1, 1, 1), at(0, n/2, n, n/2, 1, 1), true},
		{"red and black", at(0, 0, n, n/2, 1, 2), at(0, 1, n, n/2, 1, 2), false},
		{"red and red", at(0, 0, n, n/2, 1, 2), at(0, 2, n, n/2-1, 1, 2), true},
		{"even and odd rows", at(0, 0, n/2, n, 2, 1), at(1, 0, n/2, n, 2, 1), false},
		{"border and inside", at(0, 0, n, 1, 1, 1), at(1, 1, n-2, n-2, 1, 1), false},
		{"row and column", at(5, 0, 1, n, 1, 1), at(0, 7, n, 1, 1, 1), true},
	} {
		if got := Overlap(c.a, c.b); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if got := Overlap(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way: got %v, want %v", c.name, got, c.want)
		}
	}
}
