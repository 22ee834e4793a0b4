//go:build cuda && cgo && linux

package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"weft/cuda/driver/fakecuda"
	"weft/tile"
)

// guest is another library in the process: it calls the driver on a thread of its own, with memory and a stream of its
// own.
type guest struct {
	t       *testing.T
	out     fakecuda.Words
	streams []uint64
	context uint64
}

func newGuest(t *testing.T, device int) *guest {
	t.Helper()
	needFake(t)
	runtime.LockOSThread()
	g := &guest{t: t, out: fakecuda.NewWords(1)}
	g.call("cuInit", 0)
	g.context = g.made("cuDevicePrimaryCtxRetain", uint64(device))
	g.call("cuCtxSetCurrent", g.context)
	t.Cleanup(func() {
		for _, s := range g.streams {
			g.call("cuStreamSynchronize", s)
			g.call("cuStreamDestroy_v2", s)
		}
		g.call("cuCtxSetCurrent", 0)
		g.call("cuDevicePrimaryCtxRelease_v2", uint64(device))
		g.out.Free()
		runtime.UnlockOSThread()
	})
	return g
}

// inOrders runs a test beside a guest, with the driver's queues in some orders.
func inOrders(t *testing.T, test func(*testing.T, *guest)) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := newGuest(t, 0)
			fake.Seed(seed)
			test(t, g)
		})
	}
}

func (g *guest) call(name string, args ...uint64) {
	g.t.Helper()
	if rc := fake.Call(name, args...); rc != 0 {
		g.t.Fatalf("%s(%#x) = %d; the ledger says %q", name, args, rc, fake.Ledger())
	}
}

func (g *guest) made(name string, args ...uint64) uint64 {
	g.t.Helper()
	g.call(name, append([]uint64{g.out.At(0)}, args...)...)
	return g.out[0]
}

func (g *guest) stream() uint64 {
	s := g.made("cuStreamCreate", 1)
	g.streams = append(g.streams, s)
	return s
}

// taken copies a buffer to the host, in a queue of the device's.
func taken(t *testing.T, d *Device, b tile.Buffer) []byte {
	t.Helper()
	got := make([]byte, b.Size)
	var pin runtime.Pinner
	pin.Pin(&got[0])
	defer pin.Unpin()
	done := make(chan tile.Completion)
	d.Copy(copyOut, &tile.Transfer{Src: b, SrcDev: d, Bytes: b.Size, Dst: tile.Buffer{Host: unsafe.Pointer(&got[0]), Size: b.Size}}, func(c tile.Completion) { done <- c })
	if c := <-done; c.Err != nil {
		t.Fatal(c.Err)
	}
	return got
}

// What a guest was told to write in a stream is there when the stream has been waited for, in whatever order queues go
// on; without a wait, the ledger says that it races.
func TestGuestsMemory(t *testing.T) {
	inOrders(t, func(t *testing.T, g *guest) {
		d := open(t, 0)
		s, p := g.stream(), g.made("cuMemAlloc_v2", 4096)
		b, err := d.Adopt(p, 4096)
		if err != nil || d.Expose(b) != p {
			t.Fatal(b, err)
		}
		for k, stream := range []uint64{s, tile.AllStreams} {
			g.call("cuMemsetD8Async", p, uint64(k+1), 4096, s)
			if err := d.Settle(stream); err != nil {
				t.Fatal(err)
			}
			if got := taken(t, d, b); !bytes.Equal(got, bytes.Repeat([]byte{byte(k + 1)}, 4096)) {
				t.Fatalf("the guest wrote %d, found %v...", k+1, got[:8])
			}
		}
		g.call("cuMemsetD8Async", p, 9, 4096, s)
		taken(t, d, b)
		g.call("cuStreamSynchronize", s)
		if lines := fake.Ledger(); len(lines) == 0 || !strings.Contains(lines[0], "race") {
			t.Errorf("nothing waited, and the ledger says %q", lines)
		}
		g.call("cuMemFree_v2", p)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAdoptRefuses(t *testing.T) {
	g := newGuest(t, 0)
	d := open(t, 0)
	defer d.Close()
	mine := g.made("cuMemAlloc_v2", 1000)
	g.call("cuCtxSetCurrent", g.made("cuDevicePrimaryCtxRetain", 1))
	far := g.made("cuMemAlloc_v2", 1000)
	private := g.made("cuCtxCreate_v2", 0, 0)
	other := g.made("cuMemAlloc_v2", 1000)
	local := 0
	for _, row := range []struct {
		at       uint64
		n        int64
		is       error
		fragment string
	}{
		{mine + 8, 992, nil, ""},
		{mine, 1001, nil, "reach 1 bytes beyond what was allocated there"},
		{far, 8, tile.ErrElsewhere, "in the memory of GPU 1"},
		{other, 8, nil, "another context than GPU 0's primary one"},
		{uint64(uintptr(unsafe.Pointer(&local))), 8, nil, "no address in a GPU's memory, or what was there has been freed"},
	} {
		b, err := d.Adopt(row.at, row.n)
		if row.fragment == "" {
			if err != nil || b.Handle != row.at || b.Size != row.n {
				t.Errorf("%#x: %+v, %v", row.at, b, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), row.fragment) || row.is != nil && !errors.Is(err, row.is) {
			t.Errorf("%#x: error %v, want %q", row.at, err, row.fragment)
		}
	}
	g.call("cuMemFree_v2", other)
	g.call("cuCtxDestroy_v2", private)
	g.call("cuMemFree_v2", far)
	g.call("cuCtxSetCurrent", g.context)
	g.call("cuDevicePrimaryCtxRelease_v2", 1)
	g.call("cuMemFree_v2", mine)
	if _, err := d.Adopt(mine, 8); err == nil || !strings.Contains(err.Error(), "has been freed") {
		t.Errorf("what the guest has freed is adopted: %v", err)
	}
}

// A buffer that a guest has the address of is given out again when the guest's streams have run, not before, and its
// room counts as taken until then.
func TestExposedBuffersAreGivenOutInTheirTime(t *testing.T) {
	const most = 16 << 20
	inOrders(t, func(t *testing.T, g *guest) {
		d, err := Open(0, Options{Memory: most})
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.Alloc(most)
		if err != nil {
			t.Fatal(err)
		}
		s, p := g.stream(), d.Expose(a)
		g.call("cuMemsetD8Async", p, 1, 4096, s)
		d.Free(a)
		var b tile.Buffer
		for { // there is room for one alone
			left := make(chan struct{})
			leaving := d.Leaving(func() { close(left) })
			if b, err = d.Alloc(most); err == nil {
				break
			}
			if !leaving || !errors.Is(err, tile.ErrOutOfMemory) {
				t.Fatal(leaving, err)
			}
			<-left
		}
		if idle := fake.Call("cuStreamQuery", s); idle != 0 {
			t.Error("the bytes were given out while the guest used them")
		}
		d.Free(b)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
