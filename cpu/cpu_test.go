package cpu

import (
	"testing"

	"weft/tile"
	"weft/tile/tiletest"
)

func TestDevice(t *testing.T) {
	tiletest.Run(t, func() tile.Device { return New(Options{Workers: 2}) })
}

func TestEmulatedGPU(t *testing.T) {
	tiletest.Run(t, func() tile.Device { return NewEmulatedGPU(0, Options{Workers: 2, Memory: 64 << 20}) })
}
