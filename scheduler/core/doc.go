// Package core is the pure core of weft: it turns a stream of ops on whole views into
// tasks on tiles, and knows at every moment which tasks may start.
//
//	ops --Submit--> window --Flush--> Plan --Next--> tasks --Done--> more tasks
//
// A full window is planned up to the place where a cut costs least (cut.go), which in loops is
// where they turn.
//
// The same calls in the same order give the same plans and the same answers: there is no
// clock, no goroutine, no I/O and no randomness in here, and no pass ranges over a map. A
// driver (package scheduler/driver, or the simulator in scheduler/sim) runs the tasks and
// reports back; it decides nothing that changes a plan.
//
// It must not know devices' code, buffers, NumPy, files or the profiler.
//
// # Protocol
//
// The core has five faces, and one state machine behind them:
//
//	Core       NewStore Release Submit Flush Next Begun Done Cancel Yield SetHandOver
//	InOrder    Turn Ended Spread                                     a plan of little work, task by task
//	Host       Written Lent Given AtRest Room Need Pin Failure Untold    bytes that the host fills, reads and writes
//	Guests     Lent Need Leave                                       bytes in a GPU's memory that other libraries use, too
//	Look       questions: none changes a plan
//
// An op waits in the window until Flush makes it tasks, or a part of one; a task is in one of these states:
//
//	        Flush           what it waits for      Next              Begun (ordered devices)
//	                        is done, or begun
//	op ------------> planned ----------> enabled ------> handed out ------------> begun
//	                  |    |                                 |                      |
//	                  |    | Cancel, or what it needs        | Done                 | Done
//	                  |    | has failed                      v                      v
//	                  |    +-----------------------------> completed <--------------+
//	                  |                                      ^
//	                  | InOrder.Turn                         |
//	                  +--------------> its turn -------------+ InOrder.Ended
//
// A plan that is InOrder has its tasks run at once, by Turn and Ended in the order of the plan; Spread makes those from
// one on tasks like any others. Between two ops of the stream the host may ask for bytes: the window is flushed,
// Host.Need says what must be completed, and the host is done with them before the next Submit. Failures follow values;
// Host.Failure tells of bytes that have none.
//
// # Passes
//
// Flush runs the table in passes.go over the window: fuse makes one op of several, partition
// cuts each op into tiles, place chooses memories and adds copies, depend finds what every task
// must wait for.
//
// What is fused package scheduler/fuse decides. It depends on the window's signature alone (signature.go), not on which
// stores the window names, so that it is captured as a Template, and a loop, which comes to the same window again,
// replays that (replay.go).
//
// # Tiles
//
// An op is cut along one axis, into slabs, or along two, into a grid. The interval of a slab
// touches those of its neighbours at most at its edges. Tiles of columns lie between each
// other, row by row: their footprints are combs (package region), so that a tile waits for
// those whose bytes it uses, and for no other.
//
// On GPUs it matters more where tiles lie than how equal they are. A store that is cut has a
// key there, which GPU has which of its bytes (key.go); ops are cut along the keys of their
// operands, through whatever slices they use, small ones too. So rows stay where they are, and
// what a stencil moves is its halo: rows between slabs, in a grid also columns, each one copy
// of many short runs.
//
// # Little work
//
// A window of little work, when nothing else is pending, has no graph: its tasks run on the calling
// thread in the order of the plan (inorder.go). Ops that differ in nothing but their stores,
// offsets and uniforms can share a Form, which is checked once.
//
// With one GPU, little work on what the host has is done there (small.go).
//
// # Contractions
//
// A sum of products is an op over (batch..., rows, columns, k), in which an operand has stride 0
// along the axes that it does not have, and axes may have been joined. It is cut along whatever axes let its tiles use
// the fewest bytes (contract.go); k is cut between blocks only, whose results a reduction adds.
//
// # Calls
//
// A Call is a named routine over whole views. It is one task, on the first GPU that has the
// routine for these dtypes, or on a CPU, whatever its size; its operands are brought together in
// that device's memory. One whose operands are too large for that runs on a CPU.
// What it updates, such as the target of a scatter, is both read and written: to the passes
// every byte of the view is, whichever elements the routine looks at or changes.
//
// What a program gathers from (a whole parameter of package tile) is used by each tile as a whole. An op
// with control flow that stores in some lanes updates its result.
//
// # Coherence
//
// A store's bytes may lie in several memories, in an Instance each or more (bring.go). While it plans, the core
// keeps for each instance the set of bytes that are valid in it. A task's reads are made
// valid by copies that are planned before it; after a write only the writer's instance is
// valid. A write whose footprint has gaps, even as a comb, keeps the bytes in the gaps, so these
// are copied in first, like those of a read, and those of an update.
//
// # Memories that are full
//
// The plan keeps account of every memory that has a capacity, task by task (capacity.go). Where
// the next instance does not fit, others leave: what a GPU alone holds is copied to the host
// (cause spill) and comes back when a task needs it; what the host has too is dropped (evict.go). Ops
// whose tiles would take too much of a GPU are cut into more tiles, so that arrays may be larger
// than all memories of GPUs together; what cannot be cut that small runs on the CPUs (fit.go).
//
// An instance takes its bytes from those of certain frees, and its users come after these. So
// no order of tasks needs more than the order of the plan does, a program that runs far ahead
// needs no more than one that waits for each op, and a task that may start never lacks
// memory. A task for which nothing makes room is planned all the same, and fails (Task.Lacks).
//
// # Running ahead
//
// Ordered devices, whose queues are streams of a GPU, are given tasks behind others that have not run yet
// (ahead.go): Next hands them out when what they wait for has begun there.
//
// # Failures
//
// A task that fails poisons the bytes that it would have written, in its instance. A task
// that reads poisoned bytes does not run; it fails with the same Failure. Overwriting
// bytes densely heals them. So errors follow values, not order: what does not depend on the
// failed op is computed as if nothing had happened. A task that has begun behind the one that fails
// runs, and fails then.
package core
