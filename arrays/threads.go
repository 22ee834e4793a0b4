package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Threads submits a launch of a program of threads: an op that uses each array as the program's parameter of the same
// position says. Arrays have as many axes as these. They may share memory, and have no elements: then no index is
// within them.
func (c *Context) Threads(p *tile.Program, grid tile.Grid, args []*Array, uniforms []tile.Scalar) error {
	c.collect()
	if len(args) != len(p.Params) || len(uniforms) != len(p.Uniforms) {
		return errorf("TypeError", "kernel %s takes %d arrays and %d scalars, got %d and %d", p.Name, len(p.Params), len(p.Uniforms), len(args), len(uniforms))
	}
	if err := grid.Check(p); err != nil {
		return errorf("ValueError", "kernel %s: %v", p.Name, err)
	}
	op := &scheduler.Op{Kind: scheduler.Call, Name: p.Name, Shape: []int{}, Program: p, Grid: &grid,
		Uniforms: slices.Clone(uniforms), Where: c.where}
	name := func(i int) string { return p.MemoryName(tile.Memory(i)) }
	for i, a := range args {
		if err := a.alive(); err != nil {
			return err
		}
		param := p.Params[i]
		switch {
		case a.view.Type != param.Type || len(a.view.Shape) != param.Axes:
			return errorf("TypeError", "kernel %s: %s is an array of %v with %d axes; it was compiled for %v with %d",
				p.Name, name(i), a.view.Type, len(a.view.Shape), param.Type, param.Axes)
		case param.Dir.Writes():
			if err := a.refuse("kernel " + p.Name + ": " + name(i) + " is read-only"); err != nil {
				return err
			}
		}
		op.Uses = append(op.Uses, scheduler.Use{View: a.view, Access: scheduler.AccessOf[param.Dir]})
		if a.size == 0 { // which may begin behind all bytes of the store
			op.Uses[i].View.Offset = 0
		}
	}
	return dataError(c.submit(op))
}
