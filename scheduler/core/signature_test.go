package core

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// Windows that differ in anything but the numbers of stores and the values of uniforms must
// have different structures; windows that differ in these alone must not.
func TestStructureTellsWindowsApart(t *testing.T) {
	programs := map[string]*tile.Program{}
	for _, p := range known() {
		programs[p.Name] = p
	}
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	type window struct {
		size    int64
		shape   []int
		offset  int64
		stride  int64
		second  string // program of the second op
		name    string // of the second op
		kind    scheduler.OpKind
		target  int // store that the second op writes
		release int // store that is released; -1 for none
		pin     bool
		reduced tile.Axes
		scalar  float64
	}
	plain := window{size: 800, shape: []int{8}, stride: 8, second: "scale1", name: "scale", target: 2, release: 1, scalar: 2}
	structure := func(w window) string {
		var ids [4]scheduler.StoreID
		for i := range ids {
			ids[i] = c.NewStore(w.size)
		}
		c.Host.Pin(ids[0], w.pin)
		view := func(store int, offset, stride int64) scheduler.View {
			return scheduler.View{Store: ids[store], Type: tile.Float64, Shape: w.shape, Strides: []int64{stride}, Offset: offset}
		}
		first := &scheduler.Op{Name: "add", Shape: w.shape, Program: programs["add1"], Uses: []scheduler.Use{
			{View: view(0, w.offset, w.stride)}, {View: view(0, 0, 8)}, {View: view(1, 0, 8), Access: scheduler.Write}}}
		second := &scheduler.Op{Name: w.name, Kind: w.kind, Shape: w.shape, Program: programs[w.second], Uses: []scheduler.Use{
			{View: view(1, 0, 8)}, {View: view(w.target, 0, 8), Access: scheduler.Write}}}
		for range programs[w.second].Uniforms {
			second.Uniforms = append(second.Uniforms, tile.FloatScalar(tile.Float64, w.scalar))
		}
		if w.reduced != 0 {
			second.Kind, second.Reduced = scheduler.Reduce, w.reduced
			second.Uses[1].View.Shape = []int{1}
		}
		for _, op := range []*scheduler.Op{first, second} {
			if _, err := c.Submit(op); err != nil {
				t.Fatal(err)
			}
		}
		if w.release >= 0 {
			c.Release(ids[w.release])
		}
		key := string(c.signature(false))
		c.Flush(false)
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
		"name":     func(w *window) { w.name = "multiply" },
		"kind":     func(w *window) { w.kind = scheduler.Move },
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
	if f := c.Look.Fusion(); f.Replayed < 2 || f.Captured < 10 || f.Fused == 0 {
		t.Errorf("counters %+v: the windows that were equal should have been known, the others not", f)
	}
}

// Plans are remembered by the whole structure, so that no two windows can be taken for each other: in
// thousands of windows from a small world, equal structures are equal windows but for the numbers of
// stores and the values of uniforms, and different ones differ in more than that.
func TestStructuresAreOneToOne(t *testing.T) {
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{Window: 1 << 20, NoFusion: true})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*tile.Program{}
	for _, p := range known() {
		byName[p.Name] = p
	}
	windows, structures := map[string]string{}, map[string]string{}
	seen := 0
	for sd := range uint64(4000) {
		r := rand.New(rand.NewPCG(sd, 5))
		var text strings.Builder
		numbers, released := map[scheduler.StoreID]int{}, map[scheduler.StoreID]bool{}
		name := func(id scheduler.StoreID) {
			if numbers[id] == 0 {
				numbers[id] = len(numbers) + 1
			}
			bytes, _ := c.Look.Bytes(id)
			fmt.Fprintf(&text, " n%d of %d", numbers[id], bytes)
		}
		var stores []scheduler.StoreID
		for range 3 {
			stores = append(stores, c.NewStore(64*(1+r.Int64N(2))))
		}
		for range 1 + r.IntN(3) {
			n := 1 + r.IntN(2)
			program := byName[[]string{"copy1", "scale1", "add1", "fill1"}[r.IntN(4)]]
			op := &scheduler.Op{Kind: []scheduler.OpKind{scheduler.Map, scheduler.Move}[r.IntN(2)], Name: "op", Shape: []int{n}, Program: program}
			for range program.Uniforms {
				op.Uniforms = append(op.Uniforms, tile.FloatScalar(tile.Float64, float64(r.IntN(9))))
			}
			fmt.Fprintf(&text, "%v %s %d:", op.Kind, program.Name, n)
			for _, p := range program.Params {
				v := scheduler.View{Store: stores[r.IntN(3)], Type: tile.Float64, Offset: 8 * r.Int64N(2), Shape: []int{n}, Strides: []int64{8 * (1 + r.Int64N(2))}}
				op.Uses = append(op.Uses, scheduler.Use{View: v, Access: scheduler.AccessOf[p.Dir]})
				name(v.Store)
				fmt.Fprintf(&text, " at %d by %d", v.Offset, v.Strides[0])
			}
			if _, err := c.Submit(op); err != nil { // it overlaps itself
				text.Reset()
				break
			}
			text.WriteString("\n")
			if id := stores[2]; r.IntN(3) == 0 && !released[id] {
				name(id)
				text.WriteString(" is released\n")
				c.Release(id)
				released[id] = true
				stores[2] = stores[0]
			}
		}
		if text.Len() > 0 && len(c.window) > 0 {
			key := string(c.signature(false))
			want := text.String()
			if other, ok := windows[key]; ok {
				seen++
				if other != want {
					t.Fatalf("two windows have one structure:\n%s\nand\n%s", other, want)
				}
			}
			if other, ok := structures[want]; ok && other != key {
				t.Fatalf("one window has two structures:\n%s", want)
			}
			windows[key], structures[want] = want, key
		}
		c.Flush(false)
	}
	if seen < 100 || len(windows) < 500 {
		t.Errorf("%d windows came again, %d were different; the world should be smaller or larger", seen, len(windows))
	}
}
