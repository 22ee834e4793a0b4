package cpu

import (
	"fmt"
	"slices"
	"unsafe"

	"weft/cpu/vm"
	"weft/tile"
)

// reducer is a Reduce instruction: which place it combines, and how.
type reducer struct {
	value   int // place
	param   int
	size    int // bytes of an element
	combine vm.Primitive
	move    vm.Primitive
	neutral tile.Scalar // that results take last; Invalid where there is none
}

func newReducer(table vm.Table, w write) (r reducer, err error) {
	r = reducer{value: w.v, param: w.param, size: w.dtype.Size()}
	r.neutral, _ = w.comb.Neutral(w.dtype)
	if r.combine, err = primitive(table, w.comb.Step().String(), w.dtype.String()); err != nil {
		return r, fmt.Errorf("cpu: reduce %v(%v): %w", w.comb, w.dtype, err)
	}
	r.move, err = primitive(table, "move", bySize(w.dtype))
	return r, err
}

// wideBytes is the memory of all lanes of a wide reduction, which should stay in the L1 cache.
const wideBytes = 32 << 10

// stackedChunk is how many kept points an outer reduction walks together whose steps are loads alone: their
// accumulators stay in the L1 cache beside four rows, and the longer a row is, the further ahead the processor fetches.
const stackedChunk = 2048

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
	r := reduction{form: vm.Outer, chunk: c.block, rows: 1}
	if rank > 0 && l.Reduced.Has(rank-1) {
		r.form = vm.Inner
	}
	if r.form == vm.Outer && c.registers == 0 {
		r.chunk = max(r.chunk, stackedChunk)
	}
	f.reduceAxes(x, l, r.form == vm.Inner)
	if r.form == vm.Inner {
		f.widen(&r)
	} else if len(c.steps) > 0 {
		f.lengthen()
	}
	last := &f.axes[len(f.axes)-1]
	if r.form != vm.Inner {
		last.block = min(r.chunk, last.extent) // kept points whose accumulators fit
	}
	accumulators := max(spacing, r.chunk*16)
	if r.form == vm.Wide {
		accumulators = r.rows * r.chunk * 16
	}
	if err := f.encode(x, c, l, len(x.reducers)*(accumulators+64)); err != nil {
		return err
	}
	if c.registers == 0 {
		f.launch.Block = int64(last.block)
	}
	f.launch.Form, f.launch.Rows, f.launch.Kept = r.form, int64(r.rows), int64(r.chunk*16)
	for i := range x.reducers {
		red := &x.reducers[i]
		out := &l.Args[red.param]
		to := &f.reducers[i]
		*to = vm.Reducer{
			Value: int64(red.value), Combine: int64(red.combine.Row), Move: int64(red.move.Row),
			Acc: start(carve[byte](&f.scratch, accumulators)), Out: unsafe.Add(f.base[red.param], out.Offset),
			Neutral: red.neutral.Bits,
		}
		if red.neutral.Type != tile.Invalid {
			to.Settles = 1
		}
		for k, a := range f.axes {
			if a.out >= 0 {
				to.Strides[k] = out.Strides[a.out]
			}
		}
	}
	f.remember(x)
	unpin := f.pin(c, l)
	f.walk(f.machine.Reduce)
	unpin()
	return f.fault(c)
}

// reduction is the plan of one launch.
type reduction struct {
	form vm.Form

	// For the forms outer and wide: how many kept points are walked together, and how many
	// rows of accumulators there are.
	chunk, rows int
}

// shortLanes is how many points the last kept axis has at most for which a wide reduction walks along a longer one:
// that packs what lies apart, and starts the steps anew less often.
const shortLanes = 32

// widen turns an inner reduction with at most 32 elements in a block into a wide one, where there are kept points to
// walk along: the last ones, or, where these are few, those of a longer axis, as in the distances of many points from a
// few. Each kept point takes its elements in the same order.
func (f *frame) widen(r *reduction) {
	elements, kept := 1, -1
	for k, a := range slices.Backward(f.axes) {
		switch {
		case a.reduced:
			elements *= min(a.block, a.extent)
		case kept < 0 || f.axes[kept].extent < shortLanes && a.extent > 2*f.axes[kept].extent:
			kept = k
		}
	}
	if elements > tile.Lanes || kept < 0 || f.axes[kept].extent < 4 {
		return
	}
	a := f.axes[kept]
	copy(f.axes[kept:], f.axes[kept+1:])
	f.axes[len(f.axes)-1] = a
	r.form, r.rows = vm.Wide, elements
	r.chunk = min(r.chunk, wideBytes/(16*elements))
}

// shortRow is how many points the rows of an outer reduction with steps have at most that are exchanged for longer
// ones. To walk to a row costs as much as to pack fifty elements that lie apart in a cache, or ten whose distance is a
// power of two, so that they push each other out of it.
const shortRow = 4

// lengthen lets the longest kept axis be the one that steps walk along, where the last one is short: coordinates in two
// or three dimensions, say, of many points. Each kept point still takes its elements in the same order.
func (f *frame) lengthen() {
	last := len(f.axes) - 1
	if f.axes[last].extent > shortRow {
		return
	}
	longest := last
	for k, a := range f.axes {
		if !a.reduced && a.extent > f.axes[longest].extent {
			longest = k
		}
	}
	if f.axes[longest].extent < 2*f.axes[last].extent {
		return
	}
	a := f.axes[longest]
	copy(f.axes[longest:], f.axes[longest+1:])
	f.axes[last] = a
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
		if param.Dir == tile.Out && inner.reduced || param.Axes > 0 {
			continue
		}
		if s[outer.id] != s[inner.id]*int64(inner.extent) {
			return false
		}
	}
	return true
}
