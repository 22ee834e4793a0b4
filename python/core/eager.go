//go:build extension

package main

// #include "values.h"
// #include "../../cpu/eager/eager.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"weft/arrays"
	"weft/cpu"
	"weft/scheduler"
	"weft/tile"
	"weft/workspace"
)

// Both sides number the reductions alike; a difference does not compile.
const (
	_ = uint(C.WEFT_TERMS - arrays.TermsFold)
	_ = uint(arrays.TermsFold - C.WEFT_TERMS)
)

// tellEager tells C whether there is an eager tier, and which ufuncs the operators are. A key of WEFT_DEBUG that says
// how operations are to run is for all of them.
func (b *binding) tellEager(m *workspace.Machine) {
	wanted := m.Wanted()
	off := wanted.NoEager || m.Flags().DeferScalars || wanted.Dump != "" || wanted.Window > 0 || wanted.Tile > 0 ||
		wanted.Grid != [2]int{} || wanted.Unfused || wanted.Afresh || wanted.NoLaunches || wanted.Device != "" ||
		wanted.Trace || wanted.Panic != ""
	C.weft_eager = cbool(!off)
	C.weft_checks = cbool(wanted.Check)
	C.weft_blocks_most = math.MaxInt64
	if limit := int64(m.Flags().SysMem) << 20; limit > 0 {
		C.weft_blocks_most = C.int64_t(limit / eagerShare)
	}
	C.weft_divide = C.int(arrays.Divide)
	for op, u := range operators {
		C.weft_operators[op] = C.int(u)
	}
	C.weft_operators[C.OP_COUNT] = C.int(arrays.Square)
}

// eagerShare is the part of main memory, where that is limited, that arrays which Go does not know take at most
// besides: a sixteenth.
const eagerShare = 16

// eagerWork is how much an operation of the eager tier may cost, in the unit of tile.Program.Work: some eighty
// microseconds. What costs less would run in one piece, on this thread, when it is planned, too (see SmallTask in
// package scheduler).
const eagerWork = 4 << 20

// straight returns what lowers programs for the eager tier.
func (b *binding) straight() cpu.Straight {
	if b.lowered == nil {
		s := cpu.NewStraight()
		b.lowered = &s
	}
	return *b.lowered
}

// goRecipe finds out what a ufunc comes to for operands of these kinds and dtypes.
//
//export goRecipe
func goRecipe(u, xKind, xType, yKind, yType, out C.int, r *C.weft_recipe) {
	defer guard("a recipe")
	found := the.ctx.Recipe(arrays.Ufunc(u), recipeOperand(xKind, xType), recipeOperand(yKind, yType), tile.DType(out))
	if found == nil {
		return
	}
	code, err := the.straight().Code(found.Program)
	if err != nil {
		return // it is no straight line, and left to the general functions
	}
	r.result, r.number = C.uint8_t(found.Result), C.uint8_t(found.Number)
	r.low, r.high = C.int64_t(found.Low), C.int64_t(found.High)
	r.most = C.int32_t(min(C.WEFT_BLOCK, eagerWork/max(1, found.Program.Work()+16)))
	r.code = code.Address()
}

func recipeOperand(kind, dtype C.int) arrays.RecipeOperand {
	return arrays.RecipeOperand{Kind: arrays.ValueKind(kind), Type: tile.DType(dtype)}
}

// goConversion finds out how elements are converted.
//
//export goConversion
func goConversion(from, to C.int, c *C.weft_conversion) {
	defer guard("a conversion")
	p := the.ctx.Conversion(tile.DType(from), tile.DType(to))
	if p == nil {
		return
	}
	if code, err := the.straight().Code(p); err == nil {
		c.code = code.Address()
	}
}

// goFolding finds out how elements of a dtype are reduced.
//
//export goFolding
func goFolding(kind, dtype C.int, f *C.weft_folding) {
	defer guard("a reduction")
	comb, acc, ok := arrays.Folding(arrays.FoldKind(kind), tile.DType(dtype))
	if !ok {
		return
	}
	if fold, err := the.straight().Fold(comb, acc); err == nil {
		f.dtype, f.fold = C.int(acc), fold.Address()
	}
}

// opened are the stores whose memory C reads and writes by itself, by the number that C has for each.
type opened struct {
	next   uint64
	stores map[uint64]openStore
}

type openStore struct {
	id      scheduler.StoreID // of what has elements
	release func()
}

// goOpen gives C the memory of an array's store, where nothing but a little work has to be waited for; of one that is
// settled, nothing at all. It returns the number for goShut, or 0.
//
//export goOpen
func goOpen(handle C.uint64_t, settled C.int, memory **C.char) C.uint64_t {
	defer guard("opening an array")
	a := the.array(handle)
	p, release, ok := a.Open(func(id scheduler.StoreID) (unsafe.Pointer, func(), bool) {
		return the.rt().Open(id, settled != 0)
	})
	if !ok {
		return 0
	}
	*memory = (*C.char)(p)
	return the.opens(a, release)
}

// opens notes that C has an array's memory, until release is called.
func (b *binding) opens(a *arrays.Array, release func()) C.uint64_t {
	o := &b.opened
	if o.stores == nil {
		o.stores = map[uint64]openStore{}
	}
	id, ok := a.Ground()
	if ok {
		b.space.Link(a.Tag(), id)
	}
	o.next++
	o.stores[o.next] = openStore{id, release}
	return C.uint64_t(o.next)
}

// goMake makes an array whose elements C is going to write, and opens it. It returns the number for goShut, or 0.
//
//export goMake
func goMake(dtype C.int, shape *C.int64_t, ndim C.int, handle *C.uint64_t, place *C.weft_place, memory **C.char) C.uint64_t {
	defer guard("making an array")
	a, err := the.ctx.Unwritten(tile.DType(dtype), extents(shape, ndim))
	if err != nil {
		return 0
	}
	p, release, ok := a.Open(func(id scheduler.StoreID) (unsafe.Pointer, func(), bool) { return the.rt().Open(id, false) })
	if !ok {
		a.Free()
		return 0
	}
	*place = placeOf(a)
	*memory = (*C.char)(p)
	*handle = the.put(a)
	return the.opens(a, release)
}

// goSettled waits for what an array's elements are computed from. It is called without the interpreter's lock. A
// failure is that of the operations, and raised by those that read their results.
//
//export goSettled
func goSettled(handle C.uint64_t, onMain C.int, e *C.weft_error) (rc C.int) {
	defer caught("waiting for an array", &rc, e)
	err := the.array(handle).Await(func(v scheduler.View) error { return the.rt().Await(v, the.waits.stopFor(onMain)) })
	if errors.Is(err, arrays.ErrInterrupted) {
		return fail(err, e)
	}
	return C.WEFT_OK
}

// goShut takes the memory of a store back.
//
//export goShut
func goShut(number C.uint64_t) {
	defer guard("closing an array")
	release := the.opened.stores[uint64(number)].release
	delete(the.opened.stores, uint64(number))
	release()
}

// goUsed has a use of memory checked that goOpen or goMake gave: see driver.Runtime.Used.
//
//export goUsed
func goUsed(number C.uint64_t, memory *C.char) {
	defer guard("checking a use of an open array")
	the.rt().Used(the.opened.stores[uint64(number)].id, unsafe.Pointer(memory))
}

// goUfunc returns the number of a ufunc of the table of functions, -1 where the function is none.
//
//export goUfunc
func goUfunc(name *C.char) C.int {
	defer guard("a ufunc")
	if u, ok := arrays.UfuncNamed(C.GoString(name)); ok {
		return C.int(u)
	}
	return -1
}

// goProduct lets the library for linear algebra compute products of matrices of floats or complex numbers, as a device
// would: see cpu.Products. The results lie without gaps. It is 0 where that has to wait.
//
//export goProduct
func goProduct(dtype C.int, p *C.eager_product, out unsafe.Pointer) C.int {
	defer guard("a product")
	if the.products == nil {
		the.products = cpu.NewProducts(the.space.Dense)
	}
	return cbool(the.products.Compute(tile.DType(dtype), cpu.Factors{
		A: unsafe.Pointer(p.a), B: unsafe.Pointer(p.b), AI: int(p.ai), AK: int(p.ak), BJ: int(p.bj), BK: int(p.bk),
		Rows: int(p.rows), Columns: int(p.columns), Length: int(p.length), Stack: int(p.stack), AS: int(p.as), BS: int(p.bs),
	}, out))
}

// goSelection finds out how where chooses between elements of two dtypes, 0 for a number.
//
//export goSelection
func goSelection(x, y, to C.int, c *C.weft_conversion) {
	defer guard("a selection")
	if code, err := the.straight().Code(the.ctx.Selection(tile.DType(x), tile.DType(y), tile.DType(to))); err == nil {
		c.code = code.Address()
	}
}

// goDraw finds out how numbers are drawn at places.
//
//export goDraw
func goDraw(c *C.weft_conversion) {
	defer guard("a draw")
	if code, err := the.straight().Code(the.ctx.Draw()); err == nil {
		c.code = code.Address()
	}
}

// goClip finds out how elements are clipped by two numbers.
//
//export goClip
func goClip(from, to C.int, c *C.weft_conversion) {
	defer guard("a clip")
	if code, err := the.straight().Code(the.ctx.Clip(tile.DType(from), tile.DType(to))); err == nil {
		c.code = code.Address()
	}
}
