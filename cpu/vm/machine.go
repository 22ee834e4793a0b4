package vm

// #cgo CFLAGS: -O3 -std=c11
// #cgo LDFLAGS: -lm
// #cgo noescape vm_map
// #cgo nocallback vm_map
// #cgo noescape vm_reduce
// #cgo nocallback vm_reduce
// #cgo noescape vm_dots
// #cgo nocallback vm_dots
// #include "vm.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Machine runs launches with one instruction set.
type Machine struct {
	name    string
	address C.uintptr_t // of a vm_machine
}

// Machines returns those that this processor has, the plainest first.
func Machines() []Machine {
	var all []Machine
	for i := range 3 {
		if m := C.vm_machines(C.int(i)); m != nil {
			all = append(all, Machine{C.GoString(m.name), C.uintptr_t(uintptr(unsafe.Pointer(m)))})
		}
	}
	return all
}

// Name is base, v3 or v4.
func (m Machine) Name() string { return m.name }

// Map runs the steps of a launch on every point.
func (m Machine) Map(l *Launch) { C.vm_map(m.address, address(l)) }

// Reduce runs the steps and combines their results block by block.
func (m Machine) Reduce(l *Launch) { C.vm_reduce(m.address, address(l)) }

// Dot sums the products of n floats of so many bytes, which lie side by side, as a block of the canonical order without
// the neutral element.
func (m Machine) Dot(size, n int, a, b, to unsafe.Pointer) {
	C.vm_dots(m.address, C.int64_t(size), C.int64_t(n), (*C.char)(a), (*C.char)(b), (*C.char)(to))
}

// address spares small launches the look for Go pointers in what is no Go memory.
func address(l *Launch) C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(l))) }

// Micros returns the numbers of the operations of strips, by name.
func Micros() map[string]uint8 {
	m := C.vm_machines(0)
	all := map[string]uint8{}
	for i, name := range unsafe.Slice(m.micros, m.micro_count) {
		all[C.GoString(name)] = uint8(i)
	}
	return all
}

// Primitive describes a row of the table.
type Primitive struct {
	Row    uint16
	Inputs int
	Sizes  [1 + Inputs]int // bytes of an element of the result, then of the inputs
}

// Table is the machine's primitives by opcode and dtype.
type Table map[[2]string]Primitive

// NewTable reads the table, which is the same for every machine.
func NewTable() Table {
	m := C.vm_machines(0)
	t := Table{}
	for i, row := range unsafe.Slice(m.rows, m.count) {
		p := Primitive{Row: uint16(i), Inputs: int(row.primitive.inputs)}
		for k, n := range row.primitive.size {
			p.Sizes[k] = int(n)
		}
		key := [2]string{C.GoString(row.opcode), C.GoString(row.dtype)}
		if _, twice := t[key]; twice {
			panic(fmt.Sprintf("BUG: inv 4: two rows for %v in cpu/vm/table.h", key))
		}
		t[key] = p
	}
	return t
}

// The two languages agree on the layout, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Operand{})-C.sizeof_vm_operand]
	_ = [1]struct{}{}[unsafe.Sizeof(Step{})-C.sizeof_vm_step]
	_ = [1]struct{}{}[unsafe.Sizeof(Window{})-C.sizeof_vm_window]
	_ = [1]struct{}{}[unsafe.Sizeof(Counter{})-C.sizeof_vm_counter]
	_ = [1]struct{}{}[unsafe.Sizeof(Axis{})-C.sizeof_vm_axis]
	_ = [1]struct{}{}[unsafe.Sizeof(Reducer{})-C.sizeof_vm_reducer]
	_ = [1]struct{}{}[unsafe.Sizeof(Call{})-C.sizeof_vm_call]
	_ = [1]struct{}{}[unsafe.Sizeof(Micro{})-C.sizeof_vm_micro]
	_ = [1]struct{}{}[unsafe.Sizeof(Port{})-C.sizeof_vm_port]
	_ = [1]struct{}{}[unsafe.Sizeof(Strip{})-C.sizeof_vm_strip]
	_ = [1]struct{}{}[unsafe.Sizeof(Cell{})-C.sizeof_vm_cell]
	_ = [1]struct{}{}[unsafe.Sizeof(Jump{})-C.sizeof_vm_jump]
	_ = [1]struct{}{}[unsafe.Sizeof(Gather{})-C.sizeof_vm_gather]
	_ = [1]struct{}{}[unsafe.Sizeof(Fault{})-C.sizeof_vm_fault]
	_ = [1]struct{}{}[unsafe.Sizeof(Launch{})-C.sizeof_vm_launch]
)
