//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"fmt"
	"unsafe"

	"weft/arrays"
	"weft/tile"
)

// simple decodes a value without items.
func simple(v *C.weft_value) arrays.Value {
	switch kind := arrays.ValueKind(v.kind); kind {
	case arrays.ArrayValue:
		return arrays.Value{Kind: kind, Array: the.array(v.handle)}
	case arrays.FloatValue:
		return arrays.Value{Kind: kind, Float: float64(v.re), DType: tile.DType(v.dtype)}
	case arrays.ComplexValue:
		return arrays.Value{Kind: kind, Complex: complex(float64(v.re), float64(v.im)), DType: tile.DType(v.dtype)}
	case arrays.StringValue:
		return arrays.Value{Kind: kind, String: C.GoStringN(v.s, C.int(v.n))}
	case arrays.DTypeValue:
		return arrays.Value{Kind: kind, DType: tile.DType(v.dtype)}
	default:
		return arrays.Value{Kind: kind, Int: int64(v.i), DType: tile.DType(v.dtype)}
	}
}

// values is room for the arguments of a call, which is used again: they would be most of what a call leaves to the
// collector.
type values struct {
	room []arrays.Value
	used int
}

// decode reads n values in a row, of which tuples and slices own the ones that follow them. It has capacity for so many
// at the top. All of them lie in one allocation: each level takes its values from what is left.
func (x *values) decode(v *C.weft_value, n C.int, capacity int) []arrays.Value {
	flat := unsafe.Slice(v, n)
	if x.used = len(flat) + capacity; x.used > len(x.room) {
		x.room = make([]arrays.Value, x.used)
	}
	top := 0
	for i := 0; i < len(flat); i = behind(flat, i) {
		top++
	}
	d := decoder{flat: flat, room: x.room}
	return d.take(top, max(top, capacity))
}

// manyValues is how many may stay when a call has ended, some 25 kB.
const manyValues = 256

// done says that what was decoded is not used any more.
func (x *values) done() {
	if x.used <= manyValues {
		clear(x.room[:x.used])
		the.values.Put(x)
	}
}

// decode reads n values in a row. They may be kept.
func decode(v *C.weft_value, n C.int) []arrays.Value { return new(values).decode(v, n, 0) }

type decoder struct {
	flat []C.weft_value // not read yet
	room []arrays.Value // not used yet
}

// take decodes n values and what they own, with room behind them for so many in all.
func (d *decoder) take(n, capacity int) []arrays.Value {
	list := d.room[:n:capacity]
	d.room = d.room[capacity:]
	for i := range list {
		v := &d.flat[0]
		d.flat = d.flat[1:]
		if kind := arrays.ValueKind(v.kind); kind == arrays.TupleValue || kind == arrays.SliceValue {
			list[i].Kind = kind
			list[i].Int = int64(v.i)
			list[i].Items = d.take(int(v.n), int(v.n))
		} else {
			list[i] = simple(v)
		}
	}
	return list
}

// behind returns the index behind the value at i and its items.
func behind(flat []C.weft_value, i int) int {
	n := 0
	if kind := arrays.ValueKind(flat[i].kind); kind == arrays.TupleValue || kind == arrays.SliceValue {
		n = int(flat[i].n)
	}
	i++
	for ; n > 0; n-- {
		i = behind(flat, i)
	}
	return i
}

// size is how many values in a row encode needs.
func size(v *arrays.Value) int {
	n := 1
	for i := range v.Items {
		n += size(&v.Items[i])
	}
	return n
}

// encode writes a result to dst and returns what is left of it. given are the arguments of
// the call: an array among them is named by its Python object.
func encode(v *arrays.Value, dst []C.weft_value, given []C.weft_value) []C.weft_value {
	d := &dst[0]
	*d = C.weft_value{kind: C.uint8_t(v.Kind)}
	dst = dst[1:]
	switch v.Kind {
	case arrays.ArrayValue:
		for i := range given {
			if g := &given[i]; g.kind == C.WEFT_ARRAY && the.array(g.handle) == v.Array {
				d.s = g.s
				return dst
			}
		}
		d.handle = the.put(v.Array)
		for i := range given {
			if g := &given[i]; g.kind == C.WEFT_ARRAY && v.Array.Shares(the.array(g.handle)) {
				d.s = g.s
				break
			}
		}
	case arrays.FloatValue:
		d.re = C.double(v.Float)
	case arrays.ComplexValue:
		d.re, d.im = C.double(real(v.Complex)), C.double(imag(v.Complex))
	case arrays.StringValue:
		d.s, d.n = C.CString(v.String), C.int32_t(len(v.String))
	case arrays.DTypeValue:
		d.dtype = C.uint8_t(v.DType)
	case arrays.TupleValue:
		d.n = C.int32_t(len(v.Items))
		for i := range v.Items {
			dst = encode(&v.Items[i], dst, given)
		}
	default:
		d.i = C.int64_t(v.Int)
	}
	return dst
}

// goCounted counts calls of a function that did not come here.
//
//export goCounted
func goCounted(index C.int, calls C.int64_t) { the.calls.Add(int(index), int64(calls)) }

// goCall calls a function of the table. The result goes to out, or, when it has more than
// room values, to *more, which the caller frees. told says that the program has been warned of what the call discards.
// It may let go of the interpreter's lock.
//
//export goCall
func goCall(index C.int, args *C.weft_value, n C.int, where C.uint64_t, onMain, told C.int, out *C.weft_value, room C.int, more **C.weft_value, count *C.int, e *C.weft_error) (rc C.int) {
	defer caught("a function", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stopFor(onMain)
	c.Warns = told == 0
	if int(index) >= len(the.funcs) {
		return fail(fmt.Errorf("there is no function %d; the stubs are older than the library, run go generate ./python/stubs", index), e)
	}
	x, _ := the.values.Get().(*values)
	if x == nil {
		x = new(values)
	}
	given := x.decode(args, n, the.funcs[index].Arity)
	if name := the.funcs[index].Name; name == the.panics && name != "" {
		panic("asked for by the name " + name)
	}
	v, err := the.funcs[index].Call(c, given)
	if err != nil {
		return fail(err, e)
	}
	the.calls.Add(int(index), 1)
	need := size(&v)
	dst := unsafe.Slice(out, room)
	if need > len(dst) {
		*more = (*C.weft_value)(C.malloc(C.size_t(need) * C.size_t(unsafe.Sizeof(C.weft_value{}))))
		dst = unsafe.Slice(*more, need)
	}
	*count = C.int(need)
	encode(&v, dst, unsafe.Slice(args, n))
	x.done() // a call that failed may have handed its arguments on
	return C.WEFT_OK
}
