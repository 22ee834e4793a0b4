package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/profiler"
)

// LineOptions say what a report by lines is about.
type LineOptions struct {
	Cell   string // In[3]
	Text   string // its program
	Source uint32 // the source that it is in the trace
	Ops    []LineOp
	Start  int64 // of the program's part, nanoseconds as in the trace
	End    int64
	Limit  float64 // bytes per second that this machine copies; 0 is unknown
}

// LineOp is an operation as it was planned.
type LineOp struct {
	ID    uint32
	Where profiler.Where
	Parts []LinePart // what was fused into it; nil for one operation
	Apart string     // why it is a pass of its own, if there is more to say
	Whole string     // why it was not cut into several tasks, if its size is the reason
}

// LinePart is one of the operations that were fused.
type LinePart struct {
	Name  string
	Where profiler.Where
}

// LineReport is a program's text with what each line cost.
type LineReport struct {
	Cell       string
	Wall       int64 // nanoseconds that the program's part took
	Busy       int64 // of all lanes together
	Bytes      int64
	Limit      float64
	Processors int        // lanes that run tasks
	Lines      []LineCost // of the text, in order
	Elsewhere  []LineCost // lines of other cells and files, the longest first
	Advice     []string
}

// LineCost is what a line cost.
type LineCost struct {
	Place string // line 3, or In[2] line 3 elsewhere
	Text  string
	Busy  int64 // nanoseconds of tasks and copies, added over lanes
	Wall  int64 // nanoseconds in which at least one of them ran
	Bytes int64
	Tasks int

	Operations, Passes int // how many were asked for, how many passes over memory they became
	Copies             []profiler.Total
	Fallbacks          []profiler.Total // calls that NumPy did, by name
	Waits              int              // for values
	Waited             int64            // nanoseconds
	Joins              string           // the line in whose pass this one's operations ran

	apart, whole string
	alone        int // tasks that were the only one of their pass
	spans        [][2]int64
}

// NewLineReport adds up a trace by lines.
func NewLineReport(t *profiler.Trace, o LineOptions) *LineReport {
	r := &LineReport{Cell: o.Cell, Wall: o.End - o.Start, Limit: o.Limit}
	costs := map[profiler.Where]*LineCost{}
	at := func(w profiler.Where) *LineCost {
		if costs[w] == nil {
			costs[w] = &LineCost{}
		}
		return costs[w]
	}
	tasks := map[uint32]int{} // by op
	for _, lane := range t.Lanes {
		if lane.Kind == "cpu" || lane.Kind == "gpu" {
			r.Processors++
		}
	}
	for i := range t.Records {
		rec := &t.Records[i]
		line := at(t.WhereOf(rec))
		took := rec.End - rec.Start
		switch rec.Kind {
		case profiler.Run, profiler.Copy:
			line.Busy, line.Bytes, line.Tasks = line.Busy+took, line.Bytes+rec.Bytes, line.Tasks+1
			line.spans = append(line.spans, [2]int64{rec.Start, rec.End})
			r.Busy, r.Bytes = r.Busy+took, r.Bytes+rec.Bytes
			if rec.Kind == profiler.Copy {
				tally(&line.Copies, t.Name(rec), took, rec.Bytes)
			} else {
				tasks[rec.Op]++
			}
		case profiler.Fallback:
			tally(&line.Fallbacks, t.Name(rec), took, rec.Bytes)
			line.Busy += took
			line.spans = append(line.spans, [2]int64{rec.Start, rec.End})
			r.Busy += took
		case profiler.Wait:
			if rec.Task != 0 { // else it is for all that is queued: the report's own, at the end, or a sync
				line.Waits, line.Waited = line.Waits+1, line.Waited+took
			}
		}
	}
	for i := range o.Ops {
		r.addOp(t, &o.Ops[i], at, tasks[o.Ops[i].ID])
	}
	texts := strings.Split(strings.TrimRight(o.Text, "\n"), "\n")
	for i, text := range texts {
		line := LineCost{}
		w := profiler.Where{Source: o.Source, Line: int32(i + 1)}
		if costs[w] != nil {
			line = *costs[w]
			delete(costs, w)
		}
		line.Place, line.Text = fmt.Sprintf("line %d", i+1), text
		r.Lines = append(r.Lines, line)
	}
	for w, line := range costs {
		if w.Line > 0 && (line.Busy > 0 || line.Waits > 0) {
			line.Place, line.Text = t.PlaceName(w), t.LineText(w)
			r.Elsewhere = append(r.Elsewhere, *line)
		}
	}
	slices.SortFunc(r.Elsewhere, func(a, b LineCost) int {
		return cmp.Or(cmp.Compare(b.Busy, a.Busy), cmp.Compare(b.Waited, a.Waited), cmp.Compare(a.Place, b.Place))
	})
	for _, lines := range [][]LineCost{r.Lines, r.Elsewhere} {
		for i := range lines {
			lines[i].Wall = covered(lines[i].spans)
		}
	}
	r.advise()
	return r
}

// addOp adds a planned operation to the line that its time is counted for, and says at the lines of its
// parts where that is.
func (r *LineReport) addOp(t *profiler.Trace, op *LineOp, at func(profiler.Where) *LineCost, tasks int) {
	line := at(op.Where)
	line.Passes++
	if tasks == 1 {
		line.alone++
		if op.Whole != "" {
			line.whole = op.Whole
		}
	}
	if op.Apart != "" {
		line.apart = op.Apart
	}
	if op.Parts == nil {
		line.Operations++
		return
	}
	for _, part := range op.Parts {
		other := at(part.Where)
		other.Operations++
		if part.Where != op.Where && part.Where.Line > 0 {
			other.Joins = t.PlaceName(op.Where)
			if part.Where.Source == op.Where.Source {
				other.Joins = fmt.Sprintf("line %d", op.Where.Line)
			}
		}
	}
}

// tally adds to the row of a name.
func tally(rows *[]profiler.Total, name string, took, bytes int64) {
	for i := range *rows {
		if row := &(*rows)[i]; row.Name == name {
			row.Count, row.Time, row.Bytes = row.Count+1, row.Time+took, row.Bytes+bytes
			return
		}
	}
	*rows = append(*rows, profiler.Total{Name: name, Count: 1, Time: took, Bytes: bytes})
}

// covered returns how much time a set of spans covers.
func covered(spans [][2]int64) (sum int64) {
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	until := int64(-1 << 62)
	for _, s := range spans {
		if s[1] > until {
			sum += s[1] - max(s[0], until)
			until = s[1]
		}
	}
	return sum
}

// Rate is what the line moved while it ran, in bytes per second; 0 where it moved nothing.
func (l *LineCost) Rate() float64 {
	if l.Wall == 0 {
		return 0
	}
	return float64(l.Bytes) / float64(l.Wall) * 1e9
}

// Notes say more about a line, in a few words each.
func (l *LineCost) Notes() []string {
	var notes []string
	switch {
	case l.Operations > l.Passes && l.Passes > 0:
		notes = append(notes, fmt.Sprintf("%s in %s", some(l.Operations, "operation"), some(l.Passes, "pass")))
	case l.Operations > 1:
		notes = append(notes, some(l.Operations, "operation"))
	}
	if l.Joins != "" {
		notes = append(notes, "fused with "+l.Joins)
	}
	if l.Tasks > l.Passes && l.Tasks > 1 {
		notes = append(notes, some(l.Tasks, "task"))
	}
	for _, c := range l.Copies {
		notes = append(notes, fmt.Sprintf("%s copied in %s (%s)", profiler.Size(c.Bytes), profiler.Duration(c.Time), c.Name))
	}
	for _, f := range l.Fallbacks {
		notes = append(notes, fmt.Sprintf("NumPy did %s, %s in %s", f.Name, some(f.Count, "call"), profiler.Duration(f.Time)))
	}
	if l.Waits > 0 {
		notes = append(notes, fmt.Sprintf("waited %s, %s", some(l.Waits, "time"), profiler.Duration(l.Waited)))
	}
	return notes
}

// some counts things: 1 pass, 3 passes.
func some(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
