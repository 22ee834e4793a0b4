package scheduler

import (
	"fmt"

	"weft/tile"
)

// DeviceKind is the kind of a processor.
type DeviceKind uint8

// The kinds of processors.
const (
	CPU DeviceKind = iota
	GPU
)

// String returns cpu or gpu.
func (k DeviceKind) String() string { return [...]string{"cpu", "gpu"}[k] }

// Device is a processor as the core sees it.
type Device struct {
	Kind   DeviceKind
	Memory MemoryID // where its programs' operands must lie
	Queues int      // how many tasks it runs at once
	Calls  bool     // it runs named routines: all, or those that Lacks says nothing of
	Grids  bool     // it runs programs of threads, as whatever runs routines does

	// Its queues take tasks behind unfinished ones, of its own and of other ordered devices; see ahead.go.
	Ordered bool

	Lacks func(p *tile.Program) string // why it does not run the named routine that a program is, "" where it does; nil runs all that there are
}

// Runs reports whether the device runs the named routine that a program is.
func (d *Device) Runs(p *tile.Program) bool { return d.Calls && (d.Lacks == nil || d.Lacks(p) == "") }

// Memory is a memory as the core sees it.
type Memory struct {
	Name     string
	Capacity int64 // bytes; 0 is unlimited
	Grain    int64 // of the capacity, an instance takes a multiple of so many bytes; 0 means 1
}

// Machine is what plans are made for. Devices and memories are named by their positions;
// memory 0 is the host's.
type Machine struct {
	Devices  []Device
	Memories []Memory
}

// Check reports what is wrong with a machine.
func (m Machine) Check() error {
	if len(m.Memories) == 0 || len(m.Devices) == 0 {
		return fmt.Errorf("scheduler: a machine needs a memory and a device, got %d and %d", len(m.Memories), len(m.Devices))
	}
	for i, d := range m.Devices {
		if int(d.Memory) >= len(m.Memories) {
			return fmt.Errorf("scheduler: %v uses %v, but there are %d memories", DeviceID(i), d.Memory, len(m.Memories))
		}
		if d.Queues < 1 {
			return fmt.Errorf("scheduler: %v has %d queues, wanted at least 1", DeviceID(i), d.Queues)
		}
	}
	for i, mem := range m.Memories {
		if mem.Capacity < 0 || mem.Grain < 0 {
			return fmt.Errorf("scheduler: %v has %d bytes in grains of %d; neither can be negative", MemoryID(i), mem.Capacity, mem.Grain)
		}
	}
	return nil
}
