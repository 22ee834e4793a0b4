package tile

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

// interpret runs a checked launch point by point; it is the definition of what a launch does.
func interpret(l *Launch) error {
	if err := inHost(l); err != nil {
		return err
	}
	x := newLane(l)
	if l.Program.Reduces() {
		return interpretReduce(x)
	}
	// A lane stores behind all its loads, and lanes run one after the other: of an in-place operation each lane sees
	// its own elements as they were. That lanes do not see each other's is the caller's promise, which the passes keep
	// by views that do not overlap, or are the same.
	for point := range points(l.Shape) {
		if err := x.run(point); err != nil {
			return err
		}
		for i := range l.Program.Code { // after every load of the lane
			if in := &l.Program.Code[i]; in.Op == Store && x.values[i].Type != Invalid {
				write(element(l, int(in.N), point), x.values[i])
			}
		}
	}
	return nil
}

// inHost reports whether a binding is not host memory.
func inHost(l *Launch) error {
	for i := range l.Args {
		if l.Args[i].Buffer.Host == nil {
			return errors.New("tile: ref: a binding is not host memory; the launch belongs to the device that owns the buffer")
		}
	}
	return nil
}

// points yields the coordinates of an index space in C order; the slice is reused.
func points(shape []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		for _, n := range shape {
			if n == 0 {
				return
			}
		}
		at := make([]int, len(shape))
		for {
			if !yield(at) {
				return
			}
			axis := len(shape) - 1
			for ; axis >= 0; axis-- {
				if at[axis]++; at[axis] < shape[axis] {
					break
				}
				at[axis] = 0
			}
			if axis < 0 {
				return
			}
		}
	}
}

// interpretReduce gives one result per block and Reduce instruction.
//
// The blocks of a reduction over the last axis of (2, 10) with blocks of (1, 4), and where their results go:
//
//	x[0, 0:4] -> out[0, 0]    x[0, 4:8] -> out[0, 1]    x[0, 8:10] -> out[0, 2]
//	x[1, 0:4] -> out[1, 0]    ...
//
// The last block of an axis may be shorter. A second launch reduces the results, if there are several along a reduced
// axis.
func interpretReduce(x *lane) error {
	l := x.l
	rank := len(l.Shape)
	inner := rank > 0 && l.Reduced.Has(rank-1)
	for block := range points(GridShape(l.Shape, l.Block)) {
		extent := make([]int, rank)
		for i := range extent {
			extent[i] = min(l.Block[i], l.Shape[i]-block[i]*l.Block[i])
		}
		elements := map[int][]Scalar{} // by Reduce instruction, in C order
		at := make([]int, rank)
		for point := range points(extent) {
			for i := range at {
				at[i] = block[i]*l.Block[i] + point[i]
			}
			if err := x.run(at); err != nil {
				return err
			}
			for i := range l.Program.Code {
				if l.Program.Code[i].Op == Reduce {
					elements[i] = append(elements[i], x.values[i])
				}
			}
		}
		for i, e := range elements {
			in := &l.Program.Code[i]
			write(element(l, int(in.N), block), fold(in.Comb, inner, e))
		}
	}
	return nil
}

// fold combines the elements of one block in the canonical order: the inner form if the last
// axis of the index space is reduced, the outer form otherwise.
func fold(c Combiner, inner bool, x []Scalar) Scalar {
	step := func(a, b Scalar) Scalar { return Eval(c.Step(), a.Type, a, b) }
	settled := func(acc Scalar) Scalar {
		if n, tells := c.Neutral(acc.Type); tells {
			return step(acc, n)
		}
		return acc
	}
	if !inner {
		acc := x[0]
		for _, v := range x[1:] {
			acc = step(acc, v)
		}
		return settled(acc)
	}
	// Of 70 elements lane 0 combines x[0], x[32] and x[64], lane 6 x[6] and x[38], as there are no more; then
	//
	// 	lanes 0 to 15 take lanes 16 to 31, 0 to 7 take 8 to 15, ... and lane 0 takes lane 1
	//
	// where the other lane has seen an element. So the order depends on the number of elements alone: vectors of 4, 8
	// or 16 lanes and warps of 32 all have whole lanes (see package tile).
	var lanes []Scalar
	for i, v := range x {
		if i < Lanes {
			lanes = append(lanes, v)
		} else {
			lanes[i%Lanes] = step(lanes[i%Lanes], v)
		}
	}
	for s := Lanes / 2; s > 0; s /= 2 {
		for i := 0; i < s && i+s < len(lanes); i++ {
			lanes[i] = step(lanes[i], lanes[i+s])
		}
	}
	return settled(lanes[0])
}

// element returns the bytes of a parameter's element at a point (for a Reduce's output: at
// the coordinates of the block, whose extent along kept axes is 1).
func element(l *Launch, param int, point []int) []byte {
	b := &l.Args[param]
	at := b.Offset
	for i, c := range point {
		at += int64(c) * b.Strides[i]
	}
	return unsafe.Slice((*byte)(unsafe.Add(b.Buffer.Host, at)), l.Program.Params[param].Type.Size())
}

// read makes a scalar of an element's bytes, which lie in little-endian order on every machine that weft runs on. Bits
// that the dtype does not have are zero, so that scalars compare by their bits.
func read(t DType, b []byte) Scalar {
	var raw [16]byte
	copy(raw[:], b)
	return Scalar{t, [2]uint64{binary.LittleEndian.Uint64(raw[:]), binary.LittleEndian.Uint64(raw[8:])}}
}

// write is read's other way: b has as many bytes as the element.
func write(b []byte, s Scalar) {
	var raw [16]byte
	binary.LittleEndian.PutUint64(raw[:], s.Bits[0])
	binary.LittleEndian.PutUint64(raw[8:], s.Bits[1])
	copy(b, raw[:])
}
