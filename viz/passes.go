package viz

import (
	"cmp"
	"fmt"
	"slices"

	"weft/profiler"
)

// A pass over memory computes the operations of several lines at once where these were fused. What its tasks cost is
// shared among the lines by how many of its operations each has asked for: a line's time and bytes are the same part of the
// pass's, so that all of them have the pass's rate.

// pass is what the tasks of operations of the same lines cost.
type pass struct {
	lines      []passLine // in the order of the program
	operations int        // of all lines
	busy       int64      // nanoseconds, added over lanes
	bytes      int64
	tasks      int
	spans      [][2]int64
}

// passLine is a line with so many of the operations.
type passLine struct {
	where      profiler.Where
	operations int
}

// part is the line's part of the whole.
func (p *pass) part(l passLine) float64 { return float64(l.operations) / float64(p.operations) }

func (p *pass) add(rec *profiler.Record) {
	p.busy, p.bytes, p.tasks = p.busy+rec.End-rec.Start, p.bytes+rec.Bytes, p.tasks+1
	p.spans = append(p.spans, [2]int64{rec.Start, rec.End})
}

// passTable finds the pass that a record belongs to.
type passTable struct {
	trace  *profiler.Trace
	all    []*pass
	known  map[string]*pass         // by its lines
	byOp   map[uint32]*pass         // of the operations of which it is known what was fused into them
	byForm map[*profiler.Form]*pass // a loop's operations have one form; those that the log has forgotten were fused as the others
	tasks  map[uint32]int           // runs, by operation
}

func newPassTable(t *profiler.Trace, ops []LineOp) *passTable {
	p := &passTable{trace: t, known: map[string]*pass{}, byOp: map[uint32]*pass{}, byForm: map[*profiler.Form]*pass{}, tasks: map[uint32]int{}}
	for i := range ops {
		op := &ops[i]
		lines := []passLine{{op.Where, 1}}
		if op.Parts != nil {
			lines = linesOf(op.Parts)
		}
		one := p.find(lines)
		p.byOp[op.ID] = one
		if form := t.FormOf(op.ID); form != &t.Forms[0] {
			p.byForm[form] = one
		}
	}
	return p
}

// linesOf counts the parts of an operation by line.
func linesOf(parts []LinePart) []passLine {
	var lines []passLine
	for _, part := range parts {
		at := slices.IndexFunc(lines, func(l passLine) bool { return l.where == part.Where })
		if at < 0 {
			at = len(lines)
			lines = append(lines, passLine{where: part.Where})
		}
		lines[at].operations++
	}
	slices.SortFunc(lines, func(a, b passLine) int {
		return cmp.Or(cmp.Compare(a.where.Source, b.where.Source), cmp.Compare(a.where.Line, b.where.Line))
	})
	return lines
}

func (p *passTable) find(lines []passLine) *pass {
	key := fmt.Sprint(lines)
	one := p.known[key]
	if one == nil {
		one = &pass{lines: lines}
		for _, l := range lines {
			one.operations += l.operations
		}
		p.known[key] = one
		p.all = append(p.all, one)
	}
	return one
}

// of returns the pass of a task or copy.
func (p *passTable) of(rec *profiler.Record) *pass {
	one := p.byOp[rec.Op]
	if one == nil && rec.Op != 0 {
		one = p.byForm[p.trace.FormOf(rec.Op)]
	}
	if one == nil {
		one = p.find([]passLine{{p.trace.WhereOf(rec), 1}})
		if rec.Op != 0 {
			p.byOp[rec.Op] = one
		}
	}
	return one
}

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
			line := costs.at(l.where)
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
