//go:build cuda && cgo && linux

package driver

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"testing"

	"weft/cuda/driver/fakecuda"
)

// Threads that use both devices at the same time, each with queues of its own, do not disturb each other, under any
// seed; and what each computes is in order, so that the ledger stays empty.
func TestFakeThreads(t *testing.T) {
	fake, err := fakecuda.Open(fakeLib)
	check(t, "Open", err)
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, "the kernels", err)
	fake.Ledger()
	t.Cleanup(func() { fake.Seed(0) })
	devices := []*Device{open(t, 0), open(t, 1)}
	for seed := range uint64(4) {
		fake.Seed(seed)
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				if err := additions(devices[g%2], string(text), uint32(g)); err != nil {
					t.Errorf("seed %d, goroutine %d: %v", seed, g, err)
				}
			})
		}
		wg.Wait()
	}
	for _, line := range fake.Ledger() {
		t.Error(line)
	}
}

// additions adds on two queues in turn, ordered by events.
func additions(d *Device, text string, start uint32) error {
	const n, rounds = 200, 12
	m, _, err := d.LoadModule(text)
	if err != nil {
		return err
	}
	set, err := m.Function("set")
	if err != nil {
		return err
	}
	add, err := m.Function("add")
	if err != nil {
		return err
	}
	var queues [2]*Queue
	for i := range queues {
		if queues[i], err = d.NewQueue(); err != nil {
			return err
		}
	}
	e, err := d.NewEvent()
	if err != nil {
		return err
	}
	x, err := d.Alloc(4 * n)
	if err != nil {
		return err
	}
	host, err := d.AllocHost(4 * n)
	if err != nil {
		return err
	}
	var b Batch
	grid, threads := [3]uint32{4, 1, 1}, [3]uint32{64, 1, 1}
	b.Add(set, grid, threads, 0, uint64(x), n|uint64(start)<<32)
	if err := queues[0].Launch(&b); err != nil {
		return err
	}
	for i := range rounds {
		from, to := queues[i%2], queues[(i+1)%2]
		y, err := d.Alloc(4 * n)
		if err != nil {
			return err
		}
		b.Reset()
		b.Add(set, grid, threads, 0, uint64(y), n|1<<32)
		b.Add(add, grid, threads, 0, uint64(x), uint64(y), n)
		for _, f := range []func() error{
			func() error { return from.Launch(&b) },
			func() error { return from.CopyOut(host, x) },
			func() error { return from.Record(e) },
			func() error { return to.Wait(e) },
			e.Synchronize,
			func() error { return d.Free(y) },
		} {
			if err := f(); err != nil {
				return err
			}
		}
		if got, want := binary.LittleEndian.Uint32(host[4*n-4:]), start+uint32(i)+1; got != want {
			return fmt.Errorf("round %d: got %d, want %d", i, got, want)
		}
	}
	for _, f := range []func() error{
		queues[0].Synchronize, queues[1].Synchronize, func() error { return d.Free(x) }, func() error { return d.FreeHost(host) }, e.Close,
		queues[0].Close, queues[1].Close, m.Unload,
	} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
