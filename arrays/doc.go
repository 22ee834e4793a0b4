// Package arrays is NumPy's semantics in Go, and weft's public Go API: shapes,
// broadcasting, dtype promotion, views, indexing, reductions, printing, and NumPy's errors
// word for word. It turns every call into Ops over Views of Stores and hands them to a
// Runtime, which it declares here and package scheduler/driver provides.
//
//	c := arrays.New(rt)
//	a, err := c.Call("arange", 12.0)
//	b, err := c.Call("reshape", a, []int{3, 4})
//	s, err := c.Call("sum", b, arrays.Keyword{Name: "axis", Value: 0})
//	fmt.Println(s) // [12. 15. 18. 21.]
//
// It must not know how ops are fused, cut, placed or run, what a device or a Jupyter message
// is, or anything of CPython. It never loops over the elements of an array: whatever touches
// data is a Program inside an Op. The exceptions are the literals that come from the host, and
// the text of String.
//
// # Errors
//
// What the user did wrong is an *Error with the name of the Python exception and NumPy's own
// text, raised at the call and not when the deferred work runs. What NumPy can do and this
// package does not is a *Fallback: the binding then asks NumPy.
//
// # Ownership
//
// An Array owns one reference to its store. Free gives it back; the store is freed with the
// last one. Arrays that are only dropped are noticed by Go's collector and freed on a later
// call (see Context.Exact). Shapes and strides are shared between arrays and must not be
// changed.
//
// Memory of the program's own becomes a store by Lend, without a copy. Memory names what arrays share, by
// which the program makes views of it at an offset.
//
// # Waiting
//
// Calls return before the work is done. The ones that need a value wait for it: Item, Bytes,
// Map, String, integer powers of integer arrays (NumPy's ValueError for negative exponents
// depends on the data), array arguments where NumPy takes a number, results whose shape
// depends on the data (nonzero, unique, masks), and indices, which NumPy checks at the call:
// an index that is wrong is an error there, and what it should have changed is unchanged.
// What has been learnt about indices and masks is remembered until they are written, and
// lists and the results of argsort and nonzero are known from the start (facts.go).
// Context.Stop interrupts the waits.
//
// # Reductions
//
// A reduction's index space is the array's shape as the user sees it, never collapsed or
// reordered, because the canonical order of package tile depends on it. Maps follow the memory of
// what they write and are collapsed to as few axes as their operands allow, so that programs stay few
// and loops long.
//
// # Order in memory
//
// A new array lies where NumPy's would: as the operands do (K order), or in C order where NumPy says so
// (order.go). Programs see it, since ravel and reshape are views or copies by it.
//
// # Matrix products and linear algebra
//
// A product is an op of kind Contract over (batch..., rows, columns, k), of which axes that both factors go through as
// through one are one (joined).
// What a library computes (products of floats and complex numbers of some size, and what
// linalg factorises) is equal to rounding only: its bits depend on the machine, on the number of
// processors and on how the product was cut. Products of integers are exact. The functions of
// linalg that can fail wait for their result, so that they raise where NumPy raises.
//
// # Growing it
//
// A function is one row in the table of its family (Functions lists the families); a ufunc
// is one row in ufuncs.go and its name in testdata/tables.py, which writes numpy_tables.go. The
// namespaces are NumPy's, and SciPy's special.
// Both need a case in testdata/conformance: lines of Python, under which
// testdata/expect.py writes what NumPy answers, and which the tests run on the reference
// device and on the scheduler's driver. Tests name the row that has no case.
//
// # Invariants
//
//	inv 1: an op's uses of one store either do not overlap, or are all reads, or are equal views
//	inv 2: calls of named routines aside, every view of an op has the rank and, broadcasts and block grids aside, the shape of its index space
//	inv 3: no op has an empty index space, no call an operand without elements
package arrays
