package cpu

import (
	"fmt"
	"unsafe"

	"weft/tile"
)

// reducer is a Reduce instruction: which place it combines, and how.
type reducer struct {
	value   int // place
	param   int
	size    int // bytes of an element
	combine primitive
	move    primitive
	lanes   func(rounds int, acc, x unsafe.Pointer) // combines side by side elements into all lanes; may be nil
}

func newReducer(w write, size int) (reducer, error) {
	r := reducer{value: w.v, param: w.param, size: size}
	if step := w.comb.Step(); int(step) < len(primitives) {
		r.combine = primitives[step][w.dtype]
	}
	if r.combine == nil {
		return r, fmt.Errorf("cpu: no primitive for reduce %v(%v); add a row in cpu/table.go", w.comb, w.dtype)
	}
	if w.comb == tile.Sum {
		r.lanes = laneSums[w.dtype]
	}
	var err error
	r.move, err = mover(w.dtype)
	return r, err
}

// form says how the elements of a block meet.
type form uint8

const (
	outer form = iota // the last axis is kept: rows of accumulators
	inner             // the last axis is reduced: 32 lanes
	wide              // inner, but with so few elements in a block that lanes are rows of kept points
)

// wideBytes is the memory of all lanes of a wide reduction, which should stay in the L1 cache.
const wideBytes = 32 << 10

// runReduce runs a reduction in the canonical order of package tile.
func (f *frame) runReduce(x *executable, l *tile.Launch) error {
	for _, n := range l.Shape {
		if n == 0 {
			return nil
		}
	}
	if x.product != nil {
		if done, err := f.runProduct(x.product, l); done || err != nil {
			return err
		}
	}
	c := x.fast
	rank := len(l.Shape)
	r := reduction{x: x, l: l, form: outer, chunk: c.block, rows: 1}
	if rank > 0 && l.Reduced.Has(rank-1) {
		r.form = inner
	}
	f.reduceAxes(x, l, r.form == inner)
	if r.form == inner {
		f.widen(&r)
	}
	// Accumulators follow the registers of the program.
	if err := f.bind(x, c, l, len(x.reducers)+(len(x.reducers)*r.rows*r.chunk*16+registerBytes-1)/registerBytes); err != nil {
		return err
	}
	f.place(x, c, l)
	m := len(f.axes)
	if r.form != inner {
		f.axes[m-1].block = min(r.chunk, f.axes[m-1].extent) // kept points whose accumulators fit
	}
	grid, blocks := f.loops.grid[:m], f.loops.blocks[:m]
	first, extent := f.loops.first[:m], f.loops.extent[:m]
	for k, a := range f.axes {
		grid[k], blocks[k] = 0, (a.extent+a.block-1)/a.block
	}
	for more := true; more; more = next(grid, blocks) {
		elements := 1
		for k, a := range f.axes {
			first[k] = grid[k] * a.block
			extent[k] = min(a.block, a.extent-first[k])
			if a.reduced {
				elements *= extent[k]
			}
		}
		f.runBlock(&r, first, extent)
		for i := range x.reducers {
			f.finish(&r, i, grid, elements, extent[m-1])
		}
	}
	return nil
}

// reduction is the plan of one launch.
type reduction struct {
	x    *executable
	l    *tile.Launch
	form form

	// For the forms outer and wide: how many kept points are walked together, and how many
	// rows of accumulators there are.
	chunk, rows int
}

// widen turns an inner reduction with at most 32 elements in a block into a wide one, where
// there are kept points to walk along.
func (f *frame) widen(r *reduction) {
	elements, kept := 1, -1
	for k, a := range f.axes {
		if a.reduced {
			elements *= min(a.block, a.extent)
		} else {
			kept = k
		}
	}
	if elements > tile.Lanes || kept < 0 || f.axes[kept].extent < 4 {
		return
	}
	a := f.axes[kept]
	copy(f.axes[kept:], f.axes[kept+1:])
	f.axes[len(f.axes)-1] = a
	r.form, r.rows = wide, elements
	r.chunk = min(r.chunk, wideBytes/(16*elements))
}

// accumulators returns where row number n of reducer i is; there is one row, except in the
// wide form.
func (f *frame) accumulators(r *reduction, i, n int) unsafe.Pointer {
	p := f.register(r.x.fast.registers)
	if r.form == wide {
		return unsafe.Add(p, (i*r.rows+n)*r.chunk*16)
	}
	return unsafe.Add(p, i*registerBytes)
}

// runBlock takes the elements of one block into the accumulators.
func (f *frame) runBlock(r *reduction, first, extent []int) {
	c := r.x.fast
	last := len(first) - 1
	length := extent[last]
	step := length
	if c.registers > 0 {
		step = c.block
	}
	coord := f.loops.coord[:len(first)]
	copy(coord, first)
	acc := &f.acc
	for seen, row := 0, 0; ; row++ {
		for at := 0; at < length; at += step {
			n := min(step, length-at)
			coord[last] = first[last] + at
			f.seek(r.x, c, r.l, coord)
			f.exec(c, n)
			for i := range r.x.reducers {
				red := &r.x.reducers[i]
				v := &f.ops[red.value]
				*acc = operand{f.accumulators(r, i, row), red.size}
				switch {
				case r.form == inner:
					f.take(red, seen, n, *v)
				case r.form == wide || row == 0:
					red.move(n, acc, v, nil, nil)
				default:
					red.combine(n, acc, acc, v, nil)
				}
			}
			seen += n
		}
		k := last - 1
		for ; k >= 0; k-- {
			if coord[k]++; coord[k] < first[k]+extent[k] {
				break
			}
			coord[k] = first[k]
		}
		if k < 0 {
			return
		}
	}
}

// finish folds the accumulators of reducer i, which have seen that many elements for each kept
// point, and writes the results; points is how many.
func (f *frame) finish(r *reduction, i int, grid []int, elements, points int) {
	red := &r.x.reducers[i]
	f.acc = operand{f.accumulators(r, i, 0), red.size}
	f.out = f.output(r.l, red, grid)
	switch r.form {
	case inner:
		points = 1
		elements = min(elements, tile.Lanes)
		for s := tile.Lanes / 2; s > 0; s /= 2 {
			if k := min(s, elements-s); k > 0 {
				f.part = operand{unsafe.Add(f.acc.p, s*red.size), red.size}
				red.combine(k, &f.acc, &f.acc, &f.part, nil)
			}
		}
	case wide:
		for s := tile.Lanes / 2; s > 0; s /= 2 {
			for lane := 0; lane < s && lane+s < elements; lane++ {
				f.acc.p = f.accumulators(r, i, lane)
				f.part = operand{f.accumulators(r, i, lane+s), red.size}
				red.combine(points, &f.acc, &f.acc, &f.part, nil)
			}
		}
		f.acc.p = f.accumulators(r, i, 0)
	}
	red.move(points, &f.out, &f.acc, nil, nil)
}

// take combines n elements into the lanes at f.acc; the first of them is element number
// seen of its block.
func (f *frame) take(r *reducer, seen, n int, x operand) {
	lanes := f.acc.p
	for f.part = x; n > 0; {
		lane := seen % tile.Lanes
		k := min(tile.Lanes-lane, n)
		f.acc.p = unsafe.Add(lanes, lane*r.size)
		switch {
		case seen < tile.Lanes:
			r.move(k, &f.acc, &f.part, nil, nil)
		case r.lanes != nil && lane == 0 && n >= tile.Lanes && x.step == r.size:
			rounds := n / tile.Lanes
			r.lanes(rounds, lanes, f.part.p)
			k = rounds * tile.Lanes
		default:
			r.combine(k, &f.acc, &f.acc, &f.part, nil)
		}
		f.part.p = unsafe.Add(f.part.p, k*x.step)
		seen += k
		n -= k
	}
}

// output returns where the results of a block go.
func (f *frame) output(l *tile.Launch, r *reducer, grid []int) operand {
	b := &l.Args[r.param]
	at := int(b.Offset)
	step := 0
	for k, a := range f.axes {
		if a.out < 0 {
			continue
		}
		s := int(b.Strides[a.out])
		if !a.reduced {
			at += grid[k] * a.block * s
			step = s
		} else {
			at += grid[k] * s
		}
	}
	return operand{unsafe.Add(f.base[r.param], at), step}
}

// reduceAxes fills f.axes. The last one is what steps walk along: reduced in the inner form,
// kept in the outer form; where the axis that says so has extent 1, an axis of extent 1
// stands for it.
func (f *frame) reduceAxes(x *executable, l *tile.Launch, inner bool) {
	f.axes = f.axes[:0]
	for id, n := range l.Shape {
		if n == 1 {
			continue
		}
		a := axis{id: id, extent: n, out: id, block: l.Block[id], reduced: l.Reduced.Has(id)}
		k := len(f.axes) - 1
		if k < 0 || len(x.indexes) > 0 || !mergeableReduced(l, f.axes[k], a) {
			f.axes = append(f.axes, a)
			continue
		}
		outer := &f.axes[k]
		if a.reduced {
			a.block = outer.block * a.extent
			a.out = outer.out // one block after the other along the outer axis
		}
		a.extent *= outer.extent
		*outer = a
	}
	if k := len(f.axes) - 1; k < 0 || f.axes[k].reduced != inner {
		f.axes = append(f.axes, axis{id: -1, extent: 1, out: -1, block: 1, reduced: inner})
	}
}

// mergeableReduced reports whether two neighbouring axes, both kept or both reduced, can be
// walked as one. Reduced ones can where a block has all of the inner axis.
func mergeableReduced(l *tile.Launch, outer, inner axis) bool {
	if outer.reduced != inner.reduced || inner.reduced && inner.block < inner.extent {
		return false
	}
	for i, param := range l.Program.Params {
		s := l.Args[i].Strides
		if param.Dir == tile.Out && inner.reduced {
			continue
		}
		if s[outer.id] != s[inner.id]*int64(inner.extent) {
			return false
		}
	}
	return true
}

// laneSums adds rounds of elements that lie side by side to all lanes, for the dtypes whose
// sums matter most.
var laneSums = [tile.Complex128 + 1]func(rounds int, acc, x unsafe.Pointer){
	tile.Int32: sumLanes[uint32], tile.Int64: sumLanes[uint64], tile.Uint32: sumLanes[uint32], tile.Uint64: sumLanes[uint64],
	tile.Float32: sumLanes[float32], tile.Float64: sumLanes[float64],
}

// sumLanes keeps eight lanes at a time in processor registers and passes over the elements,
// which the L1 cache holds, four times.
func sumLanes[T real](rounds int, acc, x unsafe.Pointer) {
	var zero T
	group := 8 * unsafe.Sizeof(zero)
	for range tile.Lanes / 8 {
		lanes := at[[8]T](acc)
		s0, s1, s2, s3, s4, s5, s6, s7 := lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]
		p := x
		for range rounds {
			v := at[[8]T](p)
			s0 += v[0]
			s1 += v[1]
			s2 += v[2]
			s3 += v[3]
			s4 += v[4]
			s5 += v[5]
			s6 += v[6]
			s7 += v[7]
			p = unsafe.Add(p, 4*group)
		}
		*lanes = [8]T{s0, s1, s2, s3, s4, s5, s6, s7}
		acc = unsafe.Add(acc, group)
		x = unsafe.Add(x, group)
	}
}
