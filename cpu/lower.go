package cpu

import (
	"fmt"

	"weft/tile"
)

// kind says where a value lives while a program runs.
type kind uint8

const (
	inRegister kind = iota
	inWindow        // elements of a parameter
	inLiteral       // a literal of the program
	inUniform       // a scalar of the launch
	inCell          // a number of the frame: where counting starts, and by how much
)

// place is one value of a lowered program. Places are numbered; the number is also the
// position of its operand in the frame.
type place struct {
	kind kind
	n    int // parameter, literal, uniform, cell, and finally register
	size int // bytes of an element
}

// none is the place that unused operands name.
const none = 0

// node is one step before registers are assigned.
type node struct {
	run     primitive
	d       int
	a, b, c int
}

// write is a Store or a Reduce: place v goes to parameter param.
type write struct {
	v, param int
	comb     tile.Combiner
	dtype    tile.DType
}

// lowering turns the instructions of a program into nodes over places.
type lowering struct {
	p        *tile.Program
	places   []place
	nodes    []node
	writes   []write
	literals []tile.Scalar
	indexes  []int32     // axis of each Index; index i has the cells 2i and 2i+1
	values   []int       // by instruction: its place
	singles  map[int]int // place of a float16 value: place of its float32 value
}

func lower(p *tile.Program) (*lowering, error) {
	lo := &lowering{p: p, places: make([]place, 1), values: make([]int, len(p.Code)), singles: map[int]int{}}
	for i := range p.Code {
		in := &p.Code[i]
		v := none
		var err error
		switch in.Op {
		case tile.Load:
			v = lo.place(inWindow, int(in.N), in.Type.Size())
		case tile.Const:
			lo.literals = append(lo.literals, in.Lit)
			v = lo.place(inLiteral, len(lo.literals)-1, in.Type.Size())
		case tile.Uniform:
			v = lo.place(inUniform, int(in.N), in.Type.Size())
		case tile.Index:
			k := 2 * len(lo.indexes)
			lo.indexes = append(lo.indexes, in.N)
			v = lo.emit(count, 8, lo.place(inCell, k, 8), lo.place(inCell, k+1, 8), none)
		case tile.Store, tile.Reduce:
			lo.writes = append(lo.writes, write{lo.values[in.Args[0]], int(in.N), in.Comb, in.Type})
		case tile.Cast:
			v, err = lo.cast(lo.values[in.Args[0]], p.Code[in.Args[0]].Type, in.Type)
		case tile.Select:
			v, err = lo.choose(in)
		default:
			var args [3]int
			for k := range in.Op.Arity() {
				args[k] = lo.values[in.Args[k]]
			}
			v, err = lo.scalar(in.Op, p.Code[in.Args[0]].Type, args[0], args[1])
		}
		if err != nil {
			return nil, fmt.Errorf("cpu: program %q: %s: %w", p.Name, p.InstrString(tile.Value(i)), err)
		}
		lo.values[i] = v
	}
	return lo, nil
}

func (lo *lowering) place(k kind, n, size int) int {
	lo.places = append(lo.places, place{k, n, size})
	return len(lo.places) - 1
}

// emit adds a node and returns the place of its result.
func (lo *lowering) emit(run primitive, size, a, b, c int) int {
	d := lo.place(inRegister, 0, size)
	lo.nodes = append(lo.nodes, node{run, d, a, b, c})
	return d
}

// scalar adds a scalar opcode on operands of dtype t.
func (lo *lowering) scalar(op tile.Opcode, t tile.DType, a, b int) (int, error) {
	switch op {
	case tile.Gt:
		op, a, b = tile.Lt, b, a
	case tile.Ge:
		op, a, b = tile.Le, b, a
	}
	if int(op) < len(primitives) && primitives[op][t] != nil {
		return lo.emit(primitives[op][t], op.Result(t).Size(), a, b, none), nil
	}
	if t != tile.Float16 {
		return none, fmt.Errorf("no primitive for %v(%v); add a row in cpu/table.go", op, t)
	}
	a = lo.single(a)
	if b != none {
		b = lo.single(b)
	}
	v, err := lo.scalar(op, tile.Float32, a, b)
	if err != nil || op.Result(t) != tile.Float16 {
		return v, err
	}
	return lo.cast(v, tile.Float32, tile.Float16)
}

// single returns the float32 value of a float16 place, which is converted once.
func (lo *lowering) single(v int) int {
	s, ok := lo.singles[v]
	if !ok {
		s = lo.emit(singleFromHalf, 4, v, none, none)
		lo.singles[v] = s
	}
	return s
}

// cast adds a conversion, in several steps where the table has no direct one.
func (lo *lowering) cast(v int, from, to tile.DType) (int, error) {
	if from == to {
		return v, nil
	}
	if from == tile.Float16 && to == tile.Float32 {
		return lo.single(v), nil
	}
	if run := casts[from][to]; run != nil {
		return lo.emit(run, to.Size(), v, none, none), nil
	}
	via := tile.Invalid
	switch {
	case from == tile.Float16:
		via = tile.Float32
		if to == tile.Uint32 { // as NumPy: the low bits of the int64
			v = lo.single(v)
			from, via = tile.Float32, tile.Int64
		}
	case from.Is(tile.KindComplex):
		v = lo.emit(primitives[tile.RealPart][from], from.Real().Size(), v, none, none)
		return lo.cast(v, from.Real(), to)
	case to == tile.Float16:
		via = tile.Float32
	case to.Is(tile.KindComplex):
		via = to.Real()
	}
	if via == tile.Invalid || via == from {
		return none, fmt.Errorf("no conversion from %v to %v; add it in cpu/table_cast.go", from, to)
	}
	v, err := lo.cast(v, from, via)
	if err != nil {
		return none, err
	}
	return lo.cast(v, via, to)
}

func (lo *lowering) choose(in *tile.Instr) (int, error) {
	run, err := bySize(in.Type, choose[uint8], choose[uint16], choose[uint32], choose[uint64], choose[[2]uint64])
	if err != nil {
		return none, err
	}
	return lo.emit(run, in.Type.Size(), lo.values[in.Args[0]], lo.values[in.Args[1]], lo.values[in.Args[2]]), nil
}

// mover returns the primitive that copies elements of a dtype.
func mover(t tile.DType) (primitive, error) {
	return bySize(t, move[uint8], move[uint16], move[uint32], move[uint64], move[[2]uint64])
}

// bySize picks the loop for elements of 1, 2, 4, 8 or 16 bytes.
func bySize(t tile.DType, loops ...primitive) (primitive, error) {
	for i, run := range loops {
		if t.Size() == 1<<i {
			return run, nil
		}
	}
	return nil, fmt.Errorf("elements of %d bytes; want 1, 2, 4, 8 or 16", t.Size())
}
