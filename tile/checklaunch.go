package tile

import (
	"errors"
	"fmt"
)

// CheckLaunch reports what is wrong with a launch of a checked program: counts, dtypes,
// reduction blocks, bindings that leave their buffers, and a turn that never comes. Devices call it first, so that a
// mistake above them is an error and not a corrupted memory. It allocates nothing when
// all is well.
func CheckLaunch(l *Launch) error {
	p := l.Program
	if p == nil {
		return errors.New("tile: launch without a program")
	}
	if err := l.Turn.check(); err != nil {
		return err
	}
	if len(l.Shape) != p.Rank || len(l.Origin) != 0 && len(l.Origin) != p.Rank {
		return launchError(l, "shape %v and origin %v; want rank %d", l.Shape, l.Origin, p.Rank)
	}
	if len(l.Args) != len(p.Params) {
		return launchError(l, "%d bindings; want %d", len(l.Args), len(p.Params))
	}
	if len(l.Uniforms) != len(p.Uniforms) {
		return launchError(l, "%d uniforms; want %d", len(l.Uniforms), len(p.Uniforms))
	}
	for i := range p.Uniforms {
		if l.Uniforms[i].Type != p.Uniforms[i] {
			return launchError(l, "uniform u%d has dtype %v; want %v", i, l.Uniforms[i].Type, p.Uniforms[i])
		}
	}
	if p.Routine != "" {
		return checkCall(l)
	}
	if p.Threads {
		return checkGrid(l)
	}
	reduces, indexes := false, false
	for i := range p.Code {
		reduces = reduces || p.Code[i].Op == Reduce
		indexes = indexes || p.Code[i].Op == Index
	}
	if indexes && len(l.Origin) != p.Rank {
		return launchError(l, "no origin; the program has an index")
	}
	if reduces != (l.Block != nil) && (p.Rank > 0 || !reduces) || reduces && len(l.Block) != p.Rank {
		return launchError(l, "reduction block %v; want one extent per axis for a program that reduces, nil for others", l.Block)
	}
	if l.Reduced>>uint(p.Rank) != 0 || !reduces && l.Reduced != 0 {
		return launchError(l, "reduced axes %b; want axes below the rank %d of a program that reduces", l.Reduced, p.Rank)
	}
	empty := false
	for i, n := range l.Shape {
		if n < 0 {
			return launchError(l, "shape %v has a negative extent", l.Shape)
		}
		if reduces && (l.Block[i] < 1 || !l.Reduced.Has(i) && l.Block[i] != 1) {
			return launchError(l, "reduction block %v; want positive extents, and 1 along kept axes", l.Block)
		}
		empty = empty || n == 0
	}
	if empty {
		return nil
	}
	for i := range l.Args {
		if err := checkBinding(l, i, reduces && p.Params[i].Dir == Out); err != nil {
			return err
		}
	}
	return nil
}

// checkBinding checks that every element which a parameter touches lies in its buffer.
// Along a reduced axis an output parameter has one element per block. A whole parameter has a
// shape of its own.
func checkBinding(l *Launch, param int, blocks bool) error {
	b := &l.Args[param]
	if axes := l.Program.Params[param].Axes; axes > 0 || l.Program.Threads {
		if len(b.Shape) != axes || len(b.Strides) != axes {
			return launchError(l, "p%d has shape %v and strides %v; want %d axes of its own", param, b.Shape, b.Strides, axes)
		}
		for _, n := range b.Shape {
			if n < 0 {
				return launchError(l, "p%d has shape %v with a negative extent", param, b.Shape)
			}
			if n == 0 { // every index is out of bounds
				return nil
			}
		}
		return checkExtent(l, param, b.Shape, false)
	}
	if len(b.Strides) != len(l.Shape) {
		return launchError(l, "p%d has strides %v; want one per axis of shape %v", param, b.Strides, l.Shape)
	}
	return checkExtent(l, param, l.Shape, blocks)
}

// checkExtent checks the bytes between the first and the last element of a binding over a
// shape.
func checkExtent(l *Launch, param int, shape []int, blocks bool) error {
	b := &l.Args[param]
	lo, hi := l.reach(param, shape, blocks)
	if lo, hi = lo+b.Offset, hi+b.Offset; lo < 0 || hi > b.Buffer.Size {
		return launchError(l, "p%d covers bytes %d to %d of a buffer of %d bytes (offset %d, strides %v, shape %v)",
			param, lo, hi, b.Buffer.Size, b.Offset, b.Strides, shape)
	}
	return nil
}

// Reach returns where the bytes that a parameter touches begin and end, counted from its binding's offset.
// The launch has been checked and is not empty, and neither is a whole parameter, which is taken to be touched all
// over.
func (l *Launch) Reach(param int) (lo, hi int64) {
	if l.Program.Params[param].Axes > 0 || l.Program.Threads {
		return l.reach(param, l.Args[param].Shape, false)
	}
	return l.reach(param, l.Shape, l.Block != nil && l.Program.Params[param].Dir == Out)
}

func (l *Launch) reach(param int, shape []int, blocks bool) (lo, hi int64) {
	strides := l.Args[param].Strides
	for i, n := range shape {
		if blocks && l.Reduced.Has(i) {
			n = (n + l.Block[i] - 1) / l.Block[i]
		}
		if d := strides[i] * int64(n-1); d < 0 {
			lo += d
		} else {
			hi += d
		}
	}
	return lo, hi + int64(l.Program.Params[param].Type.Size())
}

// Typed reports whether the uniforms are as many as the program's, and of their dtypes.
func (l *Launch) Typed() bool {
	types := l.Program.Uniforms
	if len(l.Uniforms) != len(types) {
		return false
	}
	for i := range types {
		if l.Uniforms[i].Type != types[i] {
			return false
		}
	}
	return true
}

// launchError formats copies, so that the launch stays off the heap.
func launchError(l *Launch, format string, args ...any) error {
	return fmt.Errorf("tile: launch of %s: %w", nameText(l.Program.Name), fmt.Errorf(format, args...))
}

// CheckTransfer reports what is wrong with a copy: negative numbers, rows that overlap, bytes
// outside the buffers, or a turn that never comes.
func CheckTransfer(t *Transfer) error {
	if err := t.Turn.check(); err != nil {
		return err
	}
	if t.Bytes < 0 || t.Rows < 0 {
		return fmt.Errorf("tile: copy of %d rows of %d bytes; want 0 or more", t.Rows, t.Bytes)
	}
	if t.Rows > 1 && (t.DstStep < t.Bytes || t.SrcStep < t.Bytes) {
		return fmt.Errorf("tile: copy of rows of %d bytes, %d bytes apart to %d bytes apart; they must not overlap", t.Bytes, t.SrcStep, t.DstStep)
	}
	if end := t.DstAt + t.Reach(t.DstStep); t.DstAt < 0 || end > t.Dst.Size {
		return fmt.Errorf("tile: copy to bytes %d to %d of a buffer of %d bytes", t.DstAt, end, t.Dst.Size)
	}
	if end := t.SrcAt + t.Reach(t.SrcStep); t.SrcAt < 0 || end > t.Src.Size {
		return fmt.Errorf("tile: copy from bytes %d to %d of a buffer of %d bytes", t.SrcAt, end, t.Src.Size)
	}
	return nil
}

// check reports what is wrong with a turn.
func (t *Turn) check() error {
	for i, p := range t.After {
		if p.Device == nil || !p.Device.Info().Ordered {
			return fmt.Errorf("tile: point %d that the work waits for is on no device whose queues are ordered", i)
		}
		if n := p.Device.Info().Queues; p.Queue < 0 || p.Queue >= n || p.Seq == 0 {
			return fmt.Errorf("tile: the work waits for number %d of queue %d of %s; want numbers from 1 on, and a queue below %d", p.Seq, p.Queue, p.Device.Info().Name, n)
		}
	}
	return nil
}
