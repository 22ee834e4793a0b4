//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weft/cuda/driver"
	"weft/tile"
)

// A grid whose blocks meet, and which cannot be on the device as a whole, is refused, and says so; a smaller one runs.
func TestCooperativeLaunches(t *testing.T) {
	needFake(t)
	b := tile.NewThreads("meet")
	a := b.Array(tile.Update, tile.Int64, 1, "a")
	zero, one := b.Const(tile.IntScalar(tile.Int64, 0)), b.Const(tile.IntScalar(tile.Int64, 1))
	first := b.Do(tile.Eq, b.Thread(tile.TidX), b.Const(tile.IntScalar(tile.Int32, 0)))
	b.If(first)
	b.Atomic(tile.AtomicAdd, a, one, zero)
	b.End()
	b.GridBarrier()
	b.If(first)
	b.Atomic(tile.AtomicAdd, a, b.Element(a, zero), one)
	b.End()
	p := b.Program()
	d := open(t, 0)
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := d.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(blocks int) error {
		l := &tile.Launch{Exe: exe, Program: p, Grid: tile.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{256, 1, 1}},
			Args: []tile.Binding{{Buffer: buf, Shape: []int{2}, Strides: []int64{8}}}}
		return wait(func(done func(tile.Completion)) { d.Launch(computes, l, done) })
	}
	zeros, ref := make([]byte, 16), tile.NewReference(0, time.Now(), nil)
	host, err := ref.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	copy(host.Bytes(), zeros)
	if err := wait(func(done func(tile.Completion)) {
		d.Copy(copyIn, &tile.Transfer{Dst: buf, DstDev: d, Src: host, Bytes: 16}, done)
	}); err != nil {
		t.Fatal(err)
	}
	err = launch(1024)
	if err == nil || !strings.Contains(err.Error(), "its 1024 blocks of 256 threads meet at grid barriers") {
		t.Errorf("got error %v; want one that says how many blocks meet", err)
	}
	if err := launch(8); err != nil {
		t.Fatal(err)
	}
	if err := wait(func(done func(tile.Completion)) {
		d.Copy(copyOut, &tile.Transfer{Dst: host, Src: buf, SrcDev: d, Bytes: 16}, done)
	}); err != nil {
		t.Fatal(err)
	}
	if got := host.Bytes(); got[0] != 8 || got[8] != 64 {
		t.Errorf("got %v; want 8 blocks, each of which has seen 8", got)
	}
	most, err := d.Occupancy(p, 256, 0)
	if err != nil || most.Blocks < 8 || most.Registers < 1 || most.Threads < 256 || most.Local != 0 {
		t.Errorf("got occupancy %+v, %v; want one of at least 8 blocks", most, err)
	}
	if err := launch(most.Blocks); err != nil {
		t.Errorf("all blocks that the device has room for: %v", err)
	}
	if err := launch(most.Blocks + 1); err == nil {
		t.Errorf("a block more than the %d that there is room for: got no error", most.Blocks)
	}
	if large, err := d.Occupancy(p, 256, 100<<10); err != nil || large.Blocks >= most.Blocks {
		t.Errorf("with 100 KiB of shared memory each: got %+v, %v; want fewer than %d blocks", large, err, most.Blocks)
	}
	loaded := func() (n int) {
		for o := range d.modules.live {
			n += len(o.modules)
		}
		return n
	}
	again, err := tile.Parse(p.String())
	if err != nil {
		t.Fatal(err)
	}
	before := loaded()
	if same, err := d.Occupancy(again, 256, 0); err != nil || same != most || loaded() != before {
		t.Errorf("the same program again: got %+v, %v with %d modules; want %+v with %d", same, err, loaded(), most, before)
	}
	if _, err := d.Occupancy(p, 1025, 0); err == nil || !strings.Contains(err.Error(), "want 1 to 1024") {
		t.Errorf("a block of 1025 threads: got error %v", err)
	}
	d.Free(buf)
	ref.Free(host)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	ref.Close()
}

// A grid of which one block never comes to where the others wait ends when it is told to stop, before it begins or
// while it runs: what the host writes then is not where the blocks count each other.
func TestStopOfAGridThatMeets(t *testing.T) {
	needFake(t)
	b := tile.NewThreads("waits")
	a := b.Array(tile.Update, tile.Int32, 1, "a")
	zero, none := b.Const(tile.IntScalar(tile.Int64, 0)), b.Const(tile.IntScalar(tile.Int32, 0))
	b.GridBarrier() // a phase has passed
	b.If(b.Do(tile.Eq, b.Thread(tile.CtaidX), none))
	b.Loop()
	seen := b.Carry(none)
	b.While(b.Do(tile.Eq, seen, none))
	b.Next(seen, b.Atomic(tile.AtomicAdd, a, none, zero))
	b.End()
	b.End()
	b.GridBarrier()
	p := b.Program()
	d := open(t, 0)
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := d.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.dev.CopyIn(driver.Address(buf.Handle), make([]byte, 4)), d.dev.Synchronize()); err != nil {
		t.Fatal(err)
	}
	for _, delay := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		stop := new(tile.Stop)
		l := &tile.Launch{Exe: exe, Program: p, Stop: stop, Grid: tile.Grid{Blocks: [3]int{4, 1, 1}, Threads: [3]int{32, 1, 1}},
			Args: []tile.Binding{{Buffer: buf, Shape: []int{1}, Strides: []int64{4}}}}
		if delay == 0 {
			stop.Set()
		}
		err := wait(func(done func(tile.Completion)) {
			d.Launch(computes, l, done)
			time.AfterFunc(delay, stop.Set)
		})
		if !errors.Is(err, tile.ErrStopped) {
			t.Errorf("stopped after %v: got %v; want ErrStopped", delay, err)
		}
	}
	d.Free(buf)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
