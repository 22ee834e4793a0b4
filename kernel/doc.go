// Package kernel speaks the Jupyter messaging protocol for whatever evaluates the
// code. It knows no arrays, no Python and no Go runtime of arrays: an Evaluator is
// handed one request of each shell at a time and publishes through the request's Output.
//
// # Goroutines, and what each may wait for
//
//	shell receiver    checks signatures, queues requests; answers kernel_info,
//	                  connect and shutdown itself, also while a cell runs
//	shells            one goroutine each, see subshell.go: the main shell, the clients'
//	                  subshells, one for questions beside a running cell, one for the
//	                  debugger. Each takes a request from its queue, calls Evaluator.Do, replies
//	control receiver  kernel_info, interrupt, shutdown, making and deleting of subshells;
//	                  never waits for the evaluator
//	stdin receiver    hands input replies to the Question of Output.AskInput that waits
//	heartbeat         echoes; touches nothing else
//
// Only the shells and the evaluator's own threads ever wait for a slow client.
//
// # Order of messages
//
// Every request is surrounded by status busy and status idle whose parent is that
// request. Idle is queued after all outputs of the request, and the reply before it:
//
//	iopub  status busy
//	iopub  execute_input        published by the evaluator
//	iopub  stream ...           coalesced, see stream.go
//	shell  execute_reply
//	iopub  status idle
//
// A request that is answered while a cell runs has its own busy and idle; after
// that idle the cell's busy is said once more, because some front ends show the
// last status that they have seen, whatever its parent is.
//
// # What is where
//
// One file per family of messages: execute.go, complete.go (complete, inspect,
// is_complete), history.go, info.go, comm.go, control.go, input.go, display.go.
// dispatch.go holds the one table that says which message is served on which
// channel. A new message is a struct, a handler, and a row there.
//
// # Invariants
//
//  1. Evaluator.Do is called for one request of a shell at a time.
//  2. No status and no reply ever waits for a subscriber.
//  3. No output is dropped: publishers of output wait, see wire.Pub.
package kernel
