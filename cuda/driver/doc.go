// Package driver is the CUDA driver, as far as weft uses it: devices, memory, queues,
// events, modules of PTX, and launches in batches. It is the only package that imports
// gorgonia.org/cu, and nothing of that module shows in its interface.
//
// It must not know what a program, a dtype, an array or a task is: it moves bytes and starts
// functions by handle.
//
//	fmt.Println(driver.Probe())               // what there is, or why there is nothing
//	d, err := driver.Open(0)
//	m, log, err := d.LoadModule(ptx)          // compiled by the driver; log is its compiler's
//	f, err := m.Function("axpy")
//	a, err := d.Alloc(n)
//	err = d.CopyIn(a, bytes)
//	q, err := d.NewQueue()
//	var b driver.Batch
//	b.Add(f, [3]uint32{blocks, 1, 1}, [3]uint32{256, 1, 1}, 0, uint64(a), uint64(n))
//	err = q.Launch(&b)                        // returns at once
//	err = q.Synchronize()
//
// # One binary, with or without a driver
//
// No CUDA toolkit is needed to build, and no driver to start. The C names that the module
// refers to are functions of this package (forward.c) that load libcuda.so.1 when the first
// of them is called (load.c), so that the binary never names the library. The header that
// the module includes is include/cuda.h, made from the same table, api.txt. lib/libcuda.a is
// an empty archive: it satisfies the -lcuda that the module asks for. The names are hidden
// from the dynamic symbol table; a CUDA library that is loaded later finds the real
// driver.
//
// The module initialises CUDA when the process starts and ends the process where that
// fails. Its cuInit is ours and does nothing; Probe and Open make the real call, so that
// a process which does no GPU work does not pay for it either.
//
// The library is looked for by the loader's rules, then where WSL2 and container runtimes
// put it; WEFT_LIBCUDA names another one, which is how the tests put a fake in its place.
//
// # Building
//
// The code that needs the module has the build tag "cuda". Without it the package builds
// with plain "go build", Built is false and Probe says so. With it, the module's C code must
// find our header; cgo takes no such setting from one package for another, so that the
// environment has to carry it, for build, test and vet alike, from the root of the tree:
//
//	CGO_CFLAGS="-O2 -g -I$PWD/cuda/driver/include"
//	CGO_LDFLAGS="-O2 -g -Wl,--as-needed -L$PWD/cuda/driver/lib"
//	go build -tags cuda ./...
//
// The second line puts our empty archive before a libcuda.so that the machine may have in a
// place which the linker searches; the package asks for the same in its own flags, but those
// come later on the linker's command line. A test inspects the binary.
//
// # Memory
//
// The package that allocates frees: Alloc and Free, AllocHost and FreeHost, NewQueue and Close, and so
// on. Nothing is freed by the collector. Host memory given to a queue's copies must not
// be Go's, because the driver reads and writes it after the call has returned.
//
// # Errors
//
// A failed call is an *Error with CUDA's code, the driver's own words and what to do.
// Programs fail later than they are started: a bad address shows up in the next call
// that waits, and Error.Lost says that the device's context is gone with it.
package driver

//go:generate go run generate.go
