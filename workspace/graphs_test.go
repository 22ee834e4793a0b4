package workspace

import (
	"testing"

	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/tile"
)

// A store's shape on the graphs is that of the view that shows most of it: no axes along which elements repeat, and no
// axes joined where another operation saw them apart.
func TestStoresSayTheirShapes(t *testing.T) {
	view := func(shape []int, strides ...int64) scheduler.View {
		return scheduler.View{Store: 1, Type: tile.Float64, Shape: shape, Strides: strides}
	}
	for _, c := range []struct {
		views []scheduler.View
		want  string
	}{
		{[]scheduler.View{view([]int{400, 400, 3}, 0, 24, 8)}, "float64 (400,3)"},
		{[]scheduler.View{view([]int{12}, 8), view([]int{3, 4}, 32, 8), view([]int{2, 4}, 32, 8)}, "float64 (3,4)"},
		{[]scheduler.View{view([]int{1, 5}, 40, 8)}, "float64 (1,5)"},
		{[]scheduler.View{view([]int{7}, 0)}, "float64 ()"},
		{[]scheduler.View{view([]int{7}, 0), view([]int{1}, 0)}, "float64 (1,)"},
	} {
		var ops []driver.OpInfo
		for _, v := range c.views {
			ops = append(ops, driver.OpInfo{Op: &scheduler.Op{Uses: []scheduler.Use{{View: v}}}})
		}
		if got := stores(ops)[1].text(); got != c.want {
			t.Errorf("%v: got %s, want %s", c.views, got, c.want)
		}
	}
}
