package core

import (
	"fmt"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// check finds out whether an op is well-formed, and its footprints. It is where the core trusts nothing: the passes
// behind it index by operands, axes and params without a look. What is wrong with a program by itself tile.Check says;
// here it is held against the op, its views and the stores.
//
//	program    rank 2, params p0 store f64, p1 load f64      op    shape (4,6)
//	views      s1 (4,6), s2 (4,6) from byte 8 on             kinds, types and access as the params have them
//	stores     s1 192 bytes, s2 200 bytes                    all bytes of the views are the stores'
//
// An op without points is checked as all others are, but has no footprint, because an interval of no bytes lies
// nowhere.
func (c *Core) check(op *scheduler.Op) (entry, error) {
	p := op.Program
	switch {
	case p == nil:
		return entry{}, opError(op, "has no program")
	case op.Kind == scheduler.Scan:
		return entry{}, opError(op, "%v ops cannot be planned yet; use map or reduce", op.Kind)
	case (op.Kind == scheduler.Call) != (p.Routine != "" || p.Threads):
		return entry{}, opError(op, "kind %v, but the routine of program %q is %q; a call has one, or is of threads, others are not", op.Kind, p.Name, p.Routine)
	case p.Threads != (op.Grid != nil):
		return entry{}, opError(op, "program %q is one of threads: %v, but the op has a grid: %v", p.Name, p.Threads, op.Grid != nil)
	case op.Kind == scheduler.Call && op.Reduced != 0:
		return entry{}, opError(op, "a call has reduced axes %b; it has no axes", op.Reduced)
	case op.Kind == scheduler.Call && c.callerOf(op) == nowhere:
		return entry{}, opError(op, "no device of the machine runs named routines and threads, such as %q", p.Name)
	case p.Rank != len(op.Shape):
		return entry{}, opError(op, "program %q has rank %d, the index space %s has %d axes", p.Name, p.Rank, scheduler.Tuple(op.Shape), len(op.Shape))
	case len(op.Shape) > scheduler.MaxAxes:
		return entry{}, opError(op, "the index space has %d axes, at most %d are possible", len(op.Shape), scheduler.MaxAxes)
	case len(op.Uses) != len(p.Params):
		return entry{}, opError(op, "%d operands for the %d parameters of program %q", len(op.Uses), len(p.Params), p.Name)
	case len(op.Uniforms) != len(p.Uniforms):
		return entry{}, opError(op, "%d uniforms for the %d of program %q", len(op.Uniforms), len(p.Uniforms), p.Name)
	}
	for i := range op.Uniforms {
		if op.Uniforms[i].Type != p.Uniforms[i] {
			return entry{}, opError(op, "uniform u%d is %v, wanted %v", i, op.Uniforms[i].Type, p.Uniforms[i])
		}
	}
	if op.Grid != nil {
		if err := op.Grid.Check(p); err != nil {
			return entry{}, opError(op, "%v", err)
		}
	}
	e := entry{op: op, uses: c.takeUses(len(op.Uses)), flows: p.Flows()}
	points := int64(1)
	for i, n := range op.Shape {
		if n < 0 {
			return entry{}, opError(op, "the index space %s has a negative extent", scheduler.Tuple(op.Shape))
		}
		if op.Reduced.Has(i) && !p.Reduces() {
			return entry{}, opError(op, "axis %d is reduced, but program %q has no reduce", i, p.Name)
		}
		points *= int64(n)
	}
	if p.Reduces() {
		e.block = scheduler.Blocks(op.Kind, op.Shape, op.Reduced)
	}
	e.empty = points == 0
	for i := range op.Uses {
		if err := c.checkUse(&e, i); err != nil {
			return entry{}, err
		}
	}
	e.work = op.Work()
	return e, c.checkOverlap(&e)
}

// checkUse fills in the footprint of operand i. An operand has the op's index space as its shape, with two exceptions:
// one that is used as a whole has a shape of its own, and the result of a reduction has one element for each block of
// points along the axes that are reduced (tile/doc.go says why these are not one).
//
//	sum over axis 1 of (4,1000), in blocks of (1,256): the result is written as (4,4)
//	                            0-255   256-511   512-767   768-999
func (c *Core) checkUse(e *entry, i int) error {
	op, u := e.op, &e.op.Uses[i]
	v, param := &u.View, op.Program.Params[i]
	st := c.stores.get(uint32(v.Store))
	switch {
	case st == nil || st.released:
		return opError(op, "operand %d is on %v, which does not exist (any more)", i, v.Store)
	case v.Type != param.Type:
		return opError(op, "operand %d is %v, parameter p%d is %v", i, v.Type, i, param.Type)
	case param.Dir > tile.Update || scheduler.AccessOf[param.Dir] != u.Access:
		return opError(op, "operand %d has access %v, parameter p%d is %v", i, u.Access, i, param.Dir)
	case u.Access == scheduler.Update && op.Kind != scheduler.Call && !e.flows:
		return opError(op, "operand %d is updated; only calls and programs with control flow do that", i)
	case op.Whole(i):
		if op.Program.Routine == "" && len(v.Shape) != param.Axes {
			return opError(op, "operand %d has %d axes, parameter p%d has %d of its own", i, len(v.Shape), i, param.Axes)
		}
		if len(v.Shape) != len(v.Strides) || len(v.Shape) > scheduler.MaxAxes {
			return opError(op, "operand %d has %d extents and %d strides; want as many, and at most %d", i, len(v.Shape), len(v.Strides), scheduler.MaxAxes)
		}
	case len(v.Shape) != len(op.Shape) || len(v.Strides) != len(op.Shape):
		return opError(op, "operand %d has %d extents and %d strides, the index space has %d axes", i, len(v.Shape), len(v.Strides), len(op.Shape))
	}
	for axis, n := range v.Shape {
		want := n
		if !op.Whole(i) {
			want = op.Shape[axis]
		}
		if op.Whole(i) && (n < 0 || n == 0 && op.Grid == nil) {
			return opError(op, "operand %d has extent %d along axis %d; what is used as a whole has elements", i, n, axis)
		}
		if u.Access == scheduler.Write && op.Reduced.Has(axis) {
			want = (want + e.block[axis] - 1) / e.block[axis]
		}
		if n != want {
			return opError(op, "operand %d has extent %d along axis %d, wanted %d", i, n, axis, want)
		}
		if u.Access.Writes() && n > 1 && v.Strides[axis] == 0 && op.Grid == nil {
			return opError(op, "operand %d is written, but its elements coincide along axis %d", i, axis)
		}
	}
	bytes, dense := region.Interval{}, true
	switch {
	case e.empty:
	case slices.Contains(v.Shape, 0): // of a program of threads: the store must outlive it
		bytes = region.Interval{Lo: v.Offset, Hi: v.Offset + int64(v.Type.Size())}
	default:
		bytes, dense = region.Footprint(v.Layout(), scheduler.Origin(len(v.Shape)), v.Shape)
	}
	if bytes.Lo < 0 || bytes.Hi > st.size || !e.empty && !slices.Contains(v.Shape, 0) && !v.Within(st.size) {
		return opError(op, "operand %d needs bytes %v of %v, which has %d", i, bytes, v.Store, st.size)
	}
	e.uses[i] = use{store: st, bytes: bytes, dense: dense, read: u.Access.Reads(), write: u.Access.Writes()}
	return nil
}

// checkOverlap makes sure of inv 1: what an op writes it does not read elsewhere, since its tiles run in any order.
// Programs of threads are one task, and read and write wherever and whenever they want.
// Arrays copy operands that break it, as NumPy does.
//
//	x[:] = x + 1            the same view: each point reads what it writes alone
//	x[1:] = x[:-1]          overlap: a tile would read what another has written
//	x[::2] = x[1::2]        the intervals overlap, the elements do not: region.Overlap tells
//
// It looks at pairs of operands on one store only, and from cheap to exact: spans, equal views, elements.
func (c *Core) checkOverlap(e *entry) error {
	if e.op.Grid != nil {
		return nil
	}
	for i := range e.uses {
		w := &e.uses[i]
		if !w.write {
			continue
		}
		for j := range e.uses {
			u := &e.uses[j]
			if i == j || u.store != w.store || u.write && j < i || !u.bytes.Overlaps(w.bytes) {
				continue
			}
			a, b := &e.op.Uses[i].View, &e.op.Uses[j].View
			if scheduler.SameView(a, b) && !u.write && !e.op.Whole(j) || !region.Overlap(a.Layout(), b.Layout()) {
				continue
			}
			return opError(e.op, "BUG: inv 1: operand %d (%v) is written and overlaps operand %d (%v)", i, *a, j, *b)
		}
	}
	return nil
}

func opError(op *scheduler.Op, format string, args ...any) error {
	return fmt.Errorf("scheduler: op %q: %s", op.Name, fmt.Sprintf(format, args...))
}
