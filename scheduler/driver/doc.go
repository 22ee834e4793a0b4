// Package driver makes plans happen. It owns the one pure core (package scheduler), puts a
// lock around it, starts the tasks that the core says may start on devices, allocates and
// frees the buffers of instances, lets the program wait for values, and records everything.
//
//	program thread                 driver                          devices
//	  Submit(op) ------------> Core.Submit; window full: Flush
//	  Read(view) ------------> Core.Flush, Core.Need
//	                           start(Core.Next()) ------------> Launch / Copy
//	    (waits)                Core.Done, record, start more <-- done
//	  <------------- value
//
// Tasks start in the order in which they become ready, lowest ID first, each on a queue that
// is free, or, on ordered devices, behind others that the queue has (ahead.go). A flush of little work, or of small
// tasks only, runs on the calling thread instead: handing a task to another goroutine and waiting for it costs ten
// times what a small task does.
//
// The driver decides when and on which queue a task runs, never what is computed: results
// have the same bits for any number of queues and any order.
//
// It must not know NumPy, Python, Jupyter or how records are drawn. Which devices there are
// is told by the caller of New.
//
// # Memory
//
// An instance's buffer is allocated when the first task that uses it starts, and freed by
// the instance's Free task. The plan has room for it by then (package scheduler, Memories that are
// full). Where an allocator finds none all the same, because what is free is in pieces or the
// system has no more, the task waits for others to finish and free; when nothing is left that could,
// instances leave the GPU's memory that no task uses (core.Core.Yield), and when none can, it fails with a MemoryError.
//
// A program may run ahead by so many tasks, bytes of their operands, and bytes of arrays that it
// has filled and let go while tasks still hold them (MaxTasks, MaxBytes, MaxLeaving). Arrays
// that tasks make need no bound: they are not made before these start, lowest ID first.
//
// Memory of the program's own can be lent to a store (Lend). It is no part of any account, and stays where it is.
// Like a store with a writable mapping, it has all its bytes on the host, and complete, whenever the program goes on.
//
// # Locks
//
// One mutex guards all state. Devices call back from their own goroutines; a callback takes
// the mutex for a few microseconds. The driver calls a device while it holds the mutex,
// but never gives a queue a second task before the first has called back, unless the device
// is ordered: then a queue has up to aheadTasks. It starts the
// next task from within that callback: a device must accept a launch on a queue from the
// callback of the queue's last one.
//
// # Three ways to run
//
// What a flush gives runs in one of three ways, from the cheapest to the one that everything can take:
//
//	in order   runInOrder   the core has made no graph: the plan's order, on the calling thread. Little work, nothing else
//	                        pending, all on the host
//	inline     runInline    there is a graph; the calling thread takes what Next hands out. Nothing runs, and all that is
//	                        pending is little together, or each task is, or the thread waits for a call
//	queues     pump         devices run tasks on their queues, and call back
//
// The first two stop where a task cannot run on this thread, or memory is full, and leave the rest to the queues.
//
// # The life of a task on a queue
//
//	Core.Next --enqueue--> device.ready --startOn--> start --+--> slot of a queue --finished--> retire --> Core.Done
//	                           ^                             |                       (device's
//	                           |                  no memory  v                        goroutine)
//	                           +------feed------------- starved
//
// feed is called with every completion, since that may have freed memory. When nothing runs any more and tasks are
// starved, relieve flushes the window, has instances leave (Core.Yield), and at last fails the oldest.
//
// # Units and owners
//
// Times are nanoseconds since the recorder's epoch; those of devices' completions count from their own and are moved by
// Runtime.lag. Sizes are bytes. Costs are in the unit of core.Options.Inline: bytes that a core moves through its
// caches, 4 MiB of which take some 80 microseconds.
//
//	buffer      the driver's: allocated by the device of its memory, or lent by the program
//	instance    the core's; Held is the driver's pointer to the buffer
//	task, op    the core's; the driver reads them, and keeps them in its log
//	launch      the queue's slot: it lives until the task's completion was retired
//
// # Invariants
//
//	inv 1: while tasks are pending, one is running, or waits for a queue or for memory
//	inv 2: a buffer is freed only when no started task uses it
//	inv 3: while the program has a store's memory (Open), that is the host's instance of it, and no op in the window uses
//	       the store
package driver
