//go:build cuda && cgo && linux

package driver

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestFakeVirtualMemory(t *testing.T) {
	r := newRig(t)
	const granule = 2 << 20
	prop := r.words(4)
	prop[0], prop[1] = 1, 1 // pinned memory, on device 0
	w := r.words(4)
	r.ok("cuMemGetAllocationGranularity", w.At(0), prop.At(0), 0)
	if w[0] != granule {
		t.Fatalf("granularity %d", w[0])
	}
	at := r.made("cuMemAddressReserve", 4*granule, 0, 0, 0)
	if at%granule != 0 {
		t.Errorf("%#x is not aligned", at)
	}
	access := r.words(2)
	access[0], access[1] = 1, 3 // device 0, read and write
	first := r.made("cuMemCreate", granule, prop.At(0), 0)
	second := r.made("cuMemCreate", granule, prop.At(0), 0)
	r.code(1, "cuMemCreate", w.At(0), 1000, prop.At(0), 0)
	r.code(2, "cuMemCreate", w.At(0), 16<<30, prop.At(0), 0)
	r.ok("cuMemMap", at, granule, 0, first, 0)
	r.ok("cuMemMap", at+granule, granule, 0, second, 0)
	r.code(208, "cuMemMap", at, granule, 0, second, 0)
	r.code(1, "cuMemMap", at+8*granule, granule, 0, second, 0)
	r.code(1, "cuMemcpyHtoD_v2", at, w.At(0), 8) // no access was given
	r.said("is mapped at", "were not reserved", "8 bytes of the destination")
	r.ok("cuMemSetAccess", at, 2*granule, access.At(0), 1)

	// A copy may cross mappings that lie side by side.
	s := r.stream()
	m := r.module()
	set, add := r.kernel(m, "set"), r.kernel(m, "add")
	r.ok("cuMemsetD32Async", at+granule-200, 3, 100, s)
	r.all(at+granule-200, 100, s, 3)
	r.launch(set, s, 2, at+granule-200, uint32(100), uint32(7))
	r.all(at+granule-200, 100, s, 7)

	// The same memory elsewhere, and twice.
	r.ok("cuMemUnmap", at+granule, granule)
	r.ok("cuMemMap", at+2*granule, granule, 0, second, 0)
	r.ok("cuMemMap", at+3*granule, granule, 0, second, 0)
	r.ok("cuMemSetAccess", at+2*granule, 2*granule, access.At(0), 1)
	r.all(at+2*granule, 50, s, 7)
	r.launch(set, s, 1, at+3*granule, uint32(50), uint32(8))
	r.launch(add, s, 1, at+2*granule, at+granule-200, uint32(50))
	r.all(at+3*granule, 50, s, 15)
	r.said()

	e, counts := r.event(), r.words(1)

	// Races are seen through both.
	other := r.stream()
	r.launch(set, other, 1, at+3*granule, uint32(50), uint32(8))
	r.launch(add, s, 1, at+2*granule, at+granule-200, uint32(50))
	r.ok("cuCtxSynchronize")
	if lines := r.fake.Ledger(); len(lines) == 0 {
		t.Error("a race through two mappings was not seen")
	}

	r.code(1, "cuMemUnmap", at+2*granule, granule/2)
	r.code(1, "cuMemAddressFree", at, 4*granule)
	r.said("cuMemUnmap", "cuMemAddressFree: memory is still mapped")
	// A page in the middle of what a kernel uses must not go before the kernel was waited for.
	third := r.made("cuMemCreate", granule, prop.At(0), 0)
	r.ok("cuMemMap", at+granule, granule, 0, third, 0)
	r.ok("cuMemRelease", third) // lives as long as it is mapped
	r.ok("cuMemSetAccess", at+granule, granule, access.At(0), 1)
	for _, wait := range []bool{true, false} {
		r.launch(set, other, 4, at+granule-200, uint32(256), uint32(1))
		r.ok("cuEventRecord", e, other)
		for wait && r.fake.Call("cuEventQuery", e) != 0 {
		}
		if !wait {
			r.ok("cuLaunchHostFunc", other, r.fake.Symbol("fakecuda_count"), counts.At(0))
			for atomic.LoadUint64(&counts[0]) == 0 { // the kernel has ended, but the driver was not asked
				runtime.Gosched()
			}
			r.ok("cuMemUnmap", at+granule, granule)
			r.said("cuMemUnmap: ")
		}
	}
	r.ok("cuEventSynchronize", e)
	r.ok("cuMemRelease", first)
	r.ok("cuMemRelease", second)
	r.ok("cuMemUnmap", at, granule)
	r.ok("cuMemUnmap", at+2*granule, 2*granule)
	r.ok("cuMemAddressFree", at, 4*granule)
	r.said()

	// A kernel that goes there finds nothing.
	r.launch(set, s, 1, at, uint32(50), uint32(8))
	r.code(700, "cuStreamSynchronize", s)
	r.said("from cuMemMap that were freed", "set: fails with 700")
	r.broken = true
}

func TestFakePools(t *testing.T) {
	r := newRig(t)
	s, other := r.stream(), r.stream()
	m := r.module()
	set := r.kernel(m, "set")
	w := r.words(4)
	pool := r.made("cuDeviceGetDefaultMemPool", 0)
	p := r.made("cuMemAllocAsync", 400, s)
	r.ok("cuMemPoolGetAttribute", pool, 7, w.At(0))
	if w[0] != 512 {
		t.Errorf("%d bytes are used", w[0])
	}
	r.launch(set, s, 2, p, uint32(100), uint32(1))
	r.all(p, 100, s, 1)
	r.ok("cuMemFreeAsync", p, s)
	r.code(1, "cuMemFreeAsync", p, s)
	r.ok("cuStreamSynchronize", s)
	r.said("cuMemFreeAsync: second free")
	r.ok("cuMemPoolGetAttribute", pool, 7, w.At(0))
	if w[0] != 0 {
		t.Errorf("%d bytes are used after the free", w[0])
	}
	w[0] = 1 << 20
	r.ok("cuMemPoolSetAttribute", pool, 4, w.At(0))
	r.ok("cuMemPoolTrimTo", pool, 0)
	props := r.words(12)
	props[0], props[1] = 1, 1
	mine := r.made("cuMemPoolCreate", props.At(0))
	r.ok("cuMemAllocFromPoolAsync", w.At(0), 100, mine, s)
	r.ok("cuMemFreeAsync", w[0], s)
	r.ok("cuStreamSynchronize", s)
	r.ok("cuMemPoolDestroy", mine)
	r.code(1, "cuMemPoolDestroy", pool)

	// Another queue may use the memory only in the order of the one that allocates it.
	e := r.event()
	p = r.made("cuMemAllocAsync", 400, s)
	r.ok("cuEventRecord", e, s)
	r.ok("cuStreamWaitEvent", other, e, 0)
	r.launch(set, other, 2, p, uint32(100), uint32(1))
	r.ok("cuEventRecord", e, other)
	r.ok("cuStreamWaitEvent", s, e, 0)
	r.ok("cuMemFreeAsync", p, s)
	r.ok("cuCtxSynchronize")
	r.said()
	p = r.made("cuMemAllocAsync", 400, s)
	r.launch(set, other, 2, p, uint32(100), uint32(1))
	r.ok("cuCtxSynchronize")
	r.said("set: uses memory that cuMemAllocAsync gives")
	r.launch(set, other, 2, p, uint32(100), uint32(1))
	r.ok("cuStreamSynchronize", other)
	r.ok("cuMemFreeAsync", p, s)
	r.ok("cuCtxSynchronize")
	r.said()
}

// What devices give is theirs until a peer is let in.
func TestFakePeers(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		t.Run(fmt.Sprint(allowed), func(t *testing.T) {
			r := newRig(t)
			w := r.words(1)
			r.ok("cuDeviceCanAccessPeer", w.At(0), 0, 1)
			if uint32(w[0]) != 1 {
				t.Error("devices cannot be peers")
			}
			r.on(1)
			p := r.alloc(400)
			r.ok("cuMemsetD32_v2", p, 5, 100)
			r.ok("cuCtxSynchronize")
			r.on(0)
			s, mine := r.stream(), r.alloc(400)
			add := r.kernel(r.module(), "add")
			r.ok("cuMemcpyPeerAsync", mine, r.contexts[0], p, r.contexts[1], 400, s)
			r.code(1, "cuMemcpyPeerAsync", mine, r.contexts[1], p, r.contexts[0], 400, s)
			r.said("the addresses are not of the contexts' devices")
			r.all(mine, 100, s, 5)
			if allowed {
				r.ok("cuCtxEnablePeerAccess", r.contexts[1], 0)
				r.code(704, "cuCtxEnablePeerAccess", r.contexts[1], 0)
			} else {
				r.code(705, "cuCtxDisablePeerAccess", r.contexts[1])
			}
			r.code(101, "cuCtxEnablePeerAccess", r.contexts[0], 0)
			r.launch(add, s, 2, mine, p, uint32(100))
			if allowed {
				r.all(mine, 100, s, 10)
				r.ok("cuCtxDisablePeerAccess", r.contexts[1])
				return
			}
			r.code(700, "cuStreamSynchronize", s)
			r.said("which this device has no access to", "add: fails with 700")
			r.broken = true
		})
	}
}
