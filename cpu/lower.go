package cpu

import (
	"fmt"
	"strconv"

	"weft/cpu/vm"
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
	inSlot          // a value that a strip keeps
	inOne           // one element that steps compute, the same in all lanes: of programs with loops
)

// place is one value of a lowered program. Places are numbered; the number is also that of its
// operand in a launch.
type place struct {
	kind kind
	n    int // parameter, literal, uniform, cell, and finally register
	size int // bytes of an element
}

// none is the place that unused operands name.
const none = 0

// node is one step before registers are assigned.
type node struct {
	primitive vm.Primitive
	op        tile.Opcode // where strips may look at it: on operands of dtype t; Load is a move
	t         tile.DType
	d         int
	in        [vm.Inputs]int
	look      vm.Look
	strip     *strip // in place of all that
}

// inputs returns the places that the node reads.
func (n *node) inputs() []int {
	if n.strip != nil {
		return n.strip.in
	}
	return n.in[:n.primitive.Inputs]
}

// outputs returns the places that the node writes.
func (n *node) outputs() []int {
	if n.strip != nil {
		return n.strip.out
	}
	return []int{n.d}
}

// write is a Store or a Reduce: place v goes to parameter param.
type write struct {
	v, param int
	comb     tile.Combiner
	dtype    tile.DType
	mask     int // place: the lanes that store; none for all
}

// lowering turns the instructions of a program into nodes over places.
type lowering struct {
	p        *tile.Program
	table    vm.Table
	micros   map[string]uint8 // operations of strips
	places   []place
	nodes    []node
	writes   []write
	literals []tile.Scalar
	indexes  []int32     // axis of each Index; index i has the cells 2i and 2i+1
	values   []int       // by instruction: its place
	singles  map[int]int // place of a float16 value: place of its float32 value
	flow     flow        // where nodes are no straight line
	stepwise bool        // no strips
	alike    []bool      // by instruction: whether its value is the same in all lanes; nil where there are no loops
}

func lower(p *tile.Program, table vm.Table, micros map[string]uint8) (*lowering, error) {
	lo := &lowering{p: p, table: table, micros: micros, places: make([]place, 1), values: make([]int, len(p.Code)), singles: map[int]int{}}
	if turns(p) {
		lo.alike = sameInAll(p, true, false)
	}
	for i := range p.Code {
		in := &p.Code[i]
		v := none
		var err error
		switch in.Op {
		case tile.Load:
			v, err = lo.load(in)
		case tile.Const:
			v = lo.constant(in.Lit)
		case tile.Uniform:
			v = lo.place(inUniform, int(in.N), in.Type.Size())
		case tile.Index:
			k := 2 * len(lo.indexes)
			lo.indexes = append(lo.indexes, in.N)
			v, err = lo.emit("index", "int64", lo.place(inCell, k, 8), lo.place(inCell, k+1, 8))
		case tile.Store, tile.Reduce:
			w := write{v: lo.values[in.Args[0]], param: int(in.N), comb: in.Comb, dtype: in.Type}
			if in.Op == tile.Reduce && lo.places[w.v].kind == inOne { // each lane has its own
				one := w.v
				w.v = lo.place(inRegister, 0, in.Type.Size())
				if err = lo.set(w.v, one, in.Type); err != nil {
					break
				}
			}
			if w.mask, err = lo.storeMask(); err == nil {
				lo.writes = append(lo.writes, w)
			}
		case tile.If, tile.Else, tile.Merge, tile.Loop, tile.Carry, tile.While, tile.Next, tile.End, tile.Gather:
			v, err = lo.control(i)
		case tile.Cast:
			v, err = lo.cast(lo.values[in.Args[0]], p.Code[in.Args[0]].Type, in.Type)
		case tile.Select:
			v, err = lo.emit("select", bySize(in.Type), lo.values[in.Args[0]], lo.values[in.Args[1]], lo.values[in.Args[2]])
			if err == nil {
				last := &lo.nodes[len(lo.nodes)-1]
				last.op, last.t = tile.Select, in.Type
			}
		default:
			var args [tile.MaxArgs]int
			for k := range in.Op.Arity() {
				args[k] = lo.values[in.Args[k]]
			}
			v, err = lo.scalar(in.Op, p.Code[in.Args[0]].Type, args[:in.Op.Arity()]...)
		}
		if err != nil {
			return nil, fmt.Errorf("cpu: program %q: %s: %w", p.Name, p.InstrString(tile.Value(i)), err)
		}
		lo.values[i] = v
	}
	lo.look()
	return lo, nil
}

func (lo *lowering) place(k kind, n, size int) int {
	lo.places = append(lo.places, place{k, n, size})
	return len(lo.places) - 1
}

// primitive looks a row up.
func primitive(table vm.Table, opcode, dtype string) (vm.Primitive, error) {
	p, ok := table[[2]string{opcode, dtype}]
	if !ok {
		return p, fmt.Errorf("no primitive for %s(%s); add a row in cpu/vm/table.h", opcode, dtype)
	}
	return p, nil
}

// bySize names the rows that look at the size of elements alone.
func bySize(t tile.DType) string { return strconv.Itoa(8 * t.Size()) }

// emit adds a node and returns the place of its result.
func (lo *lowering) emit(opcode, dtype string, in ...int) (int, error) {
	p, err := primitive(lo.table, opcode, dtype)
	if err != nil {
		return none, err
	}
	n := node{primitive: p, d: lo.place(lo.resultOf(opcode, in), 0, p.Sizes[0])}
	copy(n.in[:], in)
	lo.nodes = append(lo.nodes, n)
	return n.d, nil
}

// resultOf says where the result of a node lives: what is computed from single elements is one, in programs with loops,
// whose turns would compute it for each lane.
func (lo *lowering) resultOf(opcode string, in []int) kind {
	if lo.alike == nil || opcode == "index" {
		return inRegister
	}
	for _, v := range in {
		if !lo.one(v) {
			return inRegister
		}
	}
	return inOne
}

// one reports whether a place is a single element.
func (lo *lowering) one(v int) bool {
	switch lo.places[v].kind {
	case inLiteral, inUniform, inOne:
		return true
	}
	return false
}

// scalar adds a scalar opcode on operands of dtype t.
func (lo *lowering) scalar(op tile.Opcode, t tile.DType, in ...int) (int, error) {
	switch op {
	case tile.Gt:
		op, in = tile.Lt, []int{in[1], in[0]}
	case tile.Ge:
		op, in = tile.Le, []int{in[1], in[0]}
	}
	if _, ok := lo.table[[2]string{op.String(), t.String()}]; ok || t != tile.Float16 {
		v, err := lo.emit(op.String(), t.String(), in...)
		if err == nil {
			last := &lo.nodes[len(lo.nodes)-1]
			last.op, last.t = op, t
		}
		return v, err
	}
	for k, v := range in {
		single, err := lo.single(v)
		if err != nil {
			return none, err
		}
		in[k] = single
	}
	v, err := lo.scalar(op, tile.Float32, in...)
	if err != nil || op.Result(t) != tile.Float16 {
		return v, err
	}
	return lo.cast(v, tile.Float32, tile.Float16)
}

// single returns the float32 value of a float16 place, which is converted once.
func (lo *lowering) single(v int) (int, error) {
	s, ok := lo.singles[v]
	if !ok {
		var err error
		if s, err = lo.emit("cast", "float16 float32", v); err != nil {
			return none, err
		}
		lo.singles[v] = s
	}
	return s, nil
}

// cast adds a conversion, in several steps where the table has no direct one: float16 through
// float32, complex through its real part.
func (lo *lowering) cast(v int, from, to tile.DType) (int, error) {
	const whole = tile.KindInt | tile.KindUint
	if from == to || from.Is(whole) && to.Is(whole) && from.Size() == to.Size() { // the same bits
		return v, nil
	}
	if from == tile.Float16 && to == tile.Float32 {
		return lo.single(v)
	}
	name := from.String() + " " + to.String()
	if _, ok := lo.table[[2]string{"cast", name}]; ok {
		return lo.emit("cast", name, v)
	}
	var err error
	via := tile.Invalid
	switch {
	case from == tile.Float16:
		via = tile.Float32
		if to == tile.Uint32 { // as NumPy: the low bits of the int64
			if v, err = lo.single(v); err != nil {
				return none, err
			}
			from, via = tile.Float32, tile.Int64
		}
	case from.Is(tile.KindComplex):
		if v, err = lo.scalar(tile.RealPart, from, v); err != nil {
			return none, err
		}
		return lo.cast(v, from.Real(), to)
	case to == tile.Float16:
		via = tile.Float32
	case to.Is(tile.KindComplex):
		via = to.Real()
	}
	if via == tile.Invalid || via == from {
		return none, fmt.Errorf("no conversion from %v to %v; add a row in cpu/vm/table.h", from, to)
	}
	if v, err = lo.cast(v, from, via); err != nil {
		return none, err
	}
	return lo.cast(v, via, to)
}
