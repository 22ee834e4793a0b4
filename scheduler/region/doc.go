// Package region is the arithmetic of byte ranges: intervals, sets of disjoint
// intervals, and the footprints that strided tiles leave in a store.
//
// The scheduler reasons about the bytes [0, size) of a store, not about boxes of an
// array, because views of one store may have any shape. The footprint of a tile is the
// smallest interval that covers its elements, and a flag that says whether the elements
// cover every byte of it:
//
//	a[2:4] of 8-byte elements       [16, 32) dense
//	a[::2], four elements           [0, 56)  with gaps
//	a.T[1:3] of a (4,4) array       [8, 120) with gaps
//
// A footprint with gaps is too large, never too small. Whoever plans with it must treat a
// write as keeping the bytes in the gaps.
//
// The package knows neither stores, views, ops nor memories.
package region
