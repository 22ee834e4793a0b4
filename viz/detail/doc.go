// Package detail answers questions about millions of bars fast enough for a viewer that is dragged by hand.
//
// It must not know what a browser, a socket or a run is: it has no clock, no goroutines and no input or output.
// A Store is fed with one profiler.Increment after the other while a run goes on, or once with a whole trace; it does
// not lock: goroutines that share it do.
//
//	s := detail.New(detail.Options{})
//	s.Append(&inc)
//	bars = s.View(bars[:0], track, detail.Window{T0: 0, T1: 1e9, Px: 1200}, &scratch)
//
// # Tracks
//
// The records of a lane arrive in the order in which they ended, inner ones before those that enclose them. Row
// assigns each to the first row that is free again, row 0 being kept for cells. The same records give the same rows,
// live or from a file, and the spans of one row never overlap.
//
// # Level of detail
//
// A span belongs to the class of its length: class c has those shorter than 4.096 us * 4^c. Level c of a track is
// a list of buckets of that width, which add up the spans of the classes up to c. A view whose pixel is about as wide
// as a bucket of level c reads that level, and the spans of the longer classes one by one: a few numbers
// per pixel, whether there are a thousand spans or ten million. Below the finest level spans are read one by one.
// Levels are built when the trace has become long enough to need them.
//
// Totals and searches have summaries of chunks of 4096 records in the same way.
//
// # Long runs
//
// A store with a limit thins its oldest chunks when it is full: their summaries and the levels from one on that has few
// buckets stay, and the records that are longer than those. So there is something to see of all of a run, however long.
// Questions that take a while are those of a Snapshot, which needs no lock.
//
// # Invariants
//
//	inv 1: the spans of a track do not overlap, and are listed by start
//	inv 2: every record that is kept is in exactly one list of one track
//	inv 3: from the thin level on the levels of a track hold all records that were not dropped
package detail
