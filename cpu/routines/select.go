package routines

import (
	"slices"

	"weft/tile"
)

// finder writes which of the elements lo to hi are not zero, counted from lo, to a list with
// room for all, and returns how many there are.
type finder func(lo, hi int, to []uint16) int

// findBlock is the most elements that a finder is asked for at once.
const findBlock = 1 << 12

// nonzero returns the finder for x. -0.0 is zero.
func nonzero(x Packed) finder {
	switch x.Type {
	case tile.Complex64:
		return nonzeroComplex(as[complex64](x.Data))
	case tile.Complex128:
		return nonzeroComplex(as[complex128](x.Data))
	}
	sign := uint64(0)
	if o := exact[x.Type]; o.Fold != 0 {
		sign = uint64(o.Fold) + 1
	}
	switch x.Type.Size() {
	case 1:
		return nonzeroWord(as[uint8](x.Data), 0)
	case 2:
		return nonzeroWord(as[uint16](x.Data), uint16(sign))
	case 4:
		return nonzeroWord(as[uint32](x.Data), uint32(sign))
	}
	return nonzeroWord(as[uint64](x.Data), sign)
}

// nonzeroWord has no branch that depends on the data: half of such branches are guessed wrong.
func nonzeroWord[K uint8 | uint16 | uint32 | uint64](x []K, sign K) finder {
	return func(lo, hi int, to []uint16) int {
		n := 0
		for i, w := range x[lo:hi] {
			to[n&(findBlock-1)] = uint16(i)
			hit := 0
			if w&^sign != 0 {
				hit = 1
			}
			n += hit
		}
		return n
	}
}

func nonzeroComplex[T complex64 | complex128](x []T) finder {
	return func(lo, hi int, to []uint16) int {
		n := 0
		for i, z := range x[lo:hi] {
			if z != 0 {
				to[n] = uint16(i)
				n++
			}
		}
		return n
	}
}

// Nonzero writes the coordinates of the elements of x that are not zero, in C order: one
// array (int64) for each axis, as long as there are such elements. It reports whether the
// arrays have that length; it writes nothing where they have not.
func Nonzero(par Parallel, x Packed, out []Packed) bool {
	coordinates := make([][]int64, len(out))
	for i := range out {
		coordinates[i] = as[int64](out[i].Data)
	}
	fits := true
	shape := x.Shape
	compactInto(par, x, func(count int) bool {
		for _, c := range coordinates {
			fits = fits && len(c) == count
		}
		return fits
	}, func(to, i int) {
		for axis := len(coordinates) - 1; axis > 0; axis-- {
			coordinates[axis][to] = int64(i % shape[axis])
			i /= shape[axis]
		}
		if len(coordinates) > 0 {
			coordinates[0][to] = int64(i)
		}
	})
	return fits
}

// Compress writes the rows x[i] for which mask[i] is not zero. x has as many rows as mask
// has elements. It reports whether out has room for just these rows.
func Compress(par Parallel, x, mask, out Packed) bool {
	n := mask.Elements()
	if n == 0 {
		return len(out.Data) == 0
	}
	size := len(x.Data) / n
	fits := true
	place := rowMover(out.Data, x.Data, size)
	compactInto(par, mask, func(count int) bool {
		fits = len(out.Data) == count*size
		return fits
	}, place)
	return fits
}

// rowMover returns a function that copies row from of src to row to of dst.
func rowMover(dst, src []byte, size int) func(to, from int) {
	switch size {
	case 1:
		return func(to, from int) { dst[to] = src[from] }
	case 4:
		d, s := as[uint32](dst), as[uint32](src)
		return func(to, from int) { d[to] = s[from] }
	case 8:
		d, s := as[uint64](dst), as[uint64](src)
		return func(to, from int) { d[to] = s[from] }
	}
	return func(to, from int) { copy(dst[to*size:(to+1)*size], src[from*size:]) }
}

// compactInto calls found with the number and the position of each element that is not
// zero, once start has agreed to how many there are.
func compactInto(par Parallel, x Packed, start func(count int) bool, found func(to, i int)) {
	n := x.Elements()
	find := nonzero(x)
	per := max(grain, (n+maxChunks-1)/maxChunks)
	chunks := (n + per - 1) / per
	var starts [maxChunks + 1]int
	each := func(c int, use func(lo int, hits []uint16)) {
		var room [findBlock]uint16
		end := min(n, (c+1)*per)
		for lo := c * per; lo < end; lo += findBlock {
			use(lo, room[:find(lo, min(end, lo+findBlock), room[:])])
		}
	}
	par(chunks, func(c int) {
		each(c, func(_ int, hits []uint16) { starts[c+1] += len(hits) })
	})
	for c := range chunks {
		starts[c+1] += starts[c]
	}
	if !start(starts[chunks]) {
		return
	}
	par(chunks, func(c int) {
		to := starts[c]
		each(c, func(lo int, hits []uint16) {
			for _, i := range hits {
				found(to, lo+int(i))
				to++
			}
		})
	})
}

// Extremes writes the smallest and the largest of the indices (int64) to out.
func Extremes(par Parallel, indices, out Packed) {
	at, to := as[int64](indices.Data), as[int64](out.Data)
	var lows, highs [maxChunks]int64
	split(par, len(at), 1, func(lo, hi int) {
		low, high := at[lo], at[lo]
		for _, i := range at[lo:hi] {
			low, high = min(low, i), max(high, i)
		}
		c := chunkOf(len(at), lo)
		lows[c], highs[c] = low, high
	})
	last := chunkOf(len(at), len(at)-1)
	to[0], to[1] = slices.Min(lows[:last+1]), slices.Max(highs[:last+1])
}

// Beyond writes the first of the indices (int64) that lies outside of an axis of n points
// to out. There is one.
func Beyond(par Parallel, indices, out Packed, n int) {
	at := as[int64](indices.Data)
	as[int64](out.Data)[0] = at[max(0, invalid(par, at, n, Raise))]
}

// TakeAlong writes x[..., indices[..., j, ...], ...] along an axis: indices (int64) and out
// have the same shape, and x's but along the axis. It returns the position of an index that
// means no place, or -1.
func TakeAlong(par Parallel, x, indices, out Packed, axis int) int {
	_, n, _ := around(x.Shape, axis)
	_, m, inner := around(indices.Shape, axis)
	at := as[int64](indices.Data)
	if bad := invalid(par, at, n, Raise); bad >= 0 {
		return bad
	}
	place := rowMover(out.Data, x.Data, x.Type.Size())
	split(par, len(at), 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			i, _ := Raise.at(at[k], n)
			place(k, (k/(m*inner)*n+i)*inner+k%inner)
		}
	})
	return -1
}

// invalid returns the first position of an index that means no place, or -1.
func invalid(par Parallel, at []int64, n int, mode Mode) int {
	if mode != Raise && n > 0 {
		return -1
	}
	var first [maxChunks]int
	split(par, len(at), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if _, ok := mode.at(at[i], n); !ok {
				first[chunkOf(len(at), lo)] = i + 1
				return
			}
		}
	})
	for _, f := range first {
		if f > 0 {
			return f - 1
		}
	}
	return -1
}

// Expand is Compress backwards: it writes a row of values to each row x[i] for which mask[i] is
// not zero. With repeat the rows of values are taken around; else there are just as many, or
// nothing is written and it reports false.
func Expand(par Parallel, x, mask, values Packed, repeat bool) bool {
	size := len(x.Data) / mask.Elements()
	rows := len(values.Data) / size
	fits := true
	place := rowMover(x.Data, values.Data, size)
	compactInto(par, mask, func(count int) bool {
		fits = repeat || count == rows
		return fits
	}, func(from, to int) {
		if repeat {
			from %= rows
		}
		place(to, from)
	})
	return fits
}
