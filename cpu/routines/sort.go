package routines

import (
	"math"

	"weft/tile"
)

// Sort writes x to out with each row (the last axis) sorted as NumPy sorts: NaNs last,
// complex numbers by their real and then their imaginary part. Elements that are equal have
// equal bits, but for NaNs (all become the usual one) and zeros (-0.0 comes first).
//
// With kth it is a partition: only the positions kth of each row, ascending, are sure to
// hold what they would hold in the sorted row, with nothing greater before and nothing
// smaller behind.
func Sort(par Parallel, x, out Packed, kth []int) {
	if x.Type.Is(tile.KindComplex) {
		sortComplex(par, x, out)
		return
	}
	o := orders[x.Type]
	switch x.Type.Size() {
	case 1:
		sortRows[uint8](par, o, x, out, kth)
	case 2:
		sortRows[uint16](par, o, x, out, kth)
	case 4:
		sortRows[uint32](par, o, x, out, kth)
	case 8:
		sortRows[uint64](par, o, x, out, kth)
	}
}

// rowLength is the extent of the last axis; an array without axes is a row of one.
func rowLength(shape []int) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

func sortRows[K word](par Parallel, o order, x, out Packed, kth []int) {
	n := rowLength(x.Shape)
	if len(x.Data) == 0 {
		return
	}
	s := &sorter{kth: kth}
	src, dst := as[K](x.Data), as[K](out.Data)
	rows := len(src) / n
	if n < grain || rows > maxChunks {
		split(par, rows, n, func(lo, hi int) {
			other := make([]K, n)
			for r := lo; r < hi; r++ {
				row := dst[r*n : (r+1)*n]
				keys(o, row, src[r*n:(r+1)*n], false)
				sortKeys(s, Serial, row, other, 0, false)
				unkey(o, row)
			}
		})
		return
	}
	other := make([]K, n)
	for r := range rows {
		row := dst[r*n : (r+1)*n]
		split(par, n, 1, func(lo, hi int) { keys(o, row[lo:hi], src[r*n+lo:r*n+hi], false) })
		sortKeys(s, par, row, other, 0, false)
		split(par, n, 1, func(lo, hi int) { unkey(o, row[lo:hi]) })
	}
}

// Argsort writes to out (int64) the positions that would sort each row of x; equal elements
// keep their order. With kth it is a partition, as in Sort.
func Argsort(par Parallel, x, out Packed, kth []int) {
	n := rowLength(x.Shape)
	if len(x.Data) == 0 {
		return
	}
	if x.Type.Is(tile.KindComplex) {
		argsortComplex(par, x, as[int64](out.Data), n)
		return
	}
	o := orders[x.Type]
	switch x.Type.Size() {
	case 1:
		argsortWidth[uint8](par, o, x, out, n, kth)
	case 2:
		argsortWidth[uint16](par, o, x, out, n, kth)
	case 4:
		argsortWidth[uint32](par, o, x, out, n, kth)
	case 8:
		argsortWidth[uint64](par, o, x, out, n, kth)
	}
}

func argsortWidth[K word](par Parallel, o order, x, out Packed, n int, kth []int) {
	if uint64(n) <= math.MaxUint32 {
		argsortRows[K, uint32](par, o, as[K](x.Data), as[int64](out.Data), n, kth)
	} else {
		argsortRows[K, uint64](par, o, as[K](x.Data), as[int64](out.Data), n, kth)
	}
}

func argsortRows[K, I word](par Parallel, o order, src []K, out []int64, n int, kth []int) {
	s := &sorter{kth: kth}
	rows := len(src) / n
	row := func(par Parallel, r int, a, other []pair[K, I]) {
		pairs(par, o, src[r*n:(r+1)*n], a)
		sortPairs(s, par, a, other, 0, false)
		to := out[r*n : (r+1)*n]
		split(par, n, 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				to[i] = int64(a[i].at)
			}
		})
	}
	if n < grain || rows > maxChunks {
		split(par, rows, n, func(lo, hi int) {
			a, other := make([]pair[K, I], n), make([]pair[K, I], n)
			for r := lo; r < hi; r++ {
				row(Serial, r, a, other)
			}
		})
		return
	}
	a, other := make([]pair[K, I], n), make([]pair[K, I], n)
	for r := range rows {
		row(par, r, a, other)
	}
}

// pairs makes a pair of each element.
func pairs[K, I word](par Parallel, o order, src []K, dst []pair[K, I]) {
	split(par, len(src), 1, func(lo, hi int) {
		var block [512]K
		for at := lo; at < hi; at += len(block) {
			some := src[at:min(hi, at+len(block))]
			keys(o, block[:len(some)], some, true)
			for i := range some {
				dst[at+i] = pair[K, I]{block[i], I(at + i)}
			}
		}
	})
}

// sortComplex sorts positions and gathers.
func sortComplex(par Parallel, x, out Packed) {
	n := rowLength(x.Shape)
	if len(x.Data) == 0 {
		return
	}
	at := make([]int64, x.Elements())
	argsortComplex(par, x, at, n)
	size := x.Type.Size()
	split(par, len(at), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			from := i/n*n + int(at[i])
			copy(out.Data[i*size:(i+1)*size], x.Data[from*size:])
		}
	})
}

// argsortComplex sorts by three keys, the least important first: imaginary part, real part,
// and which of them are NaN. NumPy's order is R+Rj, R+nanj, nan+Rj, nan+nanj.
func argsortComplex(par Parallel, x Packed, out []int64, n int) {
	if x.Type == tile.Complex64 {
		argsortParts[uint32](par, orders[tile.Float32], as[uint32](x.Data), out, n)
	} else {
		argsortParts[uint64](par, orders[tile.Float64], as[uint64](x.Data), out, n)
	}
}

func argsortParts[K word](par Parallel, o order, parts []K, out []int64, n int) {
	k := make([]K, len(parts))
	split(par, len(parts), 1, func(lo, hi int) { keys(o, k[lo:hi], parts[lo:hi], true) })
	a, other := make([]pair[K, uint64], n), make([]pair[K, uint64], n)
	nan := ^K(0)
	for start := 0; start < len(out); start += n {
		row := out[start : start+n]
		for i := range row {
			row[i] = int64(i)
		}
		for pass := range 3 {
			split(par, n, 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					re, im := k[2*(start+int(row[i]))], k[2*(start+int(row[i]))+1]
					key := [...]K{im, re, 0}[pass]
					if pass == 2 && re == nan {
						key = 2
					}
					if pass == 2 && im == nan {
						key++
					}
					// Equal keys are ordered by position in the row as it is now.
					a[i] = pair[K, uint64]{key, uint64(i)}
				}
			})
			sortPairs(&sorter{}, par, a, other, 0, false)
			from := make([]int64, n)
			copy(from, row)
			split(par, n, 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					row[i] = from[a[i].at]
				}
			})
		}
	}
}
