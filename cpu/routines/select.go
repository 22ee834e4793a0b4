package routines

import (
	"encoding/binary"
	"math/bits"
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
		return nonzeroBytes(x.Data)
	case 2:
		return nonzeroWord(as[uint16](x.Data), uint16(sign))
	case 4:
		return nonzeroWord(as[uint32](x.Data), uint32(sign))
	}
	return nonzeroWord(as[uint64](x.Data), sign)
}

// counter returns how many of the elements lo to hi are not zero.
func counter(x Packed, find finder) func(lo, hi int) int {
	if x.Type.Size() > 1 {
		return func(lo, hi int) int {
			var room [findBlock]uint16
			return find(lo, hi, room[:])
		}
	}
	return func(lo, hi int) int {
		n := 0
		for part := x.Data[lo:hi]; len(part) > 0; {
			if len(part) < 8 {
				for _, b := range part {
					if b != 0 {
						n++
					}
				}
				break
			}
			n += bits.OnesCount64(nonzeros(binary.NativeEndian.Uint64(part)))
			part = part[8:]
		}
		return n
	}
}

// nonzeros returns a word with one bit for each byte that is not zero.
func nonzeros(w uint64) uint64 {
	const low = 0x7f7f7f7f7f7f7f7f
	return ((w&low + low) | w) &^ low
}

// nonzeroBytes leaves out eight zeros at a time, which is what most of a mask is that chooses little.
func nonzeroBytes(x []byte) finder {
	word := nonzeroWord(x, 0)
	return func(lo, hi int, to []uint16) int {
		n, i := 0, lo
		for ; i+8 <= hi; i += 8 {
			if binary.NativeEndian.Uint64(x[i:]) == 0 {
				continue
			}
			for k, b := range x[i : i+8] {
				to[n&(findBlock-1)] = uint16(i - lo + k)
				hit := 0
				if b != 0 {
					hit = 1
				}
				n += hit
			}
		}
		rest := word(i, hi, to[n:])
		for k := range to[n : n+rest] {
			to[n+k] += uint16(i - lo)
		}
		return n + rest
	}
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
	}, func(to, lo int, hits []uint16) {
		for k, hit := range hits {
			i := lo + int(hit)
			for axis := len(coordinates) - 1; axis > 0; axis-- {
				coordinates[axis][to+k] = int64(i % shape[axis])
				i /= shape[axis]
			}
			if len(coordinates) > 0 {
				coordinates[0][to+k] = int64(i)
			}
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
	compactInto(par, mask, func(count int) bool {
		fits = len(out.Data) == count*size
		return fits
	}, gatherer(out.Data, x.Data, size))
	return fits
}

// gatherer returns a function that copies the rows of src that are lo plus one of the hits to those of dst from to on.
func gatherer(dst, src []byte, size int) func(to, lo int, hits []uint16) {
	switch size {
	case 1:
		return gatherWords(dst, src)
	case 4:
		return gatherWords(as[uint32](dst), as[uint32](src))
	case 8:
		return gatherWords(as[uint64](dst), as[uint64](src))
	case 16:
		return gatherWords(as[complex128](dst), as[complex128](src))
	}
	return func(to, lo int, hits []uint16) {
		for k, hit := range hits {
			from := lo + int(hit)
			copy(dst[(to+k)*size:(to+k+1)*size], src[from*size:])
		}
	}
}

func gatherWords[K any](dst, src []K) func(to, lo int, hits []uint16) {
	return func(to, lo int, hits []uint16) {
		d, s := dst[to:to+len(hits)], src[lo:]
		for k, hit := range hits {
			d[k] = s[hit]
		}
	}
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

// compactInto calls found with the elements that are not zero, some at a time: the number of the first, and their
// positions less lo; once start has agreed to how many there are.
func compactInto(par Parallel, x Packed, start func(count int) bool, found func(to, lo int, hits []uint16)) {
	n := x.Elements()
	find := nonzero(x)
	per := max(grain, (n+maxChunks-1)/maxChunks)
	chunks := (n + per - 1) / per
	var starts [maxChunks + 1]int
	count := counter(x, find)
	par(chunks, func(c int) {
		end := min(n, (c+1)*per)
		for lo := c * per; lo < end; lo += findBlock {
			starts[c+1] += count(lo, min(end, lo+findBlock))
		}
	})
	for c := range chunks {
		starts[c+1] += starts[c]
	}
	if !start(starts[chunks]) {
		return
	}
	par(chunks, func(c int) {
		var room [findBlock]uint16
		to, end := starts[c], min(n, (c+1)*per)
		for lo := c * per; lo < end; lo += findBlock {
			hits := room[:find(lo, min(end, lo+findBlock), room[:])]
			found(to, lo, hits)
			to += len(hits)
		}
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
	_, n, _ := tile.Around(x.Shape, axis)
	_, m, inner := tile.Around(indices.Shape, axis)
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
	}, func(from, lo int, hits []uint16) {
		for k, hit := range hits {
			row := from + k
			if repeat {
				row %= rows
			}
			place(lo+int(hit), row)
		}
	})
	return fits
}
