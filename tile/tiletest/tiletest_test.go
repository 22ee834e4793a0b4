package tiletest

import (
	"testing"
	"time"

	"weft/tile"
)

// TestReference runs the kit on the reference device itself: the kit's own mistakes, and
// everything that is not arithmetic.
func TestReference(t *testing.T) {
	Run(t, func() tile.Device { return tile.NewReference(0, time.Now(), nil) })
}

func TestReferenceWithLimit(t *testing.T) {
	b := &bench{T: t, dev: tile.NewReference(64<<20, time.Now(), nil), ref: tile.NewReference(0, time.Now(), nil)}
	testMemory(b)
}
