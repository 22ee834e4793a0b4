// Package region is the arithmetic of byte ranges: intervals, combs of them, sets of both, the
// footprints that strided tiles leave in a store, and the tilings that cut one.
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
// A footprint with gaps is too large, never too small. A planner that goes by it must treat a
// write as keeping the bytes in the gaps.
//
// Where that is too much, as for tiles of columns, whose intervals all overlap, Cover gives a
// Comb: runs of bytes at equal distances.
//
//	a[:, 2:4] of a (4,8) array      [2,4) x4/8      ..##......##......##......##....
//
// An interval is a comb of one run, and combs with the same distance are rectangles in rows of
// that many bytes. So what two of them have in common, and what is left of one without the
// other, are a few combs again. An Area is a set of bytes made of these.
//
// A Tiling cuts a store into rows of tiles and these into columns, and tells which positions
// along the axes of a view belong to which.
//
// The package knows neither stores, views, ops nor memories.
package region
