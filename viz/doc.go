// Package viz shows what a run did: graphs, timelines, and a server for both.
//
// It must not know how ops are planned or run, what a kernel or Python is, or where a trace comes from. It
// declares what it wants to be told (OpNode, TaskNode); a trace is a profiler.Trace.
//
// # Graphs
//
// Dataflow has ops as nodes and stores as edges, Events has tasks and what they waited for. Both are
// collapsed until they are readable, in the order of a table of levels: loops appear once, in a box
// that says how often they ran; the tasks of an op are one node; if that is not enough, the ops of a line are.
// A graph's text form is DOT, and it is always there:
//
//	graph := viz.Dataflow(ops, viz.GraphOptions{Title: "In [3]"})
//	text := graph.DOT()
//	svg, err := graph.SVG(ctx)
//	png, err := viz.Render(ctx, weftBinary, text, "png")
//
// Package layered lays the picture out, in milliseconds; it is the same, byte by byte, each time. Render draws by Graphviz in a
// child process; package viz/graphviz says why.
//
// An Outline is a graph with all that its nodes open into: an index launch its tasks, a loop its iterations, a fused op its
// parts, a line its ops. Its HTML is a page in one file, which lays out by itself (graphs/, TypeScript, built into
// graphs/dist) what is open; GraphBundle is all forms for a notebook, and GraphDocument the form in which a graph travels
// with a profile, out of which a server shows dataflow.html and events.html. To change the page:
//
//	cd viz/graphs && npm ci && npm run all
//
// # Timelines
//
// TimelineHTML is a page in one file: the viewer of timeline/ (TypeScript, built into
// timeline/dist), the tables as JSON, and the bars as columns of numbers, which the viewer
// looks at in place. A million bars stay smooth, because what is drawn of a row costs as much as it has pixels. The same
// viewer, with a WebSocket in the place of the embedded bars, shows tens of millions of bars and runs that go on.
// TimelineSVG is a still picture, TimelineBundle all forms for a notebook. To change the viewer:
//
//	cd viz/timeline && npm ci && npm run all
//
// # Serving
//
// Listen and Server.Serve show a profile in the browser, on this machine only. The page asks for what it
// shows (FORMAT.md), and package viz/detail answers with as much detail as there are pixels. While a run is watched one goroutine reads
// its recorder 33 times a second into a store that all viewers share; each viewer has a goroutine that sends what has changed in
// the lanes that it shows, so that a slow one delays nobody. ServeOptions.Second is a profile to compare with.
//
// # Invariants
//
//	inv 1: the same input gives the same DOT text, picture and page
//	inv 2: every table of a page has a JSON form
package viz
