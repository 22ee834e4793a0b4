//go:build cuda && cgo && linux

package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/cuda/driver/fakecuda"
)

// The rarer calls of graphs: other kinds of nodes, other ways to change and to instantiate them.
func TestFakeRarerGraphCalls(t *testing.T) {
	r := newRig(t)
	s, other := r.stream(), r.stream()
	m := r.module()
	set, add := r.kernel(m, "set"), r.kernel(m, "add")
	p, q := r.alloc(400), r.alloc(400)
	before, after := r.event(), r.event()
	n, counts := r.words(4), r.words(2)

	g := r.made("cuGraphCreate", 0)
	wait := r.made("cuGraphAddEventWaitNode", g, 0, 0, before)
	a := r.kernelNode(g, []uint64{wait}, r.nodeParams(add, 2, p, q, uint32(100)))
	record := r.made("cuGraphAddEventRecordNode", g, r.list(a), 1, after)
	extra := r.made("cuGraphAddEmptyNode", g, r.list(a), 1)
	for node, want := range map[uint64]uint32{wait: 6, a: 0, record: 7, extra: 5} {
		r.ok("cuGraphNodeGetType", node, n.At(0))
		if uint32(n[0]) != want {
			t.Errorf("type %d, want %d", uint32(n[0]), want)
		}
	}
	n[1] = 2
	r.ok("cuGraphNodeGetDependencies", record, n.At(2), n.At(1))
	if n[1] != 1 || n[2] != a {
		t.Errorf("%d dependencies, the first %#x", n[1], n[2])
	}
	r.ok("cuGraphRemoveDependencies", g, r.list(a), r.list(extra), 1)
	r.code(1, "cuGraphRemoveDependencies", g, r.list(a), r.list(extra), 1)
	r.ok("cuGraphDestroyNode", extra)
	x := r.made("cuGraphInstantiate_v2", g, 0, 0, 0)
	r.later("cuGraphExecDestroy", x)
	r.ok("cuGraphUpload", x, s)
	// What another stream wrote is ordered before the launch by the event that the graph waits for, and what follows by
	// the other.
	r.launch(set, other, 2, p, uint32(100), uint32(1))
	r.launch(set, other, 2, q, uint32(100), uint32(2))
	r.ok("cuEventRecord", before, other)
	r.ok("cuGraphLaunch", x, s)
	r.ok("cuStreamWaitEvent", other, after, 0)
	r.all(p, 100, other, 3)

	// Parameters of the graph itself, and an update in the older form.
	r.ok("cuGraphKernelNodeSetParams", a, r.nodeParams(add, 2, q, p, uint32(100)))
	r.code(1, "cuGraphKernelNodeSetParams", wait, r.nodeParams(add, 2, q, p, uint32(100)))
	r.ok("cuGraphExecUpdate", x, g, n.At(0), n.At(1))
	r.ok("cuGraphLaunch", x, s)
	r.all(q, 100, s, 5)
	r.ok("cuGraphDestroy", g)

	// Copies, memsets and functions of the host get other parameters.
	g = r.made("cuGraphCreate", 0)
	fill := r.words(6)
	fill[0], fill[1], fill[2], fill[3], fill[4] = p, 0, 7|4<<32, 100, 1
	b := r.made("cuGraphAddMemsetNode", g, 0, 0, fill.At(0), r.contexts[0])
	copying := r.words(32)
	copy(copying, []uint64{0, 0, 0, 0, 2, 0, p, 0, 0, 400, 1, 0, 0, 0, 0, 2, 0, q, 0, 0, 400, 1, 400, 1, 1})
	c := r.made("cuGraphAddMemcpyNode", g, r.list(b), 1, copying.At(0), r.contexts[0])
	call := r.words(2)
	call[0], call[1] = r.fake.Symbol("fakecuda_count"), counts.At(0)
	d := r.made("cuGraphAddHostNode", g, r.list(c), 1, call.At(0))
	params := r.words(4)
	r.ok("cuGraphInstantiateWithParams", n.At(0), g, params.At(0))
	y := n[0]
	r.later("cuGraphExecDestroy", y)
	r.ok("cuGraphLaunch", y, s)
	r.all(q, 100, s, 7)
	fill[2] = 8 | 4<<32
	r.ok("cuGraphExecMemsetNodeSetParams", y, b, fill.At(0), r.contexts[0])
	copying[22] = 200 // half of it
	r.ok("cuGraphExecMemcpyNodeSetParams", y, c, copying.At(0), r.contexts[0])
	call[1] = counts.At(1)
	r.ok("cuGraphExecHostNodeSetParams", y, d, call.At(0))
	r.ok("cuGraphLaunch", y, s)
	if got := r.read(q, 100, s); got[49] != 8 || got[50] != 7 || counts[0] != 1 || counts[1] != 1 {
		t.Errorf("got %d, %d, %d calls of the one and %d of the other", got[49], got[50], counts[0], counts[1])
	}
	fill[0] = 64
	r.code(1, "cuGraphExecMemsetNodeSetParams", y, b, fill.At(0), r.contexts[0])
	r.code(1, "cuGraphAddMemsetNode", n.At(0), g, 0, 0, fill.At(0), r.contexts[0])
	r.code(1, "cuGraphAddKernelNode", n.At(0), g, r.list(a), 1, r.nodeParams(set, 1, p, uint32(1), uint32(1)))
	r.said("cuGraphAddKernelNode: the graph node was destroyed")
	r.ok("cuGraphDestroy", g)
}

// The rarer calls of memory.
func TestFakeRarerMemoryCalls(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	m := r.module()
	set := r.kernel(m, "set")
	w := r.words(60)
	// Managed memory is the host's and every device's.
	managed := r.made("cuMemAllocManaged", 400, 1)
	r.launch(set, s, 2, managed, uint32(100), uint32(9))
	r.ok("cuStreamSynchronize", s)
	if b := fakecuda.Bytes(managed, 400); b[0] != 9 || b[396] != 9 {
		t.Error("the host does not see what a kernel wrote")
	}
	r.ok("cuMemPrefetchAsync", managed, 400, 0, s)
	r.ok("cuMemAdvise", managed, 400, 1, 0)
	r.ok("cuPointerGetAttribute", w.At(0), 8, managed)
	if uint32(w[0]) != 1 {
		t.Error("it is not managed")
	}
	r.ok("cuMemFree_v2", managed)
	r.code(1, "cuMemAllocManaged", w.At(0), 400, 5)

	// Addresses say where they are.
	p := r.alloc(400)
	h := r.made("cuMemAllocHost_v2", 400)
	r.ok("cuMemHostGetFlags", w.At(0), h)
	for at, want := range map[uint64]uint32{p: 2, h: 1} {
		r.ok("cuPointerGetAttribute", w.At(0), 2, at)
		if uint32(w[0]) != want {
			t.Errorf("memory type %d, want %d", uint32(w[0]), want)
		}
	}
	r.code(1, "cuPointerGetAttribute", w.At(0), 2, w.At(0))
	r.ok("cuMemsetD32Async", p, 4, 100, s)
	r.ok("cuMemcpyAsync", h, p, 400, s)
	r.ok("cuStreamSynchronize", s)
	r.ok("cuMemcpy", w.At(0), h, 400)
	if w[0] != 4|4<<32 {
		t.Errorf("got %#x", w[0])
	}
	r.ok("cuMemFreeHost", h)

	// Between devices, and waited for.
	r.on(1)
	q := r.alloc(400)
	r.ok("cuMemcpyPeer", q, r.contexts[1], p, r.contexts[0], 400)
	r.ok("cuCtxSynchronize")
	r.ok("cuMemcpyDtoH_v2", w.At(0), q, 400)
	if w[49] != 4|4<<32 {
		t.Errorf("got %#x", w[49])
	}
	r.on(0)
	r.code(201, "cuMemcpyPeer", q, 0, p, r.contexts[0], 400)

	// Mapped pages.
	where := r.words(4)
	where[0], where[1] = 1, 1
	access := r.words(2)
	access[0], access[1] = 1, 1 // device 0 may read
	at := r.made("cuMemAddressReserve", 2<<20, 4<<20, 0, 0)
	if at%(4<<20) != 0 {
		t.Errorf("%#x is not aligned as was asked for", at)
	}
	page := r.made("cuMemCreate", 2<<20, where.At(0), 0)
	r.ok("cuMemMap", at, 2<<20, 0, page, 0)
	r.ok("cuMemSetAccess", at, 2<<20, access.At(0), 1)
	r.ok("cuMemGetAccess", w.At(0), access.At(0), at)
	if w[0] != 1 {
		t.Errorf("access %d, want 1", w[0])
	}
	if again := r.made("cuMemRetainAllocationHandle", at); again != page {
		t.Errorf("handle %#x, want %#x", again, page)
	}
	r.ok("cuMemRelease", page)
	r.ok("cuMemRelease", page)
	r.code(1, "cuMemRelease", page)
	r.said("cuMemRelease: the handle was released already")
	r.ok("cuMemUnmap", at, 2<<20)
	r.code(1, "cuMemRelease", page)
	r.said("cuMemRelease: the memory handle was destroyed")
	r.ok("cuMemAddressFree", at, 2<<20)
	r.code(1, "cuMemAddressFree", at, 2<<20)
	r.said("are not what was reserved")

	// A device's own choice of a pool.
	props := r.words(12)
	props[0], props[1] = 1, 1
	pool := r.made("cuMemPoolCreate", props.At(0))
	r.ok("cuDeviceSetMemPool", 0, pool)
	if got := r.made("cuDeviceGetMemPool", 0); got != pool {
		t.Errorf("pool %#x, want %#x", got, pool)
	}
	a := r.made("cuMemAllocAsync", 1000, s)
	r.ok("cuMemPoolGetAttribute", pool, 7, w.At(0))
	if w[0] != 1024 {
		t.Errorf("%d bytes of the pool are used", w[0])
	}
	r.ok("cuStreamSynchronize", s)
	r.ok("cuMemFree_v2", a) // this, too, may be done with it
	r.ok("cuMemPoolDestroy", pool)
	if got := r.made("cuDeviceGetMemPool", 0); got == pool {
		t.Error("the device allocates from a pool that is gone")
	}
	r.code(1, "cuMemAllocFromPoolAsync", w.At(0), 8, pool, s)
	r.said("cuMemAllocFromPoolAsync: the memory pool was destroyed")
}

func TestFakeRarerCalls(t *testing.T) {
	r := newRig(t)
	w := r.words(8)
	s := r.stream()
	r.ok("cuDeviceGetPCIBusId", w.At(0), 32, 1)
	if text := string(w.Bytes()[:12]); text != "0000:1B:00.0" {
		t.Errorf("bus %q", text)
	}
	r.ok("cuDeviceGetByPCIBusId", w.At(4), w.At(0))
	if uint32(w[4]) != 1 {
		t.Errorf("device %d", uint32(w[4]))
	}
	r.ok("cuDeviceComputeCapability", w.At(0), w.At(1), 0)
	r.ok("cuCtxGetLimit", w.At(0), 0)
	r.ok("cuCtxSetLimit", 0, 2*w[0])
	r.ok("cuCtxGetLimit", w.At(1), 0)
	if w[1] != 2*w[0] {
		t.Errorf("limit %d, want %d", w[1], 2*w[0])
	}
	r.code(215, "cuCtxSetLimit", 99, 1)
	r.ok("cuStreamGetId", s, w.At(0))
	r.ok("cuStreamGetId", r.stream(), w.At(1))
	if w[0] == w[1] {
		t.Error("two streams of one id")
	}
	f := r.kernel(r.module(), "nothing")
	r.ok("cuFuncSetCacheConfig", f, 1)
	r.ok("cuOccupancyAvailableDynamicSMemPerBlock", w.At(0), f, 2, 256)
	if w[0] != 233472/2-1024 {
		t.Errorf("%d bytes of shared memory for each of two blocks", w[0])
	}
	r.code(1, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", w.At(0), f, 32, 0, 9)

	file := filepath.Join(t.TempDir(), "a.ptx")
	check(t, "write", os.WriteFile(file, []byte(".version 7.0\n.target sm_70\n.address_size 64\n"), 0o644))
	r.ok("cuLinkCreate_v2", 0, 0, 0, w.At(0))
	l := w[0]
	r.code(301, "cuLinkAddFile_v2", l, 1, r.text("/nowhere"), 0, 0, 0)
	r.ok("cuLinkAddFile_v2", l, 1, r.text(file), 0, 0, 0)
	r.code(801, "cuLinkAddFile_v2", l, 1, r.text(file), 0, 0, 0)
	r.said("the fake links one text of PTX")
	r.ok("cuLinkComplete", l, w.At(0), w.At(1))
	r.ok("cuLinkDestroy", l)
}

// Every function that the package calls is there, but those of textures and arrays, which an H200's computing has no
// use for.
func TestFakeIsComplete(t *testing.T) {
	fake, err := fakecuda.Open(fakeLib)
	check(t, "Open", err)
	table, err := os.ReadFile("api.txt")
	check(t, "the table of calls", err)
	n := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] != "call" {
			continue
		}
		n++
		if fake.Symbol(f[2]) == 0 && !strings.Contains(line, "CUarray") && !strings.Contains(line, "CUtexref") && !strings.Contains(line, "CUsurfref") && f[2] != "cuPointerSetAttribute" {
			t.Errorf("the fake has no %s", f[2])
		}
	}
	if n < 150 {
		t.Errorf("only %d calls were found", n)
	}
}
