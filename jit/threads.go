package jit

import (
	"strings"

	"weft/tile"
)

// Along is what is known of the blocks along an axis of the grid, by which a thread's position may be called threadIdx
// or blockIdx alone.
type Along uint8

// What the blocks along an axis are.
const (
	Blocks  Along = iota // several, of several threads
	OneWide              // of one thread each
	OneOnly              // one
)

// at is the thread's position along an axis of the grid.
func (l *lower) at(axis int) value {
	if l.threads {
		wide := func(form tile.Form) *instr { return l.as(tile.Int64, l.placed(form+tile.Form(axis))) }
		return of(l.do(tile.Add, l.do(tile.Mul, wide(tile.CtaidX), wide(tile.NtidX)), wide(tile.TidX)))
	}
	if l.strided[axis] {
		l.fail(l.frame.function.body[0], unsupported, "Use the loop's own count.",
			"the thread's index within a loop from cuda.grid on in steps of cuda.gridsize")
	}
	if l.axes[axis] == nil {
		l.axes[axis] = &instr{op: tile.Index, typ: tile.Int64, n: axis}
	}
	v := of(l.axes[axis])
	v.position = &position{axis, literal(0)}
	return v
}

func grid(l *lower, n *Node, v []value) value {
	return l.overAxes(n, v[0], l.at)
}

func gridsize(l *lower, n *Node, v []value) value {
	return l.overAxes(n, v[0], func(axis int) value { return l.shared(tile.Int64, &number{op: threadsNumber, n: int64(axis)}) })
}

// overAxes gives a value for one axis, or a tuple for as many as an argument says.
func (l *lower) overAxes(n *Node, axes value, f func(axis int) value) value {
	if !l.cuda {
		l.fail(n, typing, "", "cuda.grid and the like are for kernels")
	}
	k, known := axes.integer()
	switch {
	case !known || k < 1 || k > 3:
		l.fail(n, typing, "", "the number of axes is 1, 2 or 3, as a literal")
	case k == 1:
		return f(0)
	}
	items := make([]value, k)
	for i := range items {
		items[i] = f(i)
	}
	return tuple(items...)
}

// intrinsic is what a known name stands for: a function of the table, or a part of the thread's place.
func (l *lower) intrinsic(name string, n *Node) value {
	if t, ok := vectorType(name); ok {
		return value{typ: t}
	}
	base, axisName, _ := strings.Cut(strings.TrimPrefix(name, "cuda."), ".")
	axis := strings.Index("xyz", axisName)
	switch {
	case !strings.HasPrefix(name, "cuda.") || axisName == "" || len(axisName) > 1 || axis < 0:
		if name == "cuda.laneid" && l.threads {
			return of(l.placed(tile.LaneID))
		}
		if name == "cuda.warpsize" {
			return of(l.constant(tile.IntScalar(tile.Int32, 32)))
		}
		return object(name)
	case !l.cuda:
		l.fail(n, typing, "", "%s is for kernels", name)
	}
	part, ok := l.thread(base, axis)
	if !ok {
		l.fail(n, typing, "", "Unknown attribute '%s' of cuda.%s", axisName, base)
	}
	return part
}

// placeForms is the table of what says where a thread is, along x.
var placeForms = map[string]tile.Form{"threadIdx": tile.TidX, "blockIdx": tile.CtaidX, "blockDim": tile.NtidX, "gridDim": tile.NctaidX}

// thread is threadIdx, blockIdx, blockDim or gridDim along an axis, an int32.
func (l *lower) thread(what string, axis int) (value, bool) {
	if form, ok := placeForms[what]; ok && l.threads {
		return of(l.placed(form + tile.Form(axis))), true
	}
	along := l.single[axis]
	all := &number{op: threadsNumber, n: int64(axis)}
	size, blocks := &number{op: blockNumber, n: int64(axis)}, &number{op: blocksNumber, n: int64(axis)}
	switch along {
	case OneWide:
		size, blocks = literal(1), all
	case OneOnly:
		size, blocks = all, literal(1)
	}
	mine := along == OneOnly && what == "threadIdx" || along == OneWide && what == "blockIdx"
	switch {
	case what == "blockDim":
		return l.shared(tile.Int32, size), true
	case what == "gridDim":
		return l.shared(tile.Int32, blocks), true
	case what != "threadIdx" && what != "blockIdx":
		return value{}, false
	case mine:
		at := l.at(axis)
		at.typ, at.in = Of(tile.Int32), l.as(tile.Int32, at.in)
		return at, true
	case along != Blocks:
		return l.shared(tile.Int32, literal(0)), true
	case what == "threadIdx":
		v := of(l.as(tile.Int32, l.do(tile.Rem, l.at(axis).in, l.shared(tile.Int64, size).in)))
		v.part = &part{axis, threadPart}
		return v, true
	}
	v := of(l.as(tile.Int32, l.do(tile.FloorDiv, l.at(axis).in, l.shared(tile.Int64, size).in)))
	v.part = &part{axis, blockPart}
	return v, true
}
