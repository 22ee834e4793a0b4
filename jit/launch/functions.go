package launch

import (
	"fmt"

	"weft/arrays"
	"weft/jit"
	"weft/tile"
)

// Functions are the functions of a process that are compiled. One thread at a time uses them.
type Functions struct{ list []*function }

// function is one of them with what was made of it.
type function struct {
	unit    *jit.Unit
	applied map[string]*applied
	kernels map[string]*kernel
	specs   []jit.Spec // of kernels, the first of each signature
}

// applied is a function of elements for some dtypes.
type applied struct {
	*jit.Elementwise
	inputs []int
}

// calls is the table of what a language binding asks for, by name.
var calls = map[string]func(f *Functions, c *arrays.Context, v []arrays.Value) (arrays.Value, error){
	"read":   (*Functions).read,
	"apply":  (*Functions).apply,
	"result": (*Functions).result,
	"launch": (*Functions).launch,
	"halo":   (*Functions).halo,
	"empty":  (*Functions).empty,

	"signatures": (*Functions).signatures,
	"compile":    (*Functions).compile,
	"describe":   (*Functions).describe,
	"device":     (*Functions).device,
}

// Call does what a binding asks for:
//
//	read text                                        -> the function's number
//	result number, dtypes, dtype or None             -> the dtype that it gives for elements of such
//	apply number, dtype or None, out or None, dtypes or None, inputs...  -> array
//	launch number, blocks, block, dynamic, structure or None, arguments...   -> a bit for each argument that is written
//	halo number, blocks, block, dynamic, halos, arguments...                 -> an error where it reads further
//	empty array                                      -> notes that nothing has written it
//	signatures number                                -> for each, in order, a tuple of its types' names
//	compile number, structure or None, types...      -> compiles a kernel, and gives the position of its signature
//	describe number, position, threads, capability   -> a kernel as PTX and as a program, and what it takes (texts.go)
//	device number, name, ABI, capability, dtype or None, types...            -> a function as PTX, and the dtype that it gives
//
// A halo is a tuple of a number for each axis of the argument, which is empty where none is declared.
//
// Dtypes are given by their names, types of arrays with the number of axes behind them: float64:2. The first one of
// apply is that of the result; the others are those that inputs are converted to.
func (f *Functions) Call(c *arrays.Context, what string, v []arrays.Value) (arrays.Value, error) {
	call, ok := calls[what]
	if !ok {
		return arrays.Value{}, fmt.Errorf("jit/launch: nothing is called %q; see the table in jit/launch/functions.go", what)
	}
	return call(f, c, v)
}

// firstArgument is where the arguments of a function begin in what a call is given.
var firstArgument = map[string]int{"apply": 4, "launch": 5, "halo": 5}

// Argument names what stands at a position of a call, of which what stands before it is known, for errors: argument n
// of f.
func (f *Functions) Argument(what string, v []arrays.Value, at int) string {
	first, ok := firstArgument[what]
	if !ok || at < first {
		return fmt.Sprintf("argument %d of a call of jit/launch, %s,", at+1, what)
	}
	fn, err := f.of(v[0])
	if err != nil {
		return err.Error()
	}
	i := at - first
	if flat := what != "launch" || v[4].Kind == arrays.None; !flat || i >= fn.unit.Params() {
		return "an argument of " + fn.unit.Name()
	}
	return fmt.Sprintf("argument %s of %s", fn.unit.Param(i), fn.unit.Name())
}

func (f *Functions) read(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	u, err := jit.Read(v[0].String)
	if err != nil {
		return arrays.Value{}, err
	}
	f.list = append(f.list, &function{unit: u, applied: map[string]*applied{}, kernels: map[string]*kernel{}})
	return arrays.Int(int64(len(f.list) - 1)), nil
}

func (f *Functions) empty(c *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	if v[0].Kind == arrays.ArrayValue {
		c.LeaveUntouched(v[0].Array)
	}
	return arrays.Value{}, nil
}

func (f *Functions) of(v arrays.Value) (*function, error) {
	if v.Kind != arrays.IntValue || v.Int < 0 || v.Int >= int64(len(f.list)) {
		return nil, fmt.Errorf("jit/launch: there is no function %d; %d have been read", v.Int, len(f.list))
	}
	return f.list[v.Int], nil
}

// numberType returns the dtype that Numba gives an argument: numbers of Python's are of 64 bits, those of NumPy have
// their own.
func numberType(v arrays.Value) tile.DType {
	switch {
	case v.Kind == arrays.ArrayValue:
		return v.Array.DType()
	case v.DType != tile.Invalid:
		return v.DType
	}
	switch v.Kind {
	case arrays.BoolValue:
		return tile.Bool
	case arrays.IntValue:
		return tile.Int64
	case arrays.UintValue:
		return tile.Uint64
	case arrays.FloatValue:
		return tile.Float64
	case arrays.ComplexValue:
		return tile.Complex128
	}
	return tile.Invalid
}

// dtypeOf returns the dtype that a value names, Invalid for None.
func dtypeOf(v arrays.Value) tile.DType {
	t, err := tile.ParseDType(v.String)
	if err != nil {
		return tile.Invalid
	}
	return t
}

func (f *Functions) result(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	inputs := make([]jit.Input, len(v[1].Items))
	for i, t := range v[1].Items {
		inputs[i] = jit.Input{Type: dtypeOf(t), As: dtypeOf(t)}
	}
	a, err := fn.apply(inputs, dtypeOf(v[2]))
	if err != nil {
		return arrays.Value{}, err
	}
	return arrays.Value{Kind: arrays.DTypeValue, DType: a.Result}, nil
}

// apply returns the function compiled for some inputs.
func (fn *function) apply(inputs []jit.Input, result tile.DType) (*applied, error) {
	b := make([]byte, 0, 3*len(inputs)+1)
	for _, in := range inputs {
		scalar := byte(0)
		if in.Scalar {
			scalar = 1
		}
		b = append(b, byte(in.Type), byte(in.As), scalar)
	}
	key := string(append(b, byte(result)))
	if a := fn.applied[key]; a != nil {
		return a, nil
	}
	e, err := fn.unit.Elementwise(inputs, result)
	if err != nil {
		return nil, err
	}
	a := &applied{e, e.Inputs()}
	fn.applied[key] = a
	return a, nil
}

func (f *Functions) apply(c *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	var out *arrays.Array
	if v[2].Kind == arrays.ArrayValue {
		out = v[2].Array
	}
	args := v[4:]
	inputs := make([]jit.Input, len(args))
	var all []*arrays.Array
	for i, a := range args {
		t := numberType(a)
		if t == tile.Invalid {
			return arrays.Value{}, &arrays.Error{Type: "TypeError", Text: fmt.Sprintf("%s: argument %d is no number and no array of numbers", fn.unit.Name(), i+1)}
		}
		inputs[i] = jit.Input{Type: t, As: t, Scalar: a.Kind != arrays.ArrayValue}
		if len(v[3].Items) > 0 {
			inputs[i].As = dtypeOf(v[3].Items[i])
		}
		if inputs[i].Scalar {
			inputs[i].Type = inputs[i].As
		} else {
			all = append(all, a.Array)
		}
	}
	a, err := fn.apply(inputs, dtypeOf(v[1]))
	if err != nil {
		return arrays.Value{}, err
	}
	shape, err := arrays.Broadcast(all)
	if err != nil {
		return arrays.Value{}, err
	}
	used := make([]*arrays.Array, len(a.inputs))
	for i, at := range a.inputs {
		used[i] = args[at].Array
	}
	uniforms := make([]tile.Scalar, len(a.Uniforms))
	for i, u := range a.Uniforms {
		if uniforms[i], err = arrays.ScalarOf(args[u.Argument()], u.Type); err != nil {
			return arrays.Value{}, err
		}
	}
	made, err := c.Apply(fn.unit.Name(), a.Program, a.Result, out, used, shape, uniforms)
	if err != nil {
		return arrays.Value{}, err
	}
	return arrays.Of(made), nil
}
