//go:build extension

package main

import (
	"slices"

	"weft/arrays"
)

// NumPy's scalars are immutable. A scalar of ours is an array of no dimensions, so that a
// view of it must never reach the user as an array: assignments to it would change the scalar.

// keepers are the functions that give a scalar for a scalar. All others give an array, as
// NumPy's do, for which a scalar is an argument like any number.
var keepers = []string{"astype", "flip", "moveaxis", "permute_dims", "reshape", "squeeze", "transpose"}

// keeperRows tells for each function of the table whether it is a keeper.
func keeperRows(table []arrays.Func) []bool {
	rows := make([]bool, len(table))
	for i := range table {
		rows[i] = slices.Contains(keepers, table[i].Name)
	}
	return rows
}

// detach makes an array of its own of each result that shares memory with a scalar among
// the arguments, and scalars of the results of a keeper.
func detach(c *arrays.Context, keeper bool, given []arrays.Value, result *arrays.Value) error {
	for i := range given {
		g := &given[i]
		switch {
		case g.Kind == arrays.TupleValue:
			if err := detach(c, keeper, g.Items, result); err != nil {
				return err
			}
		case g.Kind == arrays.ArrayValue && g.Array.Scalar:
			if err := detachFrom(c, keeper && i == 0, g.Array, result); err != nil {
				return err
			}
		}
	}
	return nil
}

func detachFrom(c *arrays.Context, keep bool, scalar *arrays.Array, result *arrays.Value) error {
	if result.Kind == arrays.TupleValue {
		for i := range result.Items {
			if err := detachFrom(c, keep, scalar, &result.Items[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if result.Kind != arrays.ArrayValue {
		return nil
	}
	a := result.Array
	if keep && a.Ndim() == 0 {
		a.Scalar = true
		return nil
	}
	if !a.Shares(scalar) || a.Scalar && a != scalar || !a.Writable() {
		return nil
	}
	copied, err := c.Call("copy", a)
	if a != scalar {
		a.Free()
	}
	if err != nil {
		return err
	}
	result.Array = copied
	return nil
}
