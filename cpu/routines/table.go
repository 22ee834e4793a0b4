package routines

import (
	"fmt"
	"unsafe"

	"weft/cpu/sorting"
	"weft/tile"
)

// Table is the table of routines that programs call by name. Operands are packed: arrays in
// C order without gaps. A row says how many operands there are; the comment names them.
//
// The machine is what sorts.
func Table(machine sorting.Machine) tile.Routines {
	sorter, plans := Sorter{machine}, NewPlans(PlanBytes)
	table := tile.Routines{
		// x, sorted. The uniforms are the wanted positions, ascending; none wants all.
		"sort": of(2, func(par Parallel, a *call) error {
			sorter.Sort(par, a.of[0], a.of[1], a.positions())
			return nil
		}),
		// x, positions.
		"argsort": of(2, func(par Parallel, a *call) error {
			sorter.Argsort(par, a.of[0], a.of[1], a.positions())
			return nil
		}),
		// sorted, values, positions.
		"searchsorted": of(3, func(par Parallel, a *call) error {
			Searchsorted(par, a.of[0], a.of[1], a.of[2], a.attr("right") != 0)
			return nil
		}),
		// x, values, count; index, inverse and counts where the attributes say so.
		"unique": of(-1, func(par Parallel, a *call) error {
			sorter.FindUnique(par, a.of[0], a.unique(), a.attr("apart") != 0)
			return nil
		}),
		// x, result.
		"scan.add":      scanOf("add"),
		"scan.multiply": scanOf("multiply"),
		"scan.maximum":  scanOf("maximum"),
		"scan.minimum":  scanOf("minimum"),
		// x, coordinates along each axis.
		"nonzero": of(-1, func(par Parallel, a *call) error {
			return a.fits(Nonzero(par, a.of[0], a.of[1:]))
		}),
		// x, mask, result.
		"compress": of(3, func(par Parallel, a *call) error {
			return a.fits(Compress(par, a.of[0], a.of[1], a.of[2]))
		}),
		// x, of three axes, an element for the first and the last of them, its first positions along the middle one or
		// those of NaNs.
		"position": of(3, func(par Parallel, a *call) error {
			if _, ok := comparisons[a.of[0].Type]; !ok {
				return fmt.Errorf("no position of %v", a.of[0].Type)
			}
			if s := a.of[0].Shape; len(s) != 3 || s[1] == 0 || a.of[1].Elements() != s[0]*s[2] || a.of[2].Elements() != s[0]*s[2] {
				return fmt.Errorf("shapes %v, %v and %v; want three axes, and an element for the first and the last", s, a.of[1].Shape, a.of[2].Shape)
			}
			Position(par, a.of[0], a.of[1], a.of[2])
			return nil
		}),
		// indices, their smallest and largest.
		"extremes": of(2, func(par Parallel, a *call) error {
			Extremes(par, a.of[0], a.of[1])
			return nil
		}),
		// indices, the first one that lies outside. The uniform is the extent of the axis.
		"beyond": of(2, func(par Parallel, a *call) error {
			Beyond(par, a.of[0], a.of[1], int(a.uniforms[0].Int()))
			return nil
		}),
		// x, indices for each of its first axes, result. Any strides.
		"gather": gatherRoutine,
		// target, which is updated, indices for each of its first axes, values. Any strides.
		"scatter": scatterRoutine,
		// x, indices, result.
		"take_along": of(3, func(par Parallel, a *call) error {
			axis := int(a.attr("axis"))
			return a.found(TakeAlong(par, a.of[0], a.of[1], a.of[2], axis), axis)
		}),
		// x, weights if there are any, counts.
		"bincount": of(-1, func(par Parallel, a *call) error {
			x, weights, out := a.weighted(1)
			if Bincount(par, x[0], weights, out) >= 0 {
				return fmt.Errorf("BUG: a number without a bin reached the routine")
			}
			return nil
		}),
		// x, edges, weights if there are any, counts. The uniform is the width of all bins, or 0.
		"histogram": of(-1, func(par Parallel, a *call) error {
			x, weights, out := a.weighted(2)
			Histogram(par, x[0], Bins{x[1], a.uniforms[0].Float()}, weights, out)
			return nil
		}),
		// places, x and y of points, result. The uniforms are what is left and right of the points where the attributes
		// say so.
		"interp": of(4, func(par Parallel, a *call) error {
			at, x, y, out := a.of[0], a.of[1], a.of[2], a.of[3]
			ys := as[float64](y.Data)
			if len(ys) == 0 || x.Elements() != len(ys) || at.Elements() != out.Elements() {
				return fmt.Errorf("shapes %v, %v, %v and %v; want points, and a result for each place", at.Shape, x.Shape, y.Shape, out.Shape)
			}
			ends := [2]float64{ys[0], ys[len(ys)-1]}
			for i, name := range [2]string{"left", "right"} {
				if a.attr(name) != 0 {
					ends[i] = a.uniforms[i].Float()
				}
			}
			Interpolate(par, at, x, y, out, ends[0], ends[1])
			return nil
		}),
		// x, of complex or real numbers, result. The uniform is the scale.
		"fft": of(2, func(par Parallel, a *call) error {
			plans.Fourier(par, a.of[0], a.of[1], a.attr("inverse") != 0, a.uniforms[0].Float())
			return nil
		}),
		"rfft": of(2, func(par Parallel, a *call) error {
			plans.RealFourier(par, a.of[0], a.of[1], a.uniforms[0].Float())
			return nil
		}),
		"irfft": of(2, func(par Parallel, a *call) error {
			plans.InverseRealFourier(par, a.of[0], a.of[1], a.uniforms[0].Float())
			return nil
		}),
		// target, which is updated, mask, values: one row for each element of the mask that is not
		// zero, or fewer, which repeat.
		"expand": of(3, func(par Parallel, a *call) error {
			return a.fits(Expand(par, a.of[0], a.of[1], a.of[2], a.attr("repeat") != 0))
		}),
	}
	for _, op := range tile.Opcodes() {
		if op.Arity() == 2 { // scatter.add: the values are combined with what is there
			table["scatter."+op.String()] = scatterRoutine
		}
	}
	return table
}

// call is the arguments of a routine.
type call struct {
	program  *tile.Program
	of       []Packed
	uniforms []tile.Scalar
}

// of makes a row of the table: a routine of so many operands, or of any number.
func of(operands int, code func(par Parallel, a *call) error) func(p *tile.Program) (tile.Routine, error) {
	return func(p *tile.Program) (tile.Routine, error) {
		if operands >= 0 && len(p.Params) != operands {
			return nil, fmt.Errorf("it has %d operands; want %d", len(p.Params), operands)
		}
		return func(c *tile.Call) error {
			a := &call{program: p, uniforms: c.Uniforms}
			for i := range c.Args {
				packed, err := pack(&c.Args[i])
				if err != nil {
					return fmt.Errorf("routine %s: operand %d: %w", p.Routine, i, err)
				}
				a.of = append(a.of, packed)
			}
			return code(parallel(c), a)
		}, nil
	}
}

// parallel is Share as this package uses it.
func parallel(c *tile.Call) Parallel {
	return func(n int, run func(i int)) {
		if err := c.Share(n, func(i int) error { run(i); return nil }); err != nil {
			panic(err) // a run has no errors: it has panicked
		}
	}
}

// pack takes an operand that must lie in C order.
func pack(o *tile.Operand) (Packed, error) {
	n, step := o.Elements(), int64(o.Type.Size())
	for i := len(o.Shape) - 1; i >= 0 && n > 0; i-- {
		if o.Shape[i] > 1 && o.Strides[i] != step {
			return Packed{}, fmt.Errorf("shape %v has strides %v; want it in C order without gaps", o.Shape, o.Strides)
		}
		step *= int64(o.Shape[i])
	}
	p := Packed{Type: o.Type, Shape: o.Shape}
	if n > 0 {
		p.Data = unsafe.Slice((*byte)(o.P), n*o.Type.Size())
	}
	return p, nil
}

// attr returns an attribute that is an integer; 0 where it is not given.
func (a *call) attr(name string) int64 {
	v, _ := a.program.Attr(name)
	return v.Int()
}

// positions are the uniforms, as positions.
func (a *call) positions() []int {
	var list []int
	for _, u := range a.uniforms {
		list = append(list, int(u.Int()))
	}
	return list
}

// weighted takes operands apart: so many inputs, the weights if there are any, the result.
func (a *call) weighted(inputs int) (x []Packed, weights *Packed, out Packed) {
	if len(a.of) > inputs+1 {
		weights = &a.of[inputs]
	}
	return a.of[:inputs], weights, a.of[len(a.of)-1]
}

// fits turns a result of another length than its array into an error: the data has changed
// since it was counted.
func (a *call) fits(ok bool) error {
	if !ok {
		return fmt.Errorf("BUG: %s: the number of elements that are not zero is not what was counted", a.program.Name)
	}
	return nil
}

// found turns the position of an index that means no place into NumPy's error.
func (a *call) found(bad, axis int) error {
	if bad < 0 {
		return nil
	}
	return &tile.DataError{Exception: "IndexError", Text: fmt.Sprintf("index %d is out of bounds for axis %d with size %d",
		as[int64](a.of[1].Data)[bad], axis, a.of[0].Shape[axis])}
}

func scanOf(name string) func(p *tile.Program) (tile.Routine, error) {
	return func(p *tile.Program) (tile.Routine, error) {
		if len(p.Params) != 2 || p.Params[0].Type != p.Params[1].Type || !HasScan(name, p.Params[0].Type) {
			return nil, fmt.Errorf("operands %v; want two of one dtype that %s has a scan for", p.Params, name)
		}
		return of(2, func(par Parallel, a *call) error {
			Scan(par, name, a.of[0], a.of[1], int(a.attr("axis")))
			return nil
		})(p)
	}
}

// unique is the results of a search for distinct elements.
func (a *call) unique() Unique {
	u := Unique{Values: a.of[1], Count: a.of[2]}
	rest := a.of[3:]
	for _, wanted := range []struct {
		name string
		to   *Packed
	}{{"index", &u.Index}, {"inverse", &u.Inverse}, {"counts", &u.Counts}} {
		if a.attr(wanted.name) != 0 {
			*wanted.to, rest = rest[0], rest[1:]
		}
	}
	return u
}
