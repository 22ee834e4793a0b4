//go:build extension

package main

import (
	"encoding/json"
	"fmt"
	"sync"

	"weft/cpu"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz"
)

// copySpeed measures once how many bytes per second all processors together read and write, the limit that
// most array programs meet.
var copySpeed = sync.OnceValue(func() float64 { return cpu.CopySpeed(the.settings.flags.CPUs) })

// mark tells where the program is: the beginning of a part that lines is asked about.
func (m *machine) mark(string) (string, error) {
	return asJSON(m.rt.BeginCell(0))
}

// lines says what became of a part of a cell's program, line by line. The argument is JSON: the name and the text of
// the cell, and what mark said before the part began. It is called when all of the part's operations have run.
func (m *machine) lines(argument string) (string, error) {
	var part struct {
		Name, Text string
		Since      driver.Cell
	}
	if err := json.Unmarshal([]byte(argument), &part); err != nil {
		return "", fmt.Errorf("lines: %w", err)
	}
	c := cell{name: part.Name, text: part.Text, mark: part.Since}
	now := m.rt.BeginCell(0)
	c.mark.LastOp, c.mark.LastTask, c.mark.End = now.FirstOp, now.FirstTask, now.Start
	t := m.trace(c)
	report := viz.NewLineReport(t, viz.LineOptions{
		Cell: c.name, Text: c.text, Source: uint32(m.rt.Source(c.name)), Ops: m.lineOps(c),
		Start: c.mark.Start, End: c.mark.End, Limit: copySpeed(),
	})
	html, svg := report.HTML(), report.SVG()
	return asJSON(map[string]string{"cell": c.name, "text": report.String(), "html": html, "svg": svg})
}

// lineOps are the operations of a cell as they were planned: with what was fused into them, and why not more.
func (m *machine) lineOps(c cell) []viz.LineOp {
	var ops []viz.LineOp
	for _, op := range m.rt.Ops(c.mark.FirstOp) {
		if op.ID > c.mark.LastOp {
			break
		}
		row := viz.LineOp{ID: uint32(op.ID), Where: place(op.Where)}
		for _, part := range op.Parts {
			row.Parts = append(row.Parts, viz.LinePart{Name: part.Name, Where: place(part.Where)})
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
