package arrays_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"weft/arrays"
	"weft/cpu"
	"weft/cpu/blas"
	"weft/scheduler"
	"weft/tile"
)

// dense opens the BLAS library of the tree's Python environment, of WEFT_BLAS or of the system.
var dense = sync.OnceValues(func() (*blas.Library, error) {
	s := blas.InEnvironment("../.venv")
	s.Path, s.Threads = os.Getenv("WEFT_BLAS"), 2
	return s.Open()
})

// direct is a Runtime that runs every op at once, whole, on the reference device, and
// checks the invariants of package arrays on the way.
type direct struct {
	dev    tile.Device
	next   scheduler.StoreID
	stores map[scheduler.StoreID]tile.Buffer
	sizes  map[scheduler.StoreID]int64
	ops    []*scheduler.Op
	keep   bool // remember the ops
}

var _ arrays.Runtime = (*direct)(nil)

func newDirect(t testing.TB) *direct {
	r := &direct{
		dev:    tile.NewReference(0, time.Now(), cpu.Routines("", dense)),
		stores: map[scheduler.StoreID]tile.Buffer{},
		sizes:  map[scheduler.StoreID]int64{},
	}
	t.Cleanup(func() {
		if err := r.dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *direct) NewStore(bytes int64) scheduler.StoreID {
	r.next++
	b, err := r.dev.Alloc(bytes)
	if err != nil {
		panic(err)
	}
	for i := range b.Bytes() {
		b.Bytes()[i] = 0xcd // so that a missing op is seen
	}
	r.stores[r.next], r.sizes[r.next] = b, bytes
	return r.next
}

func (r *direct) Submit(op *scheduler.Op) error {
	if err := checkOp(op); err != nil {
		return err
	}
	exe, err := r.dev.Compile(op.Program)
	if err != nil {
		return fmt.Errorf("%v\n%v", err, op.Program)
	}
	l := &tile.Launch{
		Exe: exe, Program: op.Program, Shape: op.Shape, Origin: make([]int, len(op.Shape)),
		Uniforms: op.Uniforms, Reduced: op.Reduced,
	}
	if op.Grid != nil {
		l.Grid = *op.Grid
	}
	if op.Program.Reduces() {
		l.Block = scheduler.Blocks(op.Kind, op.Shape, op.Reduced)
	}
	for i, u := range op.Uses {
		b, ok := r.stores[u.View.Store]
		if !ok {
			return fmt.Errorf("%s uses the freed store %v", op.Name, u.View.Store)
		}
		a := tile.Binding{Buffer: b, Offset: u.View.Offset, Strides: u.View.Strides}
		if op.Whole(i) {
			a.Shape = u.View.Shape
		}
		l.Args = append(l.Args, a)
	}
	r.dev.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
	if r.keep {
		r.ops = append(r.ops, op)
	}
	return err
}

// checkOp is the slow twin of what arrays promises about ops.
func checkOp(op *scheduler.Op) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("op %s %v: %s", op.Name, op.Shape, fmt.Sprintf(format, args...))
	}
	call := op.Kind == scheduler.Call
	if call != (op.Program.Routine != "" || op.Program.Threads) || call && len(op.Shape) > 0 {
		return bad("kind %v does not fit the program", op.Kind)
	}
	if !call && (len(op.Shape) == 0 || slices.Min(op.Shape) < 1) {
		return bad("inv 3: empty index space")
	}
	if op.Program.Rank != len(op.Shape) {
		return bad("program of rank %d", op.Program.Rank)
	}
	if len(op.Uses) != len(op.Program.Params) {
		return bad("%d uses for %d parameters", len(op.Uses), len(op.Program.Params))
	}
	if (op.Kind == scheduler.Reduce || op.Kind == scheduler.Contract) != op.Program.Reduces() {
		return bad("kind %v does not fit the program", op.Kind)
	}
	grid := tile.GridShape(op.Shape, scheduler.Blocks(op.Kind, op.Shape, op.Reduced))
	for i, u := range op.Uses {
		if u.View.Type != op.Program.Params[i].Type {
			return bad("use %d is %v, the parameter %v", i, u.View.Type, op.Program.Params[i].Type)
		}
		if (u.Access == scheduler.Write) != (op.Program.Params[i].Dir == tile.Out) {
			return bad("use %d has access %v", i, u.Access)
		}
		if op.Whole(i) && u.View.Elements() == 0 && op.Grid == nil {
			return bad("inv 3: use %d is %v, which has no elements", i, u.View)
		}
		want := slices.Clone(op.Shape)
		if op.Whole(i) {
			want = slices.Clone(u.View.Shape)
		}
		for ax := range want {
			if u.Access == scheduler.Write && op.Reduced.Has(ax) {
				want[ax] = grid[ax]
			}
		}
		if !slices.Equal(u.View.Shape, want) || len(u.View.Strides) != len(want) {
			return bad("inv 2: use %d is %v, wanted shape %v", i, u.View, want)
		}
	}
	for i, a := range op.Uses {
		for k, b := range op.Uses[:i] {
			if a.View.Store == b.View.Store && (a.Access == scheduler.Write || b.Access == scheduler.Write) && shareBytes(a.View, b.View) &&
				(op.Whole(i) || op.Whole(k) || a.View.Offset != b.View.Offset || !slices.Equal(a.View.Strides, b.View.Strides)) {
				return bad("inv 1: %v overlaps %v", a.View, b.View)
			}
		}
	}
	return nil
}

// shareBytes compares all addresses: slow and obvious.
func shareBytes(a, b scheduler.View) bool {
	touched := map[int64]bool{}
	eachOffset(a, func(at int64) {
		for i := range int64(a.Type.Size()) {
			touched[at+i] = true
		}
	})
	shared := false
	eachOffset(b, func(at int64) {
		for i := range int64(b.Type.Size()) {
			shared = shared || touched[at+i]
		}
	})
	return shared
}

// eachOffset visits the elements of a view in C order.
func eachOffset(v scheduler.View, visit func(at int64)) {
	if v.Elements() == 0 {
		return
	}
	index := make([]int, len(v.Shape))
	for {
		at := v.Offset
		for i, x := range index {
			at += int64(x) * v.Strides[i]
		}
		visit(at)
		i := len(index) - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < v.Shape[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func (r *direct) Write(id scheduler.StoreID, src []byte) error {
	copy(r.stores[id].Bytes(), src)
	return nil
}

func (r *direct) Lend(id scheduler.StoreID, p unsafe.Pointer, _ func()) error {
	b := r.stores[id]
	r.dev.Free(b)
	r.stores[id] = tile.Buffer{Host: p, Size: b.Size}
	return nil
}

func (r *direct) TakeOver(id scheduler.StoreID, p unsafe.Pointer, back func()) error {
	return r.Lend(id, p, back)
}

func (r *direct) Read(v scheduler.View, dst []byte, _ <-chan struct{}) error {
	b, ok := r.stores[v.Store]
	if !ok {
		return fmt.Errorf("read of the freed store %v", v.Store)
	}
	eachOffset(v, func(at int64) {
		n := copy(dst, b.Bytes()[at:at+int64(v.Type.Size())])
		dst = dst[n:]
	})
	return nil
}

func (r *direct) Map(v scheduler.View, _ bool, _ <-chan struct{}) (unsafe.Pointer, func(), error) {
	return r.stores[v.Store].Host, func() {}, nil
}

func (r *direct) Free(id scheduler.StoreID) {
	b, ok := r.stores[id]
	if !ok {
		panic(fmt.Sprintf("store %v freed twice", id))
	}
	r.dev.Free(b)
	delete(r.stores, id)
}

func (r *direct) Sync(<-chan struct{}) error { return nil }
