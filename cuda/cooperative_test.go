package cuda

import (
	"strings"
	"testing"
	"time"

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
	d.Free(buf)
	ref.Free(host)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	ref.Close()
}
