// Package profiler records what a run does, always, and keeps it as a file.
//
// It must not know what an array, an op's meaning, a device, a scheduler or a viewer is. The
// driver of the scheduler tells it what happened; it imports nothing of weft.
//
// # Recording
//
// Each processor, copy channel and program thread has a Lane, which only its own goroutine
// writes. A Record is one row of 40 bytes: kind, task, op, start, end, bytes. What many
// records share is told once and named by a number: the name, shape and place of an op (Form, Op), the name
// and place of anything else (Label), the text of a cell (Source). What a task waited for is told
// when it is planned (Task). A task costs
//
//	lane.Begin(profiler.Run, task, op, rec.Now())
//	...
//	lane.Record(profiler.Record{Kind: profiler.Run, Task: task, Op: op, Start: start, End: rec.Now(), Bytes: n})
//
// and that is less than 100 ns, most of it for reading the clock twice. Nothing waits, no
// lock is taken, and a full ring allocates nothing. A lane that is full drops its oldest
// records; how many is known to every reader and shown by every viewer.
//
// # Reading
//
// Snapshot gives a Trace: plain tables that refer to each other by number. A Cursor gives
// what is new since the last look (an Increment), and so does a Reader of a file; Running tells what goes on
// right now. Trace.Between cuts out
// a cell. Summarize adds up.
//
// # Files
//
// Write, WriteFile and Stream write .weftprof files, which FORMAT.md describes; Read takes nothing on
// trust. Trace.String and Parse are the text form, which holds the same and reads back. WritePerfetto,
// WriteChrome, WriteCSV and WriteJSON are for other programs; the first two go by tracks.go.
// Of a file that is longer than memory should hold, ReadTables, WriteTextOf, WriteCSVOf and ValidateOf see one chunk
// after the other.
//
// # Invariants
//
//	inv 1: a recorder has at most 65536 lanes
//	inv 2: every trace that Snapshot, Read or Parse returns passes Check
package profiler
