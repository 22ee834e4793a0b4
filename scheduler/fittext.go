package scheduler

import (
	"fmt"

	"weft/internal/units"
)

// Fit tells why an op has more tiles than suits the machine otherwise, or none on a GPU.
type Fit struct {
	Op    OpID
	Bytes int64 // what the largest tile would take of a GPU
	Tile  int64 // what it takes now; 0: the op runs on a CPU
	Holds int64 // what the smallest GPU holds

	Lacks string // of a routine that GPUs do not run: why; the op runs on a CPU
}

// String says it as plans do.
//
//	o3 in small tiles: 45.8 MiB would not leave a GPU of 64 MiB room for what comes next, 15.3 MiB do
//	o4 on a CPU: no GPU of 64 MiB holds 91.6 MiB
//	o5 on a CPU: GPUs do not sort complex numbers
func (f Fit) String() string { return f.Op.String() + " " + f.Why() }

// Why is the text without the op.
func (f Fit) Why() string {
	if f.Lacks != "" {
		return "on a CPU: " + f.Lacks
	}
	if f.Tile == 0 {
		return fmt.Sprintf("on a CPU: no GPU of %s holds %s", units.Size(f.Holds), units.Size(f.Bytes))
	}
	return fmt.Sprintf("in small tiles: %s would not leave a GPU of %s room for what comes next, %s do", units.Size(f.Bytes), units.Size(f.Holds), units.Size(f.Tile))
}
