package cpu

import (
	"fmt"
	"syscall"
	"unsafe"

	"weft/tile"
)

// frame is the working state of one launch: where operands are, and the registers. Each
// queue owns one; inline launches borrow one. Everything grows as needed and is kept.
type frame struct {
	ops     []operand        // by place
	base    []unsafe.Pointer // by parameter: address of its buffer
	start   []unsafe.Pointer // by window: its element of the tile's first point
	strides []int            // by window, then by axis of axes
	axes    []axis
	cells   []int64 // by cell: see inCell
	counted []int   // by index: position in axes of what it counts; -1 for an axis of extent 1
	scratch []byte  // registers, outside the Go heap
	loops   loops

	acc, part, out operand // of reductions; here because operands of primitives must not move
}

// axis is an axis of the index space as it is walked; extents of 1 are left out, and
// neighbours are merged where that is the same walk.
type axis struct {
	id     int // axis of the launch whose strides count
	extent int

	// For reductions alone:
	out     int  // axis of the launch whose output strides count
	block   int  // elements in a block
	reduced bool // whether the axis is
}

// loops holds the coordinates of nested loops.
type loops struct {
	coord, first, extent, grid, blocks [maxAxes]int
}

// maxAxes is the rank of the largest index space, and one that reductions may add.
const maxAxes = 33

// register returns the address of a register.
func (f *frame) register(n int) unsafe.Pointer {
	return unsafe.Pointer(&f.scratch[n*registerBytes])
}

// reserve makes the scratch memory at least n bytes.
func (f *frame) reserve(n int) error {
	if n <= len(f.scratch) {
		return nil
	}
	const unit = 16 * registerBytes
	n = (n + unit - 1) / unit * unit
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("cpu: mapping %d bytes of registers: %w", n, err)
	}
	f.release()
	f.scratch = b
	return nil
}

// release unmaps the registers.
func (f *frame) release() {
	if f.scratch != nil {
		if err := syscall.Munmap(f.scratch); err != nil {
			panic("BUG: inv 4: unmapping registers: " + err.Error())
		}
		f.scratch = nil
	}
}

// resize returns a slice of n elements, reusing s.
func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}

// bind points the operands of c at registers, literals and scalars; windows are set by seek.
// extra is the number of registers that are needed besides those of c.
func (f *frame) bind(x *executable, c *code, l *tile.Launch, extra int) error {
	if err := f.reserve((c.registers + extra) * registerBytes); err != nil {
		return err
	}
	f.ops = resize(f.ops, len(c.places))
	f.cells = resize(f.cells, 2*len(x.indexes))
	for v := range c.places {
		place := &c.places[v]
		o := &f.ops[v]
		switch place.kind {
		case inRegister:
			if v != none {
				*o = operand{f.register(place.n), place.size}
			}
		case inLiteral:
			*o = operand{unsafe.Pointer(&x.literals[place.n].Bits), 0}
		case inUniform:
			*o = operand{unsafe.Pointer(&l.Uniforms[place.n].Bits), 0}
		case inCell:
			*o = operand{unsafe.Pointer(&f.cells[place.n]), 0}
		}
	}
	return nil
}

// place looks up strides and starts of the windows for the axes that were chosen; inner is
// the position in axes of the one that steps walk along, or -1.
func (f *frame) place(x *executable, c *code, l *tile.Launch) {
	m := len(f.axes)
	f.start = resize(f.start, len(c.windows))
	f.strides = resize(f.strides, len(c.windows)*m)
	for i, w := range c.windows {
		b := &l.Args[w.param]
		f.start[i] = unsafe.Add(f.base[w.param], b.Offset)
		o := &f.ops[w.place]
		o.step = 0
		for k := range f.axes {
			stride := 0
			if id := f.axes[k].id; id >= 0 {
				stride = int(b.Strides[id])
			}
			f.strides[i*m+k] = stride
			o.step = stride // the last axis is the one that steps walk along
		}
	}
	f.counted = resize(f.counted, len(x.indexes))
	for i, id := range x.indexes {
		f.counted[i] = -1
		f.cells[2*i] = int64(l.Origin[id])
		f.cells[2*i+1] = 0
		for k := range f.axes {
			if f.axes[k].id == int(id) {
				f.counted[i] = k
				if k == m-1 {
					f.cells[2*i+1] = 1
				}
			}
		}
	}
}

// seek moves windows and counters to a point.
func (f *frame) seek(x *executable, c *code, l *tile.Launch, coord []int) {
	m := len(coord)
	for i := range c.windows {
		p := f.start[i]
		for k, s := range f.strides[i*m : i*m+m] {
			p = unsafe.Add(p, s*coord[k])
		}
		f.ops[c.windows[i].place].p = p
	}
	for i, k := range f.counted {
		if k >= 0 {
			f.cells[2*i] = int64(l.Origin[x.indexes[i]] + coord[k])
		}
	}
}

// exec runs all steps on a block of n elements.
func (f *frame) exec(c *code, n int) {
	ops := f.ops
	for i := range c.steps {
		s := &c.steps[i]
		s.run(n, &ops[s.d], &ops[s.a], &ops[s.b], &ops[s.c])
	}
}

// next advances coordinates in C order; false means that they are at the start again.
func next(coord, extent []int) bool {
	for k := len(coord) - 1; k >= 0; k-- {
		if coord[k]++; coord[k] < extent[k] {
			return true
		}
		coord[k] = 0
	}
	return false
}
