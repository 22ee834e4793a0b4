package tiletest

import (
	"math/rand/v2"

	"weft/tile"
)

// threadsTrial is a launch of threads that a seed makes up. No thread reads what another writes but behind a barrier,
// and atomics commute, so that the order of threads does not show.
type threadsTrial struct {
	program *tile.Program
	grid    tile.Grid
	memory  [][]byte // by parameter
	shapes  [][]int
}

// threadsBuilder makes up the program.
type threadsBuilder struct {
	*tile.Builder
	r       *rand.Rand
	values  []tile.Value // that are seen here
	alike   []bool       // by value: the same in all threads of the block
	in      tile.Memory
	out     tile.Memory // an element for each thread
	counts  tile.Memory // for atomics
	shared  tile.Memory // an element for each thread
	tallies tile.Memory // shared, for atomics
	own     tile.Memory
	global  tile.Value // number of the thread in the grid
	local   tile.Value // in the block
	threads tile.Value // of a block
	mask    tile.Value // all threads of a warp
	depth   int
	apart   bool       // threads of a block share no arrays and no barriers, so that a device may run several blocks at once
	breaks  bool       // barriers stand where not all threads come, too; then nothing is shared
	alone   bool       // blocks have one thread, which meets no others of its warp
	races   bool       // threads may read what others write, with nothing between them
	left    int        // statements
	ways    int        // ifs, and loops of threads' own numbers of turns, that are open: not all threads of the grid come there
	all     tile.Value // threads of the grid
	grid    tile.Grid
	fences  bool        // threads hand on what they have done by fences
	flags   tile.Memory // for that: counters, from 0 on
	flagged int         // of them, how many are taken

	blockNumber tile.Value
	types       map[tile.Memory]tile.DType
}

// threadsKind is what random programs of threads are like.
type threadsKind uint8

const (
	anyThreads threadsKind = iota
	guardedThreads
	oneThread // in each block, and nothing of warps
)

const (
	threadsInput  = 23 // elements
	threadsCounts = 5
	threadsOwn    = 3
)

func randomThreads(r *rand.Rand, kind threadsKind) *threadsTrial {
	guarded := kind == guardedThreads
	b := &threadsBuilder{Builder: tile.NewThreads("random"), r: r, breaks: r.IntN(3) == 0, left: 5 + r.IntN(25)}
	b.apart = r.IntN(3) == 0
	if b.fences = guarded && r.IntN(2) == 0; b.fences {
		b.apart, b.breaks = false, false
	}
	b.alone = kind == oneThread
	types := []tile.DType{tile.Int8, tile.Int16, tile.Int32, tile.Int64, tile.Uint8, tile.Uint32, tile.Uint64, tile.Float16, tile.Float32,
		tile.Float64, tile.Complex64, tile.Complex128, tile.Bool, tile.Uint16}
	any := func() tile.DType { return types[r.IntN(len(types))] }
	counted := []tile.DType{tile.Int32, tile.Uint32, tile.Int64, tile.Uint64}
	tr := &threadsTrial{grid: tile.Grid{Blocks: [3]int{1 + r.IntN(4), 1 + r.IntN(3), 1 + r.IntN(2)}, Threads: [3]int{1 + r.IntN(40), 1 + r.IntN(3), 1 + r.IntN(2)}}}
	if r.IntN(4) == 0 {
		tr.grid.Threads[0] = 32 * (1 + r.IntN(4))
	}
	if guarded { // the reference compares each access with each
		tr.grid.Blocks, tr.grid.Threads[2] = [3]int{1 + r.IntN(3), 1, 1}, 1
		tr.grid.Threads[0] = min(tr.grid.Threads[0], 36)
	}
	if b.alone {
		tr.grid.Threads = [3]int{1, 1, 1}
	}
	threads := tr.grid.BlockThreads()
	all := threads * int(tr.grid.Count())

	some := []tile.DType{any(), any(), counted[r.IntN(4)], any(), counted[r.IntN(4)], any()}
	b.in = b.Array(tile.In, some[0], 1, "a")
	b.out = b.Array(tile.Update, some[1], 1, "")
	if guarded {
		b.Guarded()
		if b.races = r.IntN(2) == 0; r.IntN(8) == 0 {
			b.SetDir(b.out, tile.Out)
		}
	}
	b.counts = b.Array(tile.Update, some[2], 1, "counts")
	if !b.apart {
		b.shared = b.Scratch(tile.Shared, some[3], "s", 0)
		b.tallies = b.Scratch(tile.Shared, some[4], "", threadsCounts)
		tr.grid.Dynamic = int64(16 * threads)
	}
	b.own = b.Scratch(tile.Own, some[5], "o", threadsOwn)
	b.types = map[tile.Memory]tile.DType{b.out: some[1], b.counts: some[2], b.own: some[5]}
	if !b.apart {
		b.types[b.shared], b.types[b.tallies] = some[3], some[4]
	}
	tr.shapes = [][]int{{threadsInput}, {all}, {threadsCounts}}
	b.grid = tr.grid
	if b.fences {
		b.flags = b.Array(tile.Update, tile.Int64, 1, "flags")
		tr.shapes = append(tr.shapes, []int{counters})
	}

	wide := func(form tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(form)) }
	flat := func(x, y, z, nx, ny tile.Form) tile.Value {
		v := b.Do(tile.Add, b.Do(tile.Mul, wide(z), wide(ny)), wide(y))
		return b.Do(tile.Add, b.Do(tile.Mul, v, wide(nx)), wide(x))
	}
	b.local = flat(tile.TidX, tile.TidY, tile.TidZ, tile.NtidX, tile.NtidY)
	block := flat(tile.CtaidX, tile.CtaidY, tile.CtaidZ, tile.NctaidX, tile.NctaidY)
	b.threads = b.Do(tile.Mul, b.Do(tile.Mul, wide(tile.NtidX), wide(tile.NtidY)), wide(tile.NtidZ))
	b.global = b.Do(tile.Add, b.Do(tile.Mul, block, b.threads), b.local)
	b.all = b.Const(tile.IntScalar(tile.Int64, int64(all)))
	b.mask = b.Const(tile.UintScalar(tile.Uint32, 1<<32-1))
	b.see(b.local, false)
	b.blockNumber = block
	b.see(block, true)
	b.see(b.Thread(tile.LaneID), false)
	b.see(b.Size(b.in, 0), true)
	for range 3 {
		b.see(b.Const(random(r, any())), true)
	}
	if guarded && r.IntN(8) > 0 {
		b.written()
	}
	b.statements()
	b.Put(b.out, b.value(b.typeOf(b.out)), b.global)
	b.count(b.counts)
	if b.fences {
		b.handOn()
		last := b.Const(tile.IntScalar(tile.Int64, counters-1))
		b.Atomic(tile.AtomicAdd, b.flags, last, last)
	}
	tr.program = b.Program()
	for i, param := range tr.program.Params {
		m := make([]byte, tr.shapes[i][0]*param.Type.Size())
		for at := 0; at < len(m) && !(b.fences && i == int(b.flags)); at += param.Type.Size() {
			encode(m[at:], small(r, param.Type))
		}
		tr.memory = append(tr.memory, m)
	}
	return tr
}

// written has arrays of the program's own be written.
func (b *threadsBuilder) written() {
	for i := range threadsOwn {
		b.Put(b.own, b.value(b.typeOf(b.own)), b.Const(tile.IntScalar(tile.Int64, int64(i))))
	}
	if b.apart {
		return
	}
	b.Put(b.shared, b.value(b.typeOf(b.shared)), b.local)
	first := b.Do(tile.Eq, b.local, b.Const(tile.IntScalar(tile.Int64, 0)))
	for i := range threadsCounts {
		b.If(first)
		b.Put(b.tallies, b.Const(tile.IntScalar(b.typeOf(b.tallies), int64(i))), b.Const(tile.IntScalar(tile.Int64, int64(i))))
		b.End()
	}
	b.Barrier()
}

// small returns a number that leaves room for sums and products.
func small(r *rand.Rand, t tile.DType) tile.Scalar {
	n := r.IntN(12)
	switch {
	case t.Is(tile.KindFloat):
		return tile.FloatScalar(t, float64(n)-4)
	case t.Is(tile.KindComplex):
		return tile.ComplexScalar(t, complex(float64(n), 1))
	}
	return tile.IntScalar(t, int64(n))
}

func (b *threadsBuilder) typeOf(m tile.Memory) tile.DType { return b.types[m] }

func (b *threadsBuilder) see(v tile.Value, alike bool) tile.Value {
	b.values, b.alike = append(b.values, v), append(b.alike, alike)
	return v
}

// value returns some value as one of a dtype. Floats become no integers, but for what is true of them.
func (b *threadsBuilder) value(t tile.DType) tile.Value {
	v := b.values[b.r.IntN(len(b.values))]
	from := b.TypeOf(v)
	if from.Is(tile.KindFloat|tile.KindComplex) && !t.Is(tile.KindFloat|tile.KindComplex) || from.Is(tile.KindComplex) {
		if from.Is(tile.KindComplex) && t.Is(tile.KindComplex) {
			return b.Cast(t, v)
		}
		v = b.Do(tile.Eq, v, v)
	}
	return b.Cast(t, v)
}

// condition returns a bool; alike says whether it has to be the same in all threads of the block.
func (b *threadsBuilder) condition(alike bool) (tile.Value, bool) {
	for range 20 {
		i := b.r.IntN(len(b.values))
		v := b.values[i]
		if !b.TypeOf(v).Is(tile.KindInt|tile.KindUint) || alike && !b.alike[i] {
			continue
		}
		return b.Do(tile.Lt, v, b.Const(random(b.r, b.TypeOf(v)))), b.alike[i]
	}
	return b.Const(tile.BoolScalar(b.r.IntN(2) == 0)), true
}

// place returns an index below n, from the front or the back, and hardly ever another one.
func (b *threadsBuilder) place(n int) tile.Value {
	v := b.Do(tile.Rem, b.value(tile.Int64), b.Const(tile.IntScalar(tile.Int64, int64(n))))
	if b.r.IntN(3) == 0 {
		v = b.Do(tile.Sub, v, b.Const(tile.IntScalar(tile.Int64, int64(n))))
	}
	if b.r.IntN(20) == 0 {
		v = b.Do(tile.Add, v, b.value(tile.Int64))
	}
	return v
}

// count adds to an element, or takes from it, which commute.
func (b *threadsBuilder) count(m tile.Memory) {
	t := b.typeOf(m)
	b.Atomic([]tile.Form{tile.AtomicAdd, tile.AtomicSub}[b.r.IntN(2)], m, b.value(t), b.place(threadsCounts))
}

func (b *threadsBuilder) statements() {
	for n := 1 + b.r.IntN(6); n > 0 && b.left > 0; n-- {
		b.left--
		b.statement()
	}
}

// block builds statements whose values are seen there alone, and returns a value of them.
func (b *threadsBuilder) block(t tile.DType) tile.Value {
	seen := len(b.values)
	b.depth++
	b.statements()
	v := b.value(t)
	b.depth--
	b.values, b.alike = b.values[:seen], b.alike[:seen]
	return v
}

var threadsOps = []tile.Opcode{tile.Add, tile.Sub, tile.Mul, tile.Min, tile.Max, tile.Eq, tile.Lt, tile.And, tile.Xor, tile.Or, tile.Neg}

// aloneOps are those of scalar code that a device may have other code for where there is one thread.
var aloneOps = []tile.Opcode{tile.Add, tile.Sub, tile.Mul, tile.FloorDiv, tile.Rem, tile.Div, tile.Eq, tile.Ne, tile.Lt, tile.Le, tile.Gt, tile.Ge,
	tile.And, tile.Xor, tile.Or, tile.Neg, tile.Abs}

func (b *threadsBuilder) statement() {
	types := []tile.DType{tile.Int32, tile.Int64, tile.Uint32, tile.Float32, tile.Float64, tile.Int8}
	t := types[b.r.IntN(len(types))]
	if b.races && b.r.IntN(12) == 0 {
		b.race()
		return
	}
	if b.fences && b.depth == 0 && b.r.IntN(4) == 0 {
		b.handOn()
		return
	}
	switch b.r.IntN(21) {
	default:
		ops := threadsOps
		if b.alone {
			ops = aloneOps
		}
		op := ops[b.r.IntN(len(ops))]
		if !op.Accepts(t) {
			if t = tile.Int64; op == tile.Div {
				t = tile.Float64
			}
		}
		args := []tile.Value{b.value(t), b.value(t)}[:op.Arity()]
		b.see(b.Do(op, args...), false)
	case 5:
		b.see(b.Element(b.in, b.place(threadsInput)), false)
	case 6:
		b.Put(b.out, b.value(b.typeOf(b.out)), b.global)
	case 7:
		b.see(b.Element(b.out, b.global), false)
	case 8:
		b.Put(b.own, b.value(b.typeOf(b.own)), b.place(threadsOwn))
		b.see(b.Element(b.own, b.place(threadsOwn)), false)
	case 9:
		b.count(b.counts)
	case 10, 11:
		if b.depth > 3 {
			return
		}
		c, alike := b.condition(false)
		was := b.depth
		if !alike {
			b.depth += 100 // no barrier there
		}
		y := b.value(t)
		b.ways++
		b.If(c)
		x := b.block(t)
		if b.r.IntN(2) == 0 {
			b.Else()
			y = b.block(t)
		}
		b.depth = was
		b.ways--
		b.End()
		if b.r.IntN(4) > 0 {
			b.see(b.Merge(x, y), false)
		}
	case 12, 13:
		b.loop(t)
	case 14:
		b.meet()
	case 15:
		if b.alone {
			return
		}
		v := b.value(t)
		kind := tile.Form(b.r.IntN(4))
		b.see(b.Shuffle(kind, b.warpMask(), v, b.value(tile.Int32)), false)
	case 16:
		if b.alone {
			return
		}
		b.see(b.Vote(tile.Form(b.r.IntN(4)), b.warpMask(), b.value(tile.Bool)), false)
	case 17:
		if b.alone {
			return
		}
		b.see(b.Match(tile.Form(b.r.IntN(2)), b.warpMask(), b.value([]tile.DType{tile.Int32, tile.Uint64}[b.r.IntN(2)])), false)
	case 18:
		if c, _ := b.condition(false); b.r.IntN(3) == 0 {
			b.If(c)
			if b.r.IntN(4) == 0 {
				b.Fail(b.r.IntN(3), b.value(tile.Int32))
			} else {
				b.Leave()
			}
			b.End()
		}
	case 19:
		b.tally()
	case 20:
		b.meetAll()
	}
}

// warpMask is mostly who is there.
func (b *threadsBuilder) warpMask() tile.Value {
	switch b.r.IntN(8) {
	case 0:
		return b.mask
	case 1:
		return b.value(tile.Uint32)
	}
	return b.Active()
}

// loop takes a few turns, as many in all threads or not.
func (b *threadsBuilder) loop(t tile.DType) {
	if b.depth > 3 {
		return
	}
	alike := b.r.IntN(2) == 0
	was := b.depth
	if !alike {
		b.depth += 100
	}
	limit := b.Const(tile.IntScalar(tile.Int64, int64(b.r.IntN(5))))
	ways := b.ways
	if !alike {
		b.ways++
		limit = b.Do(tile.Rem, b.value(tile.Int64), b.Const(tile.IntScalar(tile.Int64, 5)))
	}
	zero, one := b.Const(tile.IntScalar(tile.Int64, 0)), b.Const(tile.IntScalar(tile.Int64, 1))
	first, second := b.value(t), b.value(t)
	b.Loop()
	i := b.Carry(zero)
	x, y := b.Carry(first), b.Carry(second)
	b.While(b.Do(tile.Lt, i, limit))
	seen := len(b.values)
	b.see(i, alike)
	b.see(x, false)
	b.see(y, false)
	v := b.block(t)
	next := b.Do(tile.Add, i, one)
	b.values, b.alike = b.values[:seen], b.alike[:seen]
	b.Next(i, next)
	if b.r.IntN(2) == 0 {
		b.Next(x, y)
		b.Next(y, x)
	} else {
		b.Next(x, v)
		b.Next(y, x)
	}
	b.depth, b.ways = was, ways
	b.End()
	b.see(x, false)
	b.see(y, false)
	b.see(i, alike)
}

// meet has threads tell each other something by shared arrays.
func (b *threadsBuilder) meet() {
	if b.apart {
		return
	}
	if b.breaks {
		b.Barrier()
		return
	}
	if b.depth >= 100 {
		return
	}
	b.Put(b.shared, b.value(b.typeOf(b.shared)), b.local)
	b.count(b.tallies)
	b.Barrier()
	of := b.Do(tile.Rem, b.Do(tile.Add, b.local, b.value(tile.Int64)), b.threads)
	b.see(b.Element(b.shared, of), false)
	b.see(b.Element(b.tallies, b.place(threadsCounts)), false)
	if !b.races || b.r.IntN(3) > 0 {
		b.Barrier()
	}
}

// race has threads access what others do, too.
func (b *threadsBuilder) race() {
	near := b.Do(tile.Max, b.Do(tile.Sub, b.global, b.Const(tile.IntScalar(tile.Int64, int64(b.r.IntN(3))))), b.Const(tile.IntScalar(tile.Int64, 0)))
	switch b.r.IntN(5) {
	case 0:
		b.see(b.Element(b.out, near), false)
	case 1:
		b.Put(b.out, b.value(b.typeOf(b.out)), near)
	case 2:
		b.see(b.Element(b.counts, b.place(threadsCounts)), false)
	case 3:
		if !b.apart {
			b.see(b.Element(b.shared, b.Do(tile.Rem, near, b.threads)), false)
		}
	case 4:
		b.Vote(tile.VoteAny, b.Active(), b.value(tile.Bool))
	}
}

// meetAll has threads tell each other something by an array of all.
func (b *threadsBuilder) meetAll() {
	switch {
	case b.apart:
	case b.breaks:
		b.GridBarrier()
	case b.ways == 0:
		b.Put(b.out, b.value(b.typeOf(b.out)), b.global)
		b.GridBarrier()
		of := b.Do(tile.Rem, b.Do(tile.Add, b.global, b.value(tile.Int64)), b.all)
		b.see(b.Element(b.out, of), false)
		b.GridBarrier()
	}
}

func (b *threadsBuilder) tally() {
	if !b.apart && (b.breaks || b.depth < 100) {
		b.see(b.Tally(tile.Form(b.r.IntN(3)), b.value(tile.Bool)), true)
	}
}
