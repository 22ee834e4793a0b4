package routines

import (
	"fmt"
	"unsafe"

	"weft/tile"
)

// combiners returns a mover for each opcode of two operands and dtype that has one of its own.
// The others, and mixed dtypes, go through the reference functions, one element at a time.
func combiners(op tile.Opcode, t tile.DType) mover {
	switch t {
	case tile.Int8:
		return arithmetic[int8](op)
	case tile.Int16:
		return arithmetic[int16](op)
	case tile.Int32:
		return arithmetic[int32](op)
	case tile.Int64:
		return arithmetic[int64](op)
	case tile.Uint8:
		return arithmetic[uint8](op)
	case tile.Uint16:
		return arithmetic[uint16](op)
	case tile.Uint32:
		return arithmetic[uint32](op)
	case tile.Uint64:
		return arithmetic[uint64](op)
	case tile.Float32:
		return arithmetic[float32](op)
	case tile.Float64:
		return arithmetic[float64](op)
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
