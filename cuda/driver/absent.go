//go:build !(cuda && cgo && linux)

package driver

import "time"

// This file is the package without CUDA support: the same names as device.go, module.go, link.go, occupancy.go,
// queue.go, graph.go, host.go, pages.go, peers.go, rows.go and guests.go, where they are documented. Open never
// succeeds, so that no Device exists and none of the other methods can be reached; they fail all the same.

// Built reports whether this binary has CUDA support at all.
const Built = false

// Probe says that there is nothing to look for.
func Probe() Report {
	return Report{Problem: "built without CUDA support"}
}

// Open fails.
func Open(int) (*Device, error) { return nil, ErrNotBuilt }

// Find fails.
func Find(Address) (Allocation, error) { return Allocation{}, ErrNotBuilt }

// Device is one GPU.
type Device struct{}

// Queue is an in-order line of work on a device.
type Queue struct{}

// Event is a mark in a queue.
type Event struct{}

// Module is PTX that the driver has compiled for a device.
type Module struct{}

// Graph is a batch's launches in a form that the driver starts at once.
type Graph struct{}

// Page is a piece of a device's physical memory, which has no address until it is mapped.
type Page uint64

func (*Device) Info() DeviceInfo                                  { return DeviceInfo{} }
func (*Device) Close() error                                      { return ErrNotBuilt }
func (*Device) Alloc(int64) (Address, error)                      { return 0, ErrNotBuilt }
func (*Device) Free(Address) error                                { return ErrNotBuilt }
func (*Device) Within(func() error) error                         { return ErrNotBuilt }
func (*Device) MemoryInfo() (free, total int64, err error)        { return 0, 0, ErrNotBuilt }
func (*Device) AllocHost(int64) ([]byte, error)                   { return nil, ErrNotBuilt }
func (*Device) AllocMapped(int64) ([]byte, Address, error)        { return nil, 0, ErrNotBuilt }
func (*Device) FreeHost([]byte) error                             { return ErrNotBuilt }
func (*Device) Register([]byte) error                             { return ErrNotBuilt }
func (*Device) Unregister([]byte) error                           { return ErrNotBuilt }
func (*Device) PageSize() (int64, error)                          { return 0, ErrNotBuilt }
func (*Device) Reserve(int64) (Address, error)                    { return 0, ErrNotBuilt }
func (*Device) Unreserve(Address, int64) error                    { return ErrNotBuilt }
func (*Device) NewPage(int64) (Page, error)                       { return 0, ErrNotBuilt }
func (*Device) FreePage(Page) error                               { return ErrNotBuilt }
func (*Device) Map(Address, int64, Page) error                    { return ErrNotBuilt }
func (*Device) Allow(Address, int64, ...int) error                { return ErrNotBuilt }
func (*Device) Reach(*Device) (bool, error)                       { return false, ErrNotBuilt }
func (*Device) Unmap(Address, int64) error                        { return ErrNotBuilt }
func (*Device) CopyIn(Address, []byte) error                      { return ErrNotBuilt }
func (*Device) CopyOut([]byte, Address) error                     { return ErrNotBuilt }
func (*Device) CopyWithin(Address, Address, int64) error          { return ErrNotBuilt }
func (*Device) Synchronize() error                                { return ErrNotBuilt }
func (*Device) Reaches(Allocation) bool                           { return false }
func (*Device) SynchronizeStream(uint64) error                    { return ErrNotBuilt }
func (*Device) LoadModule(string) (*Module, string, error)        { return nil, "", ErrNotBuilt }
func (*Device) Link(string) ([]byte, error)                       { return nil, ErrNotBuilt }
func (*Device) LoadImage([]byte) (*Module, error)                 { return nil, ErrNotBuilt }
func (*Device) NewQueue() (*Queue, error)                         { return nil, ErrNotBuilt }
func (*Device) NewGraph(*Batch) (*Graph, error)                   { return nil, ErrNotBuilt }
func (*Device) NewEvent() (*Event, error)                         { return nil, ErrNotBuilt }
func (*Module) Function(string) (Function, error)                 { return 0, ErrNotBuilt }
func (*Module) Occupancy(Function, int, int64) (Occupancy, error) { return Occupancy{}, ErrNotBuilt }
func (*Module) Unload() error                                     { return ErrNotBuilt }
func (*Queue) Handle() uint64                                     { return 0 }
func (*Queue) Close() error                                       { return ErrNotBuilt }
func (*Queue) Launch(*Batch) error                                { return ErrNotBuilt }
func (*Queue) LaunchAndRecord(*Batch, *Event) error               { return ErrNotBuilt }
func (*Queue) LaunchGraph(*Graph, *Batch, *Event) (bool, error)   { return false, ErrNotBuilt }
func (*Queue) CopyIn(Address, []byte) error                       { return ErrNotBuilt }
func (*Queue) CopyOut([]byte, Address) error                      { return ErrNotBuilt }
func (*Queue) CopyWithin(Address, Address, int64) error           { return ErrNotBuilt }
func (*Queue) CopyFrom(Address, *Device, Address, int64) error    { return ErrNotBuilt }
func (*Queue) CopyRowsIn(Address, []byte, Rows) error             { return ErrNotBuilt }
func (*Queue) CopyRowsOut([]byte, Address, Rows) error            { return ErrNotBuilt }
func (*Queue) CopyRowsWithin(Address, Address, Rows) error        { return ErrNotBuilt }
func (*Queue) CopyRowsFrom(Address, *Device, Address, Rows) error { return ErrNotBuilt }
func (*Queue) Record(*Event) error                                { return ErrNotBuilt }
func (*Queue) Wait(*Event) error                                  { return ErrNotBuilt }
func (*Queue) Synchronize() error                                 { return ErrNotBuilt }
func (*Queue) Idle() (bool, error)                                { return false, ErrNotBuilt }
func (*Event) Happened() (bool, error)                            { return false, ErrNotBuilt }
func (*Event) Passed(*Event) (bool, time.Duration, error)         { return false, 0, ErrNotBuilt }
func (*Event) Synchronize() error                                 { return ErrNotBuilt }
func (*Event) Since(*Event) (time.Duration, error)                { return 0, ErrNotBuilt }
func (*Event) Close() error                                       { return ErrNotBuilt }
func (*Graph) Differ(*Batch) int                                  { return 0 }
func (*Graph) Close() error                                       { return ErrNotBuilt }
func (Page) String() string                                       { return "page" }
