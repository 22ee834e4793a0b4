package cpu

import (
	"testing"

	"weft/tile"
	"weft/tile/tiletest"
)

// inParts is a device that cuts launches into as many parts as they have points.
func inParts() tile.Device { return New(Options{Workers: 3, Part: 1}) }

// TestDevice runs the kit with every instruction set of this processor, in parts, and on a GPU that is emulated.
func TestDevice(t *testing.T) {
	var answers tiletest.Answers
	for _, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			answers.Run(t, func() tile.Device { return New(Options{Workers: 2, ISA: isa}) })
		})
	}
	t.Run("parts", func(t *testing.T) { answers.Run(t, inParts) })
	t.Run("emulated gpu", func(t *testing.T) {
		answers.Run(t, func() tile.Device { return NewEmulatedGPU(0, Options{Workers: 2, Memory: 64 << 20}) })
	})
}

// TestParts runs more random programs in parts.
func TestParts(t *testing.T) {
	dev := inParts()
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
