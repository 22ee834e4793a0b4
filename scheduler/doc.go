// Package scheduler is the vocabulary of weft's planning, and its text form: ops on whole views, the machine, the tasks
// that ops become, and the plan that holds them. Four packages speak it:
//
//	scheduler/fuse     decides which ops of a window run as one
//	scheduler/core     turns ops into tasks, and knows at every moment which tasks may start
//	scheduler/verify   the oracle: follows what tasks did, byte by byte, and knows nothing of how core decides
//	scheduler/driver   runs the tasks: it has the clock, the goroutines and the memory
//
// It must not know how anything is decided, devices' code, buffers, NumPy, files or the profiler.
//
// # Text form
//
// An op stream is text that ParseOps reads and a Plan prints:
//
//	store s1 80
//	store s2 80
//	op o1 map scale shape (10) at 1:3
//	  program "scale"
//	  use r s1 float64 (10) at 0 by (8)
//	  use w s2 float64 (10) at 0 by (8)
//	  uniform float64 0.5
//	release s1
//
// # Invariants
//
//	inv 1: an op's written view shares no byte with another of its views unless they are equal;
//	       that of a call with none. Programs of threads may write what they read elsewhere: they are one task
//	inv 2: a task comes after everything that it waits for: After holds smaller IDs only
//	inv 3: only tasks that Next handed out are reported Done, once
//	inv 4: a task starts after every task that it conflicts with and that the op stream has before it: after its
//	       completion, or behind it in the order that devices keep (ahead.go)
//	inv 5: a task reads, of every byte, what the last op before it in the stream wrote
//	inv 6: no task uses an instance after the instance's Free
//	inv 7: the instances of a memory never take more than its capacity, whatever the order of tasks
//	inv 8: a template that is replayed is the one that capturing the window gives
//	inv 9: an instance begins at a multiple of 8 bytes of its store, so that what is aligned in the store is so in the instance
package scheduler
