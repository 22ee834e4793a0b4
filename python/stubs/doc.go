// Command stubs writes python/weft/_functions.py, the Python functions and ndarray methods
// of NumPy that weft runs natively, from the table in package arrays:
//
//	go generate ./python/stubs
//
// Each function has NumPy's signature and does one thing: it hands its arguments, in the
// order of the table, to weft._core.call.
//
//	_SUM = _row("sum", "avdovvv", ("/a", "axis", "dtype", "out", "keepdims", "initial", "where"))
//
//	def sum(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
//	    """..."""
//	    return _call(_SUM, a, axis, dtype, out, keepdims, initial, where)
//
// Defaults that would only say "as usual" (casting='same_kind') stand as _NoValue in the
// code, because a missing argument crosses to Go for nothing; the documentation shows
// NumPy's text.
//
// How an argument is converted is its role, which follows from its name; roles.go has the
// table. A parameter without a role is an error that says where to add one.
//
// The command knows how Python is written, and nothing of how arrays work. A test compares
// what it writes with the file in the tree.
package main

//go:generate go run . -o ../weft/_functions.py
