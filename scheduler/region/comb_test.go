package region

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// marks is the twin of combs and areas: one bool per byte.
type marks [160]bool

func (m *marks) set(c Comb, v bool) {
	for i := range c.N {
		for at := c.Tooth(i).Lo; at < c.Tooth(i).Hi; at++ {
			m[at] = v
		}
	}
}

func (m *marks) count() (n int64) {
	for _, set := range m {
		if set {
			n++
		}
	}
	return n
}

// of marks the bytes of disjoint combs, and fails if they are not.
func of(t *testing.T, seed uint64, list []Comb) *marks {
	var m marks
	n := int64(0)
	for _, c := range list {
		if c != NewComb(c.Lo, c.Run, c.Step, c.N) || c.N == 1 && c.Step != 0 {
			t.Fatalf("seed %d: %#v is not in its one form", seed, c)
		}
		m.set(c, true)
		n += c.Len()
	}
	if n != m.count() {
		t.Fatalf("seed %d: pieces %v share bytes", seed, list)
	}
	return &m
}

// both is bytes in both, or in the first and not in the second.
func both(a, b *marks, inSecond bool) *marks {
	var m marks
	for i := range m {
		m[i] = a[i] && b[i] == inSecond
	}
	return &m
}

func someComb(r *rand.Rand) Comb {
	step := []int64{8, 8, 8, 16, 24, 5, 7}[r.IntN(7)]
	n := r.Int64N(10)
	if r.IntN(3) == 0 {
		n = 1
		step = 1
	}
	run := r.Int64N(step + 2)
	if n == 1 {
		run = r.Int64N(60)
	}
	for n > 1 && (n-1)*step+run > 100 {
		n--
	}
	return NewComb(r.Int64N(50), run, step, n)
}

func TestCombsAgainstBytes(t *testing.T) {
	apart := 0
	for seed := range uint64(40000) {
		r := rand.New(rand.NewPCG(seed, 4))
		a, b := someComb(r), someComb(r)
		ma, mb := of(t, seed, []Comb{a}), of(t, seed, []Comb{b})
		if a.Len() != ma.count() {
			t.Fatalf("seed %d: %v has %d bytes, want %d", seed, a, a.Len(), ma.count())
		}
		want := both(ma, mb, true)
		if got := of(t, seed, a.Intersect(b, nil)); *got != *want {
			t.Fatalf("seed %d: %v and %v have in common %v", seed, a, b, a.Intersect(b, nil))
		}
		if got := a.Overlaps(b); got != (want.count() > 0) {
			t.Fatalf("seed %d: %v overlaps %v: %v", seed, a, b, got)
		}
		if a.Hull().Overlaps(b.Hull()) && want.count() == 0 {
			apart++
		}
		if got := of(t, seed, a.Subtract(b, nil)); *got != *both(ma, mb, false) {
			t.Fatalf("seed %d: %v without %v is %v", seed, a, b, a.Subtract(b, nil))
		}
		if got := a.Covers(b); got != (both(mb, ma, false).count() == 0) {
			t.Fatalf("seed %d: %v covers %v: %v", seed, a, b, got)
		}
		around := a.Around(b)
		if m := of(t, seed, []Comb{around}); both(ma, m, false).count()+both(mb, m, false).count() > 0 ||
			around.Len() > a.Hull().Hull(b.Hull()).Len() || around != b.Around(a) && around.Len() != b.Around(a).Len() {
			t.Fatalf("seed %d: around %v and %v is %v, or %v", seed, a, b, around, b.Around(a))
		}
	}
	if apart < 500 {
		t.Errorf("only %d pairs interleaved without a common byte", apart)
	}
}

// A tile of columns 2 to 5 of rows of 8 bytes, and what a stencil reads beside it.
func TestAroundIsTheTileAndItsHalo(t *testing.T) {
	center := NewComb(10, 3, 8, 4)
	around := center
	for _, shift := range []int64{-8, 8, -1, 1} {
		around = around.Around(NewComb(10+shift, 3, 8, 4))
	}
	if want := NewComb(1, 5, 8, 6); around != want {
		t.Errorf("around the five views is %v, want %v", around, want)
	}
}

func TestAreaAgainstBytes(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 5))
		var area Area
		var want marks
		for range 25 {
			c := someComb(r)
			if r.IntN(2) == 0 {
				area.Add(c)
				want.set(c, true)
			} else {
				area.Remove(c)
				want.set(c, false)
			}
			if got := of(t, seed, area.Pieces(nil)); *got != want {
				t.Fatalf("seed %d: after %v the area is %v", seed, c, &area)
			}
			if area.Len() != want.count() || area.Empty() != (want.count() == 0) {
				t.Fatalf("seed %d: %v has %d bytes, want %d", seed, &area, area.Len(), want.count())
			}
			q := someComb(r)
			mq := of(t, seed, []Comb{q})
			if got := of(t, seed, area.Missing(q, nil)); *got != *both(mq, &want, false) {
				t.Fatalf("seed %d: missing of %v in %v is %v", seed, q, &area, area.Missing(q, nil))
			}
			if got := of(t, seed, area.Common(q, nil)); *got != *both(mq, &want, true) {
				t.Fatalf("seed %d: common of %v and %v is %v", seed, q, &area, area.Common(q, nil))
			}
			if got := area.Covers(q); got != (both(mq, &want, false).count() == 0) {
				t.Fatalf("seed %d: %v covers %v: %v", seed, &area, q, got)
			}
		}
	}
}

// Tiles that come and go with their halos leave the area as short as it was.
func TestAreaStaysShort(t *testing.T) {
	const row, rows = 1 << 12, 4096
	var area Area
	tile := NewComb(8, row/2-8, row, rows)
	halo := NewComb(row/2, 8, row, rows)
	for range 1000 {
		area.Add(tile)
		area.Add(halo)
		if got := area.String(); got != fmt.Sprintf("[8,%d) x%d/%d", row/2+8, rows, row) {
			t.Fatalf("with its halo the tile is %s", got)
		}
		area.Remove(halo)
		if !area.Fits(tile) || area.Fits(NewComb(0, 8, 24, 100)) {
			t.Fatal("what fits is judged wrongly")
		}
	}
}

func TestCoverAgainstElements(t *testing.T) {
	exact, loose := 0, 0
	for seed := range uint64(40000) {
		r := rand.New(rand.NewPCG(seed, 6))
		l := layout(r)
		origin, shape := make([]int, len(l.Shape)), make([]int, len(l.Shape))
		for i, n := range l.Shape {
			origin[i] = r.IntN(n + 1)
			shape[i] = r.IntN(n - origin[i] + 1)
		}
		set := elements(l, origin, shape)
		c, all := Cover(l, origin, shape)
		covered := map[int64]bool{}
		for i := range c.N {
			for b := c.Tooth(i).Lo; b < c.Tooth(i).Hi; b++ {
				covered[b] = true
			}
		}
		for b := range set {
			if !covered[b] {
				t.Fatalf("seed %d: %+v tile %v+%v: byte %d is not in %v", seed, l, origin, shape, b, c)
			}
		}
		if all && len(covered) != len(set) {
			t.Fatalf("seed %d: %+v tile %v+%v: %v should be exact, but has %d bytes, not %d", seed, l, origin, shape, c, len(covered), len(set))
		}
		if hull, _ := Footprint(l, origin, shape); c.Hull() != hull {
			t.Fatalf("seed %d: %v has hull %v, want %v", seed, c, c.Hull(), hull)
		}
		if all {
			exact++
		} else {
			loose++
		}
	}
	if exact < 1000 || loose < 100 {
		t.Errorf("%d covers are exact, %d are not: the test looks at one side only", exact, loose)
	}
}

// Every byte of a store is in one tile, and the spans along an axis of a view of it name just
// those elements that begin in the tile.
func TestTilingsAgainstElements(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 7))
		rows, width := r.IntN(8)+1, r.IntN(8)+1
		tl := Tiling{Step: int64(width), Size: int64(rows * width), Rows: []int64{0}, Cols: []int64{0}}
		for at := 1 + r.IntN(3); at < rows; at += 1 + r.IntN(3) {
			tl.Rows = append(tl.Rows, int64(at*width))
		}
		for at := 1 + r.IntN(3); at < width; at += 1 + r.IntN(3) {
			tl.Cols = append(tl.Cols, int64(at))
		}
		owner := make([]int, tl.Size)
		for i := range owner {
			owner[i] = -1
		}
		for i := range tl.Tiles() {
			c := tl.Tile(i)
			for k := range c.N {
				for b := c.Tooth(k).Lo; b < c.Tooth(k).Hi; b++ {
					if owner[b] != -1 {
						t.Fatalf("seed %d: %v: byte %d is in tiles %d and %d", seed, &tl, b, owner[b], i)
					}
					owner[b] = i
				}
			}
		}
		// A view: some rows and columns, perhaps backwards.
		r0, c0 := r.IntN(rows), r.IntN(width)
		nr, nc := r.IntN(rows-r0)+1, r.IntN(width-c0)+1
		at, sr, sc := r0*width+c0, width, 1
		if r.IntN(2) == 0 {
			at, sr = at+(nr-1)*width, -width
		}
		if r.IntN(2) == 0 {
			at, sc = at+nc-1, -1
		}
		rowSpans := Along(tl.Rows, int64(r0*width+c0), int64(sr), nr, 1, nil)
		colSpans := Along(tl.Cols, int64(c0), int64(sc), nc, 1, nil)
		seen := 0
		for i, x := range rowSpans {
			for j, y := range colSpans {
				for a := x.Lo; a < x.Hi; a++ {
					for b := y.Lo; b < y.Hi; b++ {
						seen++
						if got, want := i*len(colSpans)+j, owner[at+a*sr+b*sc]; got != want {
							t.Fatalf("seed %d: %v: element (%d,%d) is in tile %d, want %d", seed, &tl, a, b, got, want)
						}
					}
				}
			}
		}
		if seen != nr*nc {
			t.Fatalf("seed %d: %v: spans %v and %v have %d elements, want %d", seed, &tl, rowSpans, colSpans, seen, nr*nc)
		}
	}
}
