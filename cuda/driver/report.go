package driver

import (
	"fmt"
	"strings"

	"weft/internal/units"
)

// Report says what was found on this machine, or why nothing can be used.
type Report struct {
	Driver  string       // path of the driver library; "" when none was loaded
	Version int          // what cuDriverGetVersion says: 12040 for 12.4; 0 when unknown
	Devices []DeviceInfo // in the driver's order; the index is the ordinal for Open
	Peers   [][2]int     // pairs of ordinals, of which the first device reaches the second's memory without the host
	Problem string       // why no device can be used, with what to do about it; "" when one can
}

// DeviceInfo describes one GPU.
type DeviceInfo struct {
	Ordinal        int
	Name           string
	Major, Minor   int    // compute capability
	Memory         int64  // bytes
	SMs            int    // multiprocessors
	ClockKHz       int    // of the multiprocessors
	MemoryClockKHz int    // of the memory
	BusWidth       int    // bits of the memory interface
	L2             int    // bytes of the second-level cache
	MaxThreads     int    // threads in a block
	SharedPerBlock int    // bytes of shared memory of a block, without asking for more
	CopyEngines    int    // copies that may run beside a program
	PCI            string // address on the bus: 0000:01:00
	UUID           string
}

// Occupancy is what a loaded function takes of its device, in blocks of one size.
type Occupancy struct {
	Blocks    int // that all multiprocessors together have at once
	Registers int // of a thread
	Shared    int // bytes of shared memory of a block, without dynamic ones
	Local     int // bytes of memory of a thread's own: arrays, and what registers do not hold
	Threads   int // that a block may have
}

// VersionText prints a driver version: 12040 is "12.4".
func VersionText(version int) string {
	return fmt.Sprintf("%d.%d", version/1000, version%1000/10)
}

// String is one line about the device, as "weft info" shows it.
func (d DeviceInfo) String() string {
	return fmt.Sprintf("gpu%d: %s, compute capability %d.%d, %s, %d multiprocessors",
		d.Ordinal, d.Name, d.Major, d.Minor, units.Size(d.Memory), d.SMs)
}

// String is what "weft info" shows: the driver, then a line for each device, or the
// problem.
func (r Report) String() string {
	var b strings.Builder
	switch {
	case r.Driver == "":
		b.WriteString("no CUDA driver")
	case r.Version == 0:
		fmt.Fprintf(&b, "CUDA driver (%s)", r.Driver)
	default:
		fmt.Fprintf(&b, "CUDA driver for %s (%s)", VersionText(r.Version), r.Driver)
	}
	if r.Problem != "" {
		fmt.Fprintf(&b, ": %s", r.Problem)
	}
	for _, d := range r.Devices {
		fmt.Fprintf(&b, "\n%s", d)
	}
	if len(r.Devices) > 1 {
		b.WriteString("\nmemory of each other: ")
		for i, p := range r.Peers {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "gpu%d reaches gpu%d", p[0], p[1])
		}
		if len(r.Peers) == 0 {
			b.WriteString("none is reached without the host")
		}
	}
	return b.String()
}

// Found probes, and says how many devices can be used and what there is, or why there is none.
func Found() (devices int, text string) {
	r := Probe()
	if r.Problem != "" {
		return 0, r.String()
	}
	return len(r.Devices), r.String()
}
