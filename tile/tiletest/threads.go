package tiletest

import (
	"strings"

	"weft/tile"
)

// testThreads runs programs of threads, which a device that does not run any has to refuse, in words.
func testThreads(b *bench) {
	nb := tile.NewThreads("numbers")
	m := nb.Array(tile.Out, tile.Int32, 1, "a")
	i := nb.Thread(tile.TidX)
	nb.Put(m, i, nb.Cast(tile.Int64, i))
	p := nb.Program()
	exe, err := b.dev.Compile(p)
	if !b.dev.Info().Grids {
		if err == nil || !strings.Contains(err.Error(), "threads") {
			b.Errorf("compiled a program of threads with error %v; want one that tells of threads, as its Info says that it runs none", err)
		}
		return
	}
	if err != nil {
		b.Fatal(err)
	}
	buf := b.alloc(b.dev, make([]byte, 7*4))
	l := &tile.Launch{Exe: exe, Program: p, Grid: tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{7, 1, 1}},
		Args: []tile.Binding{{Buffer: buf, Strides: []int64{4}, Shape: []int{7}}}}
	if c := b.wait(func(done func(tile.Completion)) { b.dev.Launch(b.queue(), l, done) }); c.Err != nil {
		b.Fatal(c.Err)
	}
	got := b.download(b.dev, buf, 7*4)
	for i := range 7 {
		if v := decode(tile.Int32, got[4*i:]).Int(); v != int64(i) {
			b.Errorf("element %d is %d; want %d", i, v, i)
		}
	}
	b.dev.Free(buf)
}
