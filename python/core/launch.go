//go:build extension

package main

// #include "values.h"
import "C"

import (
	"weft/arrays"
	"weft/tile"
)

// Both sides keep the small numbers of layouts for the kinds of numbers; a difference does not compile.
const (
	_ = uint(C.WEFT_LAYOUTS - arrays.FirstLayout)
	_ = uint(arrays.FirstLayout - C.WEFT_LAYOUTS)
)

// kinds are the weak numbers among a pattern's operands.
var kinds = [C.WEFT_A_SCALAR + 1]arrays.PatternOperand{
	C.WEFT_A_BOOL:  {Kind: arrays.BoolValue},
	C.WEFT_AN_INT:  {Kind: arrays.IntValue},
	C.WEFT_A_FLOAT: {Kind: arrays.FloatValue},
	C.WEFT_TWO:     {Kind: arrays.IntValue, Two: true},
}

// patternNumber is the operand of a pattern that is a number: a weak one, or a NumPy scalar.
func patternNumber(layout C.uint64_t) arrays.PatternOperand {
	if layout <= C.WEFT_A_SCALAR {
		return kinds[layout]
	}
	o := arrays.PatternOperand{Kind: arrays.IntValue, Type: tile.DType(layout - C.WEFT_A_SCALAR)}
	switch o.Type.Kind() {
	case tile.KindBool:
		o.Kind = arrays.BoolValue
	case tile.KindFloat:
		o.Kind = arrays.FloatValue
	}
	return o
}

// goRun submits the op of a record, and returns the handle of the array that it writes; 0 where a wait was interrupted
// before. It may let go of the interpreter's lock.
//
//export goRun
func goRun(r *C.weft_record) (handle C.uint64_t) {
	defer guard("an operator")
	b := &the
	c := b.at(r.where)
	l := b.ctx.Launch(int(r.launch))
	var operands [2]arrays.Operand
	n := 0
	if r.x != 0 {
		operands[0] = arrays.Operand{Array: b.array(r.x), Offset: int64(r.x_at)}
		n = 1
	}
	if r.y != 0 {
		operands[1] = arrays.Operand{Array: b.array(r.y), Offset: int64(r.y_at)}
		n = 2
	}
	var out arrays.Operand
	if r.out != 0 {
		out = arrays.Operand{Array: b.array(r.out), Offset: int64(r.out_at)}
	}
	a, err := c.Run(l, operands[:n], number(r), out)
	if err != nil {
		return 0
	}
	b.count(r)
	if r.out != 0 {
		return r.out
	}
	a.SetTag(uint64(r.memory))
	return b.put(a)
}

// count counts what a record was in the program.
func (b *binding) count(r *C.weft_record) {
	switch {
	case r.op < C.OP_COUNT:
		b.ops.Add(int(r.op), 1)
	case r.op == C.WEFT_COPY:
		b.calls.Add(b.copied, 1)
	}
}

// number returns the number among the operands of a record.
func number(r *C.weft_record) arrays.Number {
	return arrays.Number{Int: int64(r.i), Float: float64(r.f)}
}

//export goPlace
func goPlace(handle C.uint64_t, p *C.weft_place) {
	defer guard("a place")
	*p = placeOf(the.array(handle))
}

// placeOf tells C where an array is; from now on its memory has a number.
func placeOf(a *arrays.Array) C.weft_place {
	if a.Tag() == 0 {
		C.weft_layouts.memories++
		tag := uint64(C.weft_layouts.memories)
		if a.Lent() {
			tag |= C.WEFT_LENT
		}
		a.SetTag(tag)
	}
	v := a.View()
	return C.weft_place{memory: C.uint64_t(a.Tag()), layout: C.uint64_t(the.ctx.LayoutOf(a)), offset: C.int64_t(v.Offset), readonly: C.uint8_t(a.Writing())}
}

//export goLayout
func goLayout(id C.uint64_t, l *C.weft_layout) {
	defer guard("a layout")
	f := the.ctx.Layout(arrays.LayoutID(id))
	*l = C.weft_layout{dtype: C.uint8_t(f.Type), ndim: C.uint8_t(len(f.Shape)), contiguous: boolByte(f.Contiguous), known: 1, size: C.int64_t(f.Size)}
	for i := range min(len(f.Shape), len(l.shape)) {
		l.shape[i], l.strides[i] = C.int64_t(f.Shape[i]), C.int64_t(f.Strides[i])
	}
}

// goIntern returns the number of a layout, or WEFT_NO_LAYOUT.
//
//export goIntern
func goIntern(l *C.weft_layout) C.uint64_t {
	defer guard("a layout")
	shape, strides := axesOf(l)
	return C.uint64_t(the.ctx.Intern(tile.DType(l.dtype), shape, strides))
}

// axesOf returns the axes of a layout.
func axesOf(l *C.weft_layout) (shape []int, strides []int64) {
	shape, strides = make([]int, l.ndim), make([]int64, l.ndim)
	for i := range shape {
		shape[i], strides[i] = int(l.shape[i]), int64(l.strides[i])
	}
	return shape, strides
}

// goView gives a view that C has made an array, and returns its handle.
//
//export goView
func goView(base C.uint64_t, l *C.weft_layout, offset C.int64_t, readonly C.int) C.uint64_t {
	defer guard("a view")
	shape, strides := axesOf(l)
	return the.put(the.array(base).ViewOf(tile.DType(l.dtype), int64(offset), shape, strides, arrays.Writing(readonly)))
}

// goPrepare finds out about a pattern. It returns 0 when the tables are full: goForget makes room.
//
//export goPrepare
func goPrepare(p *C.weft_pattern, l *C.weft_launch) C.int {
	defer guard("a launch")
	*l = C.weft_launch{id: -1}
	pattern := arrays.Pattern{
		Assign: p.op == C.WEFT_ASSIGN || p.op == C.WEFT_COPY,
		X:      patternOperand(p.x, p.x_away), Y: patternOperand(p.y, p.y_away), Out: arrays.LayoutID(p.out),
	}
	if !pattern.Assign {
		pattern.Ufunc = operators[p.op]
	}
	if the.ctx.LayoutsFull() {
		return 0
	}
	made := the.ctx.Prepare(pattern)
	if made == nil || made.Scalar && C.weft_defer_scalars == 0 { // a scalar is waited for
		return 1
	}
	l.id, l.result = C.int32_t(made.ID), C.uint64_t(made.Result)
	l.low, l.high = C.int64_t(made.Low), C.int64_t(made.High)
	return 1
}

func patternOperand(layout C.uint64_t, away C.int64_t) arrays.PatternOperand {
	if layout < C.WEFT_LAYOUTS {
		return patternNumber(layout)
	}
	o := arrays.PatternOperand{Layout: arrays.LayoutID(layout)}
	if away != C.WEFT_FAR {
		o.Near, o.Away = true, int64(away)
	}
	return o
}

// goForget makes room for other layouts: it forgets the older half of layouts and launches, or all.
//
//export goForget
func goForget(all C.int) {
	defer guard("forgetting layouts")
	forget := the.ctx.AgeLayouts
	if all != 0 {
		forget = the.ctx.ForgetLayouts
	}
	base, launches := forget()
	C.weft_layouts.base, C.weft_layouts.launches = C.uint64_t(base), C.int32_t(launches)
}
