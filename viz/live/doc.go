// Package live shows timelines: as pages and still pictures of runs that are over, and by a server that follows runs
// that go on.
//
// It must not know how ops are planned or run, what a kernel or Python is, or where a trace comes from. A trace is a
// profiler.Trace.
//
// # Timelines
//
// TimelineHTML is a page in one file: the viewer of timeline/ (TypeScript, built into
// timeline/dist), the tables as JSON, and the bars as columns of numbers, which the viewer
// looks at in place. A million bars stay smooth, because what is drawn of a row costs as much as it has pixels. The
// same viewer, with a WebSocket in the place of the embedded bars, shows tens of millions of bars and runs that go on.
// TimelineSVG is a still picture, TimelineBundle all forms for a notebook. To change the viewer:
//
//	cd viz/live/timeline && npm ci && npm run all
//
// # Serving
//
// Listen and Server.Serve show a profile in the browser, on this machine only. The page asks for what it
// shows (FORMAT.md), and package viz/detail answers with as much detail as there are pixels. While a run is watched one
// goroutine reads its recorder 33 times a second into a store that all viewers share; each viewer has a goroutine that
// sends what has changed in the lanes that it shows, so that a slow one delays no other. ServeOptions.Second is a
// profile to compare with.
//
// # Invariants
//
//	inv 1: the same input gives the same picture and page
//	inv 2: every table of a page has a JSON form
package live
