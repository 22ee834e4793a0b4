package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Threads submits a launch of a program of threads: an op that uses each array as the program's parameter of the same
// position says. Arrays have as many axes as these, and elements. What is written shares no memory with another array
// of the launch.
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
		case a.size == 0:
			return errorf("ValueError", "kernel %s: %s has shape %s, and so no elements", p.Name, name(i), scheduler.Tuple(a.view.Shape))
		case param.Dir.Writes():
			if err := a.refuse("kernel " + p.Name + ": " + name(i) + " is read-only"); err != nil {
				return err
			}
		}
		op.Uses = append(op.Uses, scheduler.Use{View: a.view, Access: scheduler.AccessOf[param.Dir]})
	}
	for i, w := range op.Uses {
		for k, u := range op.Uses {
			if i != k && w.Access.Writes() && mayOverlap(w.View, u.View) {
				return errorf("ValueError", "kernel %s: %s, which it writes, shares memory with %s; pass a copy of one", p.Name, name(i), name(k))
			}
		}
	}
	return dataError(c.submit(op))
}
