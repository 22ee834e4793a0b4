package scheduler

import (
	"testing"

	"weft/tile"
)

// Windows that differ in anything but the numbers of stores and the values of uniforms must
// have different structures; windows that differ in these alone must not.
func TestStructureTellsWindowsApart(t *testing.T) {
	programs := map[string]*tile.Program{}
	for _, p := range known() {
		programs[p.Name] = p
	}
	c, err := New(Machine{Devices: []Device{{Kind: CPU, Queues: 1}}, Memories: []Memory{{Name: "host"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.fuser.forget()
	type window struct {
		size    int64
		shape   []int
		offset  int64
		stride  int64
		second  string // program of the second op
		kind    OpKind
		target  int // store that the second op writes
		release int // store that is released; -1 for none
		pin     bool
		reduced tile.Axes
		scalar  float64
	}
	plain := window{size: 800, shape: []int{8}, stride: 8, second: "scale1", target: 2, release: 1, scalar: 2}
	structure := func(w window) string {
		var ids [4]StoreID
		for i := range ids {
			ids[i] = c.NewStore(w.size)
		}
		c.Pin(ids[0], w.pin)
		view := func(store int, offset, stride int64) View {
			return View{Store: ids[store], Type: tile.Float64, Shape: w.shape, Strides: []int64{stride}, Offset: offset}
		}
		first := &Op{Name: "add", Shape: w.shape, Program: programs["add1"], Uses: []Use{
			{View: view(0, w.offset, w.stride)}, {View: view(0, 0, 8)}, {View: view(1, 0, 8), Access: Write}}}
		second := &Op{Name: "second", Kind: w.kind, Shape: w.shape, Program: programs[w.second], Uses: []Use{
			{View: view(1, 0, 8)}, {View: view(w.target, 0, 8), Access: Write}}}
		for range programs[w.second].Uniforms {
			second.Uniforms = append(second.Uniforms, tile.FloatScalar(tile.Float64, w.scalar))
		}
		if w.reduced != 0 {
			second.Kind, second.Reduced = Reduce, w.reduced
			second.Uses[1].View.Shape = []int{1}
		}
		for _, op := range []*Op{first, second} {
			if _, err := c.Submit(op); err != nil {
				t.Fatal(err)
			}
		}
		if w.release >= 0 {
			c.Release(ids[w.release])
		}
		key := string(c.fuser.structure(c))
		c.Flush()
		return key
	}
	want := structure(plain)
	if structure(plain) != want {
		t.Error("the same window on other stores has another structure")
	}
	other := plain
	other.scalar = 3
	if structure(other) != want {
		t.Error("a uniform's value is part of the structure")
	}
	for name, change := range map[string]func(*window){
		"size":     func(w *window) { w.size = 1600 },
		"shape":    func(w *window) { w.shape = []int{9} },
		"offset":   func(w *window) { w.offset = 8 },
		"stride":   func(w *window) { w.stride = 16 },
		"program":  func(w *window) { w.second = "copy1" },
		"kind":     func(w *window) { w.kind = Move },
		"aliasing": func(w *window) { w.target = 0 },
		"fresh":    func(w *window) { w.target = 1 },
		"released": func(w *window) { w.release = 2 },
		"kept":     func(w *window) { w.release = -1 },
		"pinned":   func(w *window) { w.pin = true },
		"reduced":  func(w *window) { w.second, w.reduced = "sum1", 1 },
	} {
		w := plain
		change(&w)
		if structure(w) == want {
			t.Errorf("%s: the structure does not tell it", name)
		}
	}
	if f := c.Fusion(); f.Known < 2 || f.Found < 10 || f.Fused == 0 {
		t.Errorf("counters %+v: the windows that were equal should have been known, the others not", f)
	}
}
