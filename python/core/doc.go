// Command core is the extension module weft._core: CPython's side of the runtime. It is built
// as a C library, with the build tag extension and Python's headers at hand:
//
//	CGO_CFLAGS="-O2 -I$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')" \
//		go build -tags extension -buildmode=c-shared -trimpath -ldflags='-s -w' -o python/weft/_core.abi3.so ./python/core
//
// Without the tag there is only this file, so that go vet ./... and go test ./... need no
// Python. The one library serves CPython 3.11 and newer (the stable ABI).
//
// It translates, and knows nothing else: no NumPy semantics (package arrays), no scheduling, no
// Jupyter (package kernel), no pictures (package viz), no cells, settings and reports (package workspace, which
// has all of the process that needs no C, and is tested without Python). It wires these packages together, as
// cmd/weft does.
//
// # Layers
//
//	values.h     the structs that cross the border
//	settings.c   what all go by: how the machine is set up, how far the eager tier goes
//	dtypes.c     elements as numbers and back, NumPy's objects for dtypes
//	object.c     the objects of arrays; dealloc.c their end
//	ndarray.c    their type; number.c, index.c, host.c its slots, arraytype.c its metaclass
//	handle.c     when an array gets one of Go's, and its memory becomes Go's; loans.c memory that it has in common with others
//	known.c      Go's layouts and launches, as far as C remembers them
//	wait.c       waiting for values
//	scalar.c     NumPy's scalars; leftscalar.c their slots
//	small.c      arrays of few elements, whose memory is the Python object's own, or of blocks.c; literal.c and arange.c constructors of such
//	eager.c      the eager tier: operations on few elements, computed at once; eager.go says how, once for each dtypes; few.c where such elements are,
//	             chain.c how many are few, copies.c in which order they are copied, geometry.c how operands lie
//	opening.c    large arrays whose memory the eager tier reads and writes where it lies
//	many.c       such arrays for choice.c, pick.c, take.c, put.c and positions.c, which choose elements of arrays of any size, and for what else reads
//	             elements once where they lie: extremes.c, member.c, same.c, search.c, segments.c, tally.c, interpolate.c
//	launch.c     operators and assignments over layouts that were met before; launch.go
//	slice.c      basic indexing, and views without an array of Go's
//	fold.c       the eager tier's reductions; axes.c those along several axes, selected.c those of chosen elements, weighed.c weighted ones, nans.c those without what is no number, running.c
//	             running ones
//	answers.c    the other functions of the eager tier: along.c, bits.c, bytes.c, choose.c, composed.c, correlate.c, einsum.c, join.c, layouts.c, lists.c,
//	             asarray.c, numbers.c, order.c, overlap.c, pad.c, product.c, repeat.c, roll.c, solve.c, splice.c, transform.c
//	draw.c       random numbers, from what source.c finds; congruential.c those of PCG64, many at a time, ziggurat.c its normals and exponentials, halves.c its integers;
//	             polar.c the legacy generators' normals, shuffle.c orders and choices
//	convert.c    Python objects to values and back
//	table.c      the table of functions, and calls of them; function.c the objects that Python calls, functype.c their types, foreign.c arguments that are not weft's, loop.c ufuncs of numbers alone
//	compiled.c   functions that the user writes and jit compiles; compiled.go
//	flags.c      what a program asks of an array's memory
//	methods.c    methods that are asked for often; views.c shapes and orders of axes; iterate.c rows
//	delegate.c   calls with few elements that NumPy's own function answers; taken.c what of that becomes weft's
//	handover.c   what these are given; plain.c calls without arrays
//	export.c     buffers of memory that Go does not know; borrow.c arrays over memory that others own, before Go knows of it
//	unmap.c      the end of mappings, and of machines that were replaced
//	fork.c       what the child of a fork may read; fork.go makes it ready
//	share.c      views by address, and memory that others own; grounds.go knows what lies where
//	where.c      which line of the user's program is running; notes.c what the eager tier did there, counts.c how often
//	sampler.c    what the main thread does while a profile by lines is made; freesignal.c the signal that it is asked by
//	threads.c    the threads of the program: which is the main one, what each waits for, which signals have come
//	raise.c      exceptions, and what the Python package gives to setup
//	module.c     the module and the runtime as a whole: nothing else here calls it
//	kernelmod.c  the Jupyter kernel's functions; text.c what cells print, ending.c what a signal must not leave in the file system
//	binding.go   the one global: a Workspace, the table of arrays, and what is C's; errors and panics
//	waits.go, insight.go, surface.go
//	             the process as its Workspace asks for it: threads that wait, figures, and what the user sees
//	noted.go     what the eager tier did, in the layout that both sides know
//	operators.go, call.go, hostmemory.go, machine.go, cells.go, evaluator.go, nudge.go
//	             the exported functions, by family
//
// Each C file calls only files that do not call it again, by whatever way: internal/lint holds that, and names a
// circle. So where two files want each other, a third has what both want (settings.c, known.c), or the end of a thing
// is another file than its beginning (object.c, dealloc.c).
//
// # Locks
//
// Python's interpreter lock guards everything here and orders the op stream. It is held
// during every call but those that wait for values (goItem, goMap, goSync, goQuery), which
// touch only what may be used by several threads at once: the runtime and the mappings.
//
// # Layouts
//
// Finding out what an operation comes to takes longer than submitting it. So C remembers, by the layouts of the
// operands (arrays.Layout), which launch an operator or assignment is (arrays.Launch) and which layout a basic index
// makes; Go is asked once for each. What is remembered cannot fail: Go submits it by the launch's number (goRun). An
// error in that is that of the array which has no value then, and is raised when it is read.
//
// A view that C makes is a layout and a place in the memory of its base: nothing crosses when it is made or
// dies. weft_handle gives it an array of Go's when something else than basic indexing and the eager tier wants one.
//
// Go's tables of layouts and launches are bounded. When they are full both sides forget the older half; numbers of
// layouts are never used again, so that old ones are known. WEFT_DEBUG=nolaunches leaves everything to the general
// functions.
//
// # Ownership
//
// Each Python array owns one slot of the table and frees it when it dies; a mapping owns its pin. Strings that Go
// returns are malloc'd and freed by C.
//
// # Failures
//
// Every exported function recovers panics: the caller gets a RuntimeError that names the
// operation, and the stack goes to standard error or the kernel's log. A forked child never
// gets here: C tests a flag that pthread_atfork sets (fork.c).
//
// # Signals
//
// SIGINT stays Python's. Go's threads have it blocked (module.c), Python's wakeup file
// descriptor tells Go of it (waits.go), and every entry from Python looks for it after that
// (ENTER in shim.h). No pending calls are used: on CPython 3.11 and 3.12 a foreign thread that
// asks for the main thread's attention takes it away instead. In the kernel a SIGINT that has
// come just before a system call is followed by nudges (nudge.go), which end the call.
//
// # Invariants
//
//	inv 1: a handle that C passes names a live slot
package main

func main() {}
