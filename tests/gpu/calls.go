package main

import (
	"fmt"
	"strings"

	"weft/cuda/driver"
)

const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// entry is a module with one function k of one parameter p.
func entry(body string) string {
	return header + ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %l<9>;\n" + body + "\nret;\n}\n"
}

// spin takes its parameter's low word of turns, which no compiler sees the end of.
const spin = `ld.param.u64 %l1, [p];
mov.u32 %r1, 1;
mov.u64 %l2, 0;
again:
mad.lo.u32 %r1, %r1, 1664525, 1013904223;
add.u64 %l2, %l2, 1;
setp.lt.u64 %p1, %l2, %l1;
@%p1 bra again;
setp.ne.u32 %p2, %r1, 0;
@%p2 bra out;
trap;
out:`

// modules asks the compiler.
func modules(s *session) {
	for _, m := range []struct{ name, text string }{
		{"good", entry("")},
		{"empty", ""},
		{"no version", ".target sm_70\n"},
		{"syntax", header + "SYNTAX ERROR\n"},
		{"no such opcode", entry("frob.u32 %r1, %r2;")},
		{"no such register", entry("mov.u32 %x1, 0;")},
		{"operand of another type", entry("add.f32 %l1, %l1, %l1;")},
		{"no such label", entry("bra nowhere;")},
		{"no such parameter", entry("ld.param.u64 %l1, [q];")},
		{"a call to nothing", entry("call.uni missing;")},
		{"declared and not defined", header + ".extern .func missing;\n.visible .entry k()\n{\ncall.uni missing;\nret;\n}\n"},
		{"version of the future", strings.Replace(entry(""), "7.0", "99.0", 1)},
		{"version 9.0", strings.Replace(entry(""), "7.0", "9.0", 1)},
		{"target of the future", strings.Replace(strings.Replace(entry(""), "sm_70", "sm_120", 1), "7.0", "8.7", 1)},
		{"target of no device", strings.Replace(entry(""), "sm_70", "sm_999", 1)},
		{"target sm_75", strings.Replace(entry(""), "sm_70", "sm_75", 1)},
		{"an opcode above the target", entry("redux.sync.add.s32 %r1, %r2, 0xffffffff;")},
		{"two entries of a name", entry("") + strings.TrimPrefix(entry(""), header)},
		{"too much shared memory", header + ".visible .entry k()\n{\n.shared .align 4 .b8 a[65536];\n.reg .b32 %r<2>;\nst.shared.u32 [a], %r1;\nret;\n}\n"},
		{"5000 bytes of parameters", header + ".visible .entry k(.param .b8 p[5000])\n{\nret;\n}\n"},
	} {
		module, _, err := s.LoadModule(m.text)
		if !s.said(err, "cuModuleLoadDataEx(%s)", m.name) {
			continue
		}
		_, err = module.Function("k")
		s.said(err, "  cuModuleGetFunction(k)")
		_, err = module.Function("missing")
		s.said(err, "  cuModuleGetFunction(missing)")
		s.said(module.Unload(), "  cuModuleUnload")
	}
}

// function loads a module's function k; it says what went wrong.
func (s *session) function(text string) (driver.Function, bool) {
	m, _, err := s.LoadModule(text)
	if err != nil {
		return 0, s.said(err, "cuModuleLoadDataEx")
	}
	f, err := m.Function("k")
	return f, err == nil || s.said(err, "cuModuleGetFunction(k)")
}

// launches asks what can be launched.
func launches(s *session) {
	free, ok1 := s.function(entry(""))
	bound, ok2 := s.function(strings.Replace(entry(""), "\n{", "\n.maxntid 256, 1, 1\n{", 1))
	q, err := s.NewQueue()
	if !ok1 || !ok2 || !s.said(err, "cuStreamCreate") {
		return
	}
	for _, c := range []struct {
		f           driver.Function
		name        string
		grid, block [3]uint32
		shared      uint32
	}{
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{1024, 1, 1}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{1025, 1, 1}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{32, 32, 1}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{32, 32, 2}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 64}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 65}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{0, 1, 1}, 0},
		{free, "k", [3]uint32{0, 1, 1}, [3]uint32{32, 1, 1}, 0},
		{free, "k", [3]uint32{1, 65535, 1}, [3]uint32{1, 1, 1}, 0},
		{free, "k", [3]uint32{1, 65536, 1}, [3]uint32{1, 1, 1}, 0},
		{free, "k", [3]uint32{1, 1, 65536}, [3]uint32{1, 1, 1}, 0},
		{free, "k", [3]uint32{1 << 31, 1, 1}, [3]uint32{1, 1, 1}, 0},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 48 << 10},
		{free, "k", [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 48<<10 + 1},
		{bound, "k of at most 256", [3]uint32{1, 1, 1}, [3]uint32{256, 1, 1}, 0},
		{bound, "k of at most 256", [3]uint32{1, 1, 1}, [3]uint32{257, 1, 1}, 0},
		{bound, "k of at most 256", [3]uint32{1, 1, 1}, [3]uint32{128, 2, 1}, 0},
	} {
		var b driver.Batch
		b.Add(c.f, c.grid, c.block, c.shared, 0)
		s.said(q.Launch(&b), "cuLaunchKernel(%s, grid %v, block %v, shared %d)", c.name, c.grid, c.block, c.shared)
	}
	s.said(q.Synchronize(), "cuStreamSynchronize")
	var several driver.Batch
	several.Add(free, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 0)
	several.Add(free, [3]uint32{1, 1, 1}, [3]uint32{0, 1, 1}, 0, 0)
	s.said(q.Launch(&several), "cuLaunchKernel(the second of two is wrong)")
	s.said(q.Synchronize(), "cuStreamSynchronize")
	for _, n := range []int{0, 2} {
		var b driver.Batch
		b.Add(free, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, make([]uint64, n)...)
		s.said(q.Launch(&b), "cuLaunchKernel(%d bytes for a parameter of 8)", 8*n)
	}
	s.said(q.Synchronize(), "cuStreamSynchronize")
	s.said(q.Close(), "cuStreamDestroy")
}

// launchHandle launches what no module gave.
func (s *session) launchHandle(name string, f driver.Function) {
	q, err := s.NewQueue()
	if !s.said(err, "cuStreamCreate") {
		return
	}
	var b driver.Batch
	b.Add(f, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 0)
	s.said(q.Launch(&b), "cuLaunchKernel(function %s)", name)
}

// memory asks the allocator, and copies where nothing is.
func memory(s *session) {
	const n = 1 << 21 // whole pages, so that nothing lies behind it
	_, total, err := s.MemoryInfo()
	s.said(err, "cuMemGetInfo")
	a, err := s.Alloc(n)
	if !s.said(err, "cuMemAlloc(2 MiB)") {
		return
	}
	fmt.Fprintf(s.w, "  aligned to 256 -> %v\n", a%256 == 0)
	_, err = s.Alloc(total + 1)
	s.said(err, "cuMemAlloc(more than there is)")
	_, err = s.Alloc(1 << 62)
	s.said(err, "cuMemAlloc(2^62)")
	b, err := s.Alloc(1)
	s.said(err, "cuMemAlloc(1)")
	host := make([]byte, 64)
	for _, c := range []struct {
		name string
		at   driver.Address
	}{
		{"the beginning", a}, {"an odd address", a + 1}, {"the last 64 bytes", a + n - 64}, {"32 bytes over the end", a + n - 32},
		{"address 0", 0}, {"address 4096", 4096}, {"a wild address", 0x7ff000000000},
	} {
		s.said(s.CopyIn(c.at, host), "cuMemcpyHtoD(64 bytes to %s)", c.name)
		s.said(s.CopyOut(host, c.at), "cuMemcpyDtoH(64 bytes from %s)", c.name)
	}
	s.said(s.CopyWithin(a, a+32, 64), "cuMemcpyDtoD(onto itself, shifted)")
	s.said(s.Free(a+256), "cuMemFree(the middle)")
	s.said(s.Free(a), "cuMemFree")
	s.said(s.Free(a), "cuMemFree(again)")
	s.said(s.CopyOut(host, a), "cuMemcpyDtoH(what was freed)")
	s.said(s.Free(b), "cuMemFree(1 byte)")
	s.said(s.Free(0), "cuMemFree(0)")
	s.said(s.Free(0xdead0000), "cuMemFree(0xdead0000)")
	pinned, err := s.AllocHost(64)
	if s.said(err, "cuMemHostAlloc(64)") {
		s.said(s.FreeHost(pinned), "cuMemFreeHost")
		s.said(s.FreeHost(pinned), "cuMemFreeHost(again)")
	}
}

// events asks for events and queues before, while and after they are busy.
func events(s *session) {
	f, ok := s.function(entry(spin))
	q, err := s.NewQueue()
	if !ok || !s.said(err, "cuStreamCreate") {
		return
	}
	first, err := s.NewEvent()
	s.said(err, "cuEventCreate")
	last, err := s.NewEvent()
	s.said(err, "cuEventCreate")
	yes, err := first.Happened()
	s.truth(yes, err, "cuEventQuery(never recorded)")
	s.said(first.Synchronize(), "cuEventSynchronize(never recorded)")
	s.said(q.Wait(first), "cuStreamWaitEvent(never recorded)")
	_, err = last.Since(first)
	s.said(err, "cuEventElapsedTime(never recorded)")
	yes, err = q.Idle()
	s.truth(yes, err, "cuStreamQuery(empty)")
	s.said(q.Record(first), "cuEventRecord")
	s.said(first.Synchronize(), "cuEventSynchronize")
	_, err = last.Since(first)
	s.said(err, "cuEventElapsedTime(from recorded to never recorded)")
	var b driver.Batch
	b.Add(f, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, 5_000_000)
	s.said(q.Launch(&b), "cuLaunchKernel(a long one)")
	s.said(q.Record(last), "cuEventRecord")
	yes, err = last.Happened()
	s.truth(yes, err, "cuEventQuery(under way)")
	yes, err = q.Idle()
	s.truth(yes, err, "cuStreamQuery(under way)")
	_, err = last.Since(first)
	s.said(err, "cuEventElapsedTime(under way)")
	s.said(last.Synchronize(), "cuEventSynchronize")
	yes, err = last.Happened()
	s.truth(yes, err, "cuEventQuery(happened)")
	took, err := last.Since(first)
	s.said(err, "cuEventElapsedTime(both happened)")
	fmt.Fprintf(s.w, "  more than nothing -> %v\n", took > 0)
	s.said(q.Launch(&b), "cuLaunchKernel(a long one)")
	s.said(q.Record(last), "cuEventRecord(again)")
	yes, err = last.Happened()
	s.truth(yes, err, "cuEventQuery(recorded again)")
	s.said(last.Close(), "cuEventDestroy(under way)")
	s.said(q.Close(), "cuStreamDestroy(under way)")
	s.said(s.Synchronize(), "cuCtxSynchronize")
	s.said(first.Close(), "cuEventDestroy")
}

// accident makes a scene of a function that goes wrong, and of what still answers afterwards.
func accident(body string) func(s *session) {
	return func(s *session) {
		a, err := s.Alloc(1 << 21)
		f, ok := s.function(entry(body))
		q, qerr := s.NewQueue()
		if !ok || !s.said(err, "cuMemAlloc") || !s.said(qerr, "cuStreamCreate") {
			return
		}
		e, err := s.NewEvent()
		s.said(err, "cuEventCreate")
		s.said(q.Record(e), "cuEventRecord") // before the launch: behind it, the answer would depend on who is faster
		var b driver.Batch
		b.Add(f, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, uint64(a))
		s.said(q.Launch(&b), "cuLaunchKernel")
		s.said(q.Synchronize(), "cuStreamSynchronize")
		yes, err := e.Happened()
		s.truth(yes, err, "cuEventQuery")
		s.said(e.Synchronize(), "cuEventSynchronize")
		s.said(q.Record(e), "cuEventRecord")
		yes, err = q.Idle()
		s.truth(yes, err, "cuStreamQuery")
		s.said(q.Launch(&b), "cuLaunchKernel(again)")
		_, err = s.Alloc(64)
		s.said(err, "cuMemAlloc")
		_, _, err = s.MemoryInfo()
		s.said(err, "cuMemGetInfo")
		s.said(s.CopyOut(make([]byte, 8), a), "cuMemcpyDtoH")
		_, _, err = s.LoadModule(entry(""))
		s.said(err, "cuModuleLoadDataEx")
		s.said(e.Close(), "cuEventDestroy")
		s.said(q.Close(), "cuStreamDestroy")
		s.said(s.Free(a), "cuMemFree")
		s.said(s.Synchronize(), "cuCtxSynchronize")
		s.said(s.Close(), "cuDevicePrimaryCtxRelease")
		d, err := driver.Open(0)
		if !s.said(err, "cuDevicePrimaryCtxRetain") {
			return
		}
		_, err = d.Alloc(64)
		s.said(err, "cuMemAlloc(of the context retained again)")
	}
}
