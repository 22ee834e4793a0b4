package cpu

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"weft/tile"
)

// wait runs one job on queue 0.
func wait(start func(done func(tile.Completion))) tile.Completion {
	c := make(chan tile.Completion, 1)
	start(func(v tile.Completion) { c <- v })
	return <-c
}

// TestMemories moves bytes from the processor through two emulated GPUs and back.
func TestMemories(t *testing.T) {
	epoch := time.Now()
	d := New(Options{Workers: 1, Epoch: epoch})
	g0, g1 := NewEmulatedGPU(0, Options{Workers: 1, Epoch: epoch}), NewEmulatedGPU(1, Options{Workers: 1, Epoch: epoch})
	devices := []tile.Device{d, g0, g1, d}
	var last tile.Buffer
	var end int64
	for i, dev := range devices {
		b, err := dev.Alloc(8)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			copy(b.Bytes(), "12345678")
		} else {
			by := dev // the side that is a GPU copies; between two, either
			if dev == tile.Device(d) {
				by = devices[i-1]
			}
			c := wait(func(done func(tile.Completion)) {
				by.Copy(0, &tile.Transfer{Dst: b, DstDev: dev, Src: last, SrcDev: devices[i-1], Bytes: 8}, done)
			})
			if c.Err != nil {
				t.Fatal(c.Err)
			}
			if c.Start < end {
				t.Errorf("a copy starts at %d, before the one that it follows ended at %d: the clocks differ", c.Start, end)
			}
			end = c.End
		}
		last = b
	}
	if !bytes.Equal(last.Bytes()[:8], []byte("12345678")) {
		t.Errorf("got %q", last.Bytes()[:8])
	}
	for _, dev := range devices[:3] {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMemoryIsItsOwn launches on buffers that the device cannot see.
func TestMemoryIsItsOwn(t *testing.T) {
	d, g0, g1 := New(Options{Workers: 1}), NewEmulatedGPU(0, Options{Workers: 1}), NewEmulatedGPU(1, Options{Workers: 1})
	p := addProgram(tile.Float64)
	buffers := map[tile.Device]tile.Buffer{}
	for _, dev := range []tile.Device{d, g0, g1} {
		if dev == tile.Device(g1) { // so that the handles of the two GPUs differ
			if _, err := dev.Alloc(1); err != nil {
				t.Fatal(err)
			}
		}
		b, err := dev.Alloc(80)
		if err != nil {
			t.Fatal(err)
		}
		buffers[dev] = b
	}
	for _, dev := range []tile.Device{d, g0, g1} {
		exe, err := dev.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for owner, b := range buffers {
			l := &tile.Launch{Exe: exe, Program: p, Shape: []int{10}}
			for range 3 {
				l.Args = append(l.Args, tile.Binding{Buffer: b, Strides: []int64{8}})
			}
			c := wait(func(done func(tile.Completion)) { dev.Launch(0, l, done) })
			if (c.Err == nil) != (owner == dev) {
				t.Errorf("%s on a buffer of %s: %v", dev.Info().Name, owner.Info().Name, c.Err)
			}
		}
	}
	for _, dev := range []tile.Device{d, g0, g1} {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
	if c := wait(func(done func(tile.Completion)) { d.Launch(0, &tile.Launch{}, done) }); c.Err == nil || !strings.Contains(c.Err.Error(), "closed") {
		t.Errorf("a launch on a closed device: %v", c.Err)
	}
}
