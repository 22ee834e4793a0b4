//go:build cuda && cgo && linux

package cuda

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/tile"
)

// bench is a device with two buffers, an axpy over them, and host memory.
type bench struct {
	t      *testing.T
	d      *Device
	launch *tile.Launch
	host   tile.Buffer
	ref    *tile.Reference
}

const benchN = 4096 // float64

func newBench(t *testing.T, ordinal int) *bench {
	t.Helper()
	b := &bench{t: t, d: open(t, ordinal), ref: tile.NewReference(0, time.Now(), nil)}
	var p *tile.Program
	p, b.launch = axpy(benchN)
	var err error
	if b.launch.Exe, err = b.d.Compile(p); err != nil {
		t.Fatal(err)
	}
	if b.host, err = b.ref.Alloc(8 * benchN); err != nil {
		t.Fatal(err)
	}
	for i := range b.launch.Args {
		buf, err := b.d.Alloc(8 * benchN)
		if err != nil {
			t.Fatal(err)
		}
		b.launch.Args[i] = tile.Binding{Buffer: buf, Strides: []int64{8}}
		if err := b.in(buf); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.run(); err != nil { // compiled now
		t.Fatal(err)
	}
	return b
}

func wait(start func(done func(tile.Completion))) error {
	c := make(chan tile.Completion, 1)
	start(func(x tile.Completion) { c <- x })
	return (<-c).Err
}

func (b *bench) run() error {
	return wait(func(done func(tile.Completion)) { b.d.Launch(computes, b.launch, done) })
}

func (b *bench) in(buf tile.Buffer) error {
	return wait(func(done func(tile.Completion)) {
		b.d.Copy(copyIn, &tile.Transfer{Dst: buf, DstDev: b.d, Src: b.host, Bytes: 8 * benchN}, done)
	})
}

func (b *bench) out(buf tile.Buffer) error {
	return wait(func(done func(tile.Completion)) {
		b.d.Copy(copyOut, &tile.Transfer{Dst: b.host, Src: buf, SrcDev: b.d, Bytes: 8 * benchN}, done)
	})
}

func (b *bench) close() {
	b.t.Helper()
	if err := b.d.Close(); err != nil {
		b.t.Errorf("Close: %v", err)
	}
	b.ref.Close()
}

// TestFaults has one call after the other fail: what was asked for fails with an error that says what, where and why;
// where the context survives, the next piece of work is done.
func TestFaults(t *testing.T) {
	all := func(b *bench) error {
		return errors.Join(b.in(b.launch.Args[0].Buffer), b.run(), b.out(b.launch.Args[2].Buffer))
	}
	for _, c := range []struct {
		fault string
		do    func(b *bench) error
		says  []string
	}{
		{"cuLaunchKernel=1@1", (*bench).run, []string{"axpy", "cuLaunchKernel", "INVALID_VALUE"}},
		{"cuLaunchKernel=701@1", (*bench).run, []string{"axpy", "LAUNCH_OUT_OF_RESOURCES"}},
		{"cuMemcpyHtoDAsync_v2=1@1", all, []string{"cuMemcpyHtoDAsync", "device 0"}},
		{"cuMemcpyDtoHAsync_v2=1@1", all, []string{"cuMemcpyDtoHAsync", "device 0"}},
		{"cuEventRecord=999@1", all, []string{"cuEventRecord", "dmesg"}},
		{"cuEventQuery=999@1", (*bench).run, []string{"cuEventQuery", "999"}},
		{"cuEventElapsedTime=999@1", (*bench).run, []string{"cuEventQuery", "999"}},
		{"cuModuleLoadDataEx=218@1", func(b *bench) error { return b.fresh(1) }, []string{"gpu0 cannot compile", "fresh", "INVALID_PTX"}},
		{"cuModuleLoadDataEx=222@1", func(b *bench) error { return b.fresh(2) }, []string{"driver is too old"}},
		{"cuModuleLoadDataEx=221@1", func(b *bench) error { return b.fresh(3) }, []string{"libnvidia-ptxjitcompiler"}},
		{"cuModuleGetFunction=500@1", func(b *bench) error { return b.fresh(4) }, []string{"cuModuleGetFunction"}},
		{"cuMemCreate=2", func(b *bench) error { _, err := b.d.Alloc(200 << 20); return err }, []string{"gpu0", "memory"}},
		{"cuMemMap=1@3", func(b *bench) error { _, err := b.d.Alloc(100 << 20); return err }, []string{"cuMemMap"}},
		{"cuMemSetAccess=1@1", func(b *bench) error { _, err := b.d.Alloc(100 << 20); return err }, []string{"cuMemSetAccess"}},
		{"cuMemMap=1@1", func(b *bench) error { _, err := b.d.Alloc(100 << 20); return err }, []string{"cuMemMap"}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			needFake(t)
			b := newBench(t, 0)
			defer b.close()
			fake.Faults(c.fault)
			err := c.do(b)
			if err == nil {
				t.Fatal("no error")
			}
			for _, words := range c.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("the error %q does not say %q", err, words)
				}
			}
			fake.Faults("")
			if err := all(b); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestRefusedKernel has the driver refuse a kernel at each of many launches: it is asked each time, and the forms of
// other launches stay known.
func TestRefusedKernel(t *testing.T) {
	needFake(t)
	b := newBench(t, 0)
	defer b.close()
	x := b.launch.Exe.(*executable)
	known := x.forms.known[0]
	refused := *b.launch
	refused.Args = slices.Clone(b.launch.Args)
	refused.Shape = []int{benchN / 2}
	for i := range refused.Args {
		refused.Args[i].Offset = 4 // a variant for elements at any byte
	}
	run := func() error {
		return wait(func(done func(tile.Completion)) { b.d.Launch(computes, &refused, done) })
	}
	fake.Faults("cuModuleLoadDataEx=2")
	for range 3 * formsKept {
		if err := run(); err == nil || !strings.Contains(err.Error(), "cannot compile") {
			t.Fatalf("got error %v; want that of the driver", err)
		}
	}
	if x.forms.known[0] != known || x.forms.known[2] != nil {
		t.Errorf("launches that were refused have taken the places of others' forms: %v", x.forms.known)
	}
	fake.Faults("")
	if err := errors.Join(run(), b.run()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestKernelIsNotAskedForAgain has the driver refuse a kernel for a reason that does not pass: the next launch fails
// with the same error, and nothing is compiled.
func TestKernelIsNotAskedForAgain(t *testing.T) {
	needFake(t)
	b := newBench(t, 0)
	defer b.close()
	for i, fault := range []string{"cuModuleLoadDataEx=218@1", "cuModuleLoadDataEx=221@1", "cuModuleLoadDataEx=222@1"} {
		l := b.adds(float64(20 + i))
		run := func() error {
			return wait(func(done func(tile.Completion)) { b.d.Launch(computes, l, done) })
		}
		fake.Faults(fault)
		first := run()
		again := run()
		if first == nil || again == nil || again.Error() != first.Error() {
			t.Errorf("%s: got error %v, and then %v; want the first one twice", fault, first, again)
		}
	}
	fake.Faults("")
	if err := errors.Join(b.run(), b.fresh(30)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestUnloadFails has the driver fail to unload the module of a program that is gone: the error of the next one to be
// compiled says whose it is.
func TestUnloadFails(t *testing.T) {
	needFake(t)
	b := newBench(t, 0)
	x := b.launch.Exe.(*executable)
	b.d.modules.drop(x.owned)
	fake.Faults("cuModuleUnload=1@1")
	err := b.fresh(5)
	fake.Faults("")
	if err == nil || !strings.Contains(err.Error(), "modules of others are unloaded") || !strings.Contains(err.Error(), "fresh") {
		t.Errorf("got error %v; want one that says what was done for which program", err)
	}
	if err := b.fresh(6); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	b.close()
	for _, line := range fake.Ledger() {
		if !strings.Contains(line, "1 modules of device 0 were never unloaded") {
			t.Error(line)
		}
	}
}

// fresh runs a program that no other test compiles.
func (b *bench) fresh(seed float64) error {
	l := b.adds(seed)
	return wait(func(done func(tile.Completion)) { b.d.Launch(computes, l, done) })
}

// adds is a launch of a program of its own, which adds a number.
func (b *bench) adds(seed float64) *tile.Launch {
	nb := tile.NewBuilder("fresh", 1)
	nb.Store(nb.Do(tile.Add, nb.Load(tile.Float64), nb.Const(tile.FloatScalar(tile.Float64, seed))))
	p := nb.Program()
	exe, err := b.d.Compile(p)
	if err != nil {
		b.t.Fatal(err)
	}
	return &tile.Launch{Program: p, Exe: exe, Shape: []int{benchN}, Origin: []int{0}, Args: []tile.Binding{b.launch.Args[0], b.launch.Args[2]}}
}

// TestOutOfMemory is what the scheduler recognises, whichever process has the memory.
func TestOutOfMemory(t *testing.T) {
	needFake(t)
	b := newBench(t, 0)
	defer b.close()
	fake.Faults("memory=1")
	if _, err := b.d.Alloc(200 << 20); !errors.Is(err, tile.ErrOutOfMemory) {
		t.Errorf("while another process has the memory: %v; want ErrOutOfMemory", err)
	}
	fake.Faults("")
	buf, err := b.d.Alloc(200 << 20)
	if err != nil {
		t.Fatal(err)
	}
	b.d.Free(buf)
}

// TestLost ends the context of one of two devices: everything on it fails, and says so; nothing hangs; the other device
// goes on.
func TestLost(t *testing.T) {
	for _, fault := range []string{"launch=700@1", "launch=719@1", "launch=716@1", "launch=700@3", "gone=0@1"} {
		t.Run(fault, func(t *testing.T) {
			if fake == nil {
				t.Skip("needs the fake driver")
			}
			a, b := newBench(t, 0), newBench(t, 1)
			defer func() {
				fake.Faults("")
				fake.Ledger() // a lost context keeps what it has
			}()
			fake.Faults(fault)
			var errs []error
			done := make(chan error, 10)
			for range 10 {
				a.d.Launch(computes, a.launch, func(c tile.Completion) { done <- c.Err })
			}
			for range 10 {
				errs = append(errs, <-done)
			}
			if err := errors.Join(errs...); err == nil || a.d.Lost() == nil {
				t.Fatalf("the device is not lost: %v, %v", err, a.d.Lost())
			}
			for _, err := range []error{a.run(), a.in(a.launch.Args[0].Buffer), a.out(a.launch.Args[0].Buffer)} {
				if err == nil || !strings.Contains(err.Error(), "gpu0 is lost") {
					t.Errorf("work on a lost device: %v; want an error that says so", err)
				}
			}
			if err := b.run(); err != nil || b.d.Lost() != nil {
				t.Errorf("the other device: %v", err)
			}
			a.close()
			b.close()
			fake.Faults("")
			if rc := fake.Call("cuDevicePrimaryCtxReset_v2", 0); rc != 0 { // for the tests that follow: a program could not go on
				t.Errorf("cuDevicePrimaryCtxReset: %d", rc)
			}
		})
	}
}

// TestOpenFails has each call that Open makes fail once: the error names the device, and nothing stays allocated.
func TestOpenFails(t *testing.T) {
	for _, fault := range []string{
		"cuDevicePrimaryCtxRetain=2@1", "cuMemGetInfo_v2=1@1", "cuMemGetAllocationGranularity=801@1", "cuMemAddressReserve=2@1",
		"cuStreamCreate=2@1", "cuStreamCreate=2@2", "cuStreamCreate=2@3", "cuStreamCreate=2@4", "cuMemHostAlloc=2@1", "cuMemHostAlloc=2@2", "cuMemHostAlloc=2@3",
		"cuMemHostGetDevicePointer_v2=1@1", "cuMemAlloc_v2=2@1", "cuEventCreate=2@1", "cuEventRecord=2@1", "cuEventSynchronize=2@1",
	} {
		t.Run(fault, func(t *testing.T) {
			needFake(t)
			fake.Faults(fault)
			d, err := Open(0, Options{Epoch: time.Now(), Memory: 256 << 20})
			if err == nil {
				d.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), "device 0") && !strings.Contains(err.Error(), "gpu0") {
				t.Errorf("the error does not name the device: %v", err)
			}
		})
	}
}

// TestLargeCopies goes through the ring of page-locked memory, there and back.
func TestLargeCopies(t *testing.T) {
	d := open(t, 0)
	defer d.Close()
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	for _, n := range []int64{stageBytes, stageBytes + 1, slotBytes - 1, slotBytes, slotBytes + 1, 5*slotBytes + 77} {
		from, err := ref.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		to, err := ref.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := 0, from.Bytes()[:n]; i < len(s); i++ {
			s[i] = byte(i*7 + i>>8)
		}
		buf, err := d.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		in := wait(func(done func(tile.Completion)) {
			d.Copy(copyIn, &tile.Transfer{Dst: buf, DstDev: d, Src: from, Bytes: n}, done)
		})
		out := wait(func(done func(tile.Completion)) {
			d.Copy(copyOut, &tile.Transfer{Dst: to, Src: buf, SrcDev: d, Bytes: n}, done)
		})
		if in != nil || out != nil || !bytes.Equal(from.Bytes()[:n], to.Bytes()[:n]) {
			t.Errorf("%d bytes there and back: %v, %v, or other bytes", n, in, out)
		}
		d.Free(buf)
		ref.Free(from)
		ref.Free(to)
	}
}

// TestNoGaps gives a queue a thousand launches, each of which needs the one before: on the driver's clock, on which a
// launch takes 3 us from the call to its start and a kernel at least 2, the queue stands idle before the first only.
func TestNoGaps(t *testing.T) {
	needFake(t)
	b := newBench(t, 0)
	defer b.close()
	q := b.d.queues[computes]
	before, _ := fake.Gaps(q.stream.Handle())
	done := make(chan error, 1000)
	for i := range 1000 {
		l := *b.launch
		l.Turn = tile.Turn{Seq: uint64(i + 1)}
		b.d.Launch(computes, &l, func(c tile.Completion) { done <- c.Err })
	}
	for range 1000 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	gaps, works := fake.Gaps(q.stream.Handle())
	if idle := time.Duration(gaps - before); works < 1000 || idle > 10*time.Microsecond {
		t.Errorf("the queue stood idle for %v within %d pieces of work", idle, works)
	}
}
