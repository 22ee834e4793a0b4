package launch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/arrays"
	"weft/jit"
	"weft/tile"
)

// kernel is a kernel for arguments of some types: as lanes where it can be, otherwise as threads.
type kernel struct {
	lanes   *jit.Kernel
	threads *jit.Threads             // nil until it is asked for
	clean   map[uint64]*tile.Program // the guarded program, by the parameters that nothing has written, a bit each
	refused error                    // it can be neither

	facts       jit.Facts // of the last launch that was placed as lanes, and what it was; nil if none was
	placed      *jit.Lanes
	threadsOnly error // or why it was none
}

// place places a launch as lanes. One of the same shapes, numbers and blocks as the last is what that was.
func (k *kernel) place(facts *jit.Facts) (*jit.Lanes, error) {
	if k.placed == nil && k.threadsOnly == nil || !k.facts.Equal(facts) {
		k.facts = *facts
		k.placed, k.threadsOnly = k.lanes.Place(facts)
	}
	return k.placed, k.threadsOnly
}

// gridOf returns what is known of a launch by its blocks, their threads and dynamic bytes.
func gridOf(v []arrays.Value) jit.Facts {
	facts := jit.Facts{Blocks: [3]int64{1, 1, 1}, Block: [3]int64{1, 1, 1}, Dynamic: v[2].Int}
	for i := range v[0].Items {
		facts.Blocks[i] = v[0].Items[i].Int
	}
	for i := range v[1].Items {
		facts.Block[i] = v[1].Items[i].Int
	}
	return facts
}

// halo reports an error where a launch reads further than is declared, or is none that halos are declared of.
func (f *Functions) halo(_ *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	facts := gridOf(v[1:])
	declared := make([][]int64, len(v[4].Items))
	for i, of := range v[4].Items {
		for _, n := range of.Items {
			declared[i] = append(declared[i], n.Int)
		}
	}
	spec, err := fn.specOf(arrays.Value{}, v[5:], &facts)
	if err != nil {
		return arrays.Value{}, err
	}
	k, err := fn.kernel(spec)
	switch {
	case err != nil:
		return arrays.Value{}, err
	case k.lanes == nil:
		_, err = fn.unit.Kernel(spec) // says why
		return arrays.Value{}, err
	}
	if _, err = k.place(&facts); err != nil {
		return arrays.Value{}, err
	}
	return arrays.Value{}, k.lanes.CheckHalo(&facts, declared)
}

// launch launches a kernel.
func (f *Functions) launch(c *arrays.Context, v []arrays.Value) (arrays.Value, error) {
	fn, err := f.of(v[0])
	if err != nil {
		return arrays.Value{}, err
	}
	facts := gridOf(v[1:])
	one := [3]int64{1, 1, 1}
	args := v[5:]
	spec, err := fn.specOf(v[4], args, &facts)
	if err != nil {
		return arrays.Value{}, err
	}
	k, err := fn.kernel(spec)
	if err != nil {
		return arrays.Value{}, err
	}
	var lanes *jit.Lanes
	if alone := facts.Blocks == one && facts.Block == one; k.lanes != nil && !alone { // one thread is no tile
		if lanes, err = k.place(&facts); err != nil && !unsupported(err) {
			return arrays.Value{}, err
		}
	}
	var written int64
	if lanes != nil && err == nil && apart(lanes, args) {
		written, err = runLanes(c, fn.unit.Name(), lanes, args)
	} else {
		written, err = fn.runThreads(c, k, spec, &facts, args)
	}
	return arrays.Int(written), err
}

// unsupported reports whether an error says that something is not done here, and no more than that.
func unsupported(err error) bool {
	var e *jit.Error
	return errors.As(err, &e) && e.Class == "UnsupportedError"
}

// apart reports whether lanes do what threads would: all that they use has elements, and nothing that they write is an
// element of another argument, too, which the kernel may have read before or behind that.
func apart(lanes *jit.Lanes, args []arrays.Value) bool {
	if slices.Contains(lanes.Shape, 0) {
		return true
	}
	for i, w := range lanes.Operands {
		written := args[w.Argument].Array
		if written.Size() == 0 {
			return false
		}
		for k, o := range lanes.Operands {
			if i != k && w.Write && o.Argument != w.Argument && written.Overlap(args[o.Argument].Array) {
				return false
			}
		}
	}
	return true
}

// runLanes submits a launch as lanes, and returns a bit for each argument that it writes.
func runLanes(c *arrays.Context, name string, lanes *jit.Lanes, args []arrays.Value) (written int64, err error) {
	if slices.Contains(lanes.Shape, 0) {
		return 0, nil
	}
	uses := make([]arrays.Use, len(lanes.Operands))
	for i, o := range lanes.Operands {
		uses[i] = arrays.Use{Array: args[o.Argument].Array, Whole: o.Whole, From: o.From, Axes: o.Axes}
		if o.Write {
			written |= 1 << o.Argument
		}
	}
	uniforms, err := uniformsOf(lanes.Uniforms, lanes.Numbers, args)
	if err != nil {
		return 0, err
	}
	return written, c.Submit(name, lanes.Program, slices.Clone(lanes.Shape), uses, uniforms)
}

// runThreads does so of a launch as threads.
func (fn *function) runThreads(c *arrays.Context, k *kernel, spec jit.Spec, facts *jit.Facts, args []arrays.Value) (written int64, err error) {
	if err := k.asThreads(fn.unit, spec); err != nil {
		return 0, err
	}
	if k.threads.Program == nil {
		return 0, nil
	}
	p := k.guarded(c, args)
	used := make([]*arrays.Array, len(k.threads.Arrays))
	for i, at := range k.threads.Arrays {
		used[i] = args[at].Array
		if k.threads.Program.Params[i].Dir.Writes() {
			written |= 1 << at
		}
	}
	uniforms, err := uniformsOf(k.threads.Uniforms, k.threads.Numbers(facts), args)
	if err != nil {
		return 0, err
	}
	grid := tile.Grid{Dynamic: facts.Dynamic}
	for axis := range grid.Blocks {
		grid.Blocks[axis], grid.Threads[axis] = int(facts.Blocks[axis]), int(facts.Block[axis])
	}
	return written, c.Threads(p, grid, used, uniforms)
}

// asThreads compiles the kernel as threads, once.
func (k *kernel) asThreads(u *jit.Unit, spec jit.Spec) (err error) {
	if k.threads == nil {
		k.threads, err = u.Threads(spec)
	}
	return err
}

// guarded returns the program for arguments some of which nothing has written: to a guarded one, these are out
// parameters.
func (k *kernel) guarded(c *arrays.Context, args []arrays.Value) *tile.Program {
	p := k.threads.Program
	if !p.Guarded {
		return p
	}
	var bits uint64
	for i, at := range k.threads.Arrays {
		if i < 64 && c.Untouched(args[at].Array) {
			bits |= 1 << i
		}
	}
	if bits == 0 {
		return p
	}
	made := k.clean[bits]
	if made == nil {
		if k.clean == nil {
			k.clean = map[uint64]*tile.Program{}
		}
		other := *p
		other.Params = slices.Clone(p.Params)
		for i := range other.Params {
			if bits>>i&1 != 0 {
				other.Params[i].Dir = tile.Out
			}
		}
		made = &other
		k.clean[bits] = made
	}
	return made
}

// uniformsOf returns the scalars of a launch: arguments, or numbers.
func uniformsOf(list []jit.Uniform, numbers []int64, args []arrays.Value) ([]tile.Scalar, error) {
	uniforms := make([]tile.Scalar, len(list))
	for i, u := range list {
		at := u.Argument()
		if at < 0 {
			uniforms[i] = tile.IntScalar(u.Type, numbers[i])
			continue
		}
		s, err := arrays.ScalarOf(args[at], u.Type)
		if err != nil {
			return nil, err
		}
		uniforms[i] = s
	}
	return uniforms, nil
}

// specOf returns what a kernel is compiled for, and fills in what is known of the arguments. structure says how they
// make up the function's; it is None where each is one. Arrays behind them are those of jit/arguments.go.
func (fn *function) specOf(structure arrays.Value, args []arrays.Value, facts *jit.Facts) (spec jit.Spec, err error) {
	leaves := len(args)
	if structure.Kind == arrays.StringValue {
		leaves = strings.Count(structure.String, ".")
	}
	if leaves > len(args) {
		return spec, fmt.Errorf("jit/launch: %s is launched with %d arguments, and structure %q", fn.unit.Name(), len(args), structure.String)
	}
	spec.Types, spec.Same = make([]jit.Type, leaves), make([]int, leaves)
	facts.Shapes, facts.Strides, facts.Integers = make([][]int, len(args)), make([][]int64, len(args)), make([]int64, len(args))
	for i, a := range args {
		if a.Kind == arrays.ArrayValue {
			facts.Shapes[i], facts.Strides[i] = a.Array.Shape(), a.Array.Strides()
		}
	}
	for i, a := range args[:leaves] {
		spec.Same[i] = i
		if a.Kind != arrays.ArrayValue {
			spec.Types[i] = jit.Of(numberType(a))
			facts.Integers[i] = a.Int
			continue
		}
		spec.Types[i] = jit.ArrayOf(a.Array.DType(), a.Array.Ndim())
		for k, b := range args[:i] {
			if b.Kind == arrays.ArrayValue && a.Array.Same(b.Array) {
				spec.Same[i] = k
				break
			}
		}
	}
	if structure.Kind == arrays.StringValue {
		if spec.Types, err = jit.Structure(structure.String, spec.Types); err != nil {
			return spec, err
		}
	}
	for axis := range spec.Along {
		switch {
		case facts.Blocks[axis] == 1:
			spec.Along[axis] = jit.OneOnly
		case facts.Block[axis] == 1:
			spec.Along[axis] = jit.OneWide
		}
	}
	return spec, nil
}

// kernel compiles the function as a kernel, once for each spec.
func (fn *function) kernel(spec jit.Spec) (*kernel, error) {
	key := spec.Key()
	k := fn.kernels[key]
	if k == nil {
		k = &kernel{}
		if fn.unit.Checks() != (jit.Checks{}) {
			k.threads, k.refused = fn.unit.Threads(spec)
		} else if k.lanes, k.refused = fn.unit.Kernel(spec); unsupported(k.refused) {
			k.threads, k.refused = fn.unit.Threads(spec)
		}
		fn.kernels[key] = k
		if k.refused == nil {
			fn.sign(spec)
		}
	}
	return k, k.refused
}
