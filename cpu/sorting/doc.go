// Package sorting is the sorting machine in C: what looks at every element of a sort, a selection
// or a search for distinct elements. How the work is cut into pieces for processors is the caller's.
//
// It must not know package tile, dtypes, arrays, programs or goroutines: it gets addresses, lengths and
// an Order that says how bits compare, and trusts them. It allocates nothing.
//
// # Ranks
//
// An element's rank is a signed integer that compares as the elements do. Integers of 64 and 32
// bits are sorted: floats as their ranks, which are turned back, and narrow
// elements as 32 bits. Only rows of float64 that are all numbers are sorted as they are, which gives the same row
// (reals.h). All ranks are different bits, NaNs and zeros too, so that the result does not depend on the way there:
// every instruction set and every number of processors gives the same bits.
//
// Positions are sorted in one integer with a rank above them, as many of its bits as fit. So a sort of
// positions is one of integers, and stable, since no two are equal. Where ranks had to be cut, those that
// look equal are sorted again by themselves (elements.h).
//
// # Quicksort
//
// Quicksort (quicksort.h) takes its pivot from a sample and falls back to heapsort after too many bad
// ones. Partition (partition.h) compresses the lanes of vectors to both ends of the array; few
// elements are sorted in registers by networks, of which two are merged (network.h). Plain C has a partition without
// branches and an insertion sort instead (plain.h).
//
// Rows of integers that lie close together are not compared at all, but counted (elements.h, tallies.c).
//
// Large arrays go through memory once: each element moves into one of up to 32 buckets (buckets.h), which
// about fit the cache and are sorted by themselves.
//
// # Instruction sets
//
// The headers are the bodies; base.c, v3.c and v4.c compile them once for each instruction set, as in
// package vm.
package sorting
