package tile

import (
	"strings"
	"testing"
	"unsafe"
)

// guarded runs the threads of two blocks of a guarded program in which each adds what a test wants, in two orders, and
// returns the error of the launch, which has to be there in both or in none.
func guarded(t *testing.T, build func(b *Builder, global, shared Memory, i, other Value)) string {
	t.Helper()
	b := NewThreads("guarded")
	b.Guarded()
	global := b.Array(Update, Int64, 1, "g")
	shared := b.Scratch(Shared, Int64, "s", 4)
	wide := func(form Form) Value { return b.Cast(Int64, b.Thread(form)) }
	i := wide(TidX)
	all := b.Do(Add, b.Do(Mul, wide(CtaidX), wide(NtidX)), i)
	b.Line(7)
	build(b, global, shared, i, all)
	p := b.Program()
	if err := Check(p); err != nil {
		t.Fatal(err)
	}
	if q, err := Parse(p.String()); err != nil || q.String() != p.String() || !q.Guarded {
		t.Fatalf("parsed again it is %v, %v; want\n%v", q, err, p)
	}
	var said [2]string
	for k, order := range []func(n int) []int{byNumber, func(n int) []int {
		o := byNumber(n)
		for i := range o {
			o[i] = n - 1 - i
		}
		return o
	}} {
		memory := make([]int64, 8)
		l := &Launch{Program: p, Exe: p, Grid: Grid{Blocks: [3]int{2, 1, 1}, Threads: [3]int{4, 1, 1}},
			Args: []Binding{{Buffer: Buffer{Host: unsafe.Pointer(&memory[0]), Size: 64}, Shape: []int{8}, Strides: []int64{8}}}}
		if err := interpretThreads(l, order); err != nil {
			said[k] = err.Error()
		}
	}
	if (said[0] == "") != (said[1] == "") {
		t.Errorf("in one order it fails with %q, in the other one with %q", said[0], said[1])
	}
	return said[0]
}

func TestGuards(t *testing.T) {
	zero := func(b *Builder) Value { return b.Const(IntScalar(Int64, 0)) }
	one := func(b *Builder) Value { return b.Const(IntScalar(Int64, 1)) }
	last := func(b *Builder) Value { return b.Const(IntScalar(Int64, -1)) }
	for _, c := range []struct {
		name  string
		build func(b *Builder, global, shared Memory, i, all Value)
		want  string
	}{
		{"elements of one's own", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(g, b.Do(Add, b.Element(g, all), one(b)), all)
		}, ""},
		{"one element", func(b *Builder, g, s Memory, i, all Value) { b.Put(g, all, zero(b)) },
			"race on g[0]: it is written here, and written by thread (0,0,0) of block (0,0,0), line 7, with nothing between the two that orders them (kernel guarded, line 7, thread (1,0,0) of block (0,0,0), put p0"},
		{"one element, with one value", func(b *Builder, g, s Memory, i, all Value) { b.Put(g, one(b), zero(b)) }, ""},
		{"the neighbour's", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(s, all, i)
			b.Put(g, b.Element(s, b.Do(Sub, i, one(b))), all)
		}, "s[-1] is read, and nothing has written it"},
		{"the neighbour's of the launch's", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(g, all, all)
			b.Put(s, b.Element(g, b.Do(Sub, all, one(b))), i)
		}, "race on g["},
		{"the neighbour's behind a barrier", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(s, all, i)
			b.Barrier()
			b.Put(g, b.Element(s, b.Do(Sub, i, one(b))), all)
		}, ""},
		{"the neighbour's behind a vote", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(s, all, i)
			b.Vote(VoteAny, b.Active(), b.Const(BoolScalar(true)))
			b.Put(g, b.Element(s, b.Do(Sub, i, one(b))), all)
		}, ""},
		{"no barrier before the next turn", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(s, all, i)
			b.Barrier()
			v := b.Element(s, b.Do(Sub, i, one(b)))
			b.Put(s, v, i)
			b.Put(g, v, all)
		}, "race on s["},
		{"another block's, behind a barrier of one's own", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(g, all, all)
			b.Barrier()
			b.Put(s, b.Element(g, b.Do(Sub, last(b), all)), i)
		}, "race on g["},
		{"another block's, which has a fence", func(b *Builder, g, s Memory, i, all Value) {
			b.Put(g, all, all)
			b.Fence(FenceDevice)
			b.If(b.Do(Eq, b.Atomic(AtomicAdd, s, one(b), zero(b)), b.Const(IntScalar(Int64, 9))))
			b.Put(s, b.Element(g, b.Do(Sub, last(b), all)), i)
			b.End()
		}, "s[0] is read, and nothing has written it"},
		{"atomics", func(b *Builder, g, s Memory, i, all Value) { b.Atomic(AtomicAdd, g, one(b), zero(b)) }, ""},
		{"atomics and a read", func(b *Builder, g, s Memory, i, all Value) {
			b.Atomic(AtomicAdd, g, one(b), zero(b))
			b.Put(g, b.Element(g, zero(b)), b.Do(Max, all, one(b)))
		}, "race on g[0]"},
		{"nothing was written", func(b *Builder, g, s Memory, i, all Value) { b.Put(g, b.Element(s, i), all) }, "s[0] is read, and nothing has written it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := guarded(t, c.build); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("the launch failed with %q; want %q", got, c.want)
			}
		})
	}
}
