package arrays_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"weft/arrays"
	"weft/tile"
)

// layouts are what the operands of TestLaunchesDoWhatCallsDo look like: a dtype, a shape, and an
// index that makes a view of it.
var layouts = []struct {
	t     tile.DType
	shape []int
	index []arrays.Value
}{
	{tile.Float64, []int{4, 6}, nil},
	{tile.Float64, []int{6, 8}, []arrays.Value{arrays.Slice(arrays.Int(1), arrays.Int(-1), none), arrays.Slice(arrays.Int(2), none, none)}},
	{tile.Float64, []int{4, 6}, []arrays.Value{arrays.All(), arrays.Slice(none, none, arrays.Int(-1))}},
	{tile.Float32, []int{6}, nil},
	{tile.Int64, []int{4, 1}, nil},
	{tile.Int8, []int{8, 6}, []arrays.Value{arrays.Slice(none, none, arrays.Int(2))}},
	{tile.Uint8, []int{1}, nil},
	{tile.Bool, []int{4, 6}, nil},
	{tile.Complex64, []int{}, nil},
	{tile.Float64, []int{0, 6}, nil},
	{tile.Float64, []int{5}, nil},
}

var none = arrays.Value{Kind: arrays.None}

// TestLaunchesDoWhatCallsDo compares Prepare and Run with Binary, InPlace and SetItem.
func TestLaunchesDoWhatCallsDo(t *testing.T) {
	c := arrays.New(newDirect(t))
	r := rand.New(rand.NewPCG(1, 2))
	make := func(k int) *arrays.Array {
		l := layouts[k]
		n := 1
		for _, s := range l.shape {
			n *= s
		}
		a := call(t, c, "reshape", call(t, c, "astype", call(t, c, "arange", 1+r.IntN(3), n+5), l.t), []int{-1})
		a = call(t, c, "reshape", item(t, c, a, arrays.Slice(none, arrays.Int(int64(n)), none)), l.shape)
		if l.index == nil {
			return a
		}
		v, err := c.GetItem(a, arrays.Tuple(l.index...))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	scalar := func(v arrays.Value, t tile.DType) arrays.Value { v.DType = t; return v }
	numbers := []arrays.Value{
		arrays.Int(2), arrays.Int(-7), arrays.Float(0.5), arrays.Bool(true), arrays.Int(300),
		scalar(arrays.Int(3), tile.Int8), scalar(arrays.Float(0.25), tile.Float32), scalar(arrays.Int(2), tile.Int64),
	}
	ufuncs := []arrays.Ufunc{arrays.Add, arrays.Subtract, arrays.Multiply, arrays.Divide, arrays.Less, arrays.Power, arrays.FloorDivide}
	value := func(a *arrays.Array) []byte {
		b, err := a.Bytes(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	ran, left := 0, 0
	for range 4000 {
		a, b := r.IntN(len(layouts)), r.IntN(len(layouts))
		x, y := make(a), make(b)
		p := arrays.Pattern{Ufunc: ufuncs[r.IntN(len(ufuncs))], X: arrays.PatternOperand{Layout: c.LayoutOf(x)}}
		operands := []arrays.Operand{{Array: x, Offset: x.View().Offset}}
		second := arrays.Of(y)
		var number arrays.Number
		if r.IntN(3) == 0 {
			second = numbers[r.IntN(len(numbers))]
			p.Y = arrays.PatternOperand{Kind: second.Kind, Type: second.DType, Two: p.Ufunc == arrays.Power && second.Kind == arrays.IntValue && second.Int == 2 && second.DType == tile.Invalid}
			number = arrays.Number{Int: second.Int, Float: second.Float}
		} else {
			p.Y = arrays.PatternOperand{Layout: c.LayoutOf(y)}
			operands = append(operands, arrays.Operand{Array: y, Offset: y.View().Offset})
		}
		kind := r.IntN(4) // a new array, in place, assignment, copy
		var out arrays.Operand
		if kind == 3 {
			p, operands, second, number = arrays.Pattern{Assign: true, X: p.X}, operands[:1], arrays.Of(x), arrays.Number{}
		} else if kind > 0 {
			p.Out, p.X.Near = p.X.Layout, true
			out = operands[0]
		}
		if kind == 2 {
			p.Assign, p.X, p.Y = true, p.Y, arrays.PatternOperand{}
			operands = operands[1:]
		}
		l := c.Prepare(p)
		if l != c.Prepare(p) {
			t.Fatalf("%+v is prepared twice", p)
		}
		usable := l != nil && (second.Kind != arrays.IntValue || l.Low <= second.Int && second.Int <= l.High)
		if !usable {
			left++
			continue
		}
		ran++
		// The same by the general functions, on copies.
		twin := call(t, c, "copy", x)
		want, err := twin, error(nil)
		switch kind {
		case 0:
			want, err = c.Binary(p.Ufunc, arrays.Of(x), second)
		case 1:
			err = c.InPlace(p.Ufunc, twin, second)
		case 3: // is the twin
		default:
			err = c.SetItem(twin, arrays.Value{Kind: arrays.EllipsisValue}, second)
		}
		if err != nil {
			t.Fatalf("%+v has a launch, but fails: %v", p, err)
		}
		got, err := c.Run(l, operands, number, out)
		if err != nil {
			t.Fatal(err)
		}
		if got.DType() != want.DType() || got.Scalar != want.Scalar || !bytes.Equal(value(got), value(want)) {
			t.Fatalf("%+v of %v and %v is %v %v, want %v %v", p, x.View(), y.View(), got.View(), value(got), want.View(), value(want))
		}
		if (kind == 0 || kind == 3) && c.LayoutOf(got) != c.LayoutOf(want) {
			t.Fatalf("%+v has layout %d, want %d", p, c.LayoutOf(got), c.LayoutOf(want))
		}
	}
	if ran < 1000 || left < 100 {
		t.Errorf("%d launches ran, %d were left to the general functions", ran, left)
	}
}

// TestOperandsNearTheOutput are those that must be copied first: there is no launch for them.
func TestOperandsNearTheOutput(t *testing.T) {
	c := arrays.New(newDirect(t))
	a := call(t, c, "zeros", []int{6, 8})
	layout := c.LayoutOf(item(t, c, a, arrays.Slice(arrays.Int(1), none, none)))
	for _, test := range []struct {
		away int64
		want bool
	}{{0, true}, {8, false}, {-64, false}, {6 * 64, true}} {
		p := arrays.Pattern{Assign: true, X: arrays.PatternOperand{Layout: layout, Near: true, Away: test.away}, Out: layout}
		if got := c.Prepare(p) != nil; got != test.want {
			t.Errorf("assigning from %d bytes behind has a launch: %v, want %v", test.away, got, test.want)
		}
	}
}

// TestLayouts pins that a layout is one number, that views have their layouts without being made, and what
// becomes of it all when there is no more room.
func TestLayouts(t *testing.T) {
	c := arrays.New(newDirect(t))
	a, b := call(t, c, "zeros", []int{4, 6}), call(t, c, "ones", []int{4, 6})
	id := c.LayoutOf(a)
	if id < arrays.FirstLayout || c.LayoutOf(b) != id {
		t.Fatalf("two arrays of one layout have layouts %d and %d", id, c.LayoutOf(b))
	}
	v := item(t, c, a, arrays.Int(2), arrays.Value{Kind: arrays.None}, arrays.Slice(arrays.Int(5), arrays.Int(0), arrays.Int(-2)))
	view := c.Intern(v.DType(), []int{1, 3}, []int64{0, -16})
	if view != c.LayoutOf(v) {
		t.Errorf("the view has layout %d, foretold was %d", c.LayoutOf(v), view)
	}
	made := a.ViewOf(v.DType(), v.View().Offset, []int{1, 3}, []int64{0, -16}, arrays.WritesNot)
	if made.View().String() != v.View().String() || made.Writable() {
		t.Errorf("the view is %v, want %v, read-only", made.View(), v.View())
	}
	for n := 1; !c.LayoutsFull(); n++ {
		c.Intern(v.DType(), []int{1}, []int64{int64(8 * n)})
	}
	if c.Intern(v.DType(), []int{1}, []int64{-8}) != arrays.NoLayout || c.Prepare(arrays.Pattern{X: arrays.PatternOperand{Layout: id}, Ufunc: arrays.Negative}) != nil {
		t.Error("a full table has room")
	}
	base, _ := c.ForgetLayouts()
	if c.Layout(id) != nil || c.LayoutsFull() || c.LayoutOf(a) < base || c.LayoutOf(a) != c.LayoutOf(b) {
		t.Errorf("after all was forgotten the layouts are %d and %d", c.LayoutOf(a), c.LayoutOf(b))
	}
}

// TestManyLayouts has a hundred thousand of them come by, and one launch that is wanted all the time: memory stays
// bounded, the hot launch is found out anew once in a while, and never is all forgotten at once.
func TestManyLayouts(t *testing.T) {
	c := arrays.New(newDirect(t))
	a := call(t, c, "ones", []int{4, 6})
	prepare := func(id arrays.LayoutID) (*arrays.Launch, bool) {
		aged := false
		if c.LayoutsFull() {
			c.AgeLayouts()
			aged = true
		}
		if c.Layout(id) == nil {
			return nil, aged
		}
		return c.Prepare(arrays.Pattern{Ufunc: arrays.Negative, X: arrays.PatternOperand{Layout: id}}), aged
	}
	var hot *arrays.Launch
	last, renewed, aged, missed := arrays.NoLayout, 0, 0, 0
	const many = 100_000
	for n := range many {
		cold := c.Intern(tile.Float64, []int{n + 1, 2}, []int64{int64(8 * (n + 3)), 16})
		if cold != arrays.NoLayout && cold <= last {
			t.Fatalf("layout %d has layout %d, and one before it %d", n, cold, last)
		}
		last = max(last, cold)
		l, old := prepare(cold)
		if old {
			aged++
			if kept := cold - arrays.LayoutID(n/4); n > 1000 && cold != arrays.NoLayout && c.Layout(kept) == nil && n < 40_000 {
				t.Fatalf("after %d layouts, layout %d is forgotten already, %d is the newest", n, kept, cold)
			}
		}
		if l == nil {
			missed++
		}
		now, old := prepare(c.LayoutOf(a))
		if old {
			aged++
		}
		if now != nil && now != hot {
			hot = now
			renewed++
		}
		if now != nil && c.Launch(now.ID) != now {
			t.Fatalf("after %d layouts, launch %d is another", n, now.ID)
		}
	}
	ran, err := c.Run(hot, []arrays.Operand{{Array: a}}, arrays.Number{}, arrays.Operand{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ran.Bytes(nil)
	if want, err2 := call(t, c, "negative", a).Bytes(nil); err != nil || err2 != nil || !bytes.Equal(got, want) {
		t.Errorf("the hot launch gives %v (%v), want %v (%v)", got, err, want, err2)
	}
	if aged < 5 || renewed > aged+1 || missed > 2*aged+2 {
		t.Errorf("of %d layouts, %d generations were forgotten, the hot launch was made %d times, %d cold ones were missed", many, aged, renewed, missed)
	}
}
