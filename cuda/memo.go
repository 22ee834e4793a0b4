package cuda

import (
	"slices"

	"weft/cuda/ptx"
	"weft/tile"
)

// form is a launch that has passed all checks and been planned. Of another launch of the program with the same shape
// and strides it is enough that it stays within its buffers: what is different are addresses, scalars and coordinates.
type form struct {
	kernel  *kernel
	variant ptx.Variant
	library *libraryProduct // how the library computes it, where it can
	space   ptx.Space
	shape   []int
	origins int
	block   []int
	reduces bool
	reduced tile.Axes
	product bool
	strides []int64 // of all bindings, one after the other
	shapes  []int   // of whole parameters, likewise
	grid    tile.Grid
	reach   []reach // by binding
}

// reach is the bytes that a binding covers, counted from its offset.
type reach struct{ lo, hi int64 }

// formsKept is how many forms an executable remembers: programs run on few shapes in turn.
const formsKept = 4

// forms are those of one executable; the next one to be given up is at turn.
type forms struct {
	known [formsKept]*form
	turn  int
}

// find returns the form of a launch, or nil.
func (f *forms) find(l *tile.Launch) *form {
	for _, k := range f.known {
		if k != nil && k.fits(l) {
			return k
		}
	}
	return nil
}

// keep returns the form of a checked launch, and remembers it where no extent is 0: of what touches nothing the reach
// is unknown.
func (f *forms) keep(l *tile.Launch, k *kernel, v ptx.Variant, s ptx.Space) *form {
	made := &form{
		kernel: k, variant: v, space: s,
		shape: slices.Clone(l.Shape), origins: len(l.Origin),
		block: slices.Clone(l.Block), reduces: l.Block != nil, reduced: l.Reduced, product: l.Product, grid: l.Grid,
	}
	if slices.Contains(l.Shape, 0) {
		return made
	}
	if v.Product > 0 {
		made.library = planLibrary(l.Program, &s)
	}
	for i := range l.Args {
		if slices.Contains(l.Args[i].Shape, 0) {
			return made
		}
		lo, hi := l.Reach(i)
		made.reach = append(made.reach, reach{lo, hi})
		made.strides = append(made.strides, l.Args[i].Strides...)
		made.shapes = append(made.shapes, l.Args[i].Shape...)
	}
	f.known[f.turn] = made
	f.turn = (f.turn + 1) % formsKept
	return made
}

// forget gives up a form, in whose place the next one is kept.
func (f *forms) forget(k *form) {
	for i := range f.known {
		if f.known[i] == k {
			f.known[i], f.turn = nil, i
		}
	}
}

// fits reports whether a launch of the same program has this form, and stays within its buffers.
func (k *form) fits(l *tile.Launch) bool {
	if len(l.Args) != len(k.reach) || !slices.Equal(l.Shape, k.shape) || len(l.Origin) != k.origins ||
		(l.Block != nil) != k.reduces || l.Reduced != k.reduced || l.Product != k.product || l.Grid != k.grid || !slices.Equal(l.Block, k.block) {
		return false
	}
	strides, shapes, aligned := k.strides, k.shapes, true
	for i := range l.Args {
		a, r := &l.Args[i], k.reach[i]
		axes := l.Program.Params[i].Axes
		if axes == 0 {
			axes = len(l.Shape)
		} else if len(a.Shape) != axes || !slices.Equal(a.Shape, shapes[:axes]) {
			return false
		} else {
			shapes = shapes[axes:]
		}
		aligned = aligned && ptx.Aligned(l, i)
		if len(a.Strides) != axes || a.Offset+r.lo < 0 || a.Offset+r.hi > a.Buffer.Size || !slices.Equal(a.Strides, strides[:axes]) {
			return false
		}
		strides = strides[axes:]
	}
	if l.Program.Threads {
		return ptx.Loose(l) == k.variant.Loose && l.Typed()
	}
	if aligned == k.variant.Bytes { // what lies at odd bytes once need not do so again
		return false
	}
	if space := k.space; space.Lead(l) != int(k.variant.Vector) {
		return false
	}
	return l.Typed()
}
