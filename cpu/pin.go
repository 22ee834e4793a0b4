package cpu

import "weft/tile"

// Pins returns the CPU of each of so many workers, or nil where they are left to the system. They
// are pinned where they are as many as the CPUs that the process may use: a process with fewer
// shares its CPUs with others, which would choose the same ones.
func Pins(workers int) []int {
	if list := allowed(); len(list) == workers {
		return list
	}
	return nil
}

// Pins returns the CPU of each queue, or nil.
func (d *Device) Pins() []int { return d.pins }

// pinBytes is from how many bytes of operands on a launch keeps its worker on one CPU: pinning takes
// half a microsecond, or some fifty where the thread has to move, and this many bytes some two hundred. In between
// workers go where the system puts them, so that a goroutine that has nothing to do with arrays is never kept waiting
// behind one.
const pinBytes = 4 << 20

// pinned reports whether a launch of a queue runs on the queue's CPU. Those that call a library do
// not: its threads would inherit the CPU, and all of them compute there.
func (e *engine) pinned(queue int, x *executable, l *tile.Launch) bool {
	if queue < 0 || queue >= len(e.pins) || x.routine != nil || l.Product {
		return false
	}
	bytes := 0
	for _, p := range l.Program.Params {
		bytes += p.Type.Size()
	}
	for _, n := range l.Shape {
		bytes *= n
	}
	return bytes >= pinBytes
}
