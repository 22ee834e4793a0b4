// Package verify is the oracle of package scheduler/core: the slow, obvious twin of its passes, which follows what
// tasks really did and finds every use of a byte at the wrong time.
//
//	while a program runs    NewChecker, then Plan, Start, End, HostRead and HostWrite as it happens
//	afterwards              LookBack over what a log has kept
//
// It must not know package scheduler/core, nor what that decides by: it looks at ops, tasks and instances alone, so
// that a mistake in how the core computes footprints, dependences or valid bytes cannot hide in here as well.
//
// # How it sees a run
//
// Every byte carries a tag: the number of the op, or of the host's write, whose value it is. One list of tags follows
// the stream, another each instance. Between a task's plan and its start lies everything that can go wrong:
//
//	           stream                              memory
//	Plan(t)    store's tags: what t must find
//	           store's tags := t's op
//	Start(t)                                       instance's tags: what t finds     differ: inv 5
//	End(t)                                         instance's tags := t's op
//	                                                                      (a copy's: what it found)
//
// A read is right when both lists agree over its elements. No reasoning about validity, halos or evictions is needed
// for that: a forgotten copy leaves an older op's tag behind, a copy of too few bytes an older tag at their edge.
//
// What it costs grows with how often tags change along a store, not with bytes: a store that one op wrote as a whole is
// one tag. Columns of a matrix are a tag per row, which is why LookBack has a budget.
//
// # What it finds
//
//	inv 2   a task that waits for one planned behind it           plan
//	inv 3   a task that starts twice, or ends without a start     Start, End
//	inv 4   a pair of conflicting tasks without an order          waits, inOrder
//	inv 5   a value that is not the last one of the stream        read, access, overtakes, cover
//	inv 6   an instance that is used behind its free              Start, read, access
//	inv 9   an instance that begins between two numbers           Plan
//
// Package scheduler has their texts. That memories are never too full (inv 7) and that templates replay as captured
// (inv 8) are checked where these are: by the driver and the simulator, and by the core under the tag "invariants".
package verify
