//go:build extension

package main

// #include "values.h"
// void weft_give_back(void *owner);
import "C"

import (
	"slices"
	"unsafe"

	"weft/arrays"
	"weft/cuda"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/tile"
)

// goShares tells whether the machine has GPUs whose memory other libraries of the process can share.
//
//export goShares
func goShares() C.int {
	defer guard("asking for GPUs")
	return cbool(the.rt().Shares())
}

// goHostMost returns how many bytes arrays may take of the host's memory; 0 where that is not limited.
//
//export goHostMost
func goHostMost() C.longlong {
	defer guard("asking for the host's memory")
	return C.longlong(the.space.Flags().SysMem << 20)
}

// goOnDevice tells which GPU an array is to be on for other libraries, or -1. say makes it so.
//
//export goOnDevice
func goOnDevice(handle C.uint64_t, say C.int) C.int {
	defer guard("asking where an array is")
	a := the.array(handle)
	if say != 0 {
		a.SetOnDevice()
	}
	if d, ok := the.rt().HomeToBe(a.View().Store).(*cuda.Device); ok && a.OnDevice() {
		return C.int(d.Ordinal())
	}
	return -1
}

// goExpose gives another library the address of an array's first element in a GPU's memory, until goUnmap. It is called
// without the interpreter's lock.
//
//export goExpose
func goExpose(handle C.uint64_t, onMain C.int, m *C.weft_mapping, ordinal *C.int, e *C.weft_error) (rc C.int) {
	defer caught("exposing an array", &rc, e)
	a := the.array(handle)
	of := the.space.Machine()
	var g driver.Guest
	release, err := a.Expose(func(id scheduler.StoreID) (release func(), err error) {
		g, err = the.rt().Expose(id, the.waits.stopFor(onMain))
		return g.Release, err
	})
	if err != nil {
		return fail(err, e)
	}
	*ordinal = C.int(g.Device.(*cuda.Device).Ordinal())
	at := g.Address + uint64(a.View().Offset)
	m.data = *(*unsafe.Pointer)(unsafe.Pointer(&at))
	m.id = C.uint64_t(the.mappings.put(release, of))
	describe(a, &m.info)
	return C.WEFT_OK
}

// goAwaitStream waits for a stream of another library's. It is called without the interpreter's lock.
//
//export goAwaitStream
func goAwaitStream(stream C.uint64_t, onMain C.int, e *C.weft_error) (rc C.int) {
	defer caught("waiting for another library's stream", &rc, e)
	if err := the.rt().AwaitStream(uint64(stream), the.waits.stopFor(onMain)); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

// goAdoptGuest makes an array over memory of another library's on a GPU: [address, address+n), of which the array views
// a part, as goShare does of the host's. It waits for a stream of the library's, or for none. apart makes it an array
// to read once, also where the memory lies partly in that of other arrays: they are two stores with bytes in common, of
// which ops do not know that they overlap. It may let go of the interpreter's lock.
//
//export goAdoptGuest
func goAdoptGuest(address, n C.uint64_t, owner unsafe.Pointer, dtype C.int, offset C.int64_t, shape, strides *C.int64_t, ndim, writable, apart C.int, stream C.uint64_t, settled C.int, kept *C.int, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("adopting an array on a GPU", &rc, e)
	lo := uintptr(address)
	hi := lo + uintptr(n)
	s, t := view(shape, strides, ndim)
	access := arrays.ReadOnly
	if writable != 0 {
		access = arrays.ReadWrite
	}
	at := func(m arrays.Memory, from uintptr) {
		if a := m.At(tile.DType(dtype), int64(lo-from)+int64(offset), s, t, access); a != nil {
			*out = the.put(a)
		}
	}
	known := func() bool {
		i, taken := the.grounds.clear(lo, hi)
		if !taken || apart != 0 {
			return false
		}
		if r := the.grounds.rows[i]; r.lo <= lo && hi <= r.hi {
			at(r.memory, r.lo)
		}
		return true
	}
	if known() {
		return C.WEFT_OK
	}
	*kept = 1
	named, none := uint64(stream), settled != 0
	adopt := func(rt arrays.Runtime, id scheduler.StoreID, back func()) error {
		err := rt.(*driver.Runtime).Adopt(id, uint64(address), named, none, back)
		named, none = tile.AllStreams, false // of another runtime, later: the library may have destroyed the stream by then
		return err
	}
	base, err := the.ctx.Adopt(int64(n), adopt, func() { C.weft_give_back(owner) })
	if err != nil {
		return fail(err, e)
	}
	defer base.Free() // the view stays, if there is one
	if known() {      // another thread has adopted it while the library's stream was waited for
		return C.WEFT_OK
	}
	at(base.Memory(), lo)
	if *out != 0 && apart == 0 {
		i, _ := the.grounds.clear(lo, hi)
		the.grounds.rows = slices.Insert(the.grounds.rows, i, ground{lo: lo, hi: hi, memory: base.Memory()})
	}
	return C.WEFT_OK
}
