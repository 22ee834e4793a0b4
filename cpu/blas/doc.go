// Package blas calls BLAS and LAPACK from a library that is loaded at run time: OpenBLAS
// where there is one, whatever else has the same symbols otherwise, and gonum, in Go, where there
// is none. No C library is linked, so that one binary starts everywhere, and says what it found.
//
// It must not know programs, arrays, dtypes of arrays or scheduling: it finds a library, finds
// a routine by its Fortran name, and calls it with numbers and addresses.
//
// # Which library
//
// Search tries, in this order: the path that the user named, the OpenBLAS that lies with a
// Python environment's NumPy, and the system's libraries by their usual names. The symbols of
// these differ: dgemm_ is scipy_dgemm_64_ in NumPy's wheels and dgemm_64_ in others; where
// there is a 64 in the name, integers have 64 bits. Call hides both.
//
// The last resort is gonum, which has the real routines and takes 8 to 18 times as long; String
// says so. It stands behind the same Fortran names (gonum.go), so that callers see no difference
// but in Has. WEFT_BLAS=gonum takes it on purpose, which is how it is tested.
//
// # A copy of its own
//
// NumPy in the same process may use the same file. The library is therefore loaded a second
// time, from a copy in memory: its thread count and core type are then ours, and NumPy's stay
// as they were. OpenBLAS chooses its kernels when it is loaded, by a list of processors; those
// that it does not know it takes for older ones. Where this happens on a machine with AVX-512,
// the copy is told to use the kernels for it (OPENBLAS_CORETYPE, which has precedence when
// the user has set it).
//
// # Threads
//
// Either many callers compute with one thread each (Single), or one caller computes with several
// (Together) and the others wait. How many is told by the caller, who knows which cores are idle
// and keeps others off them, so that never are there more threads at work than cores. gonum's
// products are computed by the caller alone; its factorisations share their inner products
// among goroutines, and so among no more threads than GOMAXPROCS.
package blas
