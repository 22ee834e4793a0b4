package routines

import (
	"fmt"
	"unsafe"

	"weft/tile"
)

// arithmetics has the movers of the dtypes that have movers of their own. The others, and mixed dtypes,
// go through the reference functions, one element at a time.
var arithmetics = map[tile.DType]func(tile.Opcode) mover{
	tile.Int8: arithmetic[int8], tile.Int16: arithmetic[int16], tile.Int32: arithmetic[int32], tile.Int64: arithmetic[int64],
	tile.Uint8: arithmetic[uint8], tile.Uint16: arithmetic[uint16], tile.Uint32: arithmetic[uint32], tile.Uint64: arithmetic[uint64],
	tile.Float32: arithmetic[float32], tile.Float64: arithmetic[float64],
}

// combiners returns a mover for an opcode of two operands and a dtype, or nil where neither has one of
// its own.
func combiners(op tile.Opcode, t tile.DType) mover {
	if of := arithmetics[t]; of != nil {
		return of(op)
	}
	return nil
}

type realNumber interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func arithmetic[T realNumber](op tile.Opcode) mover {
	switch op {
	case tile.Add:
		return func(to, from unsafe.Pointer, dst, src []int64) {
			for k, at := range dst {
				*(*T)(unsafe.Add(to, at)) += *(*T)(unsafe.Add(from, src[k]))
			}
		}
	case tile.Sub:
		return func(to, from unsafe.Pointer, dst, src []int64) {
			for k, at := range dst {
				*(*T)(unsafe.Add(to, at)) -= *(*T)(unsafe.Add(from, src[k]))
			}
		}
	case tile.Mul:
		return func(to, from unsafe.Pointer, dst, src []int64) {
			for k, at := range dst {
				*(*T)(unsafe.Add(to, at)) *= *(*T)(unsafe.Add(from, src[k]))
			}
		}
	case tile.Max:
		return func(to, from unsafe.Pointer, dst, src []int64) {
			for k, at := range dst {
				p, x := (*T)(unsafe.Add(to, at)), *(*T)(unsafe.Add(from, src[k]))
				if acc := *p; !(acc > x || acc != acc) {
					*p = x
				}
			}
		}
	case tile.Min:
		return func(to, from unsafe.Pointer, dst, src []int64) {
			for k, at := range dst {
				p, x := (*T)(unsafe.Add(to, at)), *(*T)(unsafe.Add(from, src[k]))
				if acc := *p; !(acc < x || acc != acc) {
					*p = x
				}
			}
		}
	}
	return nil
}

// combining returns the mover that replaces elements of dtype t by what the opcode makes of
// them and of elements of dtype by, computed in that dtype.
func combining(op tile.Opcode, t, by tile.DType) (mover, error) {
	if op.Arity() != 2 || !op.Accepts(by) {
		return nil, fmt.Errorf("%v of %v; want an opcode of two operands that takes it", op, by)
	}
	if m := combiners(op, t); m != nil && t == by {
		return m, nil
	}
	result := op.Result(by)
	return func(to, from unsafe.Pointer, dst, src []int64) {
		for k, at := range dst {
			p := unsafe.Add(to, at)
			x := tile.Convert(by, loadScalar(t, p))
			storeScalar(p, tile.Convert(t, tile.Eval(op, result, x, loadScalar(by, unsafe.Add(from, src[k])))))
		}
	}, nil
}

// loadScalar reads an element of any dtype.
func loadScalar(t tile.DType, p unsafe.Pointer) tile.Scalar {
	s := tile.Scalar{Type: t}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&s.Bits)), 16), unsafe.Slice((*byte)(p), t.Size()))
	return s
}

func storeScalar(p unsafe.Pointer, s tile.Scalar) {
	copy(unsafe.Slice((*byte)(p), s.Type.Size()), unsafe.Slice((*byte)(unsafe.Pointer(&s.Bits)), 16))
}
