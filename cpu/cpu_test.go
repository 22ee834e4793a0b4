package cpu

import (
	"testing"

	"weft/tile"
	"weft/tile/tiletest"
)

// TestDevice runs the kit with every instruction set of this processor.
func TestDevice(t *testing.T) {
	for _, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			tiletest.Run(t, func() tile.Device { return New(Options{Workers: 2, ISA: isa}) })
		})
	}
}

// TestParts runs the kit, and more random programs, with launches cut into as many parts as they have points.
func TestParts(t *testing.T) {
	open := func() tile.Device { return New(Options{Workers: 3, Part: 1}) }
	tiletest.Run(t, open)
	dev := open()
	for seed := range uint64(300) {
		tiletest.Random(t, seed, dev)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestStreaming writes results past the caches however small they are, at any alignment.
func TestStreaming(t *testing.T) {
	for _, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			dev := New(Options{Workers: 1, ISA: isa, Stream: 1})
			for seed := range uint64(100) {
				tiletest.Random(t, seed, dev)
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEmulatedGPU(t *testing.T) {
	tiletest.Run(t, func() tile.Device { return NewEmulatedGPU(0, Options{Workers: 2, Memory: 64 << 20}) })
}
