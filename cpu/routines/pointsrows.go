package routines

import (
	"fmt"
	"slices"
	"strings"

	"weft/tile"
)

// pointsOf takes apart the operands of a gather or a scatter: the array first, what goes there
// or comes from there last.
func pointsOf(c *tile.Call) (*Points, *tile.Operand, error) {
	mode, _ := c.Program.Attr("mode")
	last := len(c.Args) - 1
	p := &Points{Of: c.Args[0], Indices: c.Args[1:last], Mode: Mode(mode.Int())}
	near := &c.Args[last]
	index := p.Indices[0].Shape
	rest := len(p.Of.Shape) - len(p.Indices)
	if rest < 0 || len(near.Shape) != len(index)+rest || !slices.Equal(near.Shape[:len(index)], index) ||
		!slices.Equal(near.Shape[len(index):], p.Of.Shape[len(p.Indices):]) {
		return nil, nil, fmt.Errorf("routine %s: %d indices of shape %v into shape %v, with %v; want the axes of the indices and of the rest",
			c.Program.Routine, len(p.Indices), index, p.Of.Shape, near.Shape)
	}
	for _, i := range p.Indices {
		if i.Type != tile.Int64 || !slices.Equal(i.Shape, index) {
			return nil, nil, fmt.Errorf("routine %s: indices %v of shape %v; want int64 of shape %v", c.Program.Routine, i.Type, i.Shape, index)
		}
	}
	return p, near, nil
}

// placed finds out whether all indices mean places, before anything is written.
func placed(par Parallel, p *Points) error {
	if axis, index := p.Outside(par); axis >= 0 {
		return &tile.DataError{Exception: "IndexError", Text: fmt.Sprintf("index %d is out of bounds for axis %d with size %d", index, axis, p.Of.Shape[axis])}
	}
	return nil
}

func gatherRoutine(p *tile.Program) (tile.Routine, error) {
	if n := len(p.Params); n < 3 || p.Params[0].Type != p.Params[n-1].Type {
		return nil, fmt.Errorf("operands %v; want an array, indices, and a result of the array's dtype", p.Params)
	}
	return func(c *tile.Call) error {
		points, out, err := pointsOf(c)
		if err != nil {
			return err
		}
		par := parallel(c)
		if err := placed(par, points); err != nil {
			return err
		}
		Gather(par, points, out)
		return nil
	}, nil
}

func scatterRoutine(p *tile.Program) (tile.Routine, error) {
	n := len(p.Params)
	if n < 3 || p.Params[0].Dir != tile.Update {
		return nil, fmt.Errorf("operands %v; want an array to update, indices, and values", p.Params)
	}
	t, by := p.Params[0].Type, p.Params[n-1].Type
	var combine mover
	if _, name, ok := strings.Cut(p.Routine, "."); ok {
		op, err := tile.ParseOpcode(name)
		if err == nil {
			combine, err = combining(op, t, by)
		}
		if err != nil {
			return nil, err
		}
	} else if t != by {
		return nil, fmt.Errorf("values of %v for an array of %v; want the same dtype", by, t)
	}
	return func(c *tile.Call) error {
		points, values, err := pointsOf(c)
		if err != nil {
			return err
		}
		par := parallel(c)
		if err := placed(par, points); err != nil {
			return err
		}
		Scatter(par, points, values, combine)
		return nil
	}, nil
}
