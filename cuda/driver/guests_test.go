//go:build cuda && cgo && linux

package driver

import (
	"os"
	"testing"
	"unsafe"
)

// What the package does on a thread leaves current what another library had made current there: nothing, another
// device's context, or the same.
func TestTheCurrentContextStays(t *testing.T) {
	r := newRig(t)
	d := open(t, 0)
	q, err := d.NewQueue()
	check(t, "NewQueue", err)
	e, err := d.NewEvent()
	check(t, "NewEvent", err)
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, "ReadFile", err)
	m, _, err := d.LoadModule(string(text))
	check(t, "LoadModule", err)
	f, err := m.Function("nothing")
	check(t, "Function", err)
	var b Batch
	b.Add(f, [3]uint32{1, 1, 1}, [3]uint32{16, 1, 1}, 0)
	calls := []struct {
		name string
		do   func() error
	}{
		{"Alloc and Free", func() error {
			a, err := d.Alloc(1)
			if err != nil {
				return err
			}
			return d.Free(a)
		}},
		{"Launch", func() error { return q.Launch(&b) }},
		{"LaunchAndRecord", func() error { return q.LaunchAndRecord(&b, e) }},
		{"Passed", func() error { _, _, err := e.Passed(e); return err }},
		{"NewGraph", func() error {
			g, err := d.NewGraph(&b)
			if err != nil {
				return err
			}
			if _, err := q.LaunchGraph(g, &b, e); err != nil {
				return err
			}
			return g.Close()
		}},
		{"Link", func() error { _, err := d.Link(string(text)); return err }},
		{"Synchronize", d.Synchronize},
		{"Open", func() error {
			other, err := Open(1)
			if err != nil {
				return err
			}
			return other.Close()
		}},
		{"a call that fails", func() error {
			if _, err := d.Alloc(1 << 60); err == nil {
				t.Error("there are 2^60 bytes")
			}
			return nil
		}},
	}
	out := r.words(1)
	for _, current := range []uint64{0, r.contexts[0], r.contexts[1]} {
		for _, call := range calls { // in order: an event has been recorded before it is asked for
			r.ok("cuCtxSetCurrent", current)
			check(t, call.name, call.do())
			if r.ok("cuCtxGetCurrent", out.At(0)); out[0] != current {
				t.Errorf("%s: context %#x is current, where %#x was", call.name, out[0], current)
			}
		}
	}
	r.on(0)
	check(t, "Synchronize", d.Synchronize()) // the call before may have been a launch
	check(t, "Unload", m.Unload())
	check(t, "Close", e.Close())
	check(t, "Close", q.Close())
}

func TestFindSaysWhoseMemoryItIs(t *testing.T) {
	r := newRig(t)
	d := open(t, 0)
	r.on(1)
	far := r.alloc(1000)
	r.on(0)
	near := r.alloc(1000)
	for _, c := range []struct {
		at      uint64
		device  int32
		reaches bool
	}{{near, 0, true}, {near + 999, 0, true}, {far + 8, 1, false}} {
		got, err := Find(Address(c.at))
		check(t, "Find", err)
		if got.Device != c.device || c.at-uint64(got.Start) >= 1000 || got.Bytes != 1000 || d.Reaches(got) != c.reaches {
			t.Errorf("%#x: %+v, which the device reaches: %v", c.at, got, d.Reaches(got))
		}
	}
	own := r.words(1)
	r.ok("cuCtxCreate_v2", own.At(0), 0, 0)
	other := r.alloc(16)
	got, err := Find(Address(other))
	check(t, "Find", err)
	if d.Reaches(got) {
		t.Error("the device says that it reaches memory of another context")
	}
	r.ok("cuMemFree_v2", other)
	r.closers = r.closers[:len(r.closers)-1]
	r.ok("cuCtxDestroy_v2", own[0])
	r.on(0)
	local := 0
	for _, at := range []uint64{0, 12, uint64(uintptr(unsafe.Pointer(&local)))} {
		_, err := Find(Address(at))
		want(t, err, "cuPointerGetAttribute", "CUDA_ERROR_INVALID_VALUE")
	}
}

// A guest's stream is waited for: what it was told to write is there, and nothing races.
func TestSynchronizeStreamWaitsForAGuest(t *testing.T) {
	for seed := range uint64(8) {
		r := newRig(t)
		r.fake.Seed(seed)
		d := open(t, 0)
		r.on(0)
		p, s := r.alloc(64), r.stream()
		r.ok("cuMemsetD32Async", p, 7, 16, s)
		check(t, "SynchronizeStream", d.SynchronizeStream(s))
		got := make([]byte, 64)
		check(t, "CopyOut", d.CopyOut(got, Address(p)))
		if got[0] != 7 || got[60] != 7 {
			t.Errorf("seed %d: %v", seed, got)
		}
		r.ok("cuStreamDestroy_v2", s)
		r.closers = r.closers[:len(r.closers)-2]
		want(t, d.SynchronizeStream(s), "cuStreamSynchronize of stream 0x", "INVALID_HANDLE")
		r.said("the stream was destroyed")
		r.finish()
	}
}
