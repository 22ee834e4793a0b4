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

func TestEmulatedGPU(t *testing.T) {
	tiletest.Run(t, func() tile.Device { return NewEmulatedGPU(0, Options{Workers: 2, Memory: 64 << 20}) })
}
