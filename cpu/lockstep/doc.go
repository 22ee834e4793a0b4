// Package lockstep runs programs of threads in C: the threads of a block, or of several, are the lanes of a row, and
// one step after the other is taken for all of them. Lanes that take other ways are masked. Loops over elements are
// package vm's primitives; what threads have besides is here: elements of arrays wherever they are, each index of which
// is checked, atomics, barriers, and what the threads of a warp tell each other (run.h, memory.h, warp.h). Where lanes
// wait for others at a lock, those go ahead (split.h). Inner loops are taken strip by strip (inner.h).
//
// It must not know package tile, programs, devices or buffers: it gets steps, and trusts them, but for indices.
//
// base.c, v3.c and v4.c compile the headers once for each instruction set of package vm. The caller owns everything
// that a Row points to, outside the Go heap.
package lockstep
