// Package linalg is dense linear algebra as named routines: solving, factorising,
// eigenvalues, over stacks of matrices of float64 and complex128. The numerics are LAPACK's
// (package cpu/blas).
//
// It must not know NumPy's functions, stores, tasks or which device calls it: arrays checks
// shapes and composes, the scheduler plans.
//
// # Operands
//
// The last one or two axes of an operand are a vector or a matrix, the others are the stack,
// which all operands have alike. LAPACK works on columns and in place, so that every matrix
// is copied into scratch memory and results are copied out; copies are of the order of n^2.
//
// # Threads
//
// The matrices of a stack are shared between the device's idle cores, one thread each. For a
// single large matrix the idle cores are reserved, and the library computes with as many threads.
//
// # Errors
//
// Where LAPACK reports that the data has no result, the routine fails with the DataError that
// NumPy's function raises. As in NumPy, one bad matrix fails the whole stack.
package linalg
