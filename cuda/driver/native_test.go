//go:build cuda && cgo && linux

package driver

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"weft/cuda/driver/fakecuda"
)

// fakeLib is the fake libcuda.so.1 that TestMain builds.
var fakeLib string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		lib, err := fakecuda.Build()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fakeLib = lib
		os.Setenv("WEFT_LIBCUDA", lib)
		os.Setenv("FAKECUDA_MEMORY", fmt.Sprint(6<<30)) // more than 32 bits count
		return m.Run()
	}())
}

func open(t *testing.T, ordinal int) *Device {
	t.Helper()
	d, err := Open(ordinal)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// want checks an error's text for fragments.
func want(t *testing.T, err error, fragments ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", fragments)
	}
	for _, f := range fragments {
		if !strings.Contains(err.Error(), f) {
			t.Errorf("error %q lacks %q", err, f)
		}
	}
}

func TestProbe(t *testing.T) {
	r := Probe()
	if r.Problem != "" || len(r.Devices) != 2 {
		t.Fatalf("got %+v, want two devices", r)
	}
	d := r.Devices[1]
	if d.Name != "Fake GPU 1" || d.Major != 9 || d.Minor != 0 || d.SMs != 132 || d.Ordinal != 1 || d.PCI != "0000:1b:00" {
		t.Errorf("got %+v", d)
	}
	if d.Memory != 6<<30 {
		t.Errorf("memory %d, want 6 GiB: a 32-bit interface was bound", d.Memory)
	}
	if want := "GPU-01020304-0506-0708-090a-0b0c0d0e0f10"; d.UUID != want {
		t.Errorf("UUID %s, want %s", d.UUID, want)
	}
	text := r.String()
	for _, f := range []string{"CUDA driver for 13.0", fakeLib, "gpu1: Fake GPU 1, compute capability 9.0, 6.44 GB, 132 multiprocessors", "gpu0 reaches gpu1, gpu1 reaches gpu0"} {
		if !strings.Contains(text, f) {
			t.Errorf("report lacks %q:\n%s", f, text)
		}
	}
}

func TestMemory(t *testing.T) {
	d := open(t, 0)
	a, err := d.Alloc(4096)
	check(t, "Alloc", err)
	b, err := d.Alloc(4096)
	check(t, "Alloc", err)
	src := make([]byte, 4096)
	for i := range src {
		src[i] = byte(i * 7)
	}
	check(t, "CopyIn", d.CopyIn(a, src))
	check(t, "CopyWithin", d.CopyWithin(b, a, 4096))
	dst := make([]byte, 4096)
	check(t, "CopyOut", d.CopyOut(dst, b))
	if !bytes.Equal(src, dst) {
		t.Error("bytes changed on the way to the device and back")
	}
	check(t, "an empty copy", d.CopyIn(a, nil))
	want(t, d.CopyIn(a+1, src), "cuMemcpyHtoD of 4096 bytes", "device 0", "(1)")

	free, total, err := d.MemoryInfo()
	if err != nil || total-free != 8192 {
		t.Errorf("MemoryInfo says %d of %d, %v; want 8192 bytes in use", free, total, err)
	}
	_, err = d.Alloc(1 << 40)
	want(t, err, "cuMemAlloc of 1099511627776 bytes on device 0", "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory", "nvidia-smi")
	if !IsOutOfMemory(err) {
		t.Errorf("IsOutOfMemory(%v) is false", err)
	}
	_, err = d.Alloc(0)
	want(t, err, "allocation of 0 bytes")

	check(t, "Free", d.Free(a))
	check(t, "Free", d.Free(b))
	if err := d.Free(b); err == nil {
		t.Error("freeing twice went unnoticed")
	}
}

func TestQueues(t *testing.T) {
	d := open(t, 0)
	q, err := d.NewQueue()
	check(t, "NewQueue", err)
	e1, err := d.NewEvent()
	check(t, "NewEvent", err)
	e2, err := d.NewEvent()
	check(t, "NewEvent", err)
	if ok, err := e1.Happened(); !ok || err != nil { // it stands for no work, which is done
		t.Errorf("an event that was not recorded: %v, %v; want true, nil", ok, err)
	}
	host, err := d.AllocHost(64)
	check(t, "AllocHost", err)
	copy(host, "through the queue and back")
	a, err := d.Alloc(128)
	check(t, "Alloc", err)
	check(t, "Record", q.Record(e1))
	check(t, "CopyIn", q.CopyIn(a, host))
	check(t, "CopyWithin", q.CopyWithin(a+64, a, 64))
	check(t, "Wait", q.Wait(e1))
	check(t, "Synchronize", q.Synchronize())
	clear(host)
	check(t, "CopyOut", q.CopyOut(host, a+64))
	check(t, "Record", q.Record(e2))
	check(t, "Synchronize", q.Synchronize())
	if !bytes.HasPrefix(host, []byte("through the queue and back")) {
		t.Errorf("got %q", host)
	}
	if idle, err := q.Idle(); !idle || err != nil {
		t.Errorf("Idle: %v, %v", idle, err)
	}
	check(t, "Event.Synchronize", e2.Synchronize())
	if took, err := e2.Since(e1); err != nil || took <= 0 {
		t.Errorf("Since: %v, %v; want more than nothing", took, err)
	}
	check(t, "Close", e1.Close())
	check(t, "Close", e2.Close())
	if err := e2.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("closing an event twice: %v", err)
	}
	check(t, "Close", q.Close())
	if err := q.CopyIn(a, host); !errors.Is(err, ErrClosed) {
		t.Errorf("a copy on a closed queue: %v", err)
	}
	check(t, "FreeHost", d.FreeHost(host))
	check(t, "Free", d.Free(a))
}

func TestCopyBetweenDevices(t *testing.T) {
	from, to := open(t, 0), open(t, 1)
	src, err := from.Alloc(16)
	check(t, "Alloc", err)
	dst, err := to.Alloc(16)
	check(t, "Alloc", err)
	q, err := to.NewQueue()
	check(t, "NewQueue", err)
	check(t, "CopyIn", from.CopyIn(src, []byte("from gpu0 to gpu")))
	check(t, "CopyFrom", q.CopyFrom(dst, from, src, 16))
	check(t, "Synchronize", q.Synchronize())
	got := make([]byte, 16)
	check(t, "CopyOut", to.CopyOut(got, dst))
	if string(got) != "from gpu0 to gpu" {
		t.Errorf("got %q", got)
	}
	check(t, "Close", q.Close())
	check(t, "Free", from.Free(src))
	check(t, "Free", to.Free(dst))
}

func TestLaunch(t *testing.T) {
	fake, err := fakecuda.Open(fakeLib)
	check(t, "Open", err)
	t.Cleanup(func() { fake.Faults("") }) // makes the device whole again
	d := open(t, 1)
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, "the kernels", err)
	m, log, err := d.LoadModule(string(text))
	check(t, "LoadModule", err)
	if !strings.Contains(log, "ptxas info") {
		t.Errorf("log %q", log)
	}
	_, err = m.Function("missing")
	want(t, err, `cuModuleGetFunction("missing")`, "CUDA_ERROR_NOT_FOUND (500)")
	set, err := m.Function("set")
	check(t, "Function", err)
	add, err := m.Function("add")
	check(t, "Function", err)
	nothing, err := m.Function("nothing")
	check(t, "Function", err)
	q, err := d.NewQueue()
	check(t, "NewQueue", err)
	const n = 1000
	x, err := d.Alloc(4 * n)
	check(t, "Alloc", err)
	y, err := d.Alloc(4 * n)
	check(t, "Alloc", err)

	one := [3]uint32{1, 1, 1}
	var b Batch
	b.Add(set, [3]uint32{8, 1, 1}, [3]uint32{128, 1, 1}, 0, uint64(x), n|40<<32)
	b.Add(set, [3]uint32{1, 1, 1}, [3]uint32{1024, 1, 1}, 0, uint64(y), n|2<<32)
	b.Add(add, [3]uint32{16, 1, 1}, [3]uint32{64, 1, 1}, 1024, uint64(x), uint64(y), n)
	b.Add(nothing, [3]uint32{70, 2, 3}, [3]uint32{32, 1, 1}, 0)
	check(t, "Launch", q.Launch(&b))
	got := make([]uint32, n)
	check(t, "Synchronize", q.Synchronize())
	check(t, "CopyOut", d.CopyOut(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), len(got)*4), x))
	for i, v := range got {
		if v != 42 {
			t.Fatalf("element %d is %d, want 42", i, v)
		}
	}

	b.Reset()
	check(t, "an empty batch", q.Launch(&b))
	for _, c := range []struct {
		f      Function
		block  uint32
		params []uint64
		want   string
	}{
		{nothing, 2048, nil, "(1)"},                      // more threads than a block has
		{add, 256, []uint64{1, 2, 3}, "(1)"},             // more than the kernel allows
		{add, 32, []uint64{1, 2}, "(1)"},                 // too few parameters
		{add, 32, []uint64{uint64(x), 2, 3, 4}, "(701)"}, // too many
	} {
		b.Reset()
		b.Add(nothing, one, one, 0)
		b.Add(c.f, one, [3]uint32{c.block, 1, 1}, 0, c.params...)
		want(t, q.Launch(&b), "launch 2 of 2", fmt.Sprintf("block [%d 1 1]", c.block), "device 1", c.want)
	}

	// A wrong address shows up later, and the context is lost.
	b.Reset()
	b.Add(set, one, [3]uint32{32, 1, 1}, 0, 64, n|1<<32)
	check(t, "Launch", q.Launch(&b))
	err = q.Synchronize()
	want(t, err, "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "context is lost")
	var e *Error
	if !errors.As(err, &e) || !e.Lost() {
		t.Errorf("%v is not reported as lost", err)
	}
	want(t, q.Launch(&b), "(700)")
	want(t, d.Free(x), "(700)")
	if text := strings.Join(fake.Ledger(), "\n"); !strings.Contains(text, "set: write of 4 bytes at 0x40, where no memory of a device is") {
		t.Errorf("the ledger does not name the access:\n%s", text)
	}
	check(t, "Close", func() error { q.Close(); return nil }())
	if err := q.Launch(&b); !errors.Is(err, ErrClosed) {
		t.Errorf("a launch on a closed queue: %v", err)
	}
}

func TestPTXErrorCarriesTheCompilersLog(t *testing.T) {
	d := open(t, 0)
	_, _, err := d.LoadModule(".version 7.0\n.target sm_70\nSYNTAX ERROR")
	want(t, err, "cuModuleLoadDataEx", "CUDA_ERROR_INVALID_PTX (218)", "ptxas application ptx input, line 3; ", "SYNTAX")
}

func TestInjectedFailures(t *testing.T) {
	d := open(t, 0)
	fake, err := fakecuda.Open(fakeLib)
	check(t, "Open", err)
	t.Cleanup(func() { fake.Faults("") })
	a, err := d.Alloc(16)
	check(t, "Alloc", err)
	fake.Faults("cuMemFree_v2=719")
	want(t, d.Free(a), "cuMemFree on device 0", "(719)", "context is lost")
	fake.Faults("cuDevicePrimaryCtxRetain=46")
	_, err = Open(1)
	want(t, err, "cuDevicePrimaryCtxRetain on device 1", "CUDA_ERROR_DEVICE_UNAVAILABLE (46)", "exclusive mode")
	fake.Faults("")
	check(t, "Free", d.Free(a))
	_, err = Open(2)
	want(t, err, "device 2 does not exist", "gpu1: Fake GPU 1")
}

// The context has to be current on whatever thread a goroutine is on.
func TestAnyGoroutine(t *testing.T) {
	d0, d1 := open(t, 0), open(t, 1)
	fake, err := fakecuda.Open(fakeLib)
	check(t, "Open", err)
	fake.Ledger()
	var wg sync.WaitGroup
	for g := range 8 {
		d := []*Device{d0, d1}[g%2]
		wg.Go(func() {
			for range 50 {
				a, err := d.Alloc(64)
				if err == nil {
					err = d.Free(a) // the ledger has a line where the other device's context is current
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if lines := fake.Ledger(); len(lines) > 0 {
		t.Errorf("the ledger says: %q", lines)
	}
}

func TestClosedDevice(t *testing.T) {
	d, err := Open(0)
	check(t, "Open", err)
	check(t, "Close", d.Close())
	if _, err := d.Alloc(1); !errors.Is(err, ErrClosed) {
		t.Errorf("Alloc on a closed device: %v", err)
	}
	if err := d.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("Close on a closed device: %v", err)
	}
}

// build compiles testdata/probe as the product is compiled.
func build(t *testing.T, mode string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "probe")
	cmd := exec.Command("go", "build", "-tags", "cuda", "-buildmode", mode, "-o", bin, "./testdata/probe")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return bin
}

// No binary may need libcuda, or show our names to libraries that look for the real ones.
func TestBinaryNeedsNoDriver(t *testing.T) {
	table, err := os.ReadFile("api.txt")
	check(t, "the table of calls", err)
	ours := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "call" {
			ours[f[1]], ours[f[2]] = true, true
		}
	}
	if !ours["cuInit"] || !ours["cuMemAlloc_v2"] {
		t.Fatal("api.txt was not understood")
	}
	for _, mode := range []string{"pie", "c-shared"} {
		f, err := elf.Open(build(t, mode))
		check(t, mode, err)
		defer f.Close()
		libs, err := f.ImportedLibraries()
		check(t, mode, err)
		for _, lib := range libs {
			if strings.Contains(lib, "cuda") {
				t.Errorf("%s: the binary needs %s", mode, lib)
			}
		}
		symbols, err := f.DynamicSymbols()
		check(t, mode, err)
		for _, s := range symbols {
			if ours[s.Name] || strings.HasPrefix(s.Name, "weft_cuda") {
				t.Errorf("%s: %s is in the dynamic symbol table", mode, s.Name)
			}
		}
	}
}

func TestStart(t *testing.T) {
	bin := build(t, "pie")
	lib := fakeLib
	notDriver := filepath.Join(t.TempDir(), "libm.so")
	cc := exec.Command("cc", "-shared", "-o", notDriver, "-x", "c", "/dev/null")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cc, err, out)
	}
	for _, c := range []struct {
		name string
		env  []string
		want []string
	}{
		{"library on the loader's path", []string{"WEFT_LIBCUDA=", "LD_LIBRARY_PATH=" + filepath.Dir(fakeLib)}, []string{"CUDA driver for 13.0 (" + lib, "gpu0: Fake GPU 0"}},
		{"named library", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_DEVICES=1"}, []string{"gpu0: Fake GPU 0"}},
		{"no library", []string{"WEFT_LIBCUDA=/nowhere/libcuda.so.1"}, []string{"no CUDA driver: WEFT_LIBCUDA: /nowhere/libcuda.so.1: cannot open shared object file", "cuda: device 0: no CUDA driver"}},
		{"no device", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_INIT=100"}, []string{"CUDA driver for 13.0", "cuInit: CUDA_ERROR_NO_DEVICE (100)", "CUDA_VISIBLE_DEVICES"}},
		{"driver mismatch", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_INIT=803"}, []string{"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "reboot"}},
		{"devices hidden", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_DEVICES=0"}, []string{"reports no devices"}},
		{"another library", []string{"WEFT_LIBCUDA=" + notDriver}, []string{"not a CUDA driver"}},
		{"a small device", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_SMS=3", "FAKECUDA_CC=75", "FAKECUDA_MEMORY=1073741824"}, []string{"compute capability 7.5, 1.07 GB, 3 multiprocessors"}},
		{"device that is gone", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_FAIL=gone=0@1"}, []string{"cuDevicePrimaryCtxRetain on device 0", "(46)"}},
		{"failing query", []string{"WEFT_LIBCUDA=" + lib, "FAKECUDA_FAIL=cuDeviceGetName=999"}, []string{"cuDeviceGetName on device 0", "(999)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(bin)
			cmd.Env = append(os.Environ(), c.env...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, f := range c.want {
				if !strings.Contains(string(out), f) {
					t.Errorf("output lacks %q:\n%s", f, out)
				}
			}
		})
	}
}
