// Package fuse decides which ops of a window run as one, and makes their programs: a function of the window alone.
//
//	Window --Decide--> Template --(package scheduler/core replays it)--> ops with longer programs
//
// In a Window stores are positions, not names. So the Template, which names ops and operands by their positions in the
// window, holds for every window of the same signature (scheduler/core, which keeps templates by it).
//
// Decide goes over the ops once and puts each into a group (fuse.go, join.go), whose index space may be finer than that
// of a member or have its axes in another order (meet.go, refine.go). Fusion is judged by bytes: sink then moves ops
// between groups to where the fewest move to and from memory, by minimum cuts (sink.go, network.go, traffic.go). What a
// group computes becomes one program (build.go).
//
// The life of a window in here, with what each step costs in ops n, groups g and slots s:
//
//	count    which stores die, how often each is used            n
//	place    each op: the last group it conflicts with, join     n * touches of its stores
//	sink     each pair of groups of which one feeds the other    g * g pairs, a minimum cut for each
//	capture  members, programs and views by position             n, and building programs that are new
//
// Loops pay this once for each window that differs, since scheduler/core keeps what comes out.
//
// It must not know where ops run, how they are cut, devices, memories or tasks; of stores it knows the size, and
// whether the host has their address.
package fuse
