package report

import (
	"fmt"

	"weft/profiler"
)

// A pass over memory computes the operations of several lines at once where these were fused. What its tasks cost is
// shared among the lines by how many of its operations each has asked for: a line's time and bytes are the same part of
// the pass's, so that all of them have the pass's rate.

// pass is what the tasks of operations of the same lines cost.
type pass struct {
	lines      []profiler.LinePart // in the order of the program
	operations int                 // of all lines
	busy       int64               // nanoseconds, added over lanes
	bytes      int64
	tasks      int
	spans      [][2]int64
}

// part is the line's part of the whole.
func (p *pass) part(l profiler.LinePart) float64 {
	return float64(l.Operations) / float64(p.operations)
}

func (p *pass) add(rec *profiler.Record) {
	p.busy, p.bytes, p.tasks = p.busy+rec.End-rec.Start, p.bytes+rec.Bytes, p.tasks+1
	p.spans = append(p.spans, [2]int64{rec.Start, rec.End})
}

// passTable finds the pass that a record belongs to. What was fused is told by the op's form.
type passTable struct {
	trace  *profiler.Trace
	all    []*pass
	known  map[string]*pass // by its lines
	byForm map[*profiler.Form]*pass
	tasks  map[uint32]int // runs, by operation
}

func newPassTable(t *profiler.Trace) *passTable {
	return &passTable{trace: t, known: map[string]*pass{}, byForm: map[*profiler.Form]*pass{}, tasks: map[uint32]int{}}
}

// ofForm returns the pass of the ops of a form; nil for those that are a single operation.
func (p *passTable) ofForm(form *profiler.Form) *pass {
	if form.Parts == "" {
		return nil
	}
	one := p.byForm[form]
	if one == nil {
		one = p.find(form.Parts.Lines())
		p.byForm[form] = one
	}
	return one
}

// ofOp returns the pass of an op that is a single operation of a line, unless its form says more.
func (p *passTable) ofOp(id uint32, where profiler.Where) *pass {
	if one := p.ofForm(p.trace.FormOf(id)); one != nil {
		return one
	}
	return p.find([]profiler.LinePart{{Where: where, Operations: 1}})
}

func (p *passTable) find(lines []profiler.LinePart) *pass {
	key := fmt.Sprint(lines)
	one := p.known[key]
	if one == nil {
		one = &pass{lines: lines}
		for _, l := range lines {
			one.operations += l.Operations
		}
		p.known[key] = one
		p.all = append(p.all, one)
	}
	return one
}

// of returns the pass of a task or copy.
func (p *passTable) of(rec *profiler.Record) *pass { return p.ofOp(rec.Op, p.trace.WhereOf(rec)) }

// add counts the record of a task or copy.
func (p *passTable) add(rec *profiler.Record) {
	p.of(rec).add(rec)
	if rec.Kind == profiler.Run {
		p.tasks[rec.Op]++
	}
}

// share gives the lines their parts of what was added.
func (p *passTable) share(costs lineCosts) {
	for _, one := range p.all {
		wall := covered(one.spans)
		left := pass{busy: one.busy, bytes: one.bytes}
		for i, l := range one.lines {
			line := costs.at(l.Where)
			part := one.part(l)
			busy, bytes := int64(part*float64(one.busy)), int64(part*float64(one.bytes))
			if i == len(one.lines)-1 { // what rounding has left over
				busy, bytes = left.busy, left.bytes
			}
			left.busy, left.bytes = left.busy-busy, left.bytes-bytes
			line.Busy, line.Bytes, line.Tasks = line.Busy+busy, line.Bytes+bytes, line.Tasks+one.tasks
			line.Wall += int64(part * float64(wall))
		}
	}
}
