// Package workspace is what a process of weft's has besides its arrays: the machine that computes, the cells that have
// run on it, and what is known of both.
//
// It must not know C, Python or Jupyter: the extension module (python/core) tells it what happens, and asks it what to
// tell the user. It imports no "C", so that go test, go vet and gopls see all of it, and tests run it over a Runtime of
// their own.
//
// # Parts
//
//	                 python/core
//	  BeginCell, TakeNotes, NoteInterrupt ... | Query                      Program, Waits, Surface: what a
//	                                          v                            Workspace asks of the process
//	  settings ---> Workspace ---------------------------------> answers: JSON, pictures, pages
//	                |  machine (atomic) --> Machine --> Runtime            a *driver.Runtime, or a test's
//	                |  cells, notes, variables                             what the program did, and its names
//	                |  recording, viewer, progress                         what goes on beside it
//
//	workspace.go   New, Start, Restart, Configure; settings.go what the user asked for; lost.go GPUs that have ended
//	machine.go     the devices, and the runtime on them; runtime.go what is asked of it
//	cells.go       which cell runs and what earlier ones did; cost.go what a cell took
//	notes.go       operations of the eager tier, which the runtime never sees; smallnodes.go those in graphs, plans
//	               and summaries
//	counts.go      what ran natively, by name
//	queries.go     the table of queries, and those about the profile
//	graphs.go      the dataflow graph's nodes, tasknodes.go the tasks', fallen.go calls that went to NumPy,
//	               names.go what arrays are called, drawings.go the graphs' pictures and pages
//	plan.go        what became of a cell's operations; verify.go whether their order was right; stats.go and memory.go figures
//	lines.go       profiles by lines; follower.go, samplelane.go and rates.go parts of them; advice.go what
//	               advice is given on
//	recording.go   profiles that are written while the program runs; viewer.go the timeline's server;
//	               strip.go progress below a cell
//	interrupts.go  what an interrupt cancels; doing.go what the runtime does now; report.go files about panics
//	where.go       places of the program: the one conversion of the number in which they cross from C
//
// # Goroutines
//
// Python's interpreter lock orders the calls that change something: Start, Configure, BeginCell, TakeNotes and their
// like. Queries, the viewer's pages, the strip below a cell and the terminal's line come from goroutines of their own
// at any time. So the machine's pointer is atomic, counters are, and all other state has a mutex; a Machine that was
// replaced stays whole for a goroutine that still has it.
package workspace
