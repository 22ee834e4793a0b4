//go:build cuda && cgo && linux

package driver

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"weft/cuda/driver/fakecuda"
)

// rig is the fake driver as its own tests use it: calls by name on a locked thread, with the primary contexts of both
// devices. What is made through it is destroyed at the end, and then the ledger must be empty: a test takes the lines
// that it wants with said.
type rig struct {
	*testing.T
	fake     *fakecuda.Driver
	contexts [2]uint64
	device   int // whose context is current
	closers  []func()
	broken   bool // the contexts are lost: nothing is destroyed
	finished bool
}

func newRig(t *testing.T) *rig {
	t.Helper()
	runtime.LockOSThread()
	f, err := fakecuda.Open(fakeLib)
	check(t, "Open", err)
	r := &rig{T: t, fake: f}
	f.Faults("")
	f.Seed(0)
	f.Ledger()
	r.ok("cuInit", 0)
	out := r.words(1)
	for d := range r.contexts {
		r.ok("cuDevicePrimaryCtxRetain", out.At(0), uint64(d))
		r.contexts[d] = out[0]
	}
	r.on(0)
	t.Cleanup(r.finish)
	return r
}

// finish destroys what was made. A test with several rigs calls it for each; then it does nothing at the end.
func (r *rig) finish() {
	if r.finished {
		return
	}
	r.finished = true
	r.fake.Faults("")
	for i := len(r.closers) - 1; i >= 0 && !r.broken; i-- {
		r.closers[i]()
	}
	for d := range r.contexts {
		r.ok("cuDevicePrimaryCtxRelease_v2", uint64(d))
	}
	r.fake.Seed(0)
	lines := r.fake.Ledger()
	for _, line := range lines {
		if !r.broken {
			r.Errorf("the ledger says: %s", line)
		}
	}
	r.ok("cuCtxSetCurrent", 0)
	runtime.UnlockOSThread()
}

// code makes a call and wants its result.
func (r *rig) code(want int, name string, args ...uint64) {
	r.Helper()
	if got := r.fake.Call(name, args...); got != want {
		r.Fatalf("%s(%#x) = %d, want %d; the ledger says %q", name, args, got, want, r.fake.Ledger())
	}
}

func (r *rig) ok(name string, args ...uint64) {
	r.Helper()
	r.code(0, name, args...)
}

// later registers what is to be done at the end, before what was registered earlier.
func (r *rig) later(name string, args ...uint64) {
	device := r.device
	r.closers = append(r.closers, func() {
		r.on(device)
		if got := r.fake.Call(name, args...); got != 0 {
			r.Errorf("at the end, %s = %d", name, got)
		}
	})
}

// said takes the ledger and wants a line with each text, and no other lines.
func (r *rig) said(texts ...string) {
	r.Helper()
	lines := r.fake.Ledger()
	for _, text := range texts {
		found := -1
		for i, line := range lines {
			if strings.Contains(line, text) {
				found = i
			}
		}
		if found < 0 {
			r.Fatalf("no line of the ledger has %q: %q", text, lines)
		}
		lines = append(lines[:found:found], lines[found+1:]...)
	}
	if len(lines) > 0 {
		r.Fatalf("the ledger says, beside what was expected: %q", lines)
	}
}

func (r *rig) on(device int) {
	r.Helper()
	r.ok("cuCtxSetCurrent", r.contexts[device])
	r.device = device
}

func (r *rig) words(n int) fakecuda.Words {
	w := fakecuda.NewWords(n)
	r.Cleanup(w.Free)
	return w
}

// made makes a call that writes a handle or an address to its first argument.
func (r *rig) made(name string, args ...uint64) uint64 {
	r.Helper()
	out := fakecuda.NewWords(1)
	defer out.Free()
	r.ok(name, append([]uint64{out.At(0)}, args...)...)
	return out[0]
}

func (r *rig) alloc(n int) uint64 {
	r.Helper()
	p := r.made("cuMemAlloc_v2", uint64(n))
	r.later("cuMemFree_v2", p)
	return p
}

func (r *rig) pinned(n int) (uint64, []byte) {
	r.Helper()
	p := r.made("cuMemHostAlloc", uint64(n), 0)
	r.later("cuMemFreeHost", p)
	b := fakecuda.Bytes(p, n)
	clear(b) // it comes with garbage
	return p, b
}

func (r *rig) stream() uint64 {
	r.Helper()
	s := r.made("cuStreamCreate", 1)
	r.later("cuStreamDestroy_v2", s)
	r.later("cuStreamSynchronize", s)
	return s
}

func (r *rig) event() uint64 {
	r.Helper()
	e := r.made("cuEventCreate", 0)
	r.later("cuEventDestroy_v2", e)
	return e
}

func (r *rig) module() uint64 {
	r.Helper()
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(r.T, "the kernels", err)
	m := r.made("cuModuleLoadData", r.text(string(text)))
	r.later("cuModuleUnload", m)
	return m
}

// text puts a string into C memory.
func (r *rig) text(s string) uint64 {
	w := r.words(len(s)/8 + 1)
	copy(w.Bytes(), s)
	return w.At(0)
}

func (r *rig) kernel(m uint64, name string) uint64 {
	r.Helper()
	return r.made("cuModuleGetFunction", m, r.text(name))
}

// block makes a parameter block of numbers: uint64 or uint32, each aligned as its size is.
func block(params ...any) []byte {
	var b []byte
	for _, p := range params {
		switch v := p.(type) {
		case uint64:
			for len(b)%8 != 0 {
				b = append(b, 0)
			}
			b = binary.LittleEndian.AppendUint64(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		default:
			panic(fmt.Sprintf("%T", p))
		}
	}
	return b
}

// extra makes what passes a parameter block to a launch.
func (r *rig) extra(params ...any) uint64 {
	b := block(params...)
	w := r.words(6 + len(b)/8 + 1)
	copy(w[6:].Bytes(), b)
	w[0], w[1], w[2], w[3], w[4], w[5] = 1, w.At(6), 2, w.At(5), 0, uint64(len(b))
	return w.At(0)
}

// launch launches blocks of 64 threads.
func (r *rig) launch(f, stream uint64, blocks int, params ...any) {
	r.Helper()
	r.code(0, "cuLaunchKernel", f, uint64(blocks), 1, 1, 64, 1, 1, 0, stream, 0, r.extra(params...))
}

// read copies words of device memory out, behind everything that was appended to the stream.
func (r *rig) read(p uint64, n int, stream uint64) []uint32 {
	r.Helper()
	w := r.words(n/2 + 1)
	r.ok("cuMemcpyDtoHAsync_v2", w.At(0), p, uint64(4*n), stream)
	r.ok("cuStreamSynchronize", stream)
	got := make([]uint32, n)
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(w.Bytes()[4*i:])
	}
	return got
}

func (r *rig) all(p uint64, n int, stream uint64, want uint32) {
	r.Helper()
	for i, v := range r.read(p, n, stream) {
		if v != want {
			r.Fatalf("word %d is %d, want %d", i, v, want)
		}
	}
}
