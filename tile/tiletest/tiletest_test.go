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
	b := newBench(t, tile.NewReference(64<<20, time.Now(), nil))
	testMemory(b)
}

// TestEveryOpcodeHasATolerance wants it said of each opcode that computes how far a device may be from the reference.
func TestEveryOpcodeHasATolerance(t *testing.T) {
	for _, op := range tile.Opcodes() {
		if _, said := tolerances[op]; said != op.IsScalar() {
			t.Errorf("%v has a row in the table of tile/tiletest/tolerance.go: %v; want %v", op, said, op.IsScalar())
		}
	}
}

// The reference gives the same in any order of threads.
func TestThreadsInAnyOrder(t *testing.T) {
	d := tile.NewReference(0, time.Now(), nil)
	for seed := range uint64(60) {
		RandomThreads(t, seed, d)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
