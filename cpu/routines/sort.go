package routines

import (
	"unsafe"

	"weft/cpu/sorting"
	"weft/tile"
)

// Sorter has the routines that sort, or are made of sorting.
type Sorter struct{ Machine sorting.Machine }

const (
	manyRows   = 32      // rows from which on each is one processor's
	oneBucket  = 1 << 15 // elements up to which a row is sorted by one processor
	bucketSize = 1 << 16 // elements that a processor's cache has room for
)

// Sort writes x to out with each row (the last axis) sorted as NumPy sorts: NaNs last,
// complex numbers by their real and then their imaginary part. -0.0 comes before 0.0, and NaNs keep
// their bits.
//
// With kth it is a partition: only the positions kth of each row, ascending, are sure to
// hold what they would hold in the sorted row, with nothing greater before and nothing
// smaller behind.
func (s Sorter) Sort(par Parallel, x, out Packed, kth []int) {
	n := rowLength(x.Shape)
	if len(x.Data) == 0 {
		return
	}
	if x.Type.Is(tile.KindComplex) {
		s.sortComplex(par, x, out, n)
		return
	}
	o, from, to := exact[x.Type], array(x), array(out)
	narrow := x.Type.Size() < 4
	if narrow && n <= sorting.NarrowRow || !narrow && n <= oneBucket && (kth == nil || n <= sorting.Selectable) {
		split(par, from.N/n, n, func(lo, hi int) {
			s.Machine.Rows(&o, from.Part(lo*n, (hi-lo)*n), to.Part(lo*n, (hi-lo)*n).P, n)
		})
		return
	}
	eachRow(par, from.N/n, func(par Parallel, r int) {
		row, out := from.Part(r*n, n), to.Part(r*n, n)
		switch {
		case x.Type.Size() == 1:
			countingSort(par, &o, elements[int8](row), elements[int8](out))
		case x.Type.Size() == 2:
			countingSort(par, &o, elements[int16](row), elements[int16](out))
		case kth != nil:
			s.partition(par, &o, row, out, kth)
		default:
			s.sort(par, &o, row, out)
		}
	})
}

// Argsort writes to out (int64) the positions that would sort each row of x; equal elements
// keep their order. With kth it is a partition, as in Sort.
func (s Sorter) Argsort(par Parallel, x, out Packed, kth []int) {
	n := rowLength(x.Shape)
	if len(x.Data) == 0 {
		return
	}
	to := as[int64](out.Data)
	if x.Type.Is(tile.KindComplex) {
		s.argsortComplex(par, x, to, n)
		return
	}
	o, from := alike[x.Type], array(x)
	if n <= oneBucket && (kth == nil || n <= sorting.Selectable) {
		split(par, from.N/n, n, func(lo, hi int) {
			s.Machine.PositionRows(&o, from.Part(lo*n, (hi-lo)*n), to[lo*n:hi*n], n)
		})
		return
	}
	eachRow(par, from.N/n, func(par Parallel, r int) {
		if kth != nil {
			s.argpartition(par, &o, from.Part(r*n, n), to[r*n:][:n], kth)
		} else {
			s.argsort(par, &o, from.Part(r*n, n), to[r*n:][:n])
		}
	})
}

// eachRow runs rows side by side if there are many, and else one after the other with all processors.
func eachRow(par Parallel, rows int, run func(par Parallel, r int)) {
	if rows >= manyRows {
		par(rows, func(r int) { run(Serial, r) })
		return
	}
	for r := range rows {
		run(par, r)
	}
}

// rowLength is the extent of the last axis; an array without axes is a row of one.
func rowLength(shape []int) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

// elements sees an array as Go's elements. T has its width.
func elements[T any](a sorting.Array) []T { return unsafe.Slice((*T)(a.P), a.N) }

// sortComplex sorts positions and gathers.
func (s Sorter) sortComplex(par Parallel, x, out Packed, n int) {
	at := make([]int64, x.Elements())
	s.argsortComplex(par, x, at, n)
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
func (s Sorter) argsortComplex(par Parallel, x Packed, out []int64, n int) {
	if x.Type == tile.Complex64 {
		argsortParts(s, par, alike[tile.Float32], as[int32](x.Data), out, n)
	} else {
		argsortParts(s, par, alike[tile.Float64], as[int64](x.Data), out, n)
	}
}

func argsortParts[K bit](s Sorter, par Parallel, o sorting.Order, parts []K, out []int64, n int) {
	keys, places, before := make([]int64, n), make([]int64, n), make([]int64, n)
	key := Packed{tile.Int64, []int{n}, bytesOf(keys)}
	place := Packed{tile.Int64, []int{n}, bytesOf(places)}
	for start := 0; start < len(out); start += n {
		row := out[start : start+n]
		for i := range row {
			row[i] = int64(i)
		}
		for pass := range 3 {
			split(par, n, 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					at := 2 * (start + int(row[i]))
					re, im := rank(&o, parts[at]), rank(&o, parts[at+1])
					key := [...]int64{im, re, 0}[pass]
					if pass == 2 && re == o.Top {
						key = 2
					}
					if pass == 2 && im == o.Top {
						key++
					}
					keys[i] = key
				}
			})
			s.Argsort(par, key, place, nil)
			copy(before, row)
			split(par, n, 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					row[i] = before[places[i]]
				}
			})
		}
	}
}
