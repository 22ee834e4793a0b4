package routines

import "unsafe"

// Writing to random places of a large array misses the cache, and the table of pages, with
// every element. So the elements are brought, with their offsets, into the order of the
// parts that they go to, each as large as a cache; within a part they stay in their order.

// farBytes is the reach from which on that pays.
const farBytes = 8 << 20

// sortedBlock is how many elements are sorted at once: it bounds the memory for them.
const sortedBlock = 1 << 22

// maxParts bounds the parts, which are written to side by side.
const maxParts = 256

// jumps reports whether indices that follow each other are mostly far apart.
func (x *exchange) jumps() bool {
	const samples = 64
	n := x.points.count()
	far := 0
	for i := range samples {
		var two [2]int64
		x.points.offsets(x.walks, i*(n-2)/samples, two[:])
		if d := two[1] - two[0]; d > 4096 || d < -4096 {
			far++
		}
	}
	return far > samples/2
}

// sorted scatters to places which begin at bytes from first to end.
func (x *exchange) sorted(par Parallel, first, end int64) {
	switch x.near.Type.Size() {
	case 1:
		scatterSorted[uint8](par, x, first, end)
	case 2:
		scatterSorted[uint16](par, x, first, end)
	case 4:
		scatterSorted[uint32](par, x, first, end)
	case 8:
		scatterSorted[uint64](par, x, first, end)
	default:
		scatterSorted[[2]uint64](par, x, first, end)
	}
}

func scatterSorted[T any](par Parallel, x *exchange, first, end int64) {
	shift := 18 // a part is 256 KiB, or as much more as keeps the parts few
	for (end-first)>>shift >= maxParts {
		shift++
	}
	parts := int((end-first)>>shift) + 1
	total := x.points.count()
	n := min(total, sortedBlock)
	offsets, values := make([]int64, n), make([]T, n)
	ramp := make([]int64, pointBlock)
	for k := range ramp {
		ramp[k] = int64(k) * int64(x.near.Type.Size())
	}
	for lo := 0; lo < total; lo += n {
		n := min(n, total-lo)
		per := max(grain, (n+maxChunks-1)/maxChunks)
		chunks := (n + per - 1) / per
		starts := make([]int, chunks*parts+1) // of chunk c in part p at p*chunks+c+1, while counting
		each := func(c int, use func(k int, far []int64)) {
			var room [pointBlock]int64
			for k := c * per; k < min(n, (c+1)*per); k += pointBlock {
				far := room[:min(pointBlock, min(n, (c+1)*per)-k)]
				x.points.offsets(x.walks, lo+k, far)
				use(k, far)
			}
		}
		par(chunks, func(c int) {
			var counts [maxParts]int
			each(c, func(_ int, far []int64) {
				for _, at := range far {
					counts[uint8((at-first)>>shift)]++
				}
			})
			for p := range parts {
				starts[p*chunks+c+1] = counts[p]
			}
		})
		for i := range chunks * parts {
			starts[i+1] += starts[i]
		}
		par(chunks, func(c int) {
			var to [maxParts]int
			for p := range parts {
				to[p] = starts[p*chunks+c]
			}
			var room [pointBlock]int64
			each(c, func(k int, far []int64) {
				near := room[:len(far)]
				x.along.offsets(lo+k, near)
				for i, at := range far {
					p := uint8((at - first) >> shift)
					j := to[p]
					to[p]++
					offsets[j], values[j] = at, *(*T)(unsafe.Add(x.near.P, near[i]))
				}
			})
		})
		par(parts, func(p int) {
			for from, to := starts[p*chunks], starts[(p+1)*chunks]; from < to; from += pointBlock {
				n := min(pointBlock, to-from)
				x.move(x.points.Of.P, unsafe.Pointer(&values[from]), offsets[from:from+n], ramp[:n])
			}
		})
	}
}
