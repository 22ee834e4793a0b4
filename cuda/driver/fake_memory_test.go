//go:build cuda && cgo && linux

package driver

import (
	"bytes"
	"testing"
)

func TestFakeMemoryRules(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(r *rig)
		said []string
	}{
		{"bounds of copies", func(r *rig) {
			p, w := r.alloc(1000), r.words(200)
			r.ok("cuMemcpyHtoD_v2", p, w.At(0), 1000)
			r.code(1, "cuMemcpyHtoD_v2", p+8, w.At(0), 1000)
			r.code(1, "cuMemcpyDtoH_v2", w.At(0), p-1, 8)
			r.code(1, "cuMemcpyDtoD_v2", p, p+996, 8)
			r.code(1, "cuMemcpyHtoD_v2", 64, w.At(0), 8)
			r.code(1, "cuMemsetD8_v2", p+999, 0, 2)
			r.code(1, "cuMemsetD32_v2", p+2, 0, 1)
			r.code(1, "cuMemcpyHtoD_v2", p, 0, 8)
		}, []string{
			"cuMemcpyHtoD: 1000 bytes of the destination do not lie in memory", "byte -1 of 1000", "cuMemcpyDtoD: 8 bytes of the source",
			"where no memory of a device is", "cuMemsetD8: 2 bytes",
		}},
		{"wrong frees", func(r *rig) {
			p := r.made("cuMemAlloc_v2", 100)
			h := r.made("cuMemHostAlloc", 100, 0)
			r.code(1, "cuMemFree_v2", p+256)
			r.code(1, "cuMemFree_v2", h)
			r.code(1, "cuMemFreeHost", p)
			r.code(1, "cuMemFreeAsync", p, 0)
			r.ok("cuMemFree_v2", p)
			r.code(1, "cuMemFree_v2", p)
			r.ok("cuMemFreeHost", h)
			r.code(1, "cuMemFreeHost", h)
			r.ok("cuMemFree_v2", 0)
			r.ok("cuMemFreeHost", 0)
		}, []string{
			"cuMemFree: wrong free", "cuMemFree: wrong free", "cuMemFreeHost: wrong free", "cuMemFreeAsync: wrong free",
			"cuMemFree: second free", "cuMemFreeHost: second free",
		}},
		{"use after free", func(r *rig) {
			p, w := r.made("cuMemAlloc_v2", 100), r.words(2)
			r.ok("cuMemFree_v2", p)
			r.code(1, "cuMemcpyDtoH_v2", w.At(0), p+4, 8)
		}, []string{"byte 4 of 100 bytes from cuMemAlloc that were freed"}},
		{"unwritten bytes", func(r *rig) {
			p, q, w := r.alloc(64), r.alloc(64), r.words(8)
			r.ok("cuMemcpyHtoD_v2", p, w.At(0), 32)
			r.ok("cuMemcpyDtoD_v2", q, p, 64) // copies what is not there, which is allowed
			r.ok("cuMemcpyDtoH_v2", w.At(0), q, 32)
			r.said()
			r.ok("cuMemcpyDtoH_v2", w.At(0), q, 64)
			if b := w.Bytes(); b[31] != 0 || b[32] != 0xA5 {
				r.Errorf("got %x", b)
			}
		}, []string{"unwritten: cuMemcpyDtoH reads"}},
		{"forgotten bytes", func(r *rig) {
			p, w := r.alloc(64), r.words(8)
			r.ok("cuMemsetD8_v2", p, 1, 64)
			r.ok("cuMemcpyDtoH_v2", w.At(0), p, 64)
			if !r.fake.Forget(p+8, 8) || r.fake.Forget(p+60, 8) {
				r.Error("Forget knows no bounds")
			}
			r.ok("cuMemcpyDtoH_v2", w.At(0), p, 64)
		}, []string{"unwritten: cuMemcpyDtoH reads"}},
		{"no context", func(r *rig) {
			r.ok("cuCtxSetCurrent", 0)
			r.code(201, "cuMemAlloc_v2", r.words(1).At(0), 8)
			r.code(201, "cuCtxSynchronize")
			r.on(0)
		}, []string{"cuMemAlloc_v2: no context is current", "cuCtxSynchronize: no context"}},
		{"leaks", func(r *rig) {
			r.on(1)
			r.made("cuMemAlloc_v2", 100)
			r.made("cuMemHostAlloc", 200, 0)
			r.made("cuStreamCreate", 0)
			r.made("cuEventCreate", 0)
			r.made("cuEventCreate", 2)
			r.made("cuModuleLoadData", r.text(".version 7.0\n.target sm_70\n.address_size 64\n"))
			r.on(0)
			where := r.words(4)
			where[0], where[1] = 1, 1|1<<32 // on device 1
			pages := r.made("cuMemCreate", 2<<20, where.At(0), 0)
			r.ok("cuDevicePrimaryCtxRelease_v2", 1)
			r.ok("cuMemRelease", pages)
			r.made("cuDevicePrimaryCtxRetain", 1)
		}, []string{
			"leak: 100 bytes from cuMemAlloc on device 1", "leak: 200 bytes from cuMemHostAlloc", "leak: 1 streams", "leak: 2 events", "leak: 1 modules",
			"leak: 2097152 bytes from cuMemCreate on device 1",
		}},
		{"handles", func(r *rig) {
			e, s := r.made("cuEventCreate", 0), r.made("cuStreamCreate", 0)
			r.code(400, "cuEventRecord", s, s)
			r.code(400, "cuStreamWaitEvent", e, e, 0)
			r.code(400, "cuEventRecord", e, 12345678)
			r.ok("cuEventDestroy_v2", e)
			r.code(400, "cuEventDestroy_v2", e)
			r.code(400, "cuEventQuery", e)
			r.ok("cuStreamSynchronize", s)
			r.ok("cuStreamDestroy_v2", s)
			r.code(400, "cuStreamSynchronize", s)
		}, []string{
			"cuEventRecord: the handle is of a stream where a event", "cuStreamWaitEvent: the handle is of a event where a stream", "is no stream",
			"cuEventDestroy: the event was destroyed", "cuEventQuery: the event was destroyed", "cuStreamSynchronize: the stream was destroyed",
		}},
		{"sources that change", func(r *rig) {
			p, s := r.alloc(64), r.stream()
			h, b := r.pinned(64)
			f := r.kernel(r.module(), "spin")
			flag, word := r.pinned(64)
			r.launch(f, s, 1, flag, flag+32)
			r.ok("cuMemcpyHtoDAsync_v2", p, h, 64, s)
			b[5] = 1
			word[0] = 1
			r.ok("cuStreamSynchronize", s)
		}, []string{"cuMemcpyHtoDAsync: the host changed its source"}},
		{"freed while in use", func(r *rig) {
			s, f := r.stream(), r.kernel(r.module(), "set")
			p := r.made("cuMemAlloc_v2", 400)
			r.launch(f, s, 2, p, uint32(100), uint32(1))
			r.ok("cuMemFree_v2", p)
			p = r.made("cuMemAlloc_v2", 400)
			r.launch(f, s, 2, p, uint32(100), uint32(1))
			r.ok("cuStreamSynchronize", s)
			r.ok("cuMemFree_v2", p)
		}, []string{"cuMemFree: 0x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			c.run(r)
			r.said(c.said...)
		})
	}
}

func TestFakeMemoryFigures(t *testing.T) {
	r := newRig(t)
	w := r.words(4)
	r.ok("cuMemGetInfo_v2", w.At(0), w.At(1))
	free := w[0]
	p := r.alloc(1000)
	r.ok("cuMemGetInfo_v2", w.At(0), w.At(1))
	if free-w[0] != 1024 || w[1] != 6<<30 {
		t.Errorf("%d bytes went, of %d", free-w[0], w[1])
	}
	r.ok("cuMemGetAddressRange_v2", w.At(0), w.At(1), p+500)
	if w[0] != p || w[1] != 1000 || p%256 != 0 {
		t.Errorf("range %#x, %d", w[0], w[1])
	}
	r.code(500, "cuMemGetAddressRange_v2", w.At(0), w.At(1), p+1000)
	for attribute, want := range map[uint64]uint64{1: r.contexts[0], 3: p + 4, 11: p, 12: 1000} {
		w[0] = 0
		r.ok("cuPointerGetAttribute", w.At(0), attribute, p+4)
		if w[0] != want {
			t.Errorf("attribute %d is %#x, want %#x", attribute, w[0], want)
		}
	}
	r.code(2, "cuMemAlloc_v2", w.At(0), 1<<40)
	r.code(1, "cuMemAlloc_v2", w.At(0), 0)
	r.ok("cuMemAllocPitch_v2", w.At(0), w.At(1), 100, 10, 4)
	if w[1] != 512 {
		t.Errorf("pitch %d", w[1])
	}
	r.ok("cuMemFree_v2", w[0])
}

// Copies of rows and planes move exactly the bytes that they name.
func TestFakeCopies(t *testing.T) {
	r := newRig(t)
	const pitch = 32
	pattern := func(n, seed int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*7 + seed)
		}
		return b
	}
	fill := func(p uint64, b []byte) {
		w := r.words(len(b)/8 + 1)
		copy(w.Bytes(), b)
		r.ok("cuMemcpyHtoD_v2", p, w.At(0), uint64(len(b)))
		r.ok("cuCtxSynchronize")
	}
	get := func(p uint64, n int) []byte {
		w := r.words(n/8 + 1)
		r.ok("cuMemcpyDtoH_v2", w.At(0), p, uint64(n))
		return append([]byte{}, w.Bytes()[:n]...)
	}
	a, b := r.alloc(pitch*40), r.alloc(pitch*40)
	h, host := r.pinned(pitch * 40)
	for i, c := range []struct {
		name     string
		src, dst uint64
		n        int // planes
	}{
		{"cuMemcpy2D_v2", a, b, 0}, {"cuMemcpy2DUnaligned_v2", h, a, 0}, {"cuMemcpy2DAsync_v2", b, h, 0},
		{"cuMemcpy3D_v2", a, b, 2}, {"cuMemcpy3DAsync_v2", h, a, 2}, {"cuMemcpy3DPeer", b, h, 3}, {"cuMemcpy3DPeerAsync", a, b, 3},
	} {
		func() { // on this thread
			stream := r.stream()
			from, to := pattern(pitch*40, i), pattern(pitch*40, 100+i)
			for _, side := range []struct {
				p uint64
				b []byte
			}{{c.src, from}, {c.dst, to}} {
				if side.p == h {
					copy(host, side.b)
				} else {
					fill(side.p, side.b)
				}
			}
			kind := func(p uint64) uint64 {
				if p == h {
					return 1
				}
				return 2
			}
			const x, y, z, dx, dy, dz, width, rows, height = 3, 1, 1, 5, 2, 0, 9, 4, 8
			args := r.words(32)
			planes := max(c.n, 1)
			if c.n == 0 {
				copy(args, []uint64{x, y, kind(c.src), c.src, c.src, 0, pitch, dx, dy, kind(c.dst), c.dst, c.dst, 0, pitch, width, rows})
			} else {
				copy(args, []uint64{x, y, z, 0, kind(c.src), c.src, c.src, 0, 0, pitch, height,
					dx, dy, dz, 0, kind(c.dst), c.dst, c.dst, 0, 0, pitch, height, width, rows, uint64(c.n)})
			}
			if bytes.Contains([]byte(c.name), []byte("Async")) {
				r.ok(c.name, args.At(0), stream)
				r.ok("cuStreamSynchronize", stream)
			} else {
				r.ok(c.name, args.At(0))
			}
			r.ok("cuCtxSynchronize")
			for p := range planes {
				for row := range rows {
					sz, szd := 0, 0
					if c.n > 0 {
						sz, szd = (z+p)*height, (dz+p)*height
					}
					copy(to[(szd+dy+row)*pitch+dx:][:width], from[(sz+y+row)*pitch+x:][:width])
				}
			}
			got := host
			if c.dst != h {
				got = get(c.dst, len(to))
			}
			if !bytes.Equal(got, to) {
				t.Errorf("%s: other bytes than those named were copied", c.name)
			}
			// One row more than there is.
			if c.n == 0 {
				args[15] = 400
			} else {
				args[24] = 400
			}
			want := 1
			if bytes.Contains([]byte(c.name), []byte("Async")) {
				r.code(want, c.name, args.At(0), stream)
			} else {
				r.code(want, c.name, args.At(0))
			}
			if lines := r.fake.Ledger(); len(lines) != 1 {
				t.Errorf("%s: the ledger says %q", c.name, lines)
			}
		}()
	}
}

func TestFakeMemsets(t *testing.T) {
	r := newRig(t)
	p, s := r.alloc(256), r.stream()
	for _, c := range []struct {
		call string
		args []uint64
		at   int
		want []byte
	}{
		{"cuMemsetD8", []uint64{p, 0x11, 256}, 0, []byte{0x11, 0x11}},
		{"cuMemsetD16", []uint64{p + 2, 0x2233, 2}, 1, []byte{0x11, 0x33, 0x22, 0x33, 0x22, 0x11}},
		{"cuMemsetD32", []uint64{p + 8, 0x44556677, 1}, 7, []byte{0x11, 0x77, 0x66, 0x55, 0x44, 0x11}},
		{"cuMemsetD2D8", []uint64{p + 20, 4, 0x88, 2, 2}, 19, []byte{0x11, 0x88, 0x88, 0x11, 0x11, 0x88, 0x88, 0x11}},
		{"cuMemsetD2D16", []uint64{p + 40, 4, 0x99aa, 1, 2}, 40, []byte{0xaa, 0x99, 0x11, 0x11, 0xaa, 0x99, 0x11}},
		{"cuMemsetD2D32", []uint64{p + 60, 8, 1, 1, 2}, 60, []byte{1, 0, 0, 0, 0x11, 0x11, 0x11, 0x11, 1, 0, 0, 0, 0x11}},
	} {
		for _, form := range []string{"_v2", "Async"} {
			r.ok("cuMemsetD8_v2", p, 0x11, 256)
			r.ok("cuCtxSynchronize")
			args := c.args
			if form == "Async" {
				args = append(append([]uint64{}, args...), s)
			}
			r.ok(c.call+form, args...)
			r.ok("cuCtxSynchronize")
			w := r.words(32)
			r.ok("cuMemcpyDtoH_v2", w.At(0), p, 256)
			if got := w.Bytes()[c.at:][:len(c.want)]; !bytes.Equal(got, c.want) {
				t.Errorf("%s%s: %x, want %x", c.call, form, got, c.want)
			}
		}
	}
}

func TestFakeHostMemory(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	m := r.module()
	set, add := r.kernel(m, "set"), r.kernel(m, "add")
	// Kernels reach pinned and registered memory where the host has it.
	h, _ := r.pinned(400)
	if d := r.made("cuMemHostGetDevicePointer_v2", h, 0); d != h {
		t.Errorf("device pointer %#x, want %#x", d, h)
	}
	w := r.words(100)
	r.code(1, "cuMemHostGetDevicePointer_v2", r.words(1).At(0), w.At(0), 0)
	r.ok("cuMemHostRegister_v2", w.At(0), 800, 2)
	r.code(712, "cuMemHostRegister_v2", w.At(4), 8, 0)
	if d := r.made("cuMemHostGetDevicePointer_v2", w.At(1), 0); d != w.At(1) {
		t.Errorf("device pointer %#x, want %#x", d, w.At(1))
	}
	p := r.alloc(400)
	r.launch(set, s, 2, p, uint32(100), uint32(30))
	r.launch(set, s, 2, h, uint32(100), uint32(5))
	r.launch(set, s, 2, w.At(0), uint32(100), uint32(6))
	r.launch(add, s, 2, p, h, uint32(100))
	r.launch(add, s, 2, p, w.At(0), uint32(100))
	r.all(p, 100, s, 41)
	r.ok("cuMemHostUnregister", w.At(0))
	r.said()
	r.code(713, "cuMemHostUnregister", w.At(0))
	r.said("cuMemHostUnregister: ")
	// Not any more.
	r.launch(set, s, 2, w.At(0), uint32(100), uint32(6))
	r.code(700, "cuStreamSynchronize", s)
	r.said("set: write of 4 bytes at", "set: fails with 700")
	r.broken = true
}
