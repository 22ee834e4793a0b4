package routines

import (
	"unsafe"

	"weft/tile"
)

// Parallel calls run(0) .. run(n-1), some of them at the same time, and returns when all
// have returned. A run may itself call Parallel only where it says so.
type Parallel func(n int, run func(i int))

// Serial is the Parallel of one processor.
func Serial(n int, run func(i int)) {
	for i := range n {
		run(i)
	}
}

// Packed is an array in C order without gaps. The caller owns the memory.
type Packed struct {
	Type  tile.DType
	Shape []int
	Data  []byte
}

// Elements returns the number of elements.
func (p Packed) Elements() int { return len(p.Data) / p.Type.Size() }

// as sees packed bytes as elements. T has the dtype's size.
func as[T any](data []byte) []T {
	var zero T
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), len(data)/int(unsafe.Sizeof(zero)))
}

// bytesOf sees elements as packed bytes.
func bytesOf[T any](x []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(zero)))
}

func pointer(data []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(data)) }

// grain is the number of elements that is worth another processor.
const grain = 1 << 14

// split cuts n units of work, each of the given weight in elements, into chunks and runs
// them. The chunks follow from n and weight alone.
func split(par Parallel, n, weight int, run func(lo, hi int)) {
	per := max(1, grain/max(weight, 1), (n+maxChunks-1)/maxChunks)
	if n <= per {
		if n > 0 {
			run(0, n)
		}
		return
	}
	par((n+per-1)/per, func(i int) { run(i*per, min(n, (i+1)*per)) })
}

// maxChunks bounds the chunks of one loop, and with them the partial results.
const maxChunks = 256

// chunkOf is the number of the chunk of split (at weight 1) that starts at lo.
func chunkOf(n, lo int) int {
	return lo / max(grain, (n+maxChunks-1)/maxChunks)
}
