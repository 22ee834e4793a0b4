package driver

import (
	"unsafe"

	"weft/scheduler"
)

// pack copies a view's elements from its store's bytes to dst, in C order.
//
// It is the slow part of reading a slice: inner axes are merged to runs first, so that a contiguous view is one copy.
func pack(dst, src []byte, v scheduler.View) {
	// Inner axes that lie in C order are one run of bytes.
	run := int64(v.Type.Size())
	rank := len(v.Shape)
	for rank > 0 && (v.Shape[rank-1] == 1 || v.Strides[rank-1] == run) {
		run *= int64(v.Shape[rank-1])
		rank--
	}
	packAxis(dst, src, v.Offset, v.Shape[:rank], v.Strides[:rank], int(run))
}

// packAxis packs the runs of the outer axes, and returns what is left of dst.
//
//	shape (3,2,4) float64, strides (128,32,8)     run 64 bytes, outer axes (3)
//	shape (5), stride -8                          run 8 bytes, one axis, from its end
func packAxis(dst, src []byte, at int64, shape []int, strides []int64, run int) []byte {
	if len(shape) == 0 {
		copy(dst[:run], src[at:])
		return dst[run:]
	}
	if len(shape) > 1 {
		for range shape[0] {
			dst = packAxis(dst, src, at, shape[1:], strides[1:], run)
			at += strides[0]
		}
		return dst
	}
	n, step := shape[0], strides[0]
	switch run { // single elements: a loop per width is several times faster than copy
	case 1:
		for i := range n {
			dst[i] = src[at+int64(i)*step]
		}
	case 2:
		packRuns[[2]byte](dst, src, at, n, step)
	case 4:
		packRuns[[4]byte](dst, src, at, n, step)
	case 8:
		packRuns[[8]byte](dst, src, at, n, step)
	case 16:
		packRuns[[16]byte](dst, src, at, n, step)
	default:
		for i := range n {
			copy(dst[i*run:][:run], src[at+int64(i)*step:])
		}
	}
	return dst[n*run:]
}

// packRuns packs single elements. The slices' bounds are checked once per element, by the
// last byte; byte arrays need no alignment.
func packRuns[E [2]byte | [4]byte | [8]byte | [16]byte](dst, src []byte, at int64, n int, step int64) {
	width := int(unsafe.Sizeof(*new(E)))
	for i := range n {
		from, to := src[at:at+int64(width)], dst[i*width:i*width+width]
		*(*E)(unsafe.Pointer(unsafe.SliceData(to))) = *(*E)(unsafe.Pointer(unsafe.SliceData(from)))
		at += step
	}
}
