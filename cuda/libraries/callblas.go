//go:build cgo && linux

package libraries

/*
#include <stdint.h>

static int create(void *f, void **handle) { return ((int (*)(void **))f)(handle); }
static int destroy(void *f, void *handle) { return ((int (*)(void *))f)(handle); }
static int set_stream(void *f, void *handle, uint64_t stream) { return ((int (*)(void *, void *))f)(handle, (void *)(uintptr_t)stream); }

typedef struct {
	int type, turned[3], m, n, k, batch, leading[3];
	uint64_t at[3];
	long long apart[3];
} product;

static int multiply(void *one, void *several, void *handle, const product *p)
{
	static const float unit[2] = {1}, zero[2];
	static const double unit_double[2] = {1}, zero_double[2];
	const void *alpha = p->type & 1 ? (const void *)unit_double : unit, *beta = p->type & 1 ? (const void *)zero_double : zero;
	const void *a = (const void *)(uintptr_t)p->at[0], *b = (const void *)(uintptr_t)p->at[1];
	void *c = (void *)(uintptr_t)p->at[2];
	if (p->batch == 1)
		return ((int (*)(void *, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int))one)(
			handle, p->turned[0], p->turned[1], p->m, p->n, p->k, alpha, a, p->leading[0], b, p->leading[1], beta, c, p->leading[2]);
	return ((int (*)(void *, int, int, int, int, int, const void *, const void *, int, long long, const void *, int, long long, const void *, void *, int, long long, int))several)(
		handle, p->turned[0], p->turned[1], p->m, p->n, p->k, alpha, a, p->leading[0], p->apart[0], b, p->leading[1], p->apart[1], beta,
		c, p->leading[2], p->apart[2], p->batch);
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Handle is cuBLAS with one stream of a device. Its context must be current on the thread of each call, and one call
// may be under way at a time.
type Handle struct {
	blas   *Blas
	handle unsafe.Pointer
}

// Handle makes a handle for a stream.
func (b *Blas) Handle(stream uint64) (*Handle, error) {
	h := &Handle{blas: b}
	if err := status("cublasCreate", int(C.create(b.entry[create], &h.handle))); err != nil {
		return nil, err
	}
	if err := status("cublasSetStream", int(C.set_stream(b.entry[setStream], h.handle, C.uint64_t(stream)))); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Multiply appends a product, which Fits, to the handle's stream. Its factors are read, and its result is written,
// whole.
func (h *Handle) Multiply(p *Product) error {
	given := C.product{_type: C.int(p.Type), m: C.int(p.M), n: C.int(p.N), k: C.int(p.K), batch: C.int(p.Batch)}
	for i, m := range []*Matrix{&p.A, &p.B, &p.C} {
		given.at[i], given.leading[i], given.apart[i] = C.uint64_t(m.At), C.int(m.Leading), C.longlong(m.Apart)
		if m.Turned {
			given.turned[i] = 1 // CUBLAS_OP_T
		}
	}
	e := h.blas.entry
	rc := C.multiply(e[gemm+int(p.Type)], e[gemmBatched+int(p.Type)], h.handle, &given)
	if rc == 0 {
		return nil
	}
	return status(p.String(), int(rc))
}

// Close gives back what the handle has.
func (h *Handle) Close() error {
	return status("cublasDestroy", int(C.destroy(h.blas.entry[destroy], h.handle)))
}
