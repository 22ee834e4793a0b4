package launch

import (
	"fmt"
	"strconv"
	"strings"

	"weft/arrays"
	"weft/cuda/ptx"
	"weft/jit"
	"weft/tile"
)

// sign notes the signature of a spec that was compiled, and returns its position.
func (fn *function) sign(spec jit.Spec) int {
	names := signature(spec.Types)
	for i, known := range fn.specs {
		if signature(known.Types) == names {
			return i
		}
	}
	fn.specs = append(fn.specs, spec)
	return len(fn.specs) - 1
}

func signature(types []jit.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return strings.Join(names, "; ")
}

// signatures tells what a kernel has been compiled for.
func (f *Functions) signatures(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	all := arrays.Tuple()
	for _, spec := range fn.specs {
		one := arrays.Tuple()
		for _, t := range spec.Types {
			one.Items = append(one.Items, arrays.String(t.String()))
		}
		all.Items = append(all.Items, one)
	}
	return all, nil
}

// typesOf reads types by their names.
func typesOf(names []arrays.Value) ([]jit.Type, error) {
	types := make([]jit.Type, len(names))
	for i, v := range names {
		name, axes, isArray := strings.Cut(v.String, ":")
		t, err := tile.ParseDType(name)
		if err != nil {
			return nil, err
		}
		types[i] = jit.Of(t)
		if isArray {
			n, err := strconv.Atoi(axes)
			if err != nil {
				return nil, fmt.Errorf("jit/launch: type %q; want a dtype, a colon and a number of axes", v.String)
			}
			types[i] = jit.ArrayOf(t, n)
		}
	}
	return types, nil
}

// compile compiles a kernel before it is launched.
func (f *Functions) compile(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	leaves, err := typesOf(v[2:])
	if err != nil {
		return arrays.Value{}, err
	}
	spec := jit.Spec{Types: leaves, Same: make([]int, len(leaves))}
	for i := range spec.Same {
		spec.Same[i] = i
	}
	if v[1].Kind == arrays.StringValue {
		if spec.Types, err = jit.Structure(v[1].String, leaves); err != nil {
			return arrays.Value{}, err
		}
	}
	if _, err := fn.kernel(spec); err != nil {
		return arrays.Value{}, err
	}
	return arrays.Int(int64(fn.sign(spec))), nil
}

// describe shows a kernel of a signature: its PTX for blocks of at most so many threads and a compute capability, the
// name that it has there, its program, the bytes of shared arrays of a block, those of a thread's own arrays, and the
// names that it sets, each with file, line and type. What is shown is the kernel by itself, as threads: as
// lanes, it is a part of what it is fused with.
func (f *Functions) describe(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	if v[1].Int < 0 || v[1].Int >= int64(len(fn.specs)) {
		return arrays.Value{}, fmt.Errorf("jit/launch: %s has no signature %d; it has been compiled for %d", fn.unit.Name(), v[1].Int, len(fn.specs))
	}
	spec := fn.specs[v[1].Int]
	k, err := fn.kernel(spec)
	if err != nil {
		return arrays.Value{}, err
	}
	if err := k.asThreads(fn.unit, spec); err != nil {
		return arrays.Value{}, err
	}
	p := k.threads.Program
	if p == nil { // it does nothing, so that no device gets it
		p = tile.NewThreads(fn.unit.Name()).Program()
	}
	made, err := ptx.Emit(p, ptx.Variant{Threads: int16(v[2].Int)})
	if err != nil {
		return arrays.Value{}, err
	}
	target, err := ptx.TargetOf(int(v[3].Int))
	if err != nil {
		return arrays.Value{}, &arrays.Error{Type: "ValueError", Text: err.Error()}
	}
	shared, own := ptx.ScratchBytes(p)
	names := arrays.Tuple()
	k.threads.Types(func(n jit.Named, of jit.Type) {
		names.Items = append(names.Items, arrays.Tuple(arrays.String(n.File), arrays.Int(int64(n.Line)), arrays.String(n.Name), arrays.String(of.String())))
	})
	return arrays.Tuple(arrays.String(ptx.Module(target, made)), arrays.String(made.Name), arrays.String(p.String()), arrays.Int(shared), arrays.Int(own), names), nil
}

// device shows a function that kernels call, of numbers.
func (f *Functions) device(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	types, err := typesOf(v[5:])
	if err != nil {
		return arrays.Value{}, err
	}
	e, err := fn.unit.Device(types, dtypeOf(v[4]))
	if err != nil {
		return arrays.Value{}, err
	}
	args := make([]tile.DType, len(types))
	for i, t := range types {
		args[i] = t.DType
	}
	abi := ptx.ABIC
	if v[2].String == "numba" {
		abi = ptx.ABINumba
	}
	made, err := ptx.Function(e.Program(1), v[1].String, args, e.Inputs(), abi)
	if err != nil {
		return arrays.Value{}, &jit.Error{Class: "UnsupportedError", Text: err.Error()}
	}
	target, err := ptx.TargetOf(int(v[3].Int))
	if err != nil {
		return arrays.Value{}, &arrays.Error{Type: "ValueError", Text: err.Error()}
	}
	return arrays.Tuple(arrays.String(ptx.Module(target, made)), arrays.Value{Kind: arrays.DTypeValue, DType: e.Result}), nil
}
