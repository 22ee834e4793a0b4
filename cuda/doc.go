// Package cuda is a tile.Device on an NVIDIA GPU: programs become PTX (package ptx), which the CUDA driver (package
// driver) compiles and runs.
//
// It must not know what an array, a store or a task is: programs, buffers and copies in, completions out.
//
//	       Launch, Copy                        CUDA's stream                 host
//	caller ------------> queue: waiting ------------> under way ------------> done(Completion)
//	                       | kernels that are being      | an event each        retire, a goroutine
//	                       | compiled, copies that       |                      per queue
//	                       | the driver makes us wait for
//	                     submit, a goroutine per queue
//
// # Queues
//
// Queue 0 computes; queue 1 copies to the device, queue 2 to the host. A launch whose kernel is compiled goes to the
// driver on the calling goroutine, if nothing on its queue waits; everything else on the queue's submitting goroutine,
// so that a caller never waits for a compiler or for a copy (queue.go). Each piece of work ends with an event; the
// queue's retiring goroutine looks at events in order, and calls done.
//
// # Programs
//
// The driver compiles a kernel for each variant that launches ask for, beside what goes on (executable.go), and those
// that are known to be needed together a few modules at a time (compile.go). What it makes is kept in a folder, for
// processes to come (cubins.go).
//
// # Sequences
//
// Launches that come between Sequence and End are held (sequence.go), and start as a graph where their kernels came in
// this order before (graphs.go).
//
// # Memory
//
// The pool (pool.go) hands out parts of one range of addresses. Physical pages are mapped behind it as they are needed;
// a free page is moved where it is missing, so that a memory in many pieces is as good as one in one piece. Only pages
// that were needed once are taken from the GPU, which is shared with other processes.
//
// Other libraries' memory comes in as buffers, and buffers go out to them (guests.go). What they do is in streams of
// theirs, which nothing here is ordered by: who shares memory waits for these.
//
// # Copies
//
// Small ones pass through page-locked slots (staging.go), so that a caller does not wait; the others through a ring of
// larger ones, piece by piece (ring.go). Between two GPUs they go directly where these reach each other (peers.go).
//
// # Time
//
// CUDA's events tell the device's time; the clock (clock.go) finds out how it relates to the host's.
//
// # Faults
//
// Loops and gathers get a fault block and a stop word (faults.go). An error that ends the GPU's context makes the
// device lost: all work that is under way or comes later fails with it, and nothing hangs (lost.go).
package cuda
