//go:build cuda && cgo && linux

package driver

import (
	"os"
	"strings"
	"testing"

	"weft/cuda/driver/fakecuda"
)

// A kernel that fails takes its context with it: the launch succeeds, and from then on every call fails with the same
// code, until the context is reset. The other device goes on.
func TestFakeStickyErrors(t *testing.T) {
	for _, c := range []struct {
		kernel string
		code   int
		params func(p uint64) []any
		faults string
		said   string
	}{
		{"set", 700, func(p uint64) []any { return []any{p + 400, uint32(1), uint32(1)} }, "", "byte 400 of 400 bytes from cuMemAlloc"},
		{"set", 700, func(p uint64) []any { return []any{p - 4, uint32(1), uint32(1)} }, "", "byte -4 of 400 bytes"},
		{"set", 700, func(uint64) []any { return []any{uint64(0), uint32(1), uint32(1)} }, "", "where no memory of a device is"},
		{"misaligned", 716, func(p uint64) []any { return []any{p} }, "", "misaligned: fails with 716"},
		{"fail", 719, func(p uint64) []any { return []any{p} }, "", "fail: fails with 719"},
		{"nothing", 715, func(uint64) []any { return nil }, "launch=715@1", "as FAKECUDA_FAIL wants"},
	} {
		r := newRig(t)
		s, m, p := r.stream(), r.module(), r.alloc(400)
		f, set := r.kernel(m, c.kernel), r.kernel(m, "set")
		host := r.words(1)
		r.fake.Faults(c.faults)
		r.launch(f, s, 1, c.params(p)...)
		// This never runs; the call fails where the kernel has failed already.
		if got := r.fake.Call("cuLaunchHostFunc", s, r.fake.Symbol("fakecuda_count"), host.At(0)); got != 0 && got != c.code {
			t.Errorf("cuLaunchHostFunc = %d", got)
		}
		r.code(c.code, "cuStreamSynchronize", s)
		w := r.words(2)
		for _, call := range []struct {
			name string
			args []uint64
		}{
			{"cuCtxSynchronize", nil}, {"cuStreamQuery", []uint64{s}}, {"cuMemAlloc_v2", []uint64{w.At(0), 8}}, {"cuMemFree_v2", []uint64{p}},
			{"cuStreamCreate", []uint64{w.At(0), 0}}, {"cuModuleUnload", []uint64{m}}, {"cuMemcpyDtoH_v2", []uint64{w.At(0), p, 8}},
			{"cuEventCreate", []uint64{w.At(0), 0}}, {"cuLaunchKernel", []uint64{set, 1, 1, 1, 1, 1, 1, 0, s, 0, 0}},
		} {
			r.code(c.code, call.name, call.args...)
		}
		if host[0] != 0 {
			t.Error("work went on behind a kernel that failed")
		}
		if text := strings.Join(r.fake.Ledger(), "\n"); !strings.Contains(text, c.said) {
			t.Errorf("the ledger lacks %q: %s", c.said, text)
		}
		r.ok("cuCtxGetDevice", w.At(0)) // what asks for nothing of the device works
		r.on(1)
		q := r.alloc(400)
		r.ok("cuMemsetD8_v2", q, 1, 400)
		r.ok("cuCtxSynchronize")
		r.ok("cuMemFree_v2", q)
		r.ok("cuDevicePrimaryCtxReset_v2", 0)
		r.on(0)
		q = r.made("cuMemAlloc_v2", 400)
		r.ok("cuMemsetD8_v2", q, 1, 400)
		r.ok("cuCtxSynchronize")
		r.ok("cuMemFree_v2", q)
		r.code(400, "cuStreamSynchronize", s)
		r.said("cuStreamSynchronize: the stream was destroyed")
		r.closers = nil
		r.finish()
	}
}

// Releasing a context does not get rid of its error.
func TestFakeErrorsStay(t *testing.T) {
	r := newRig(t)
	w := r.words(1)
	r.launch(r.kernel(r.module(), "fail"), r.stream(), 1, uint64(0))
	r.code(719, "cuCtxSynchronize")
	r.ok("cuDevicePrimaryCtxRelease_v2", 0)
	r.code(719, "cuDevicePrimaryCtxRetain", w.At(0), 0)
	r.ok("cuDevicePrimaryCtxReset_v2", 0)
	r.ok("cuDevicePrimaryCtxRetain", w.At(0), 0)
	r.on(0)
	r.ok("cuMemFree_v2", r.made("cuMemAlloc_v2", 8))
	r.broken = true
}

// A reset does not wait for a kernel that would never end.
func TestFakeReset(t *testing.T) {
	r := newRig(t)
	s, m := r.stream(), r.module()
	flag, _ := r.pinned(64)
	r.launch(r.kernel(m, "spin"), s, 1, flag, flag+32)
	r.launch(r.kernel(m, "spin"), s, 1, flag, flag+32)
	r.ok("cuDevicePrimaryCtxReset_v2", 0)
	r.closers = nil
	if lines := r.fake.Ledger(); len(lines) > 1 {
		t.Errorf("the ledger says %q", lines)
	}
}

func TestFakeFaults(t *testing.T) {
	r := newRig(t)
	w := r.words(2)
	for _, c := range []struct {
		faults string
		calls  string // what each of a row of calls returns
	}{
		{"", "0000"},
		{"cuMemAlloc_v2=2", "2222"},
		{"cuMemAlloc_v2=2@2", "0200"},
		{"cuMemAlloc_v2=2@3+", "0022"},
		{"cuMemAlloc_v2=2@1,cuMemAlloc_v2=3@4", "2003"},
		{"memory=1024", "0022"}, // two of 512 bytes
		{"cuMemFree_v2=1", "0000"},
	} {
		r.fake.Faults(c.faults)
		got, taken := "", []uint64{}
		for range 4 {
			rc := r.fake.Call("cuMemAlloc_v2", w.At(0), 500)
			got += string(rune('0' + rc))
			if rc == 0 {
				taken = append(taken, w[0])
			}
		}
		if got != c.calls {
			t.Errorf("%q: calls return %s, want %s", c.faults, got, c.calls)
		}
		r.fake.Faults("")
		for _, p := range taken {
			r.ok("cuMemFree_v2", p)
		}
	}
	r.fake.Faults("nonsense")
	r.said(`"nonsense" is not NAME=VALUE`)
}

// A device that falls off the bus fails every call; the other one goes on.
func TestFakeGoneDevice(t *testing.T) {
	r := newRig(t)
	r.fake.Faults("gone=1@3")
	r.on(1)
	r.ok("cuCtxSynchronize")
	r.code(999, "cuCtxSynchronize")
	r.code(999, "cuMemAlloc_v2", r.words(1).At(0), 8)
	r.code(46, "cuDevicePrimaryCtxRetain", r.words(1).At(0), 1)
	r.on(0)
	r.ok("cuCtxSynchronize")
	r.fake.Faults("") // the device is back
	r.ok("cuDevicePrimaryCtxReset_v2", 1)
	r.on(1)
	r.ok("cuCtxSynchronize")
	r.on(0)
}

func TestFakeErrorNames(t *testing.T) {
	r := newRig(t)
	w := r.words(1)
	table, err := os.ReadFile("api.txt")
	check(t, "the table of calls", err)
	n := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "const" || !strings.HasPrefix(f[1], "CUDA_ERROR_") && f[1] != "CUDA_SUCCESS" {
			continue
		}
		n++
		var code uint64
		for _, digit := range f[2] {
			code = 10*code + uint64(digit-'0')
		}
		r.ok("cuGetErrorName", code, w.At(0))
		if name := string(fakecuda.Bytes(w[0], len(f[1])+1)); name != f[1]+"\x00" {
			t.Errorf("code %d is %q, want %q", code, name, f[1])
		}
		r.ok("cuGetErrorString", code, w.At(0))
		if w[0] == 0 {
			t.Errorf("code %d has no text", code)
		}
	}
	if n < 60 {
		t.Errorf("only %d codes were found", n)
	}
	r.code(1, "cuGetErrorName", 12345, w.At(0))
	if w[0] != 0 {
		t.Error("a code that does not exist has a name")
	}
}
