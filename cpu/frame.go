package cpu

import (
	"fmt"
	"syscall"
	"unsafe"

	"weft/cpu/blas"
	"weft/cpu/vm"
	"weft/tile"
)

// frame is the working state of one launch. Each queue owns one; inline launches borrow one.
// Everything grows as needed and is kept. What the machine sees is outside the Go heap: the launch as
// it is encoded, and scratch memory for registers, whose contents no launch expects of another.
type frame struct {
	machine  vm.Machine
	stream   int64            // bytes of an output from which on it is written past the caches
	base     []unsafe.Pointer // by parameter: address of its buffer
	axes     []axis
	scratch  arena
	loops    loops
	*encoded // the launch that runs: one of those remembered, or passing
	passing  encoded
	memo     memo
	part     launchPart
	watching bool               // whether it is found out what goes wrong in floating-point operations
	raised   int64              // what may have
	saved    arena              // inputs of a piece that its outputs are written over
	args     [mostArgs]blas.Arg // of the library's routine that is called

	dense   func() (*blas.Library, error)                    // for matrix products; nil where there is none
	hands   bool                                             // threads of package eager help: the caller holds the lock that they want
	reserve func(most int, work func(cores int) error) error // the cores of idle queues, or nil
}

// encoded is a launch as the machine takes it.
type encoded struct {
	arena
	launch   *vm.Launch
	operands []vm.Operand // by place
	windows  []vm.Window
	counters []vm.Counter // by index
	reducers []vm.Reducer
	cells    []int64 // by cell: see inCell
	strips   []vm.Strip
	micros   []vm.Micro
	ports    []vm.Port
	end      *vm.Fault // of code that checks

	scalars [][2]uint64 // by place: the value of a literal or uniform
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
type loops struct{ coord, extent [vm.MaxAxes]int }

// arena is mapped memory, of which pieces are carved.
type arena struct {
	memory []byte
	free   int // bytes that are taken
}

// reserve makes the memory at least n bytes, all of them free. It reports whether it is elsewhere now.
func (a *arena) reserve(n int) (moved bool, err error) {
	a.free = 0
	if n <= len(a.memory) {
		return false, nil
	}
	const unit = 128 << 10
	n = (n + unit - 1) / unit * unit
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false, fmt.Errorf("cpu: mapping %d bytes for a launch: %w", n, err)
	}
	a.unmap()
	a.memory = b
	return true, nil
}

func (a *arena) unmap() {
	if a.memory != nil {
		if err := syscall.Munmap(a.memory); err != nil {
			panic("BUG: inv 4: unmapping a launch: " + err.Error())
		}
		a.memory = nil
	}
}

// release unmaps all memory of the frame.
func (f *frame) release() {
	f.forget()
	f.memo.memory.unmap()
	f.passing.unmap()
	f.scratch.unmap()
	f.saved.unmap()
}

// work makes the scratch memory at least n bytes. Launches that are remembered have registers there.
func (f *frame) work(n int) error {
	moved, err := f.scratch.reserve(n)
	if moved {
		f.forget()
	}
	return err
}

// resize returns a slice of n elements, reusing s.
func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}

// carve takes room for n elements from an arena that is large enough.
func carve[T any](a *arena, n int) []T {
	var zero T
	const line = 64
	p := unsafe.Pointer(&a.memory[a.free])
	a.free += (n*int(unsafe.Sizeof(zero)) + line - 1) / line * line
	return unsafe.Slice((*T)(p), n)
}

// encode lays a launch of c out, over the axes that were chosen, for the machine, and remembers it if
// it can. extra is the number of bytes of scratch that are needed besides registers; they follow.
func (f *frame) encode(x *executable, c *code, l *tile.Launch, extra int) error {
	const perStep, perPlace = int(unsafe.Sizeof(vm.Step{}) + unsafe.Sizeof(vm.Call{})), int(unsafe.Sizeof(vm.Operand{})) + 16
	m := len(f.axes)
	size := 2048 + len(c.steps)*perStep + len(c.places)*perPlace +
		len(c.windows)*(int(unsafe.Sizeof(vm.Window{}))+8*m) + m*int(unsafe.Sizeof(vm.Axis{})) +
		len(x.indexes)*(int(unsafe.Sizeof(vm.Counter{}))+16) + len(x.reducers)*int(unsafe.Sizeof(vm.Reducer{})) +
		len(c.strips)*int(unsafe.Sizeof(vm.Strip{})) + len(c.micros)*int(unsafe.Sizeof(vm.Micro{})+2*unsafe.Sizeof(vm.Cell{})) +
		len(c.ports)*int(unsafe.Sizeof(vm.Port{})) +
		len(c.jumps)*int(unsafe.Sizeof(vm.Jump{})) + len(c.gathers)*int(unsafe.Sizeof(vm.Gather{}))
	if err := f.work((len(c.ports)+c.slots)*vm.Room + c.registers*spacing + 256 + extra); err != nil {
		return err
	}
	if err := f.choose(x, c, l, size); err != nil {
		return err
	}
	a := &f.arena
	f.launch = &carve[vm.Launch](a, 1)[0]
	steps := carve[vm.Step](a, len(c.steps))
	copy(steps, c.steps)
	f.operands = carve[vm.Operand](a, len(c.places))
	f.windows = carve[vm.Window](a, len(c.windows))
	strides := carve[int64](a, len(c.windows)*m)
	f.counters = carve[vm.Counter](a, len(x.indexes))
	f.cells = carve[int64](a, 2*len(x.indexes))
	f.reducers = carve[vm.Reducer](a, len(x.reducers))
	axes := carve[vm.Axis](a, m)
	for k, a := range f.axes {
		axes[k] = vm.Axis{Extent: int64(a.extent), Block: int64(a.block)}
		if a.reduced {
			axes[k].Reduced = 1
		}
	}
	*f.launch = vm.Launch{
		Steps: int64(len(steps)), Operands: int64(len(f.operands)), Windows: int64(len(f.windows)),
		Counters: int64(len(f.counters)), Axes: int64(m), Reducers: int64(len(f.reducers)), Block: int64(c.block),
		Step: start(steps), Operand: start(f.operands), Call: start(carve[vm.Call](a, len(steps))), Window: start(f.windows),
		Stride: start(strides), Counter: start(f.counters), Axis: start(axes), Reducer: start(f.reducers),
	}
	f.strips, f.micros, f.ports = nil, nil, nil
	if len(c.strips) > 0 {
		f.encodeStrips(c)
	}
	f.point(x, c, l)
	f.place(c, l, strides)
	f.count(x, l)
	if c.checked {
		f.control(c, l)
	}
	return nil
}

// encodeStrips lays out what strips are made of.
func (f *frame) encodeStrips(c *code) {
	a := &f.arena
	strips := carve[vm.Strip](a, len(c.strips))
	copy(strips, c.strips)
	micros := carve[vm.Micro](a, len(c.micros))
	copy(micros, c.micros)
	f.ports = carve[vm.Port](a, len(c.ports))
	room := start(carve[byte](&f.scratch, len(c.ports)*vm.Room))
	for i, p := range c.ports {
		p.Room = unsafe.Add(room, i*vm.Room)
		f.ports[i] = p
	}
	f.strips, f.micros = strips, micros
	f.launch.Strip, f.launch.Micro, f.launch.Port = start(strips), start(micros), start(f.ports)
	f.launch.Cell = start(carve[vm.Cell](a, 2*len(c.micros)))
}

func start[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// point makes the operands of registers, literals and scalars.
func (f *frame) point(x *executable, c *code, l *tile.Launch) {
	f.scalars = carve[[2]uint64](&f.arena, len(c.places))
	slots := start(carve[byte](&f.scratch, c.slots*vm.Room))
	registers := start(carve[byte](&f.scratch, c.registers*spacing))
	for v := range c.places {
		place := &c.places[v]
		o := &f.operands[v]
		*o = vm.Operand{P: unsafe.Pointer(&f.scalars[v])}
		switch place.kind {
		case inRegister:
			if v != none {
				*o = vm.Operand{P: unsafe.Add(registers, place.n*spacing), Step: int64(place.size)}
			}
		case inSlot:
			o.P = unsafe.Add(slots, place.n*vm.Room)
		case inLiteral:
			f.scalars[v] = x.literals[place.n].Bits
		case inUniform:
			f.scalars[v] = l.Uniforms[place.n].Bits
		case inCell:
			o.P = unsafe.Pointer(&f.cells[place.n])
		}
	}
}

// place looks up strides and starts of the windows.
func (f *frame) place(c *code, l *tile.Launch, strides []int64) {
	m := len(f.axes)
	for i, w := range c.windows {
		b := &l.Args[w.param]
		f.windows[i] = vm.Window{P: unsafe.Add(f.base[w.param], b.Offset), Operand: int64(w.place)}
		stride := int64(0)
		for k := range f.axes {
			stride = 0
			if id := f.axes[k].id; id >= 0 {
				stride = b.Strides[id]
			}
			strides[i*m+k] = stride
		}
		f.operands[w.place].Step = stride // along the last axis
	}
}

// count makes the counters of coordinates.
func (f *frame) count(x *executable, l *tile.Launch) {
	for i, id := range x.indexes {
		c := &f.counters[i]
		*c = vm.Counter{Cell: unsafe.Pointer(&f.cells[2*i]), Origin: int64(l.Origin[id]), Axis: -1}
		f.cells[2*i], f.cells[2*i+1] = c.Origin, 0
		for k := range f.axes {
			if f.axes[k].id == int(id) {
				c.Axis = int64(k)
				if k == len(f.axes)-1 {
					f.cells[2*i+1] = 1
				}
			}
		}
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

// at returns the element at p.
func at[T any](p unsafe.Pointer) *T { return (*T)(p) }

// float is the element types that products have.
type float interface{ float32 | float64 }
