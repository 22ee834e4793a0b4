package workspace

import (
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/scheduler/verify"
)

// Runtime is what a Machine asks of its runtime: a *driver.Runtime, or one of a test. Any goroutine may ask.
type Runtime interface {
	Journal
	Sources
	Meter
	BeginCell(scheduler.SourceID) driver.Cell
	EndCell(driver.Cell) driver.Cell
	CancelOps(since, until scheduler.OpID)
	Verify(verify.Span, <-chan struct{}) (driver.Verification, error)
	Doing() driver.Doing
	Record(on bool)
	Close() error
}

// Journal is what was planned and run, as far back as the runtime knows it.
type Journal interface {
	Ops(since scheduler.OpID) []driver.OpInfo
	Tasks(since scheduler.TaskID) []verify.Ran
	HostAccesses() []verify.HostAccess
	Oldest() (scheduler.OpID, scheduler.TaskID)
	Submitted() (scheduler.OpID, scheduler.TaskID)
	LastOp() scheduler.OpID
	Split(scheduler.OpID) (scheduler.Split, bool)
	Fit(scheduler.OpID) (scheduler.Fit, bool)
	WhyWhole(*scheduler.Op) string
}

// Sources are the names and texts of cells and files, by number.
type Sources interface {
	Source(name string) scheduler.SourceID
	SourceText(id scheduler.SourceID, text string)
	SourceName(scheduler.SourceID) string
	Place(scheduler.Where) string
}

// Meter is what the runtime measures.
type Meter interface {
	Now() int64
	Note(kind profiler.Kind, name string, w scheduler.Where, start, end, bytes int64)
	Recorder() *profiler.Recorder
	Stats() driver.Stats
	Totals() driver.Cost
	Glance() driver.Glance
}

var _ Runtime = (*driver.Runtime)(nil)
