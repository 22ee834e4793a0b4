// Package graph draws what a run did as graphs: of operations and arrays, and of tasks and what they waited for.
//
// It must not know how ops are planned or run, what a kernel or Python is, or where its nodes come from. It declares
// what it wants to be told (OpNode, TaskNode).
//
// Dataflow has ops as nodes and stores as edges, Events has tasks and what they waited for. Both are
// collapsed until they are readable, in the order of a table of levels: loops appear once, in a box
// that says how often they ran; the tasks of an op are one node; if that is not enough, the ops of a line are.
// A graph's text form is DOT, and it is always there:
//
//	flow := graph.Dataflow(ops, graph.Options{Title: "In [3]"})
//	text := flow.DOT()
//	svg, err := flow.SVG(ctx)
//	png, err := graph.Render(ctx, weftBinary, text, "png")
//
// Package layered lays the picture out, in milliseconds; it is the same, byte by byte, each time. Render draws by
// Graphviz in a child process; package viz/graphviz says why.
//
// An Outline is a graph with all that its nodes open into: an index launch its tasks, a loop its iterations, a fused op
// its parts, a line its ops. Its HTML is a page in one file, which lays out by itself (page/, TypeScript, built into
// page/dist) what is open; Bundle is all forms for a notebook, and Document the form in which a graph travels with a
// profile, out of which a server shows dataflow.html and events.html. To change the page:
//
//	cd viz/graph/page && npm ci && npm run all
//
// # Invariants
//
//	inv 1: the same input gives the same DOT text, picture and page
package graph
