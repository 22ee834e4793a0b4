// Package routines has the algorithms on arrays that are not one expression per element:
// sorting, searching, scans, selection, counting and Fourier transforms.
//
// It must not know devices, queues, stores, ops, NumPy's functions or how arguments are
// read: it gets packed arrays (C order, no gaps) and plain parameters, and writes packed
// arrays whose memory the caller owns. What NumPy raises for bad data (an index out of range)
// is an answer here, not an error text.
//
// # Parallelism and order
//
// Work is cut into chunks whose borders follow from the sizes alone, and the caller's
// Parallel runs them. So results have the same bits on any number of processors, also where
// rounding makes the order matter (scans).
//
// # Ranks
//
// Sorting, searching and finding duplicates compare ranks: signed integers that compare as
// NumPy orders the elements (keys.go). Package sorting does the work on them, in C; here it is cut
// into rows, buckets and parts.
package routines
