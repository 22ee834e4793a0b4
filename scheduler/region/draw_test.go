package region

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weft/internal/datadriven"
)

// Pictures of stores: one letter per byte, in rows of row=N bytes.
//
//	cover    a view's elements #, and what Cover takes with them +
//	combs    combs a and b: in one, in both #; what they have in common, what is left of a
//	area     what is in an area after each line of add and remove
//	grow     a tile #, and its halo +
//	tiling   which tile has each byte; of a view, which positions along its axes
func TestDrawn(t *testing.T) {
	datadriven.Run(t, "testdata/drawn.txt", func(t *testing.T, c *datadriven.Case) string {
		size, row := c.Int("size", 40), c.Int("row", 8)
		picture := []byte(strings.Repeat(".", size))
		mark := func(x Comb, letter byte) {
			for i := range x.N {
				for b := x.Tooth(i).Lo; b < x.Tooth(i).Hi; b++ {
					picture[b] = letter
				}
			}
		}
		draw := func() string {
			var b strings.Builder
			for at := 0; at < size; at += row {
				b.Write(picture[at:min(size, at+row)])
				b.WriteByte('\n')
			}
			return b.String()
		}
		switch c.Cmd {
		case "cover":
			l := Layout{Offset: int64(c.Int("at", 0)), Size: int64(c.Int("item", 1))}
			for _, n := range ints(t, c, "shape") {
				l.Shape = append(l.Shape, int(n))
			}
			l.Strides = ints(t, c, "by")
			x, exact := Cover(l, make([]int, len(l.Shape)), l.Shape)
			mark(x, '+')
			for b := range elements(l, make([]int, len(l.Shape)), l.Shape) {
				picture[b] = '#'
			}
			return fmt.Sprintf("%s%v exact %v\n", draw(), x, exact)
		case "combs":
			a, b := comb(t, c, "a"), comb(t, c, "b")
			mark(a, 'a')
			mark(b, 'b')
			for _, x := range a.Intersect(b, nil) {
				mark(x, '#')
			}
			return fmt.Sprintf("%scommon %v\na alone %v\n", draw(), a.Intersect(b, nil), a.Subtract(b, nil))
		case "area":
			var area Area
			var out strings.Builder
			for line := range strings.Lines(c.Input) {
				verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				c.Args["x"] = rest
				if x := comb(t, c, "x"); verb == "add" {
					area.Add(x)
				} else {
					area.Remove(x)
				}
				fmt.Fprintf(&out, "%s %s: %v\n", verb, rest, &area)
			}
			for _, x := range area.Pieces(nil) {
				mark(x, '#')
			}
			return out.String() + draw()
		case "grow":
			x := comb(t, c, "x")
			y := x.Grow(int64(c.Int("rows", 0)), int64(c.Int("bytes", 0)), int64(row), int64(size))
			mark(y, '+')
			mark(x, '#')
			return fmt.Sprintf("%s%v\n", draw(), y)
		case "tiling":
			tl := Tiling{Size: int64(size), Step: int64(row), Rows: ints(t, c, "rows"), Cols: []int64{0}}
			if c.Has("cols") {
				tl.Cols = ints(t, c, "cols")
			}
			for i := range tl.Tiles() {
				mark(tl.Tile(i), byte('0'+i))
			}
			out := fmt.Sprintf("%s%v\n", draw(), &tl)
			if c.Has("shape") {
				at, by, shape := int64(c.Int("at", 0)), ints(t, c, "by"), ints(t, c, "shape")
				out += fmt.Sprintf("along the rows %v\n", Along(tl.Rows, at, by[0], int(shape[0]), c.Int("unit", 1), nil))
				if len(by) > 1 {
					out += fmt.Sprintf("along the columns %v\n", Along(tl.Cols, at%int64(row), by[1], int(shape[1]), 1, nil))
				}
			}
			return out
		}
		t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
		return ""
	})
}

// ints reads (1,2,3).
func ints(t *testing.T, c *datadriven.Case, key string) (list []int64) {
	for _, word := range strings.FieldsFunc(c.String(key, ""), func(r rune) bool { return strings.ContainsRune("(), ", r) }) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			t.Fatalf("%s: %s: %v", c.Pos, key, err)
		}
		list = append(list, n)
	}
	return list
}

// comb reads (lo,run) or (lo,run,step,n).
func comb(t *testing.T, c *datadriven.Case, key string) Comb {
	switch x := ints(t, c, key); len(x) {
	case 2:
		return NewComb(x[0], x[1], 0, 1)
	case 4:
		return NewComb(x[0], x[1], x[2], x[3])
	}
	t.Fatalf("%s: %s wants 2 or 4 numbers", c.Pos, key)
	return Comb{}
}
