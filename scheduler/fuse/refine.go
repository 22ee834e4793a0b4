package fuse

import "weft/scheduler"

// refine expresses strides over one index space as strides over a finer one with the same
// points in the same order: every axis of from is a product of neighbouring axes of to. It
// reports whether to is finer.
//
//	from (12)     strides (8)          from (6,5)    strides (40,8)
//	to   (3,4)    strides (32,8)       to   (4,5)    not finer
//
// Ops on contiguous arrays come with collapsed index spaces, and their neighbours on slices
// of the same arrays don't; refining brings them together.
func refine(from []int, strides []int64, to []int, out []int64) bool {
	// Both spaces are gone through from the last axis, which is the fastest in C order: axes of to are multiplied until
	// they have the points of one of from. Their strides are its stride times the points inside of them.
	k := len(to) - 1
	for i := len(from) - 1; i >= 0; i-- {
		points := 1
		for points < from[i] {
			if k < 0 || to[k] <= 0 {
				return false
			}
			if strides != nil {
				out[k] = strides[i] * int64(points)
			}
			points *= to[k]
			k--
		}
		if points != from[i] {
			return false
		}
	}
	// What is left of the finer space has to be axes of one point, whose strides mean nothing.
	for ; k >= 0; k-- {
		if to[k] != 1 {
			return false
		}
		if strides != nil {
			out[k] = 0
		}
	}
	return true
}

// refined returns the view over a finer index space; the caller has made sure that it is one.
func refined(v scheduler.View, to []int) scheduler.View {
	out := make([]int64, len(to))
	refine(v.Shape, v.Strides, to, out)
	v.Shape, v.Strides = to, out
	return v
}

func equalShape(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
