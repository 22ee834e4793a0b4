package cpu

import (
	"slices"
	"unsafe"

	"weft/cpu/vm"
	"weft/tile"
)

// Where an output is an input's memory, what was computed from that input cannot be computed again to explain it. Flags
// tell of one operation that alone can have raised them. Where several can, or one whose flags are raised for no
// reason, the launch runs some thousand points at a time, and what is about to be written over is saved first, in the
// L2 cache:
//
//	launch     p0 /= p1; p0 /= p2      p0 is input and output
//	a piece    save p0 | run | raised? explain it from what was saved
//
// No point reads what another one writes, so that pieces give the same bits as the whole. Loops of elementary functions
// take longer than a copy. Sums, products and quotients do not: in cache, three operands, one of them saved, take 1.4
// times as long. So a program of these alone saves until many launches in a row have raised nothing. What goes wrong
// later is not told the first time, but from the next launch on.

const (
	savedPoints = 4096 // of a piece at least, where there are so many: of an array of doubles, 32 KiB
	cleanEnough = 256  // launches that have raised nothing, parts of one counted: about ten times a million points
)

// doomed is what is known of a program of which some inputs are written over.
type doomed struct {
	lost uint64
	gone []bool // by instruction
}

// doomedBy is what is known where some inputs are lost, remembered for those that were lost the last time.
func (x *executable) doomedBy(lost uint64) *doomed {
	d := x.doomed.Load()
	if d == nil || d.lost != lost {
		d = &doomed{lost, x.gone(lost)}
		x.doomed.Store(d)
	}
	return d
}

// vagueness is how far flags tell what went wrong in operations of which operands are lost.
type vagueness uint8

const (
	exact     vagueness = iota // each flag is raised by one operation at most
	ambiguous                  // by several, but by nothing else
	unfounded                  // for no reason, too
)

// vague says so of a launch, and which inputs, by bits, are lost.
func (x *executable) vague(f *frame, l *tile.Launch) (vagueness, uint64) {
	lost := x.lost(f.base, l.Args)
	if lost == 0 || len(l.Args) > 64 || len(x.reducers) > 0 || x.fast.checked {
		return exact, 0
	}
	p, gone := x.program, x.doomedBy(lost).gone
	for i := range p.Params {
		if lost>>i&1 != 0 && p.Params[i].Axes > 0 { // a whole one
			return exact, 0
		}
	}
	var may tile.Flags // of what is watched and gone
	for i := range p.Watched {
		if w := &p.Watched[i]; gone[w.Out] && l.Watch.Missing(i) != 0 {
			if !trusts(p, w) {
				return unfounded, lost
			}
			may |= raises(l, int(w.Out)) & l.Watch.Missing(i)
		}
	}
	var one tile.Flags
	for i := range p.Code {
		able := raises(l, i) & may
		if one&able != 0 {
			return ambiguous, lost
		}
		one |= able
	}
	return exact, lost
}

// saves says which inputs, by bits, have to be saved for what goes wrong in a launch to be told.
func (x *executable) saves(f *frame, l *tile.Launch) (inputs uint64) {
	how, lost := x.vague(f, l)
	if how == unfounded || how == ambiguous && x.clean.Load() < cleanEnough {
		return lost
	}
	return 0
}

// counts notes whether a launch has raised nothing that is wanted.
func (x *executable) counts(raised int64, l *tile.Launch) {
	switch {
	case raised&(int64(l.Watch.Wanted)|vm.Seen) != 0:
		x.clean.Store(0)
	case x.clean.Load() < cleanEnough:
		x.clean.Add(1)
	}
}

// runSaved runs a launch in pieces, and explains each that has raised something from what was saved of it.
func (f *frame) runSaved(x *executable, l *tile.Launch, saves uint64) error {
	w := walkOf(l.Shape, savedPoints)
	piece := *l
	piece.Shape, piece.Origin = w.shape, make([]int, len(l.Origin))
	piece.Args = make([]tile.Binding, len(l.Args))
	before := piece // as if the outputs were elsewhere
	before.Args = make([]tile.Binding, len(l.Args))
	written, read := slices.Clone(f.base), slices.Clone(f.base)
	size := 0
	for i := range l.Args {
		if saves>>i&1 != 0 {
			size += w.points*l.Program.Params[i].Type.Size() + 64
		}
	}
	if _, err := f.saved.reserve(size); err != nil {
		return err
	}
	all := int64(0)
	for more := true; more; more = w.next() {
		for axis := range piece.Origin {
			piece.Origin[axis] = l.Origin[axis] + w.at[axis]
		}
		f.saved.free = 0
		for i, a := range l.Args {
			param := &l.Program.Params[i]
			if param.Axes == 0 {
				a.Offset += along(a.Strides, w.at)
			}
			piece.Args[i], before.Args[i] = a, a
			if saves>>i&1 != 0 {
				before.Args[i] = f.save(unsafe.Add(written[i], a.Offset), a.Strides, w.shape, param.Type.Size())
				read[i] = before.Args[i].Buffer.Host
			}
		}
		f.watching, f.raised = true, 0
		if f.recall(x, &piece) {
			f.walk(f.machine.Map)
		} else if err := f.runMap(x, &piece); err != nil {
			return err
		}
		all |= f.raised
		f.base = append(f.base[:0], read...)
		f.explainOf(x, &before, 0)
		f.base = append(f.base[:0], written...)
	}
	x.counts(all, l)
	return nil
}

// save copies the elements of a piece, one behind the other, what is the same along an axis once, and returns how they
// lie.
func (f *frame) save(from unsafe.Pointer, steps []int64, shape []int, size int) tile.Binding {
	strides := make([]int64, len(shape))
	n := size
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if steps[axis] != 0 {
			strides[axis] = int64(n)
			n *= shape[axis]
		}
	}
	to := carve[byte](&f.saved, n)
	cut, row := len(shape), size // from axis cut on, elements lie one behind the other
	for cut > 0 && (steps[cut-1] == int64(row) || shape[cut-1] == 1) {
		cut--
		row *= shape[cut]
	}
	count, step := 1, 0 // rows of one element are copied along the axis before them
	if cut > 0 && row == size && steps[cut-1] != 0 {
		cut--
		count, step = shape[cut], int(steps[cut])
	}
	extents := slices.Clone(shape[:cut])
	for axis := range extents {
		if steps[axis] == 0 {
			extents[axis] = 1
		}
	}
	at := make([]int, cut)
	for p, more := 0, true; more; p, more = p+count*row, next(at, extents) {
		beginning := unsafe.Add(from, along(steps, at))
		if count > 1 {
			copyApart(size, count, unsafe.Pointer(&to[p]), beginning, step)
			continue
		}
		copy(to[p:p+row], unsafe.Slice((*byte)(beginning), row))
	}
	return tile.Binding{Buffer: tile.Buffer{Host: start(to), Size: int64(n)}, Strides: strides}
}

// copyApart copies elements that are step bytes apart, one behind the other.
func copyApart(size, count int, to, from unsafe.Pointer, step int) {
	switch size {
	case 1:
		pack[uint8](to, size, from, step, 0, count, 1)
	case 2:
		pack[uint16](to, size, from, step, 0, count, 1)
	case 4:
		pack[uint32](to, size, from, step, 0, count, 1)
	case 8:
		pack[uint64](to, size, from, step, 0, count, 1)
	default:
		pack[[2]uint64](to, size, from, step, 0, count, 1)
	}
}

// walk goes through the points of a launch in C order, some at a time: all of the last axes, and a stretch of the one
// before them.
type walk struct {
	whole  []int
	at     []int // where a piece begins
	shape  []int // of a piece
	cut    int   // the axis before this one has stretches; 0 where one piece is all
	size   int   // of a stretch
	points int   // of a piece, at most
}

func walkOf(whole []int, most int) *walk {
	w := &walk{whole: whole, at: make([]int, len(whole)), shape: make([]int, len(whole)), cut: len(whole), size: 1, points: 1}
	for w.cut > 0 && w.points*whole[w.cut-1] <= most {
		w.cut--
		w.points *= whole[w.cut]
		w.shape[w.cut] = whole[w.cut]
	}
	for axis := range w.cut {
		w.shape[axis] = 1
	}
	if w.cut > 0 {
		w.size = max(most/max(w.points, 1), 1)
		w.points *= w.size
		w.shape[w.cut-1] = min(w.size, whole[w.cut-1])
	}
	return w
}

// next goes to the next piece; false means that there is none.
func (w *walk) next() bool {
	for axis := w.cut - 1; axis >= 0; axis-- {
		step := 1
		if axis == w.cut-1 {
			step = w.size
		}
		if w.at[axis] += step; w.at[axis] < w.whole[axis] {
			w.shape[w.cut-1] = min(w.size, w.whole[w.cut-1]-w.at[w.cut-1])
			return true
		}
		w.at[axis] = 0
	}
	return false
}

// now is how many points the piece has.
func (w *walk) now() int {
	n := 1
	for _, k := range w.shape {
		n *= k
	}
	return n
}
