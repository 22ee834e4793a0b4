// Package nvtx tells NVIDIA's tools, such as Nsight Systems, which named ranges of time the program is in.
//
// It must not know what a cell, a task or an array is, nor anything of CUDA: it passes names on.
//
//	tool, err := nvtx.Open() // nil, nil where the process runs under no tool
//	id := tool.Begin("assemble")
//	tool.End(id)
//
// # How a tool is found
//
// A tool that starts a program names a library of its own in NVTX_INJECTION64_PATH. NVTX, NVIDIA's interface for such
// names, has no library that a program links to: version 3 is a header, and so the program itself loads what the
// variable names and calls its InitializeInjectionNvtx2. The library asks back for a table of slots for the functions
// of the interface and puts its own into them. nvtx.c does that part from its own declarations. It offers the
// slots of all of the interface's functions, because tools fill what they know, and calls four of them.
//
// The numbers of tables and slots, and the layout of what is handed over, are NVTX's binary interface and never change.
//
// # Ranges
//
// A range begins and ends on any thread and may overlap others. A tool that knows only ranges that
// nest on a thread gets those; Overlapping says so, and callers that cannot promise to nest then leave it alone.
//
// Where the variable is not set, nothing is loaded, Open returns a nil Tool, and all that a nil Tool costs is the
// question whether it is nil.
package nvtx
