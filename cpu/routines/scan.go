package routines

import (
	"weft/tile"
)

// scanner is a running combination of elements of one dtype.
type scanner[T any] struct {
	run  func(dst, src []T, acc T) // dst[i] = acc = acc op src[i]
	fold func(src []T, acc T) T    // the last of these alone
	zip  func(dst, acc, x []T)     // dst[i] = acc[i] op x[i]
}

// scans says which scans there are: by NumPy's name of the ufunc, and dtype.
var scans = map[string]map[tile.DType]func(par Parallel, x, out Packed, outer, n, inner int){
	"add": {
		tile.Int8: scan(summing[int8]()), tile.Int16: scan(summing[int16]()), tile.Int32: scan(summing[int32]()), tile.Int64: scan(summing[int64]()),
		tile.Uint8: scan(summing[uint8]()), tile.Uint16: scan(summing[uint16]()), tile.Uint32: scan(summing[uint32]()), tile.Uint64: scan(summing[uint64]()),
		tile.Float16: scan(stepping(addHalf)), tile.Float32: scan(adding[float32]()), tile.Float64: scan(adding[float64]()),
		tile.Complex64: scan(adding[complex64]()), tile.Complex128: scan(adding[complex128]()),
	},
	"multiply": {
		tile.Int8: scan(compounding[int8]()), tile.Int16: scan(compounding[int16]()), tile.Int32: scan(compounding[int32]()), tile.Int64: scan(compounding[int64]()),
		tile.Uint8: scan(compounding[uint8]()), tile.Uint16: scan(compounding[uint16]()), tile.Uint32: scan(compounding[uint32]()), tile.Uint64: scan(compounding[uint64]()),
		tile.Float16: scan(stepping(multiplyHalf)), tile.Float32: scan(multiplying[float32]()), tile.Float64: scan(multiplying[float64]()),
		tile.Complex64: scan(multiplying[complex64]()), tile.Complex128: scan(multiplying[complex128]()),
	},
	"maximum": extremes(false),
	"minimum": extremes(true),
}

func extremes(least bool) map[tile.DType]func(par Parallel, x, out Packed, outer, n, inner int) {
	return map[tile.DType]func(par Parallel, x, out Packed, outer, n, inner int){
		tile.Bool: scan(peak[uint8](least)), tile.Int8: scan(peak[int8](least)), tile.Int16: scan(peak[int16](least)),
		tile.Int32: scan(peak[int32](least)), tile.Int64: scan(peak[int64](least)), tile.Uint8: scan(peak[uint8](least)),
		tile.Uint16: scan(peak[uint16](least)), tile.Uint32: scan(peak[uint32](least)), tile.Uint64: scan(peak[uint64](least)),
		tile.Float32: scan(extreme[float32](least)), tile.Float64: scan(extreme[float64](least)),
	}
}

// HasScan reports whether there is a scan of this name and dtype.
func HasScan(name string, t tile.DType) bool { return scans[name][t] != nil }

// Scan writes the running combination of x along an axis to out, which has x's dtype and
// shape.
//
// Rows of up to 2*scanBlock elements are combined one after the other, as NumPy does it.
// Longer ones are cut into blocks: the combination of all earlier blocks' totals, in order,
// is what a block starts with. So the bits follow from the shape alone.
func Scan(par Parallel, name string, x, out Packed, axis int) {
	if len(x.Data) == 0 {
		return
	}
	outer, n, inner := tile.Around(x.Shape, axis)
	scans[name][x.Type](par, x, out, outer, n, inner)
}

const scanBlock = 1 << 16

func scan[T any](s scanner[T]) func(par Parallel, x, out Packed, outer, n, inner int) {
	return func(par Parallel, x, out Packed, outer, n, inner int) {
		src, dst := as[T](x.Data), as[T](out.Data)
		switch {
		case inner > 1:
			s.columns(par, dst, src, outer, n, inner)
		case n <= 2*scanBlock:
			split(par, outer, n, func(lo, hi int) {
				for r := lo; r < hi; r++ {
					s.row(dst[r*n:(r+1)*n], src[r*n:(r+1)*n])
				}
			})
		default:
			for r := range outer {
				s.blocks(par, dst[r*n:(r+1)*n], src[r*n:(r+1)*n])
			}
		}
	}
}

func (s *scanner[T]) row(dst, src []T) {
	first := src[0]
	s.run(dst[1:], src[1:], first)
	dst[0] = first
}

// columns scans along an axis that others follow: rows are combined with the row before.
func (s *scanner[T]) columns(par Parallel, dst, src []T, outer, n, inner int) {
	const width = 512 // columns that are taken together: they stay in the L1 cache
	strips := (inner + width - 1) / width
	split(par, outer*strips, n*min(width, inner), func(from, to int) {
		for k := from; k < to; k++ {
			lo := k % strips * width
			hi := min(lo+width, inner)
			at := k / strips * n * inner
			copy(dst[at+lo:at+hi], src[at+lo:at+hi])
			for i := 1; i < n; i++ {
				row := at + i*inner
				s.zip(dst[row+lo:row+hi], dst[row-inner+lo:row-inner+hi], src[row+lo:row+hi])
			}
		}
	})
}

// blocks scans one long row.
func (s *scanner[T]) blocks(par Parallel, dst, src []T) {
	n := len(src)
	count := (n + scanBlock - 1) / scanBlock
	totals := make([]T, count)
	par(count-1, func(b int) { // nothing starts with the last one's
		block := src[b*scanBlock : (b+1)*scanBlock]
		totals[b] = s.fold(block[1:], block[0])
	})
	acc := totals[0]
	for b := 1; b < count; b++ {
		start := acc
		acc = s.fold(totals[b:b+1], acc)
		totals[b] = start
	}
	par(count, func(b int) {
		lo, hi := b*scanBlock, min(n, (b+1)*scanBlock)
		if b == 0 {
			s.row(dst[:hi], src[:hi])
			return
		}
		s.run(dst[lo:hi], src[lo:hi], totals[b])
	})
}

type inexact interface {
	float32 | float64 | complex64 | complex128
}

func adding[T inexact]() scanner[T] {
	return scanner[T]{
		run: func(dst, src []T, acc T) {
			for i, x := range src {
				acc += x
				dst[i] = acc
			}
		},
		fold: func(src []T, acc T) T {
			for _, x := range src {
				acc += x
			}
			return acc
		},
		zip: func(dst, acc, x []T) {
			for i := range x {
				dst[i] = acc[i] + x[i]
			}
		},
	}
}

func multiplying[T inexact]() scanner[T] {
	return scanner[T]{
		run: func(dst, src []T, acc T) {
			for i, x := range src {
				acc *= x
				dst[i] = acc
			}
		},
		fold: func(src []T, acc T) T {
			for _, x := range src {
				acc *= x
			}
			return acc
		},
		zip: func(dst, acc, x []T) {
			for i := range x {
				dst[i] = acc[i] * x[i]
			}
		},
	}
}

// extreme is maximum or minimum of floats: the first NaN stays, and of equal elements, which zeros of either sign
// are, the later one counts, as in NumPy's loops.
func extreme[T float32 | float64](least bool) scanner[T] {
	if least {
		return stepping(func(acc, x T) T {
			if acc < x || acc != acc {
				return acc
			}
			return x
		})
	}
	return stepping(func(acc, x T) T {
		if acc > x || acc != acc {
			return acc
		}
		return x
	})
}

// stepping makes a scanner of one step.
func stepping[T any](step func(acc, x T) T) scanner[T] {
	return scanner[T]{
		run: func(dst, src []T, acc T) {
			for i, x := range src {
				acc = step(acc, x)
				dst[i] = acc
			}
		},
		fold: func(src []T, acc T) T {
			for _, x := range src {
				acc = step(acc, x)
			}
			return acc
		},
		zip: func(dst, acc, x []T) {
			for i := range x {
				dst[i] = step(acc[i], x[i])
			}
		},
	}
}

// A sum or product of two float16 is exact in float64, so that it is rounded once.

func addHalf(acc, x uint16) uint16 {
	return tile.HalfFromFloat64(float64(tile.HalfToFloat(acc)) + float64(tile.HalfToFloat(x)))
}

func multiplyHalf(acc, x uint16) uint16 {
	return tile.HalfFromFloat64(float64(tile.HalfToFloat(acc)) * float64(tile.HalfToFloat(x)))
}
