// Package eager runs one operation on few elements, or one reduction of more, at once, on the calling thread: for
// operands that lie in host memory already and nothing else is about to read or write, where planning, queueing and
// waiting would cost many times the work. The loops are package vm's primitives, called one after the other, and a
// reduction is in the canonical order of package tile, so that the bits are those of the same operation by way of the
// scheduler.
//
// The C side is what package python/core calls, with the interpreter's lock held, which is what guards its scratch
// memory. A Code is made in Go from a lowered program (cpu.Straight), once for each function and dtypes, and lives as
// long as the process.
//
// Operations on many elements are cut into parts, which threads of this package help with (hands.c).
//
// It must not know Python, arrays, stores or the scheduler: it gets addresses, and trusts them.
package eager
