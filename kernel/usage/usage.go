// Package usage measures what the kernel's process and its children use of the machine, for the
// indicators of front ends. It must not know of messages or of the evaluator.
package usage

import (
	"errors"
	"os"
	"sync"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/process"
)

// Usage is what usage_reply says, with the names that ipykernel gave its parts.
type Usage struct {
	Hostname string  `json:"hostname"`
	PID      int     `json:"pid"`
	CPU      float64 `json:"kernel_cpu"`       // percent of one core, since the last reading; with children
	Memory   uint64  `json:"kernel_memory"`    // resident bytes, with children
	HostCPU  float64 `json:"host_cpu_percent"` // since the last reading
	CPUs     int     `json:"cpu_count"`
	Host     Memory  `json:"host_virtual_memory"`
}

// Memory is the machine's, in bytes.
type Memory struct {
	Total     uint64  `json:"total"`
	Available uint64  `json:"available"`
	Percent   float64 `json:"percent"`
	Used      uint64  `json:"used"`
	Free      uint64  `json:"free"`
	Active    uint64  `json:"active"`
	Inactive  uint64  `json:"inactive"`
	Buffers   uint64  `json:"buffers"`
	Cached    uint64  `json:"cached"`
	Shared    uint64  `json:"shared"`
	Slab      uint64  `json:"slab"`
}

// Meter reads usage. Shares of processors are of the time between two readings, so that the first one has none.
type Meter struct {
	mu    sync.Mutex
	known map[int32]*process.Process // those of the last reading, which remember their times
}

// Read measures. What cannot be read is zero, and named in the error; children that end
// meanwhile do not count.
func (m *Meter) Read() (Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := Usage{PID: os.Getpid()}
	var errs []error
	keep := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	var err error
	u.Hostname, err = os.Hostname()
	keep(err)
	self, err := process.NewProcess(int32(u.PID))
	keep(err)
	if err == nil {
		known := map[int32]*process.Process{}
		m.add(self, &u, known)
		m.known = known
	}
	host, err := cpu.Percent(0, false)
	keep(err)
	if len(host) == 1 {
		u.HostCPU = host[0]
	}
	u.CPUs, err = cpu.Counts(true)
	keep(err)
	v, err := mem.VirtualMemory()
	keep(err)
	if err == nil {
		u.Host = Memory{
			Total: v.Total, Available: v.Available, Percent: v.UsedPercent, Used: v.Used, Free: v.Free, Active: v.Active,
			Inactive: v.Inactive, Buffers: v.Buffers, Cached: v.Cached, Shared: v.Shared, Slab: v.Slab,
		}
	}
	return u, errors.Join(errs...)
}

// add counts a process and all below it.
func (m *Meter) add(p *process.Process, u *Usage, known map[int32]*process.Process) {
	if known[p.Pid] != nil {
		return
	}
	born, _ := p.CreateTime()
	if old := m.known[p.Pid]; old != nil {
		if before, _ := old.CreateTime(); before == born { // and not another with its number
			p = old
		}
	}
	known[p.Pid] = p
	if share, err := p.Percent(0); err == nil {
		u.CPU += share
	}
	if held, err := p.MemoryInfo(); err == nil {
		u.Memory += held.RSS
	}
	children, err := p.Children()
	if err != nil {
		return
	}
	for _, child := range children {
		m.add(child, u, known)
	}
}
