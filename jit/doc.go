// Package jit compiles functions that the user writes in Python, with Numba's rules, to programs of package tile: what
// @vectorize decorates, and CUDA kernels whose threads each write elements of their own.
//
//	unit, err := jit.Read(text)                      // what Python hands over
//	e, err := unit.Elementwise(arguments, result)    // @vectorize
//	k, err := unit.Kernel(types, single)             // @cuda.jit
//	lanes, err := k.Place(facts)                     // for one launch: index space, operands, program
//	d, err := unit.Device(types, result)             // a function that kernels call, by itself
//
// It must not know what an array, a store or an op is, nor anything of CPython: a function comes as text, types and
// extents as numbers. What runs the programs is package jit/launch.
//
// # The text
//
// A unit is one S-expression, which Read reads and Unit.String prints: (kind position word node...). A position is
// line.column-column or line.column-line.column of the source, 0 where there is none; a word is an atom, a quoted
// string, or - for none. The first function is the one to compile; the others are those that it calls. Names that are
// not local are frozen: each function says what they were when it was read.
//
//	(unit 0 -
//	  (function 0 f (file 0 In[1]) (line 0 1) (source 0 "def f(x):\n    return x + n\n")
//	    (params 0 - (param 1.6-7 x))
//	    (body 0 - (return 2.4-16 - (binary 2.11-16 + (name 2.11-12 x) (name 2.15-16 n))))
//	    (frozen 0 n (int 0 3))))
//
// Behind its functions, (checks 0 - (check 0 guards) (check 0 divides) (check 0 nans)) says what its kernels look for
// besides indices, all of it or some (checks.go), and (directives 0 - (directive 0 bound) (directive 0 128)) what a
// device's compiler is told of them, in the words of tile.Directives.
//
// # Types
//
// Types are Numba's (types.go, operators.go): literals are int64 and float64, integers are computed in 64 bits, names
// that get other types in straight lines are others, and where paths join, types unify. Signed overflow wraps, and
// integer division by zero is 0, unless that is looked for. A name that only some paths set is zero on the others.
//
// # How a function becomes a program
//
// A lowering walks the statements once and knows, for each name, its type and the instruction that computes it
// (lower.go). Branches and loops become blocks with merges and carries (control.go); break, continue and return become
// flags, or move what follows into the other branch. Types of what a loop carries are found by running its body until
// they stay. Calls of functions are inlined. What came out is a tree of instructions (ssa.go), of which emit.go writes
// those that an output needs.
//
// # Kernels as lanes
//
// A kernel becomes a lane program (lanes.go) where each of its threads writes only elements that are its own: those at
// its position in the grid. An element of such an array is then like a name, which is loaded before and stored behind
// all else. Guards such as "if i < n" are no part of the program where they stand around all that it does: they are
// bounds of the index space, which Place computes from the numbers of a launch (space.go, number.go). Elements of
// arrays that are only read are loads, if they lie at the thread's position or at a constant distance from it, within
// the array for all threads, and gathers otherwise. Kernels that do more than that are refused by an UnsupportedError
// that says which statement it is.
//
// # Kernels as threads
//
// Those become programs of threads (grid.go, together.go): elements are read and written where the kernel does so, in
// its order, and shared arrays, barriers, atomics, warps, raise and assert are instructions. Numbers of the launch are
// uniforms, as in lanes.
//
// # Arrays within a function
//
// An array is an argument, or the program's own, with indices that it has been given and what a view has of each axis
// (views.go). Another order of its axes, or another shape (forms.go), is a view, too: indices are computed until they
// are those of the array itself. Methods of arrays are loops over their elements (methods.go), and for statements go
// through whatever is a series of items (iterables.go), of which tuples of targets take one each (unpack.go). What
// would be a new array is refused.
//
// # Errors
//
// Whatever is wrong with the function is an *Error with the name of Numba's class, and a text that shows the line, what
// in it is wrong, and the types of the names as far as they are known. Within the package it is a panic, which the
// exported functions recover.
package jit
