//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"strings"

	"weft/arrays"
	"weft/scheduler/driver"
	"weft/workspace"
)

// rt is the runtime, once there is a machine.
func (b *binding) rt() *driver.Runtime { return b.space.Machine().Driver() }

// start builds the runtime on first use.
func (b *binding) start() error {
	return b.space.Start(func(m *workspace.Machine) {
		b.ctx = arrays.New(m.Driver())
		b.ctx.Exact = true
		b.panics = m.Wanted().Panic
		C.weft_layouts.plain = cbool(m.Wanted().NoLaunches)
		b.tellC(m)
		b.funcs = arrays.Functions()
		for i := range b.funcs {
			switch b.funcs[i].Name {
			case "matmul":
				b.matmul = &b.funcs[i]
			case "reshape":
				b.reshape = &b.funcs[i]
			case "copy":
				b.copied = i
			}
		}
		b.calls, b.ops = workspace.NewCounter(functionNames()), workspace.NewCounter(operatorNames())
		b.space.CountBy(b.calls, b.ops)
	})
}

// tellC tells C what it does by itself on a machine.
func (b *binding) tellC(m *workspace.Machine) {
	C.weft_defer_scalars, C.weft_devices = cbool(m.Flags().DeferScalars), cbool(len(m.Devices()) > 1)
	b.tellEager(m)
}

func cbool(b bool) C.int { return C.int(boolByte(b)) }

// replacing has f replace the machine. What f is given carries the arrays over; the memory that Python's buffers pin
// stays with the old machine until they are gone.
func (b *binding) replacing(f func(carry func(*workspace.Machine) error) error) error {
	b.takeNotes() // they are of the old one
	old := b.space.Machine()
	var next *workspace.Machine
	err := f(func(m *workspace.Machine) error {
		if err := b.ctx.Carry(m.Driver(), b.live(), b.waits.stop); err != nil {
			return err
		}
		next = m
		return nil
	})
	if next != nil {
		b.tellC(next)
		b.grounds.leave()
		b.mappings.retire(old)
	}
	return err
}

//export goSetEnvironment
func goSetEnvironment(name, value *C.char) {
	defer guard("set_flags")
	the.space.SetEnvironment(C.GoString(name), C.GoString(value))
}

// wordSeparator stands between words that cross as one string.
const wordSeparator = "\x1f"

//export goSetFlags
func goSetFlags(text *C.char, n, restart C.int, rest **C.char, e *C.weft_error) (rc C.int) {
	defer caught("reading flags", &rc, e)
	var words, left []string
	if n > 0 {
		words = strings.Split(C.GoStringN(text, n), wordSeparator)
	}
	err := the.replacing(func(carry func(*workspace.Machine) error) (err error) {
		left, err = the.space.Configure(words, restart != 0, carry)
		return err
	})
	if err != nil {
		return fail(err, e)
	}
	*rest = C.CString(strings.Join(left, wordSeparator))
	return C.WEFT_OK
}

// goSettleGuests waits for what other libraries do with arrays that they share, before the machine is replaced: while
// arrays are carried over, no other thread may have the interpreter's lock. It is called without the interpreter's
// lock.
//
//export goSettleGuests
func goSettleGuests(onMain C.int, e *C.weft_error) (rc C.int) {
	defer caught("waiting for other libraries", &rc, e)
	if err := the.rt().SettleGuests(the.waits.stopFor(onMain)); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

//export goStart
func goStart(e *C.weft_error) (rc C.int) {
	defer caught("starting the runtime", &rc, e)
	if err := the.start(); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

// goClose ends the machine. It is called without the interpreter's lock.
//
//export goClose
func goClose() {
	defer guard("close")
	the.space.Close()
}

//export goAnyLost
func goAnyLost() C.int { return cbool(the.space.AnyLost()) }

//export goLeaveLost
func goLeaveLost(said **C.char, e *C.weft_error) (rc C.int) {
	defer caught("leaving a lost GPU", &rc, e)
	err := the.replacing(func(carry func(*workspace.Machine) error) error {
		text, err := the.space.LeaveLost(carry)
		if err == nil {
			*said = C.CString(text)
		}
		return err
	})
	if err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}
