package arrays_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"weft/arrays"
	"weft/scheduler"
)

func call(t testing.TB, c *arrays.Context, name string, args ...any) *arrays.Array {
	t.Helper()
	a, err := c.Call(name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

func binary(t testing.TB, c *arrays.Context, u arrays.Ufunc, x, y arrays.Value) *arrays.Array {
	t.Helper()
	a, err := c.Binary(u, x, y)
	if err != nil {
		t.Fatalf("%s: %v", u.Name(), err)
	}
	return a
}

// item indexes with integers, slices and whatever else ValueOf takes.
func item(t testing.TB, c *arrays.Context, a *arrays.Array, index ...any) *arrays.Array {
	t.Helper()
	var items []arrays.Value
	for _, x := range index {
		v, err := arrays.ValueOf(x)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, v)
	}
	b, err := c.GetItem(a, arrays.Tuple(items...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOps pins what is submitted: how many ops, over which index spaces, with which programs.
func TestOps(t *testing.T) {
	rt := newDirect(t)
	rt.keep = true
	c := arrays.New(rt)
	ops := func() []*scheduler.Op {
		defer func() { rt.ops = nil }()
		return rt.ops
	}
	a := call(t, c, "reshape", call(t, c, "arange", 24.0), []int{4, 6})
	ops()

	c.At(scheduler.Where{Source: 2, Line: 7})
	binary(t, c, arrays.Multiply, arrays.Of(a), arrays.Float(0.2))
	binary(t, c, arrays.Multiply, arrays.Of(a), arrays.Float(0.3))
	flat := call(t, c, "arange", 5.0)
	binary(t, c, arrays.Multiply, arrays.Of(flat), arrays.Float(0.3))
	got := ops()
	if len(got) != 4 || !slices.Equal(got[0].Shape, []int{24}) || got[0].Where.Line != 7 {
		t.Fatalf("a*0.2 is %d ops, the first over %v at line %d", len(got), got[0].Shape, got[0].Where.Line)
	}
	if got[0].Program != got[1].Program || got[0].Program != got[3].Program {
		t.Error("a*0.2, a*0.3 and another shape do not share a program")
	}

	inner := item(t, c, a, arrays.Slice(arrays.Int(1), arrays.Int(-1), arrays.Value{Kind: arrays.None}), arrays.All())
	binary(t, c, arrays.Add, arrays.Of(inner), arrays.Of(inner))
	if got = ops(); len(got) != 1 || !slices.Equal(got[0].Shape, []int{12}) {
		t.Errorf("whole rows do not collapse: %v", got[0].Shape)
	}
	column := item(t, c, a, arrays.All(), arrays.Slice(arrays.Int(1), arrays.Int(3), arrays.Value{Kind: arrays.None}))
	binary(t, c, arrays.Add, arrays.Of(column), arrays.Of(column))
	if got = ops(); !slices.Equal(got[0].Shape, []int{4, 2}) {
		t.Errorf("parts of rows collapse to %v", got[0].Shape)
	}
	if err := c.InPlace(arrays.Add, inner, arrays.Of(inner)); err != nil {
		t.Fatal(err)
	}
	if got = ops(); len(got) != 1 || got[0].Uses[0].View.Store != got[0].Uses[2].View.Store {
		t.Errorf("x += x is %d ops", len(got))
	}

	// A reduction keeps the shape as given: its blocks, and so its bits, depend on it.
	call(t, c, "sum", a)
	call(t, c, "sum", a, arrays.Keyword{Name: "axis", Value: 0})
	got = ops()
	if len(got) != 2 || !slices.Equal(got[0].Shape, []int{4, 6}) || got[0].Reduced != 3 || got[1].Reduced != 1 {
		t.Errorf("sums are over %v and %v", got[0].Shape, got[1].Shape)
	}
	long := call(t, c, "ones", 10_000)
	ops()
	call(t, c, "sum", long)
	got = ops()
	if len(got) != 2 || !slices.Equal(got[1].Shape, []int{3}) {
		t.Errorf("a sum over 10000 elements is %d launches", len(got))
	}
	call(t, c, "matmul", a, call(t, c, "reshape", a, []int{6, 4}))
	got = ops()
	if len(got) != 1 || got[0].Kind != scheduler.Contract || !slices.Equal(got[0].Shape, []int{4, 4, 6}) {
		t.Errorf("a matrix product is %d ops, of kind %v over %v", len(got), got[0].Kind, got[0].Shape)
	}
	if x := binary(t, c, arrays.Add, arrays.Of(call(t, c, "zeros", 0)), arrays.Int(1)); x.Size() != 0 || len(ops()) != 0 {
		t.Error("an empty array makes ops")
	}
}

func TestFreeIsExact(t *testing.T) {
	rt := newDirect(t)
	c := arrays.New(rt)
	c.Exact = true
	a := call(t, c, "arange", 6)
	b := call(t, c, "reshape", a, []int{2, 3})
	row := item(t, c, b, 1)
	a.Free()
	a.Free()
	b.Free()
	if got := row.String(); got != "[3 4 5]" || len(rt.stores) != 1 {
		t.Fatalf("after freeing the base the view is %s, and there are %d stores", got, len(rt.stores))
	}
	row.Free()
	if len(rt.stores) != 0 {
		t.Errorf("%d stores are left", len(rt.stores))
	}
	if _, err := c.Unary(arrays.Negative, arrays.Of(row)); err == nil {
		t.Error("a freed array can be used")
	}
}

func TestDroppedArraysAreFreed(t *testing.T) {
	rt := newDirect(t)
	c := arrays.New(rt)
	keep := call(t, c, "arange", 3)
	for range 10 {
		call(t, c, "reshape", call(t, c, "zeros", 100), []int{10, 10})
	}
	for range 100 { // cleanups run on a goroutine of the collector's
		runtime.GC()
		if err := c.Sync(nil); err != nil {
			t.Fatal(err)
		}
		if len(rt.stores) == 1 {
			break
		}
		runtime.Gosched()
	}
	if len(rt.stores) != 1 || keep.String() != "[0 1 2]" {
		t.Errorf("%d stores, wanted the one that is in use", len(rt.stores))
	}
}

func TestCarry(t *testing.T) {
	old, fresh := newDirect(t), newDirect(t)
	c := arrays.New(old)
	a := call(t, c, "arange", 6)
	square := call(t, c, "reshape", a, []int{2, 3})
	row := item(t, c, square, 1)
	square.Free()
	if err := c.Carry(fresh, []*arrays.Array{a, row}, nil); err != nil {
		t.Fatal(err)
	}
	if len(old.stores) != 0 {
		t.Errorf("%d stores are left behind", len(old.stores))
	}
	if err := c.SetItem(row, arrays.Int(0), arrays.Int(9)); err != nil {
		t.Fatal(err)
	}
	if got := a.String(); got != "[0 1 2 9 4 5]" {
		t.Errorf("carried, and written through the view: %s", got)
	}
	a.Free()
	row.Free()
	if len(fresh.stores) != 0 {
		t.Errorf("%d stores are left after freeing what was carried", len(fresh.stores))
	}
}

// TestOverlap assigns between random views of one store; a copy of the source taken first
// says what NumPy would give.
func TestOverlap(t *testing.T) {
	rt := newDirect(t)
	c := arrays.New(rt)
	const n = 20
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		base := call(t, c, "arange", n)
		other := call(t, c, "arange", n)
		pick := func() (arrays.Value, int) {
			step := rng.IntN(3) + 1
			count := rng.IntN(n/step-1) + 1
			start := rng.IntN(n - (count-1)*step)
			stop := arrays.Int(int64(start + (count-1)*step + 1))
			s := arrays.Slice(arrays.Int(int64(start)), stop, arrays.Int(int64(step)))
			if rng.IntN(2) == 0 { // backwards
				stop = arrays.Int(int64(start - 1))
				if start == 0 {
					stop = arrays.Value{Kind: arrays.None}
				}
				s = arrays.Slice(arrays.Int(int64(start+(count-1)*step)), stop, arrays.Int(int64(-step)))
			}
			return s, count
		}
		to, count := pick()
		from, m := pick()
		for m != count && m != 1 {
			from, m = pick()
		}
		src, twin := item(t, c, base, from), item(t, c, other, from)
		dst, twinDst := item(t, c, base, to), item(t, c, other, to)
		safe := call(t, c, "copy", twin)
		if err := c.InPlace(arrays.Add, dst, arrays.Of(src)); err != nil {
			t.Fatal(err)
		}
		if err := c.InPlace(arrays.Add, twinDst, arrays.Of(safe)); err != nil {
			t.Fatal(err)
		}
		if base.String() != other.String() {
			t.Fatalf("seed %d: %v += %v gives %v, wanted %v", seed, to.Items, from.Items, base, other)
		}
	}
}

// idle is a runtime that does nothing, to measure what an op costs in this package.
type idle struct{ direct }

func (r *idle) NewStore(int64) scheduler.StoreID { r.next++; return r.next }
func (r *idle) Submit(*scheduler.Op) error       { return nil }
func (r *idle) Free(scheduler.StoreID)           {}

func BenchmarkSmallOps(b *testing.B) {
	c := arrays.New(&idle{})
	c.Exact = true
	x, y := call(b, c, "zeros", []int{41, 41}), call(b, c, "zeros", []int{41, 41})
	inner := item(b, c, x, arrays.Slice(arrays.Int(1), arrays.Int(-1), arrays.Value{Kind: arrays.None}),
		arrays.Slice(arrays.Int(1), arrays.Int(-1), arrays.Value{Kind: arrays.None}))
	for _, bench := range []struct {
		name string
		x, y arrays.Value
	}{{"flat", arrays.Of(x), arrays.Of(y)}, {"weak", arrays.Of(x), arrays.Float(0.2)}, {"strided", arrays.Of(inner), arrays.Of(inner)}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				r, err := c.Binary(arrays.Add, bench.x, bench.y)
				if err != nil {
					b.Fatal(err)
				}
				r.Free()
			}
		})
	}
	b.Run("index", func(b *testing.B) {
		b.ReportAllocs()
		index := arrays.Tuple(arrays.All(), arrays.Int(3))
		for range b.N {
			r, err := c.GetItem(x, index)
			if err != nil {
				b.Fatal(err)
			}
			r.Free()
		}
	})
}

// TestAllocations keeps a small op cheap to record.
func TestAllocations(t *testing.T) {
	c := arrays.New(&idle{})
	c.Exact = true
	x := call(t, c, "zeros", []int{41, 41})
	for _, y := range []arrays.Value{arrays.Of(x), arrays.Float(0.2)} {
		got := testing.AllocsPerRun(100, func() {
			r, err := c.Binary(arrays.Add, arrays.Of(x), y)
			if err != nil {
				t.Fatal(err)
			}
			r.Free()
		})
		if got > 1 {
			t.Errorf("a small op allocates %v times, wanted at most once", got)
		}
	}
}
