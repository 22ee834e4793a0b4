//go:build cgo && linux

package libraries

/*
#include <stdint.h>

static int create_solver(void *f, void **handle) { return ((int (*)(void **))f)(handle); }
static int destroy_solver(void *f, void *handle) { return ((int (*)(void *))f)(handle); }
static int set_solver_stream(void *f, void *handle, uint64_t stream) { return ((int (*)(void *, void *))f)(handle, (void *)(uintptr_t)stream); }

static void *address(uint64_t at) { return (void *)(uintptr_t)at; }

static int potrf_size(void *f, void *handle, int upper, int n, uint64_t a, int *size)
{
	return ((int (*)(void *, int, int, void *, int, int *))f)(handle, upper, n, address(a), n, size);
}

static int call_potrf(void *f, void *handle, int upper, int n, uint64_t a, uint64_t work, int size, uint64_t info)
{
	return ((int (*)(void *, int, int, void *, int, void *, int, void *))f)(handle, upper, n, address(a), n, address(work), size, address(info));
}

static int getrf_size(void *f, void *handle, int n, uint64_t a, int *size)
{
	return ((int (*)(void *, int, int, void *, int, int *))f)(handle, n, n, address(a), n, size);
}

static int call_getrf(void *f, void *handle, int n, uint64_t a, uint64_t work, uint64_t pivots, uint64_t info)
{
	return ((int (*)(void *, int, int, void *, int, void *, void *, void *))f)(handle, n, n, address(a), n, address(work), address(pivots), address(info));
}

// call_getrs solves with the transpose (CUBLAS_OP_T).
static int call_getrs(void *f, void *handle, int n, int sides, uint64_t a, uint64_t pivots, uint64_t b, uint64_t info)
{
	return ((int (*)(void *, int, int, int, void *, int, void *, void *, int, void *))f)(handle, 1, n, sides, address(a), n, address(pivots), address(b), n,
		address(info));
}

static int syevd_size(void *f, void *handle, int vectors, int upper, int n, uint64_t a, uint64_t values, int *size)
{
	return ((int (*)(void *, int, int, int, void *, int, void *, int *))f)(handle, vectors, upper, n, address(a), n, address(values), size);
}

static int call_syevd(void *f, void *handle, int vectors, int upper, int n, uint64_t a, uint64_t values, uint64_t work, int size, uint64_t info)
{
	return ((int (*)(void *, int, int, int, void *, int, void *, void *, int, void *))f)(handle, vectors, upper, n, address(a), n, address(values),
		address(work), size, address(info));
}

static int geqrf_size(void *f, void *handle, int rows, int n, uint64_t a, int *size)
{
	return ((int (*)(void *, int, int, void *, int, int *))f)(handle, rows, n, address(a), rows, size);
}

static int call_geqrf(void *f, void *handle, int rows, int n, uint64_t a, uint64_t scales, uint64_t work, int size, uint64_t info)
{
	return ((int (*)(void *, int, int, void *, int, void *, void *, int, void *))f)(handle, rows, n, address(a), rows, address(scales), address(work),
		size, address(info));
}

static int orgqr_size(void *f, void *handle, int rows, int n, int k, uint64_t q, uint64_t scales, int *size)
{
	return ((int (*)(void *, int, int, int, void *, int, void *, int *))f)(handle, rows, n, k, address(q), rows, address(scales), size);
}

static int call_orgqr(void *f, void *handle, int rows, int n, int k, uint64_t q, uint64_t scales, uint64_t work, int size, uint64_t info)
{
	return ((int (*)(void *, int, int, int, void *, int, void *, void *, int, void *))f)(handle, rows, n, k, address(q), rows, address(scales),
		address(work), size, address(info));
}

static int gesvd_size(void *f, void *handle, int rows, int n, int *size) { return ((int (*)(void *, int, int, int *))f)(handle, rows, n, size); }

static int call_gesvd(void *f, void *handle, int left, int right, int rows, int n, uint64_t a, uint64_t values, uint64_t u, uint64_t vt, uint64_t work,
                      int size, uint64_t rest, uint64_t info)
{
	return ((int (*)(void *, signed char, signed char, int, int, void *, int, void *, void *, int, void *, int, void *, int, void *, void *))f)(
		handle, left, right, rows, n, address(a), rows, address(values), address(u), rows, address(vt), n, address(work), size, address(rest),
		address(info));
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// SolverHandle is cuSOLVER with one stream of a device. Its context must be current on the thread of each call, and one
// call may be under way at a time.
type SolverHandle struct {
	solver *Solver
	handle unsafe.Pointer
}

// Handle makes a handle for a stream.
func (s *Solver) Handle(stream uint64) (*SolverHandle, error) {
	h := &SolverHandle{solver: s}
	if err := solved("cusolverDnCreate", int(C.create_solver(s.entry[createSolver], &h.handle))); err != nil {
		return nil, err
	}
	if err := solved("cusolverDnSetStream", int(C.set_solver_stream(s.entry[setSolverStream], h.handle, C.uint64_t(stream)))); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// function returns a function for a decomposition's numbers.
func (h *SolverHandle) function(d *Decomposition, n int) function {
	if d.Complex {
		n += ofComplex
	}
	return h.solver.entry[n]
}

// Work returns how many numbers of the decomposition's type its work takes. Only the operands' addresses are looked at.
func (h *SolverHandle) Work(d *Decomposition, o *Operands) (int, error) {
	var size, rc C.int
	rows, n, at, upper := C.int(d.Rows), C.int(d.N), C.uint64_t(o.Matrix), C.int(0)
	if d.Upper {
		upper = 1 // CUBLAS_FILL_MODE_UPPER
	}
	switch d.Problem {
	case Factors:
		rc = C.potrf_size(h.function(d, potrfSize), h.handle, upper, n, at, &size)
	case Equations:
		rc = C.getrf_size(h.function(d, getrfSize), h.handle, n, at, &size)
	case Reflectors:
		rc = C.geqrf_size(h.function(d, geqrfSize), h.handle, rows, n, at, &size)
	case Orthogonal:
		rc = C.orgqr_size(h.function(d, orgqrSize), h.handle, rows, C.int(d.Sides), min(rows, n), C.uint64_t(o.Left), C.uint64_t(o.Scales), &size)
	case SingularValues, SingularVectors:
		rc = C.gesvd_size(h.function(d, gesvdSize), h.handle, rows, n, &size)
	default:
		rc = C.syevd_size(h.function(d, syevdSize), h.handle, d.vectors(), upper, n, at, C.uint64_t(o.Values), &size)
	}
	if err := solved(d.String()+": a buffer's size", int(rc)); err != nil {
		return 0, err
	}
	if size < 0 { // it is a C int
		return 0, fmt.Errorf("%v: a work area of %d numbers: the matrix is larger than the library's numbers", d, size)
	}
	return int(size), nil
}

// vectors is CUSOLVER_EIG_MODE_VECTOR or _NOVECTOR.
func (d *Decomposition) vectors() C.int {
	if d.Problem == Eigenvectors {
		return 1
	}
	return 0
}

// sides are gesvd's options for the vectors.
func (d *Decomposition) sides() (left, right C.int) {
	switch {
	case d.Problem == SingularValues:
		return 'N', 'N'
	case d.Whole:
		return 'A', 'A'
	}
	return 'S', 'S'
}

// Solve appends a decomposition, which Fits, to the handle's stream, or waits for that and does it. size is what Work
// returned.
func (h *SolverHandle) Solve(d *Decomposition, o *Operands, size int) error {
	rows, n, a, work, info, upper := C.int(d.Rows), C.int(d.N), C.uint64_t(o.Matrix), C.uint64_t(o.Work), C.uint64_t(o.Info), C.int(0)
	if d.Upper {
		upper = 1
	}
	var rc C.int
	switch d.Problem {
	case Factors:
		rc = C.call_potrf(h.function(d, potrf), h.handle, upper, n, a, work, C.int(size), info)
	case Equations:
		if rc = C.call_getrf(h.function(d, getrf), h.handle, n, a, work, C.uint64_t(o.Pivots), info); rc == 0 {
			rc = C.call_getrs(h.function(d, getrs), h.handle, n, C.int(d.Sides), a, C.uint64_t(o.Pivots), C.uint64_t(o.Sides), info+4)
		}
	case Reflectors:
		rc = C.call_geqrf(h.function(d, geqrf), h.handle, rows, n, a, C.uint64_t(o.Scales), work, C.int(size), info)
	case Orthogonal:
		rc = C.call_orgqr(h.function(d, orgqr), h.handle, rows, C.int(d.Sides), min(rows, n), C.uint64_t(o.Left), C.uint64_t(o.Scales), work, C.int(size), info+4)
	case SingularValues, SingularVectors:
		left, right := d.sides()
		rc = C.call_gesvd(h.function(d, gesvd), h.handle, left, right, rows, n, a, C.uint64_t(o.Values), C.uint64_t(o.Left), C.uint64_t(o.Right),
			work, C.int(size), C.uint64_t(o.Rest), info)
	default:
		rc = C.call_syevd(h.function(d, syevd), h.handle, d.vectors(), upper, n, a, C.uint64_t(o.Values), work, C.int(size), info)
	}
	return solved(d.String(), int(rc))
}

// Close gives back what the handle has.
func (h *SolverHandle) Close() error {
	return solved("cusolverDnDestroy", int(C.destroy_solver(h.solver.entry[destroySolver], h.handle)))
}
