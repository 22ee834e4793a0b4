package scheduler

import (
	"fmt"

	"weft/scheduler/region"
	"weft/tile"
)

// origin0 is the origin of a whole op: as many zeros as a view may have axes.
var origin0 [64]int

// Overlap reports whether two views may share a byte. It is what Submit allows operands
// by: "no" is certain; "yes" is certain but for odd strides, where it is cautious.
func Overlap(a, b View) bool {
	return a.Store == b.Store && region.Overlap(a.layout(), b.layout())
}

// layout is the view without its store and dtype.
func (v View) layout() region.Layout {
	return region.Layout{Offset: v.Offset, Shape: v.Shape, Strides: v.Strides, Size: int64(v.Type.Size())}
}

// same reports whether two views have the same elements at the same places. Strides along
// axes of one element mean nothing.
func same(a, b *View) bool {
	if a.Type != b.Type || a.Offset != b.Offset || len(a.Shape) != len(b.Shape) {
		return false
	}
	for i := range a.Shape {
		if a.Shape[i] != b.Shape[i] || a.Shape[i] != 1 && a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return true
}

// check finds out whether an op is well-formed, and its footprints.
func (c *Core) check(op *Op) (entry, error) {
	p := op.Program
	switch {
	case p == nil:
		return entry{}, opError(op, "has no program")
	case op.Kind == Scan:
		return entry{}, opError(op, "%v ops cannot be planned yet; use map or reduce", op.Kind)
	case (op.Kind == Call) != (p.Routine != ""):
		return entry{}, opError(op, "kind %v, but the routine of program %q is %q; a call has one, others none", op.Kind, p.Name, p.Routine)
	case op.Kind == Call && op.Reduced != 0:
		return entry{}, opError(op, "a call has reduced axes %b; it has no axes", op.Reduced)
	case op.Kind == Call && c.caller == nowhere:
		return entry{}, opError(op, "no device of the machine runs named routines, such as %q", p.Routine)
	case p.Rank != len(op.Shape):
		return entry{}, opError(op, "program %q has rank %d, the index space %s has %d axes", p.Name, p.Rank, tuple(op.Shape), len(op.Shape))
	case len(op.Shape) > len(origin0):
		return entry{}, opError(op, "the index space has %d axes, at most %d are possible", len(op.Shape), len(origin0))
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
	e := entry{op: op, uses: c.takeUses(len(op.Uses)), flows: p.Flows()}
	points := int64(1)
	for i, n := range op.Shape {
		if n < 0 {
			return entry{}, opError(op, "the index space %s has a negative extent", tuple(op.Shape))
		}
		if op.Reduced.Has(i) && !p.Reduces() {
			return entry{}, opError(op, "axis %d is reduced, but program %q has no reduce", i, p.Name)
		}
		points *= int64(n)
	}
	if p.Reduces() {
		e.block = Blocks(op.Kind, op.Shape, op.Reduced)
	}
	e.empty = points == 0
	for i := range op.Uses {
		if err := c.checkUse(&e, i); err != nil {
			return entry{}, err
		}
	}
	e.work = op.work()
	return e, c.checkOverlap(&e)
}

// work returns what an op costs, in the unit of Options.Inline.
func (op *Op) work() int64 {
	points, sum := int64(1), int64(0)
	for _, n := range op.Shape {
		points *= int64(n)
	}
	for i := range op.Uses {
		switch v := &op.Uses[i].View; op.Kind {
		case Call:
			sum += int64(v.Elements()) * int64(v.Type.Size()) * callWork
		case Contract:
			sum += v.moved(v.Shape)
		default:
			sum += points * int64(v.Type.Size())
		}
	}
	if op.Kind == Contract {
		return max(sum, effort(op, points))
	}
	return sum + points*op.Program.Work()
}

// callWork is how often a named routine moves what it gets, more or less: sorts and factorisations
// are what takes time.
const callWork = 8

// accessOf is the access that a parameter of each direction needs.
var accessOf = [...]Access{tile.In: Read, tile.Out: Write, tile.Update: Update}

// checkUse fills in the footprint of operand i.
func (c *Core) checkUse(e *entry, i int) error {
	op, u := e.op, &e.op.Uses[i]
	v, param := &u.View, op.Program.Params[i]
	st := c.stores.get(uint32(v.Store))
	switch {
	case st == nil || st.released:
		return opError(op, "operand %d is on %v, which does not exist (any more)", i, v.Store)
	case v.Type != param.Type:
		return opError(op, "operand %d is %v, parameter p%d is %v", i, v.Type, i, param.Type)
	case param.Dir > tile.Update || accessOf[param.Dir] != u.Access:
		return opError(op, "operand %d has access %v, parameter p%d is %v", i, u.Access, i, param.Dir)
	case u.Access == Update && op.Kind != Call && !e.flows:
		return opError(op, "operand %d is updated; only calls and programs with control flow do that", i)
	case op.Whole(i):
		if op.Kind != Call && len(v.Shape) != param.Axes {
			return opError(op, "operand %d has %d axes, parameter p%d has %d of its own", i, len(v.Shape), i, param.Axes)
		}
		if len(v.Shape) != len(v.Strides) || len(v.Shape) > len(origin0) {
			return opError(op, "operand %d has %d extents and %d strides; want as many, and at most %d", i, len(v.Shape), len(v.Strides), len(origin0))
		}
	case len(v.Shape) != len(op.Shape) || len(v.Strides) != len(op.Shape):
		return opError(op, "operand %d has %d extents and %d strides, the index space has %d axes", i, len(v.Shape), len(v.Strides), len(op.Shape))
	}
	for axis, n := range v.Shape {
		want := n
		if !op.Whole(i) {
			want = op.Shape[axis]
		}
		if op.Whole(i) && n < 1 {
			return opError(op, "operand %d has extent %d along axis %d; what is used as a whole has elements", i, n, axis)
		}
		if u.Access == Write && op.Reduced.Has(axis) {
			want = (want + e.block[axis] - 1) / e.block[axis]
		}
		if n != want {
			return opError(op, "operand %d has extent %d along axis %d, wanted %d", i, n, axis, want)
		}
		if u.Access.Writes() && n > 1 && v.Strides[axis] == 0 {
			return opError(op, "operand %d is written, but its elements coincide along axis %d", i, axis)
		}
	}
	bytes, dense := region.Interval{}, true
	if !e.empty {
		bytes, dense = region.Footprint(v.layout(), origin0[:len(v.Shape)], v.Shape)
	}
	if bytes.Lo < 0 || bytes.Hi > st.size || !e.empty && !v.small(st.size) {
		return opError(op, "operand %d needs bytes %v of %v, which has %d", i, bytes, v.Store, st.size)
	}
	e.uses[i] = use{store: st, bytes: bytes, dense: dense, read: u.Access.Reads(), write: u.Access.Writes()}
	return nil
}

// small reports whether no number of a view is larger than a store of the given size
// admits, so that footprints are computed without overflow.
func (v *View) small(size int64) bool {
	if v.Offset < 0 || v.Offset > size {
		return false
	}
	for axis, n := range v.Shape {
		if n > 1 {
			if most, s := size/int64(n-1), v.Strides[axis]; s > most || s < -most {
				return false
			}
		}
	}
	return true
}

// checkOverlap makes sure of inv 1. Arrays copy operands that break it, as NumPy does.
func (c *Core) checkOverlap(e *entry) error {
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
			if same(a, b) && !u.write && !e.op.Whole(j) || !region.Overlap(a.layout(), b.layout()) {
				continue
			}
			return opError(e.op, "BUG: inv 1: operand %d (%v) is written and overlaps operand %d (%v)", i, *a, j, *b)
		}
	}
	return nil
}

func opError(op *Op, format string, args ...any) error {
	return fmt.Errorf("scheduler: op %q: %s", op.Name, fmt.Sprintf(format, args...))
}
