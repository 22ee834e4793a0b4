package tile_test

import (
	"testing"

	"weft/tile"
)

// Every primitive costs something, functions more than sums, and structure nothing.
func TestWorkOfOpcodes(t *testing.T) {
	for _, op := range tile.Opcodes() {
		switch got := op.Work(); {
		case op.IsScalar() && got < tile.Add.Work():
			t.Errorf("%v costs %d, less than add: has it a row in the table of tile/work.go?", op, got)
		case !op.IsScalar() && op != tile.Gather && !op.OfThreads() && got != 0:
			t.Errorf("%v costs %d, but computes nothing", op, got)
		}
	}
	for _, op := range []tile.Opcode{tile.Exp, tile.Log, tile.Sin, tile.Pow, tile.LogGamma, tile.Philox} {
		if op.Work() < 8*tile.Add.Work() {
			t.Errorf("%v costs %d, little more than add's %d", op, op.Work(), tile.Add.Work())
		}
	}
}

// A program costs what its instructions cost together, in proportion to their elements' sizes.
func TestWorkOfPrograms(t *testing.T) {
	build := func(typ tile.DType) *tile.Program {
		b := tile.NewBuilder("f", 1)
		x := b.Load(typ)
		b.Store(b.Do(tile.Exp, b.Do(tile.Add, x, x)))
		return b.Program()
	}
	want := tile.Exp.Work() + tile.Add.Work()
	if got := build(tile.Float64).Work(); got != want {
		t.Errorf("float64: %d, want %d", got, want)
	}
	if got := build(tile.Float32).Work(); got != want/2 {
		t.Errorf("float32: %d, want %d", got, want/2)
	}
}
