package core

import (
	"fmt"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// A contraction's blocks are long where there is much to keep, and those of other reductions
// are the canonical ones.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		kind    scheduler.OpKind
		shape   []int
		reduced tile.Axes
		want    string
	}{
		{scheduler.Contract, []int{512, 512, 4100}, 4, "[1 1 4100]"},
		{scheduler.Contract, []int{512, 512, 100000}, 4, "[1 1 16667]"}, // at least 16384
		{scheduler.Contract, []int{64, 64, 100000}, 4, "[1 1 4167]"},    // at least 4096
		{scheduler.Contract, []int{4096, 20000}, 2, "[1 20000]"},        // a matrix and a vector: rows are cut
		{scheduler.Contract, []int{100, 20000}, 2, "[1 5000]"},
		{scheduler.Contract, []int{10, 3, 3, 10000}, 8, "[1 1 1 5000]"},
		{scheduler.Contract, []int{10000}, 1, "[4096]"}, // two vectors: canonical
		{scheduler.Contract, []int{5, 0, 7}, 4, "[1 1 7]"},
		{scheduler.Contract, []int{5, 7, 0}, 4, "[1 1 1]"},
		{scheduler.Contract, []int{512, 100, 100}, 6, "[1 40 100]"}, // two reduced axes: canonical
		{scheduler.Reduce, []int{512, 512, 4100}, 4, "[1 1 4096]"},
	} {
		if got := fmt.Sprint(scheduler.Blocks(c.kind, c.shape, c.reduced)); got != c.want {
			t.Errorf("%v %v reduced %b: blocks %s, want %s", c.kind, c.shape, c.reduced, got, c.want)
		}
	}
}

// The product of a large matrix and its own transpose is one task, which the library does by half; others are cut.
func TestOwnProductsStayWhole(t *testing.T) {
	b := tile.NewBuilder("product", 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(tile.Float64), b.Load(tile.Float64)))
	program := b.Program()
	for _, c := range []struct {
		n, apart int
		strides  [2][]int64
		tasks    int
	}{
		{500, 0, [2][]int64{{4000, 0, 8}, {0, 4000, 8}}, 1},    // a @ a.T
		{500, 0, [2][]int64{{8, 0, 4000}, {0, 8, 4000}}, 1},    // a.T @ a
		{500, 0, [2][]int64{{4000, 0, 8}, {0, 8, 4000}}, 4},    // a @ a
		{499, 4000, [2][]int64{{4000, 0, 8}, {0, 4000, 8}}, 4}, // rows of a, and others
		{100, 0, [2][]int64{{4000, 0, 8}, {0, 4000, 8}}, 1},    // whose tiles would not be symmetric
		{31, 0, [2][]int64{{4000, 0, 8}, {0, 4000, 8}}, 4},     // few of them
	} {
		core, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 2}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{MinTile: 1 << 10, NoFusion: true})
		if err != nil {
			t.Fatal(err)
		}
		a, out := core.NewStore(500*500*8), core.NewStore(int64(c.n*c.n)*8)
		if _, err := core.Host.Written(a); err != nil {
			t.Fatal(err)
		}
		shape := []int{c.n, c.n, 499}
		op := &scheduler.Op{Name: "product", Kind: scheduler.Contract, Shape: shape, Reduced: 1 << 2, Program: program, Uses: []scheduler.Use{
			{View: scheduler.View{Store: a, Type: tile.Float64, Shape: shape, Strides: c.strides[0]}},
			{View: scheduler.View{Store: a, Type: tile.Float64, Shape: shape, Strides: c.strides[1], Offset: int64(c.apart)}},
			{View: scheduler.View{Store: out, Type: tile.Float64, Shape: []int{c.n, c.n, 1}, Strides: []int64{int64(c.n) * 8, 8, 8}}, Access: scheduler.Write},
		}}
		if _, err := core.Submit(op); err != nil {
			t.Fatal(err)
		}
		if got := len(core.Flush(false).Tasks); got != c.tasks {
			t.Errorf("%+v: %d tasks, wanted %d", c, got, c.tasks)
		}
	}
}
