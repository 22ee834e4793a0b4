package cpu

import (
	"sync/atomic"
	"unsafe"

	"weft/cpu/vm"
	"weft/tile"
)

// executable is what Compile makes of a program. It is immutable, but for what is made once.
type executable struct {
	program  *tile.Program
	number   uint64 // tells those of a device apart: see memo
	literals []tile.Scalar
	indexes  []int32
	lead     int   // an output parameter, which decides the order of axes
	work     int64 // what a point costs: bytes of its operands, or those that are moved meanwhile

	// fast writes results straight into the output windows. careful computes everything first and
	// writes at the end of the block: it is right also where an output is an input's memory.
	// It is nil where fast is right in any case.
	fast, careful *code

	reducers []reducer
	flows    bool         // lanes differ: flags belong to no single op
	product  *product     // set for a sum of products: a matrix product
	routine  tile.Routine // of a program that is one; then there is nothing else
	threads  *threads     // of a program of threads; as well

	// What went wrong in launches is explained by other programs, which are made from these.
	table        vm.Table
	micros       map[string]uint8
	explanations explanations
	doomed       atomic.Pointer[doomed]
	clean        atomic.Int32 // launches in a row that have written over inputs and raised nothing: see saved.go
	divides      bool         // integers, which may raise another flag than they tell
	stored       bool         // each result that is watched
	carries      bool         // what becomes no number in one of these is none in what is stored
	from         []uint64     // by parameter: the inputs, by bits, that it is made of
}

func compile(p *tile.Program, table vm.Table, micros map[string]uint8, known tile.Routines) (*executable, error) {
	if err := tile.Check(p); err != nil {
		return nil, err
	}
	if p.Routine != "" {
		code, err := known.Find(p)
		if err != nil {
			return nil, err
		}
		return &executable{program: p, routine: code}, nil
	}
	flows := p.Flows() || p.Gathers()
	lo, err := lower(p, table, micros)
	if err != nil {
		return nil, err
	}
	x := &executable{program: p, literals: lo.literals, indexes: lo.indexes, flows: p.Flows(), table: table, micros: micros}
	x.stored, x.carries, x.from = shown(p)
	for i := range p.Watched {
		x.divides = x.divides || p.Watched[i].Rule == tile.Integers
	}
	for _, param := range p.Params {
		x.work += int64(param.Type.Size())
	}
	x.work = max(x.work, p.Work())
	for i, param := range p.Params {
		if param.Dir.Writes() {
			x.lead = i
			break
		}
	}
	if p.Reduces() {
		x.reducers = make([]reducer, len(lo.writes))
		for i, w := range lo.writes {
			if x.reducers[i], err = newReducer(table, w); err != nil {
				return nil, err
			}
		}
		if flows {
			x.fast, err = lo.finishFlow(true)
			return x, err
		}
		x.product = findProduct(p)
		x.fast, err = lo.finish(lo.places, lo.nodes, true)
		return x, err
	}
	if flows {
		if err := lo.storeMasked(); err != nil {
			return nil, err
		}
		x.fast, err = lo.finishFlow(false)
		return x, err
	}
	places, nodes, err := lo.forward()
	if err != nil {
		return nil, err
	}
	if x.fast, err = lo.finish(places, nodes, false); err != nil || x.fast.safe {
		return x, err
	}
	if places, nodes, err = lo.deferred(); err != nil {
		return nil, err
	}
	x.careful, err = lo.finish(places, nodes, false)
	return x, err
}

// forward lets the node that computes a stored value write into the output itself.
func (lo *lowering) forward() (places []place, nodes []node, err error) {
	places = append(places, lo.places...)
	nodes = append(nodes, lo.nodes...)
	var moves []node
	for _, w := range lo.writes {
		if v := &places[w.v]; v.kind == inRegister {
			*v = place{inWindow, w.param, v.size}
			continue
		}
		move, err := lo.move(len(places), w.v, w.dtype)
		if err != nil {
			return nil, nil, err
		}
		places = append(places, place{inWindow, w.param, w.dtype.Size()})
		moves = append(moves, move)
	}
	return places, append(nodes, moves...), nil
}

// deferred computes every value into a register, inputs that are stored as they are
// included, and moves them to the outputs at the end.
func (lo *lowering) deferred() (places []place, nodes []node, err error) {
	places = append(places, lo.places...)
	nodes = append(nodes, lo.nodes...)
	var moves []node
	for _, w := range lo.writes {
		v := w.v
		if places[v].kind == inWindow {
			move, err := lo.move(len(places), v, w.dtype)
			if err != nil {
				return nil, nil, err
			}
			v = len(places)
			places = append(places, place{inRegister, 0, w.dtype.Size()})
			nodes = append(nodes, move)
		}
		move, err := lo.move(len(places), v, w.dtype)
		if err != nil {
			return nil, nil, err
		}
		places = append(places, place{inWindow, w.param, w.dtype.Size()})
		moves = append(moves, move)
	}
	return places, append(nodes, moves...), nil
}

// move returns a node that copies elements from one place to another.
func (lo *lowering) move(to, from int, t tile.DType) (node, error) {
	p, err := primitive(lo.table, "move", bySize(t))
	return node{primitive: p, op: tile.Load, t: t, d: to, in: [vm.Inputs]int{from}}, err
}

// overlap reports whether an output of a launch may share memory with an input.
func overlap(p *tile.Program, base []unsafe.Pointer, args []tile.Binding) bool {
	for i := range p.Params {
		if !p.Params[i].Dir.Writes() {
			continue
		}
		for k := range p.Params {
			if p.Params[k].Dir != tile.In {
				continue
			}
			o, n := uintptr(base[i]), uintptr(base[k])
			if o < n+uintptr(args[k].Buffer.Size) && n < o+uintptr(args[i].Buffer.Size) {
				return true
			}
		}
	}
	return false
}
