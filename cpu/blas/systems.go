package blas

// #include "systems.h"
import "C"

import "unsafe"

// Members are the matrices of a stack, of float64 or complex128. Step is the bytes from one to the next, Down and Right
// from row to row and from column to column.
type Members struct {
	P                 unsafe.Pointer
	Step, Down, Right int
}

func (m *Members) c() C.weft_members {
	return C.weft_members{p: (*C.char)(m.P), step: C.int64_t(m.Step), down: C.int64_t(m.Down), right: C.int64_t(m.Right)}
}

// Room is how many bytes SolveMembers and SignsAndLogs want for matrices of n rows with so many right sides.
func Room(n, sides, size int) int { return n*(n+sides)*size + 8*n }

// SolveMembers solves count systems of n equations with so many right sides, whose elements have a letter and a size.
// It returns how many it could solve: the next one is singular. It is false where the library has no such routines that
// C calls.
func (l *Library) SolveMembers(letter byte, size, n, sides, count int, a, b, x Members, room unsafe.Pointer) (solved int, ok bool) {
	getrf, getrs := l.factorises(letter)
	if getrf == nil || getrs == nil {
		return 0, false
	}
	return int(C.weft_solve_members(getrf, getrs, C.int(size), C.int64_t(n), C.int64_t(sides), C.int64_t(count), a.c(), b.c(), x.c(), (*C.char)(room))), true
}

// SignsAndLogs finds the sign of the determinant of each of count matrices of float64, and the logarithm of its size.
// It is false as SolveMembers is.
func (l *Library) SignsAndLogs(n, count int, a, sign, log Members, room unsafe.Pointer) bool {
	getrf, _ := l.factorises('d')
	if getrf == nil {
		return false
	}
	wide := C.int(0)
	if l.Wide {
		wide = 1
	}
	C.weft_signs_and_logs(getrf, wide, C.int64_t(n), C.int64_t(count), a.c(), sign.c(), log.c(), (*C.char)(room))
	return true
}

// factorises returns the routines that factorise and that solve with factors.
func (l *Library) factorises(letter byte) (getrf, getrs unsafe.Pointer) {
	if l.own != nil {
		return nil, nil
	}
	return l.find(string(letter) + "getrf"), l.find(string(letter) + "getrs")
}
