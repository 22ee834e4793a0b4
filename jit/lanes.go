package jit

import (
	"fmt"
	"maps"
	"slices"

	"weft/tile"
)

// Uniform is a scalar that a launch hands over: an argument, or a number computed from the Facts.
type Uniform struct {
	Type     tile.DType
	argument int     // -1 for a number
	number   *number // or nil
	first    int     // an axis of the grid plus 1: where its threads begin
}

// Argument returns which argument the uniform is, or -1.
func (u Uniform) Argument() int { return u.argument }

// Input is an argument of a function of elements: its dtype, that in which the function gets it, and whether it is one
// scalar for all elements, of the latter.
type Input struct {
	Type, As tile.DType
	Scalar   bool
}

// Elementwise is a function of elements as a program.
type Elementwise struct {
	Result   tile.DType
	Uniforms []Uniform
	name     string
	lower    *lower
	in       *instr
	programs map[int]*tile.Program
}

// Elementwise compiles the unit's function for elements of the given dtypes. The result is of the dtype that the
// function gives, or of the one that is asked for.
func (u *Unit) Elementwise(inputs []Input, result tile.DType) (made *Elementwise, err error) {
	return u.elementwise(inputs, result, false)
}

// Device compiles the unit's function as one that kernels call, for numbers of the given dtypes.
// Its result is of the dtype that it gives, or of the one that is asked for.
func (u *Unit) Device(types []Type, result tile.DType) (made *Elementwise, err error) {
	inputs := make([]Input, len(types))
	for i, t := range types {
		if t.Kind != Number {
			return nil, &Error{unsupported, fmt.Sprintf("%s: argument %d is %v; functions that are compiled by themselves take numbers, others only as a part of the kernels that call them",
				u.Name(), i+1, t)}
		}
		inputs[i] = Input{Type: t.DType, As: t.DType}
	}
	return u.elementwise(inputs, result, true)
}

func (u *Unit) elementwise(inputs []Input, as tile.DType, cuda bool) (made *Elementwise, err error) {
	defer recovered(&err)
	l := newLower(u, nil)
	l.cuda = cuda
	f := u.functions[0]
	l.frame = &frame{function: f, vars: names{}}
	if len(inputs) != len(f.params) {
		return nil, &Error{"TypeError", fmt.Sprintf("%s() takes %d arguments (%d given)", f.name, len(f.params), len(inputs))}
	}
	vars := names{}
	for i, in := range inputs {
		if in.Scalar {
			l.uniforms = append(l.uniforms, Uniform{Type: in.As, argument: i})
			vars.set(f.params[i].Word, of(&instr{op: tile.Uniform, typ: in.As, n: len(l.uniforms) - 1}))
			continue
		}
		l.elements = append(l.elements, element{array: i})
		vars.set(f.params[i].Word, of(l.as(in.As, &instr{op: tile.Load, typ: in.Type, n: len(l.elements) - 1})))
	}
	v := l.enter(&frame{function: f, vars: vars})
	if v.typ.Maybe {
		l.frame = &frame{function: f, vars: vars}
		l.cannotUnify(f.body[len(f.body)-1], result, v.bare().typ, none().typ)
	}
	if v.typ.Kind != Number {
		l.frame = &frame{function: f, vars: vars}
		l.fail(f.body[len(f.body)-1], typing, "Return a number.", "the function returns %v for elements; want a number", v.typ)
	}
	if as == tile.Invalid {
		as = v.typ.DType
	}
	e := &Elementwise{Result: as, name: f.name, lower: l, in: l.as(as, v.in), programs: map[int]*tile.Program{}}
	e.Program(1)
	return e, nil
}

// Program returns the function as a program over an index space of some rank. Its parameters are the inputs that are
// no scalars, as far as they matter (Inputs), and the result.
func (e *Elementwise) Program(rank int) *tile.Program {
	if p := e.programs[rank]; p != nil {
		return p
	}
	emit := emission{l: e.lower, b: tile.NewBuilder(e.name, rank), gathers: func(int) bool { return false }}
	p := emit.emit(e.lower.out, []output{{-1, e.in}})
	e.programs[rank], e.Uniforms = p, emit.uniforms
	return p
}

// Inputs returns which argument each parameter but the last one is.
func (e *Elementwise) Inputs() (inputs []int) {
	emit := emission{l: e.lower, b: tile.NewBuilder(e.name, 1), gathers: func(int) bool { return false }}
	emit.emit(e.lower.out, []output{{-1, e.in}})
	for _, o := range emit.operands[:len(emit.operands)-1] {
		inputs = append(inputs, e.lower.elements[o.element].array)
	}
	return inputs
}

// Spec is what a kernel is compiled for: the types of its arguments, which earlier argument each is the same array as
// (or itself), and what is known of the blocks.
type Spec struct {
	Types []Type
	Same  []int
	Along [3]Along
}

// Key tells specs that need other programs.
func (s Spec) Key() string {
	b := make([]byte, 0, 8*len(s.Types)+len(s.Along))
	for _, t := range s.Types {
		if t.Items == nil {
			b = append(b, byte(t.Kind), byte(t.DType), byte(t.Axes), 0)
		} else {
			b = append(b, t.key()...)
		}
	}
	for _, same := range s.Same {
		b = append(b, byte(same))
	}
	for _, a := range s.Along {
		b = append(b, byte(a))
	}
	return string(b)
}

// Kernel is a kernel whose threads write elements of their own, compiled for arguments of some types.
type Kernel struct {
	name     string
	lower    *lower
	outputs  []output
	axes     []int   // of the grid, in the order of the index space
	from     [3]bool // threads may begin elsewhere than at 0
	variants map[string]*variant
}

// variant is the program for launches in which the same elements are gathered.
type variant struct {
	program  *tile.Program
	operands []operand
	uniforms []Uniform
}

// Kernel compiles the unit's function as a kernel. An UnsupportedError says what it does that is not done here.
func (u *Unit) Kernel(spec Spec) (k *Kernel, err error) {
	defer recovered(&err)
	f := u.functions[0]
	if got, want := len(spec.Types), len(f.params); got > want {
		return nil, &Error{"TypeError", fmt.Sprintf("too many arguments: expected %d, got %d", want, got)}
	} else if got < want {
		return nil, &Error{"TypeError", fmt.Sprintf("not enough arguments: expected %d, got %d", want, got)}
	}
	written := map[int]bool{}
	var l *lower
	for {
		l = newLower(u, written)
		l.cuda, l.kernel, l.single, l.leaves = true, true, spec.Along, len(Leaves(spec.Types))
		l.frame = &frame{function: f, vars: l.parameters(f, spec)}
		l.spine, l.tail = true, true
		l.frame.set(returned, l.truth(false))
		l.run(f.body)
		if maps.Equal(written, l.wrote) {
			break
		}
		maps.Copy(written, l.wrote)
		written = maps.Clone(written)
	}
	made := &Kernel{name: f.name, lower: l, variants: map[string]*variant{}}
	for _, at := range slices.Sorted(maps.Keys(l.cells)) {
		if in := l.cells[at]; in != l.loads[at] {
			made.outputs = append(made.outputs, output{at, in})
		}
	}
	if len(made.outputs) == 0 {
		l.fail(f.body[0], unsupported, "Write the elements of an array that is an argument.", "the kernel writes nothing")
	}
	for _, b := range l.bounds {
		made.from[b.axis] = made.from[b.axis] || !b.below
	}
	for _, d := range l.elements[made.outputs[0].element].dims {
		if d.axis >= 0 && !slices.Contains(made.axes, d.axis) {
			made.axes = append(made.axes, d.axis)
		}
	}
	for axis := range 3 {
		used := l.axes[axis] != nil || slices.ContainsFunc(l.bounds, func(b bound) bool { return b.axis == axis })
		if used && !slices.Contains(made.axes, axis) {
			made.axes = slices.Insert(made.axes, 0, axis)
		}
	}
	return made, nil
}
