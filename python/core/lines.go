//go:build extension

package main

// #include "values.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"weft/cpu"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz/report"
)

// copySpeed measures once how many bytes per second all processors together read and write, the limit that
// most array programs meet: when a cell has ended and no other has begun for a while, or at the latest before the first profile by
// lines, while nothing of the program's runs.
var copySpeed = sync.OnceValues(func() (float64, error) {
	speed, err := cpu.CopySpeed(the.settings.flags.CPUs)
	copied.Store(int64(speed))
	return speed, err
})

// copied is the copy speed, 0 before it is measured: pictures do not wait for it.
var copied atomic.Int64

// quietFor is how long no cell has run when the copy speed is measured.
const quietFor = 300 * time.Millisecond

// measureWhenQuiet measures the copy speed if no cell runs until then. It is called when a cell ends.
func (c *cells) measureWhenQuiet() {
	c.quiet.Do(func() {
		var look func()
		ended := c.ended
		look = func() {
			defer guard("measuring the copy speed")
			c.mu.Lock()
			busy := len(c.open) > 0 || c.ended != ended
			ended = c.ended
			c.mu.Unlock()
			if busy {
				time.AfterFunc(quietFor, look)
				return
			}
			_, _ = copySpeed() // the report that needs it tells of the error
		}
		time.AfterFunc(quietFor, look)
	})
}

// mark tells where the program is: the beginning of a part that lines is asked about. All that has been asked for has run.
func (m *machine) mark(string) (string, error) {
	if _, err := copySpeed(); err != nil {
		return "", err
	}
	m.follower.begin(m.rt.Recorder())
	return asJSON(m.rt.BeginCell(0))
}

// lines says what became of a part of a cell's program, line by line. The argument is JSON: the name and the text of
// the cell, what mark said before the part began, and what the sites of the samples are called. It is called when all of the
// part's operations have run.
func (m *machine) lines(argument string) (string, error) {
	var part struct {
		Name, Text string
		Since      driver.Cell
		Sites      []string
		Modules    []string // of the sites: the shared objects that ran
		Sampled    bool     // whether there are samples of it
	}
	if err := json.Unmarshal([]byte(argument), &part); err != nil {
		return "", fmt.Errorf("lines: %w", err)
	}
	limit, err := copySpeed()
	if err != nil {
		return "", err
	}
	c := cell{name: part.Name, text: part.Text, mark: part.Since}
	now := m.rt.BeginCell(0)
	c.mark.LastOp, c.mark.LastTask, c.mark.End = now.FirstOp, now.FirstTask, now.Start
	m.relate()
	t, missing, err := m.follower.end()
	if err != nil {
		return "", err
	}
	o := report.LineOptions{
		Cell: c.name, Text: c.text, Source: uint32(m.rt.Source(c.name)), Ops: m.lineOps(c),
		Start: c.mark.Start, End: c.mark.End, Limit: limit, Caches: cpu.CacheBytes(), Missing: missing,
	}
	var mainTime, allTime int64
	if part.Sampled {
		o.Samples, mainTime, allTime = samples(part.Sites, part.Modules, m.rt.Now()-int64(C.weft_clock()))
	}
	if len(o.Samples) > 0 {
		o.Start, o.End = o.Samples[0].Start, o.Samples[len(o.Samples)-1].End
		o.Others = otherThreads(t, o, allTime-mainTime)
	}
	if part.Sampled {
		o.Counted = lineCounts(true)
	}
	report := report.NewLineReport(t, o)
	m.samples.record(m.rt.Recorder(), o.Samples)
	html, svg := report.HTML(), report.SVG()
	return asJSON(map[string]any{"cell": c.name, "text": report.String(), "html": html, "svg": svg, "lines": report})
}

// samples are those of the profile that has just ended, and the processor time that the main thread and all threads took. shift is
// by how much the recorder's clock is ahead of theirs.
func samples(sites, modules []string, shift int64) (list []report.Sample, mainTime, allTime int64) {
	var n, mainCPU, allCPU C.int64_t
	rows := unsafe.Slice(C.weft_samples(&n, &mainCPU, &allCPU), int(n))
	does := [...]report.Spending{C.WEFT_PYTHON: report.Python, C.WEFT_CALLS: report.Calling, C.WEFT_RUNTIME: report.Recording}
	for i := range rows {
		s := &rows[i]
		sample := report.Sample{
			Start: int64(s.start) + shift, End: int64(s.end) + shift, Does: does[s.does], Asleep: int64(s.asleep),
			Where: profiler.Where{Source: uint32(s.where >> 32), Line: int32(uint32(s.where))},
		}
		if at := int(s.site); at > 0 && at <= len(sites) {
			sample.Name = sites[at-1]
			if at <= len(modules) {
				sample.Module = modules[at-1]
			}
		}
		list = append(list, sample)
	}
	return list, int64(mainCPU), int64(allCPU)
}

// worthOthers is from what part of the wall time on other threads are worth a word.
const worthOthers = 0.05

// otherThreads is the processor time that neither the main thread nor tasks took, of what all but the main one took.
func otherThreads(t *profiler.Trace, o report.LineOptions, all int64) int64 {
	for i := range t.Records {
		if rec := &t.Records[i]; rec.Kind == profiler.Run || rec.Kind == profiler.Copy {
			all -= rec.End - rec.Start
		}
	}
	if float64(all) < worthOthers*float64(o.End-o.Start) {
		return 0
	}
	return all
}

// lineCounts are how often the lines did what while that was counted; marked, only since the profile that has just ended began.
func lineCounts(marked bool) []report.LineCount {
	var n C.int64_t
	rows := unsafe.Slice(C.weft_line_counts(&n), int(n))
	var list []report.LineCount
	for i := range rows {
		row := &rows[i]
		if row.where == 0 {
			continue
		}
		did := row.n
		if before := C.weft_counted_before(row.where); marked && before != nil {
			for what, n := range before.n {
				did[what] -= n
			}
		}
		if did == [C.WEFT_COUNTS]C.int64_t{} {
			continue
		}
		list = append(list, report.LineCount{
			Where:      profiler.Where{Source: uint32(row.where >> 32), Line: int32(uint32(row.where))},
			Operations: int(did[C.WEFT_OPERATIONS]), Reads: int(did[C.WEFT_ELEMENTS_READ]),
			Writes: int(did[C.WEFT_ELEMENTS_WRITTEN]), Values: int(did[C.WEFT_NUMBERS]),
		})
	}
	return list
}

// lineOps are the operations of a cell as they were planned: with what was fused into them, and why not more.
func (m *machine) lineOps(c cell) []report.LineOp {
	var ops []report.LineOp
	for _, op := range m.rt.Ops(c.mark.FirstOp) {
		if op.ID > c.mark.LastOp {
			break
		}
		row := report.LineOp{ID: uint32(op.ID), Where: place(op.Where)}
		for _, u := range op.Uses {
			bytes := int64(u.View.Elements()) * int64(u.View.Type.Size())
			if u.Access.Reads() {
				row.Reads += bytes
			}
			if u.Access.Writes() {
				row.Writes += bytes
			}
		}
		if split, known := m.split(op); known {
			row.Apart = fmt.Sprintf("apart from %v: %v", split.From, split.Why)
		}
		if why := m.rt.WhyWhole(op.Op); why != "" {
			row.Whole = why
		}
		ops = append(ops, row)
	}
	return ops
}

func place(w scheduler.Where) profiler.Where {
	return profiler.Where{Source: uint32(w.Source), Line: w.Line}
}
