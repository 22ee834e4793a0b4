package core

import (
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// What a hand-over costs decides which ops stay with the thread that waits, and how small the tiles of the others may
// be.
func TestHandOverDecides(t *testing.T) {
	b := tile.NewBuilder("copy", 1)
	b.Store(b.Load(tile.Float64))
	program := b.Program()
	planned := func(o Options, told int64, elements int) (tasks int, inOrder bool) {
		core, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 2}}, Memories: []scheduler.Memory{{Name: "host"}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		if told > 0 {
			core.SetHandOver(told)
		}
		view := func() scheduler.View {
			return scheduler.View{Store: core.NewStore(int64(elements) * 8), Type: tile.Float64, Shape: []int{elements}, Strides: []int64{8}}
		}
		from := view()
		if _, err := core.Host.Written(from.Store); err != nil {
			t.Fatal(err)
		}
		if _, err := core.Submit(&scheduler.Op{Name: "copy", Shape: []int{elements}, Program: program, Uses: []scheduler.Use{{View: from}, {View: view(), Access: scheduler.Write}}}); err != nil {
			t.Fatal(err)
		}
		plan := core.Flush(false)
		return len(plan.Tasks), plan.InOrder
	}
	const kib = 1 << 10 / 16 // elements, each of which moves 16 bytes
	for _, c := range []struct {
		options  Options
		told     int64
		elements int
		tasks    int
		inOrder  bool
	}{
		{Options{Inline: 1}, 0, 3 * 1024 * kib, 1, true},                          // without options: up to 4 MiB
		{Options{Inline: 1}, 0, 5 * 1024 * kib, 2, false},                         // two tiles of 2 MiB
		{Options{Inline: 1}, 1 << 19, 3 * 1024 * kib, 3, false},                   // a hand-over is cheap: tiles of 1 MiB
		{Options{Inline: 1}, 4 << 20, 15 * 1024 * kib, 1, true},                   // and dear
		{Options{Inline: 1}, 4 << 20, 17 * 1024 * kib, 2, false},                  // two tiles of 8 MiB
		{Options{Inline: 1, HandOver: 4 << 20}, 0, 15 * 1024 * kib, 1, true},      // the same said with the options
		{Options{Inline: 1, MinTile: 1 << 20}, 2 << 20, 9 * 1024 * kib, 4, false}, // tiles are as small as was asked for, as many as are good for two queues
		{Options{Inline: 8 << 20}, 1 << 19, 7 * 1024 * kib, 1, true},              // all of it is little work
		{Options{Inline: 1, Shared: 64 << 20}, 0, 63 * 1024 * kib, 1, true},       // the device shares it
		{Options{Inline: 1, Shared: 64 << 20}, 0, 65 * 1024 * kib, 4, false},
		{Options{Inline: 1, Shared: 64 << 20, CutLittle: true}, 0, 63 * 1024 * kib, 4, false},
		{Options{}, 4 << 20, 17 * 1024 * kib, 2, false}, // nothing runs in order
	} {
		if tasks, inOrder := planned(c.options, c.told, c.elements); tasks != c.tasks || inOrder != c.inOrder {
			t.Errorf("%+v, told %d: an op over %d bytes is %d tasks, in order %v; want %d, %v",
				c.options, c.told, 16*c.elements, tasks, inOrder, c.tasks, c.inOrder)
		}
	}
}
