// Package routines has the named routines that run on a GPU, each as a program of threads (tile/threads.go), which a
// device compiles and launches as it does the user's kernels.
//
// It must not know of GPUs: launches of routines in, launches of threads out, which any device runs that runs threads.
//
//	program searchsorted            program searchsorted
//	routine searchsorted right=1    threads
//	param p0 in float32             param p0 in int32 axes 1
//	param p1 in float32       --->  param p1 in int32 axes 1
//	param p2 out int64              param p2 out int64 axes 1
//	                                ...
//
// The table (table.go) has a row for each routine of the CPU's table, and says of each dtype whether the device runs
// it, or why the host does. Results have the CPU's bits: integers, positions and copies do not depend on an order, or
// are combined in one that is fixed; floats are combined in the CPU's order, or by the host.
//
// # Phases
//
// Where a part of the work has to be finished before another begins, the threads of all blocks meet at a grid barrier.
// The blocks of such a launch are on the device together (Site). What phases tell each other is in scratch memory, some
// words for each block; it lives as long as the launch.
//
// # Orders
//
// Elements are compared by their ranks (order.go), which are made of their bits: floats come as integers of their size.
package routines
