package tiletest

import (
	"errors"
	"fmt"
	"math"

	"weft/tile"
)

// array is a parameter of a launch of threads: its elements, which lie step elements apart, behind offset bytes.
type array struct {
	t      tile.DType
	shape  []int
	values []tile.Scalar // in C order
	step   int           // 0 means 1; -1 is from the end
	offset int
}

// filled returns an array whose element i is f(i).
func filled(t tile.DType, f func(i int) tile.Scalar, shape ...int) array {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	a := array{t: t, shape: shape}
	for i := range n {
		a.values = append(a.values, f(i))
	}
	return a
}

// numbers is an array of 0, 1, 2, ... times a factor, and zeros one of zeros.
func numbers(t tile.DType, factor int64, shape ...int) array {
	return filled(t, func(i int) tile.Scalar { return number(t, int64(i)*factor) }, shape...)
}

func zeros(t tile.DType, shape ...int) array { return numbers(t, 0, shape...) }

// number is an integer of any dtype.
func number(t tile.DType, n int64) tile.Scalar {
	switch {
	case t.Is(tile.KindFloat):
		return tile.FloatScalar(t, float64(n))
	case t.Is(tile.KindComplex):
		return tile.ComplexScalar(t, complex(float64(n), float64(-n)))
	}
	return tile.IntScalar(t, n)
}

// layout returns the bytes, strides and offset of the array.
func (a *array) layout() (bytes []byte, strides []int64, offset int64) {
	step := a.step
	if step == 0 {
		step = 1
	}
	size := int64(a.t.Size())
	strides = make([]int64, len(a.shape))
	stride := size * int64(step)
	for axis := len(a.shape) - 1; axis >= 0; axis-- {
		strides[axis] = stride
		stride *= int64(a.shape[axis])
	}
	reach := size * int64(max(step, -step)) * int64(max(1, len(a.values)))
	offset = int64(a.offset)
	if step < 0 {
		offset += reach - size*int64(-step)
	}
	bytes = make([]byte, reach+int64(a.offset))
	for i, v := range a.values {
		encode(bytes[offset+int64(i*step)*size:], v)
	}
	return bytes, strides, offset
}

// gridTrial is a launch of threads that is to be compared.
type gridTrial struct {
	p        *tile.Program
	grid     tile.Grid
	arrays   []array
	uniforms []tile.Scalar
	fails    bool // in every way, on every device
}

// blocks is a grid of one dimension.
func blocks(n, threads int) tile.Grid {
	return tile.Grid{Blocks: [3]int{n, 1, 1}, Threads: [3]int{threads, 1, 1}}
}

// on runs the launch, and returns what is in the arrays then.
func (tr *gridTrial) on(b *bench, dev tile.Device) ([][]tile.Scalar, error) {
	b.Helper()
	exe, err := dev.Compile(tr.p)
	if err != nil {
		b.Fatalf("Compile: %v\n%v", err, tr.p)
	}
	l := &tile.Launch{Exe: exe, Program: tr.p, Grid: tr.grid, Uniforms: tr.uniforms}
	var sizes []int
	for i := range tr.arrays {
		bytes, strides, offset := tr.arrays[i].layout()
		sizes = append(sizes, len(bytes))
		buf := b.alloc(dev, bytes)
		defer dev.Free(buf)
		l.Args = append(l.Args, tile.Binding{Buffer: buf, Offset: offset, Strides: strides, Shape: tr.arrays[i].shape})
	}
	if c := b.wait(func(done func(tile.Completion)) { dev.Launch(b.queueOf(dev), l, done) }); c.Err != nil {
		return nil, c.Err
	}
	var all [][]tile.Scalar
	for i, a := range l.Args {
		bytes := b.download(dev, a.Buffer, sizes[i])
		var values []tile.Scalar
		for k := range tr.arrays[i].values {
			step := max(tr.arrays[i].step, 1)
			if tr.arrays[i].step < 0 {
				step = tr.arrays[i].step
			}
			values = append(values, decode(tr.arrays[i].t, bytes[a.Offset+int64(k*step*tr.arrays[i].t.Size()):]))
		}
		all = append(all, values)
	}
	return all, nil
}

// grids compares a launch with the reference's: all elements, or the text of the error.
func (b *bench) grids(tr *gridTrial) {
	b.Helper()
	want, wantErr := tr.on(b, b.ref)
	got, err := tr.on(b, b.dev)
	var fault, wantFault *tile.DataError
	switch {
	case errors.As(wantErr, &wantFault) && tr.fails:
		if !errors.As(err, &fault) || *fault != *wantFault {
			b.Errorf("got error %v; want %v\n%v", err, wantErr, tr.p)
		}
		return
	case wantErr != nil || err != nil || tr.fails:
		b.Errorf("got error %v; want %v\n%v", err, wantErr, tr.p)
		return
	}
	var exact tolerance
	for i := range want {
		for k := range want[i] {
			if exact.distance(want[i][k], got[i][k]) > 0 {
				b.Errorf("element %d of p%d is %v; want %v\n%v", k, i, got[i][k], want[i][k], tr.p)
				return
			}
		}
	}
}

// threadsOf starts a program and returns the number of the thread in the grid, along x.
func threadsOf(name string) (nb *tile.Builder, i tile.Value) {
	nb = tile.NewThreads(name)
	long := func(f tile.Form) tile.Value { return nb.Cast(tile.Int64, nb.Thread(f)) }
	return nb, nb.Do(tile.Add, nb.Do(tile.Mul, long(tile.CtaidX), long(tile.NtidX)), long(tile.TidX))
}

// whole is an integer constant.
func whole(nb *tile.Builder, t tile.DType, n int64) tile.Value { return nb.Const(tile.IntScalar(t, n)) }

// testGrids runs programs of threads that have one result, whatever comes first.
func testGrids(b *bench) {
	if !b.dev.Info().Grids {
		b.Skip("the device runs no programs of threads")
	}
	for _, d := range tile.DTypes() {
		b.sub("copy "+d.String(), func(b *bench) { copies(b, d) })
		b.sub("shuffle "+d.String(), func(b *bench) { shuffles(b, d) })
	}
	for f, name := range tile.Atomic.Forms() {
		for _, d := range tile.DTypes() {
			if tile.Form(f).AcceptsAtomic(d) {
				b.sub(fmt.Sprintf("atomic %s %v", name, d), func(b *bench) { atomics(b, tile.Form(f), d) })
			}
		}
	}
	for _, c := range []struct {
		name string
		run  func(*bench)
	}{
		{"where", where}, {"transposed", transposed}, {"tree", tree}, {"cas", increments}, {"votes", votes}, {"left", left}, {"tallies", tallies},
		{"own", own}, {"dynamic", dynamic}, {"leave", leaves}, {"failures", failures}, {"masks", masks},
		{"relaxation", relaxation}, {"flags", flags}, {"within", within},
	} {
		b.sub(c.name, c.run)
	}
}

// copies reads backwards and writes forwards, behind a guard, at several layouts.
func copies(b *bench, d tile.DType) {
	for _, l := range []struct{ step, offset int }{{1, 0}, {3, 16}, {-1, 32}, {2, 1}} {
		const n = 100
		nb, i := threadsOf("copy")
		from, to := nb.Array(tile.In, d, 1, "from"), nb.Array(tile.Update, d, 1, "to")
		nb.If(nb.Do(tile.Lt, i, nb.Size(from, 0)))
		nb.Put(to, nb.Element(from, nb.Do(tile.Sub, whole(nb, tile.Int64, -1), i)), i)
		nb.End()
		r := source(uint64(d))
		a := filled(d, func(int) tile.Scalar { return random(r, d) }, n)
		c := zeros(d, n)
		a.step, a.offset, c.step, c.offset = l.step, l.offset, l.step, l.offset
		b.grids(&gridTrial{p: nb.Program(), grid: blocks(4, 32), arrays: []array{a, c}})
	}
}

// where writes all forms of Thread at three-dimensional coordinates.
func where(b *bench) {
	nb := tile.NewThreads("where")
	a := nb.Array(tile.Out, tile.Int32, 2, "a")
	form := func(f tile.Form) tile.Value { return nb.Cast(tile.Int64, nb.Thread(f)) }
	linear := func(x, y, z, nx, ny tile.Form) tile.Value {
		return nb.Do(tile.Add, nb.Do(tile.Mul, nb.Do(tile.Add, nb.Do(tile.Mul, form(z), form(ny)), form(y)), form(nx)), form(x))
	}
	i := nb.Do(tile.Add, nb.Do(tile.Mul, linear(tile.CtaidX, tile.CtaidY, tile.CtaidZ, tile.NctaidX, tile.NctaidY), whole(nb, tile.Int64, 30)),
		linear(tile.TidX, tile.TidY, tile.TidZ, tile.NtidX, tile.NtidY))
	for f := range tile.Thread.Forms() {
		nb.Put(a, nb.Thread(tile.Form(f)), i, whole(nb, tile.Int64, int64(f)))
	}
	g := tile.Grid{Blocks: [3]int{2, 3, 4}, Threads: [3]int{5, 2, 3}}
	b.grids(&gridTrial{p: nb.Program(), grid: g, arrays: []array{zeros(tile.Int32, 24*30, len(tile.Thread.Forms()))}})
}

// transposed goes through a shared tile.
func transposed(b *bench) {
	const side, tileSide = 20, 8
	nb := tile.NewThreads("transposed")
	from, to := nb.Array(tile.In, tile.Float64, 2, "from"), nb.Array(tile.Update, tile.Float64, 2, "to")
	s := nb.Scratch(tile.Shared, tile.Float64, "s", tileSide, tileSide+1)
	x, y := nb.Cast(tile.Int64, nb.Thread(tile.TidX)), nb.Cast(tile.Int64, nb.Thread(tile.TidY))
	bx := nb.Do(tile.Mul, nb.Cast(tile.Int64, nb.Thread(tile.CtaidX)), whole(nb, tile.Int64, tileSide))
	by := nb.Do(tile.Mul, nb.Cast(tile.Int64, nb.Thread(tile.CtaidY)), whole(nb, tile.Int64, tileSide))
	within := func(i, j tile.Value) tile.Value {
		return nb.Do(tile.And, nb.Do(tile.Lt, i, nb.Size(from, 0)), nb.Do(tile.Lt, j, nb.Size(from, 1)))
	}
	i, j := nb.Do(tile.Add, by, y), nb.Do(tile.Add, bx, x)
	nb.If(within(i, j))
	nb.Put(s, nb.Element(from, i, j), y, x)
	nb.End()
	nb.Barrier()
	i, j = nb.Do(tile.Add, bx, y), nb.Do(tile.Add, by, x)
	nb.If(within(j, i))
	nb.Put(to, nb.Element(s, x, y), i, j)
	nb.End()
	g := tile.Grid{Blocks: [3]int{3, 3, 1}, Threads: [3]int{tileSide, tileSide, 1}}
	b.grids(&gridTrial{p: nb.Program(), grid: g, arrays: []array{numbers(tile.Float64, 3, side, side), zeros(tile.Float64, side, side)}})
}

// tree sums within blocks, with a barrier in a loop, and between blocks by an atomic.
func tree(b *bench) {
	const threads = 128
	nb, i := threadsOf("tree")
	a, sum := nb.Array(tile.In, tile.Int64, 1, "a"), nb.Array(tile.Update, tile.Int64, 0, "sum")
	s := nb.Scratch(tile.Shared, tile.Int64, "s", threads)
	t := nb.Cast(tile.Int64, nb.Thread(tile.TidX))
	nb.Put(s, nb.Element(a, i), t)
	nb.Barrier()
	half, zero, one := whole(nb, tile.Int64, threads/2), whole(nb, tile.Int64, 0), whole(nb, tile.Int64, 1)
	nb.Loop()
	h := nb.Carry(half)
	nb.While(nb.Do(tile.Gt, h, zero))
	nb.If(nb.Do(tile.Lt, t, h))
	nb.Put(s, nb.Do(tile.Add, nb.Element(s, t), nb.Element(s, nb.Do(tile.Add, t, h))), t)
	nb.End()
	nb.Barrier()
	next := nb.Do(tile.Shr, h, one)
	nb.Next(h, next)
	nb.End()
	nb.If(nb.Do(tile.Eq, t, zero))
	nb.Atomic(tile.AtomicAdd, sum, nb.Element(s, zero))
	nb.End()
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(5, threads), arrays: []array{numbers(tile.Int64, 7, 5*threads), zeros(tile.Int64)}})
}

// atomics has every thread combine with one of few elements, of a shared array and then of a parameter, where the
// order does not matter: sums of small integers, extremes, bits, and an exchange and counters of which only the end is
// seen.
func atomics(b *bench, f tile.Form, d tile.DType) {
	const n, bins = 200, 5
	nb, i := threadsOf("atomic")
	a, first, out := nb.Array(tile.In, d, 1, "a"), nb.Array(tile.In, d, 1, "first"), nb.Array(tile.Update, d, 1, "out")
	s := nb.Scratch(tile.Shared, d, "s", bins)
	bin := nb.Do(tile.Rem, i, whole(nb, tile.Int64, bins))
	t := nb.Cast(tile.Int64, nb.Thread(tile.TidX))
	nb.If(nb.Do(tile.Lt, t, whole(nb, tile.Int64, bins)))
	nb.Put(s, nb.Element(first, t), t)
	nb.End()
	nb.Barrier()
	v := nb.Element(a, i)
	nb.Atomic(f, s, v, bin)
	nb.Barrier()
	nb.If(nb.Do(tile.Lt, t, whole(nb, tile.Int64, bins)))
	x := nb.Element(s, t)
	switch f {
	case tile.AtomicExch, tile.AtomicInc, tile.AtomicDec: // once more would depend on the order
		nb.Put(out, x, t)
	default:
		nb.Atomic(f, out, x, t)
	}
	nb.End()
	r := source(uint64(f)*100 + uint64(d))
	values := filled(d, func(i int) tile.Scalar {
		switch {
		case f == tile.AtomicExch || f == tile.AtomicInc || f == tile.AtomicDec:
			return number(d, 11)
		case d.Is(tile.KindFloat) && f != tile.AtomicAdd && f != tile.AtomicSub && i%17 == 3:
			return tile.FloatScalar(d, math.NaN())
		}
		return number(d, int64(r.IntN(2000)-1000))
	}, n)
	g := blocks(4, 50)
	if f == tile.AtomicExch || f == tile.AtomicInc || f == tile.AtomicDec {
		g = blocks(1, n)
	}
	b.grids(&gridTrial{p: nb.Program(), grid: g, arrays: []array{values, numbers(d, 2, bins), numbers(d, 5, bins)}})
}

// increments adds by Cas in a loop that goes on until no other thread was faster.
func increments(b *bench) {
	for _, d := range []tile.DType{tile.Int32, tile.Uint32, tile.Int64, tile.Uint64} {
		nb, i := threadsOf("increments")
		a := nb.Array(tile.Update, d, 1, "a")
		at := nb.Do(tile.Rem, i, whole(nb, tile.Int64, 3))
		one := nb.Const(number(d, 1))
		first := nb.Atomic(tile.AtomicAdd, a, nb.Const(number(d, 0)), at)
		yes := nb.Const(tile.BoolScalar(true))
		nb.Loop()
		old, going := nb.Carry(first), nb.Carry(yes)
		nb.While(going)
		found := nb.Cas(a, old, nb.Do(tile.Add, old, one), at)
		again := nb.Do(tile.Ne, found, old)
		nb.Next(old, found)
		nb.Next(going, again)
		nb.End()
		b.grids(&gridTrial{p: nb.Program(), grid: blocks(3, 64), arrays: []array{numbers(d, 10, 3)}})
	}
}

// warpMask names all threads of the warp.
func warpMask(nb *tile.Builder) tile.Value { return nb.Const(tile.UintScalar(tile.Uint32, 0xffffffff)) }

// shuffles gives values of a dtype around in whole warps, in all forms.
func shuffles(b *bench, d tile.DType) {
	nb, i := threadsOf("shuffles")
	a, out := nb.Array(tile.In, d, 1, "a"), nb.Array(tile.Out, d, 2, "out")
	v := nb.Element(a, i)
	lane := nb.Thread(tile.LaneID)
	for f := range tile.Shuffle.Forms() {
		for k, by := range []tile.Value{whole(nb, tile.Int32, 3), whole(nb, tile.Int32, 33), nb.Do(tile.Sub, whole(nb, tile.Int32, 7), lane)} {
			nb.Put(out, nb.Shuffle(tile.Form(f), warpMask(nb), v, by), i, whole(nb, tile.Int64, int64(3*f+k)))
		}
	}
	r := source(uint64(d))
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(2, 64), arrays: []array{
		filled(d, func(int) tile.Scalar { return random(r, d) }, 128), zeros(d, 128, 3*len(tile.Shuffle.Forms())),
	}})
}

// left shuffles, votes and matches in warps some of whose threads have left, which the mask names.
func left(b *bench) {
	nb, i := threadsOf("left")
	out := nb.Array(tile.Update, tile.Int64, 2, "out")
	lane := nb.Thread(tile.LaneID)
	nb.If(nb.Do(tile.Eq, nb.Do(tile.Rem, lane, whole(nb, tile.Int32, 3)), whole(nb, tile.Int32, 1)))
	nb.Leave()
	nb.End()
	for f := range tile.Shuffle.Forms() {
		nb.Put(out, nb.Shuffle(tile.Form(f), warpMask(nb), i, whole(nb, tile.Int32, 7)), i, whole(nb, tile.Int64, int64(f)))
	}
	put := func(v tile.Value, column int64) {
		nb.Put(out, nb.Cast(tile.Int64, v), i, whole(nb, tile.Int64, column))
	}
	put(nb.Vote(tile.VoteBallot, warpMask(nb), nb.Do(tile.Gt, lane, whole(nb, tile.Int32, 4))), 4)
	put(nb.Match(tile.MatchAll, warpMask(nb), nb.Do(tile.Rem, lane, whole(nb, tile.Int32, 1))), 5)
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(2, 64), arrays: []array{zeros(tile.Int64, 128, 6)}})
}

// votes asks whole warps, and the even threads of each, in a branch.
func votes(b *bench) {
	nb, i := threadsOf("votes")
	a, out := nb.Array(tile.In, tile.Int64, 1, "a"), nb.Array(tile.Update, tile.Uint32, 2, "out")
	v := nb.Element(a, i)
	holds := nb.Do(tile.Gt, v, whole(nb, tile.Int64, 60))
	column := int64(0)
	put := func(x tile.Value) {
		nb.Put(out, nb.Cast(tile.Uint32, x), i, whole(nb, tile.Int64, column))
		column++
	}
	ask := func(mask tile.Value) {
		for f := range tile.Vote.Forms() {
			put(nb.Vote(tile.Form(f), mask, holds))
		}
		small := nb.Do(tile.Rem, v, whole(nb, tile.Int64, 5))
		put(nb.Match(tile.MatchAny, mask, small))
		put(nb.Match(tile.MatchAny, mask, nb.Cast(tile.Int32, small)))
		put(nb.Match(tile.MatchAny, mask, nb.Cast(tile.Float32, small)))
		put(nb.Match(tile.MatchAll, mask, nb.Do(tile.Shr, v, whole(nb, tile.Int64, 5))))
	}
	ask(warpMask(nb))
	put(nb.Active())
	nb.If(nb.Do(tile.Eq, nb.Do(tile.And, i, whole(nb, tile.Int64, 1)), whole(nb, tile.Int64, 0)))
	ask(nb.Const(tile.UintScalar(tile.Uint32, 0x55555555)))
	nb.End()
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(2, 64), arrays: []array{numbers(tile.Int64, 1, 128), zeros(tile.Uint32, 128, int(column))}})
}

// tallies counts in blocks, some of whose threads have left.
func tallies(b *bench) {
	nb, i := threadsOf("tallies")
	out := nb.Array(tile.Update, tile.Int32, 2, "out")
	t := nb.Thread(tile.TidX)
	nb.If(nb.Do(tile.Eq, t, whole(nb, tile.Int32, 2)))
	nb.Leave()
	nb.End()
	for f := range tile.Tally.Forms() {
		for k, limit := range []int64{0, 30, 1000} {
			nb.Put(out, nb.Tally(tile.Form(f), nb.Do(tile.Lt, t, whole(nb, tile.Int32, limit))), i, whole(nb, tile.Int64, int64(3*f+k)))
		}
	}
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(3, 70), arrays: []array{zeros(tile.Int32, 210, 9)}})
}

// own reverses a piece of an array in each thread's own memory.
func own(b *bench) {
	for _, d := range tile.DTypes() {
		nb, i := threadsOf("own")
		a := nb.Array(tile.Update, d, 2, "a")
		m := nb.Scratch(tile.Own, d, "m", 2, 3)
		nb.Scratch(tile.Own, tile.Int8, "other", 5)
		for k := range int64(6) {
			nb.Put(m, nb.Element(a, i, whole(nb, tile.Int64, k)), whole(nb, tile.Int64, k/3), whole(nb, tile.Int64, k%3))
		}
		for k := range int64(6) {
			nb.Put(a, nb.Element(m, whole(nb, tile.Int64, 1-k/3), whole(nb, tile.Int64, 2-k%3)), i, whole(nb, tile.Int64, k))
		}
		b.grids(&gridTrial{p: nb.Program(), grid: blocks(2, 20), arrays: []array{numbers(d, 1, 40, 6)}})
	}
}

// dynamic has two arrays in the launch's shared bytes, beside one of the program's own.
func dynamic(b *bench) {
	nb, i := threadsOf("dynamic")
	out := nb.Array(tile.Out, tile.Int32, 2, "out")
	s := nb.Scratch(tile.Shared, tile.Int16, "s", 33)
	words, halves := nb.Scratch(tile.Shared, tile.Int32, "words", 0), nb.Scratch(tile.Shared, tile.Uint16, "halves", 0)
	t := nb.Cast(tile.Int64, nb.Thread(tile.TidX))
	nb.Put(s, nb.Cast(tile.Int16, t), t)
	nb.Put(words, nb.Cast(tile.Int32, nb.Do(tile.Mul, i, whole(nb, tile.Int64, 70001))), t)
	nb.Barrier()
	put := func(column int64, v tile.Value) {
		nb.Put(out, nb.Cast(tile.Int32, v), i, whole(nb, tile.Int64, column))
	}
	put(0, nb.Element(halves, nb.Do(tile.Sub, whole(nb, tile.Int64, 63), t)))
	put(1, nb.Size(words, 0))
	put(2, nb.Size(halves, 0))
	put(3, nb.Element(s, nb.Do(tile.Sub, whole(nb, tile.Int64, 31), t)))
	g := blocks(3, 32)
	g.Dynamic = 128
	b.grids(&gridTrial{p: nb.Program(), grid: g, arrays: []array{zeros(tile.Int32, 96, 4)}})
}

// leaves ends threads in a loop and in a branch, before the others are done.
func leaves(b *bench) {
	nb, i := threadsOf("leaves")
	a := nb.Array(tile.Update, tile.Int64, 1, "a")
	limit := nb.Uniform(tile.Int64)
	zero, one := whole(nb, tile.Int64, 0), whole(nb, tile.Int64, 1)
	nb.Loop()
	k := nb.Carry(zero)
	nb.While(nb.Do(tile.Lt, k, limit))
	nb.If(nb.Do(tile.Gt, nb.Do(tile.Mul, k, whole(nb, tile.Int64, 3)), i))
	nb.Leave()
	nb.End()
	nb.Put(a, nb.Do(tile.Add, nb.Element(a, i), k), i)
	next := nb.Do(tile.Add, k, one)
	nb.Next(k, next)
	nb.End()
	nb.Put(a, nb.Do(tile.Sub, zero, nb.Element(a, i)), i)
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(2, 40), arrays: []array{numbers(tile.Int64, 100, 80)},
		uniforms: []tile.Scalar{tile.IntScalar(tile.Int64, 12)}})
}

// failures has several threads fail, in every way that a launch tells of; the lowest one is told.
func failures(b *bench) {
	for _, c := range []struct {
		name string
		from int64 // threads that fail
		how  func(nb *tile.Builder, a tile.Memory, i tile.Value)
	}{
		{"index", 70, func(nb *tile.Builder, a tile.Memory, i tile.Value) {
			nb.Put(a, i, whole(nb, tile.Int64, 1), nb.Do(tile.Mul, i, whole(nb, tile.Int64, 1<<40)))
		}},
		{"first axis", 41, func(nb *tile.Builder, a tile.Memory, i tile.Value) { nb.Put(a, i, nb.Do(tile.Neg, i), i) }},
		{"message", 3, func(nb *tile.Builder, a tile.Memory, i tile.Value) {
			n := nb.Message("ValueError", "thread {} has {}, {}, {} and {}")
			nb.Fail(n, nb.Cast(tile.Int16, nb.Do(tile.Neg, i)), nb.Cast(tile.Float16, i), nb.Cast(tile.Complex128, i),
				nb.Do(tile.Gt, i, whole(nb, tile.Int64, 0)), nb.Cast(tile.Uint64, nb.Do(tile.Neg, i)))
		}},
		{"all", 0, func(nb *tile.Builder, a tile.Memory, i tile.Value) {
			nb.Fail(0, nb.Cast(tile.Complex64, i), nb.Cast(tile.Float32, i))
		}},
	} {
		nb, i := threadsOf(c.name)
		a, done := nb.Array(tile.Update, tile.Int64, 2, "a"), nb.Array(tile.Update, tile.Int64, 1, "done")
		nb.Line(12)
		nb.If(nb.Do(tile.Ge, i, whole(nb, tile.Int64, c.from)))
		nb.Line(13)
		c.how(nb, a, i)
		nb.End()
		nb.If(nb.Do(tile.Lt, i, whole(nb, tile.Int64, 0))) // no thread
		nb.Put(a, i, i, i)
		nb.End()
		nb.Put(done, i, i)
		b.grids(&gridTrial{p: nb.Program(), grid: blocks(6, 50), arrays: []array{zeros(tile.Int64, 40, 40), zeros(tile.Int64, 300)}, fails: true})
	}
	copies(b, tile.Int32) // the device goes on working
}

// masks has threads that their mask does not name.
func masks(b *bench) {
	nb, i := threadsOf("masks")
	a := nb.Array(tile.Out, tile.Uint32, 1, "a")
	even := nb.Const(tile.UintScalar(tile.Uint32, 0x55555555))
	nb.Put(a, nb.Vote(tile.VoteBallot, even, nb.Const(tile.BoolScalar(true))), i)
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(1, 32), arrays: []array{zeros(tile.Uint32, 32)}, fails: true})
}
