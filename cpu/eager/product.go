package eager

// #include "eager.h"
import "C"

import "unsafe"

// ProductLength is how many terms the sums of a Product have at most.
const ProductLength = C.VM_LANES

// Product is a stack of products out[i][j] = sum over k of a[i][k]*b[j][k]. Steps are in bytes; AS, BS and OutS are
// from one product to the next.
type Product struct {
	A, B, Out             unsafe.Pointer
	AI, AK, BJ, BK        int
	OutI, OutJ            int
	Rows, Columns, Length int
	Stack, AS, BS, OutS   int
}

// Compute computes it in the canonical order, where elements are floats of 4 or 8 bytes and there are at most
// ProductLength terms. It returns which floating-point flags that has raised, by NumPy's bits; they are not left to the
// thread.
func (p *Product) Compute(size int) (raised int) {
	return int(C.eager_products_watched(C.int(size), C.eager_product{
		ai: C.int64_t(p.AI), ak: C.int64_t(p.AK), bj: C.int64_t(p.BJ), bk: C.int64_t(p.BK),
		oi: C.int64_t(p.OutI), oj: C.int64_t(p.OutJ), rows: C.int64_t(p.Rows), columns: C.int64_t(p.Columns), length: C.int64_t(p.Length),
		stack: C.int64_t(p.Stack), as: C.int64_t(p.AS), bs: C.int64_t(p.BS), os: C.int64_t(p.OutS),
	}, p.A, p.B, p.Out))
}
