package scheduler_test

import (
	"testing"

	"weft/internal/datadriven"
	"weft/scheduler"
	"weft/tile"
)

// known are the programs that testdata names without declaring them.
func known() []*tile.Program {
	scale := tile.NewBuilder("scale1", 1)
	scale.Store(scale.Do(tile.Mul, scale.Load(tile.Float64), scale.Uniform(tile.Float64)))
	sum := tile.NewBuilder("sum2", 2)
	sum.Reduce(tile.Sum, sum.Load(tile.Float64))
	return []*tile.Program{scale.Program(), sum.Program()}
}

// A stream prints what it was read from, and what it prints reads back without known programs.
func TestText(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		return func(t *testing.T, c *datadriven.Case) string {
			if c.Cmd != "text" {
				t.Fatalf("%s: unknown command %q; want text", c.Pos, c.Cmd)
			}
			stream, err := scheduler.ParseOps(c.Input, known()...)
			if err != nil {
				return err.Error()
			}
			again, err := scheduler.ParseOps(stream.String())
			if err != nil || again.String() != stream.String() {
				t.Errorf("%s: the stream does not read back: %v", c.Pos, err)
			}
			return stream.String()
		}
	})
}

// Every reason has a text of its own that reads back.
func TestReasonsReadBack(t *testing.T) {
	seen := map[string]bool{}
	for why := scheduler.Together; why <= scheduler.Cleared; why++ {
		got, err := scheduler.ParseWhy(why.String())
		if err != nil || got != why || seen[why.String()] {
			t.Errorf("reason %d is %q, which reads back as %d, %v", why, why, got, err)
		}
		seen[why.String()] = true
	}
	if _, err := scheduler.ParseWhy("because"); err == nil {
		t.Error("a reason that there is not is read")
	}
}
