package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/profiler"
)

// LineOptions say what a report by lines is about.
type LineOptions struct {
	Cell    string // In[3]
	Text    string // its program
	Source  uint32 // the source that it is in the trace
	Ops     []LineOp
	Samples []Sample    // what the program's thread did, one after the other; nil where it was not looked at
	Counted []LineCount // how often a line did what is too small to be timed
	Start   int64       // of the program's part, nanoseconds as in the trace
	End     int64
	Limit   float64 // bytes per second that this machine copies; 0 is unknown
	Caches  int64   // bytes that its caches hold; 0 is unknown
	Others  int64   // nanoseconds of processor time of the program's other threads, which are not looked at
	Missing string  // what is not in the trace, and why; empty if nothing is
}

// LineOp is an operation as it was planned.
type LineOp struct {
	ID     uint32
	Where  profiler.Where
	Apart  string // why it is a pass of its own, if there is more to say
	Whole  string // why it was not cut into several tasks, if its size is the reason
	Reads  int64  // bytes that it reads and
	Writes int64  // writes
}

// LineCount is how often a line did what.
type LineCount struct {
	Where      profiler.Where
	Operations int // asked for
	Reads      int // of single elements
	Writes     int // of single elements
	Values     int // of arrays of one element, which became numbers of Python's
}

// LineReport is a program's text with what each line cost.
type LineReport struct {
	Cell       string
	Wall       int64        // nanoseconds that the program's part took
	Spent      Spent        // of these: on what
	Busy       int64        // of all lanes together
	Bytes      int64        // that all lanes together moved
	Active     int64        // nanoseconds in which at least one lane worked
	Limit      float64      // bytes per second
	Caches     int64        // bytes
	Others     int64        // nanoseconds
	Processors int          // lanes that run tasks
	Lines      []LineCost   // of the text, in order
	Elsewhere  []LineCost   // lines of other cells and files, the longest first
	Between    LineCost     // what no line of the program asked for
	Advice     []LineAdvice // what stands out first
	Missing    string
}

// LineCost is what a line cost.
type LineCost struct {
	Place string // line 3, or In[2] line 3 elsewhere
	Text  string

	Time   int64 // nanoseconds of the program's wall time: those of all lines add up to it
	Spent  Spent // on what
	Calls  []profiler.Total
	Within []CallModule
	Asleep int64 // nanoseconds of the calls in which the thread was on no processor

	Busy  int64 // nanoseconds of tasks and copies, added over lanes
	Wall  int64 // nanoseconds in which at least one of them ran
	Bytes int64
	Tasks int
	Rate  string // as timelines and graphs tell it

	Operations, Passes int // how many were asked for, how many passes over memory they became
	Reads, Writes      int // of single elements
	Values             int // that became numbers of Python's
	Copies             []profiler.Total
	Fallbacks          []profiler.Total // calls that NumPy did, by name
	Waits              int              // for values
	Waited             int64            // nanoseconds
	Joins              string           // the other lines in whose passes this one's operations ran: lines 2-4, 7

	joins         []profiler.Where
	apart, whole  string
	alone         int   // tasks that were the only one of their pass
	reads, writes int64 // bytes of its passes
	largest       int64 // bytes of the largest of its passes
}

// CallModule is how long a shared object ran during a call.
type CallModule struct {
	Call, Module string
	Time         int64 // nanoseconds
}

// NewLineReport adds up a trace by lines.
func NewLineReport(t *profiler.Trace, o LineOptions) *LineReport {
	r := &LineReport{
		Cell: o.Cell, Wall: o.End - o.Start, Limit: o.Limit, Caches: o.Caches, Others: o.Others, Missing: o.Missing,
		Between: LineCost{Text: "(between the lines)"},
	}
	costs, passes := costsOf(t, o.Ops)
	for _, lane := range t.Lanes {
		if lane.Kind == "cpu" || lane.Kind == "gpu" {
			r.Processors++
		}
	}
	var all [][2]int64
	for i := range t.Records {
		rec := &t.Records[i]
		took := rec.End - rec.Start
		switch rec.Kind {
		case profiler.Run, profiler.Copy:
			all = append(all, [2]int64{rec.Start, rec.End})
			r.Busy, r.Bytes = r.Busy+took, r.Bytes+rec.Bytes
			if rec.Kind == profiler.Copy {
				tally(&costs.at(t.WhereOf(rec)).Copies, t.Name(rec), took, rec.Bytes)
			}
		case profiler.Fallback:
			tally(&costs.at(t.WhereOf(rec)).Fallbacks, t.Name(rec), took, rec.Bytes)
		case profiler.Wait:
			if rec.Task != 0 { // else it is for all that is queued: the report's own, at the end, or a sync
				line := costs.at(t.WhereOf(rec))
				line.Waits, line.Waited = line.Waits+1, line.Waited+took
			}
		}
	}
	r.Active = covered(all)
	for _, n := range o.Counted {
		line := costs.at(n.Where)
		if n.Operations > line.Operations { // the log of operations keeps the newest only
			line.Operations, line.Passes = n.Operations, 0
		}
		line.Reads, line.Writes, line.Values = n.Reads, n.Writes, n.Values
	}
	newAccount(t, o, passes).charge(r, costs)
	r.order(t, o, costs)
	r.advise()
	return r
}

// order puts the lines of the program and those elsewhere in their order.
func (r *LineReport) order(t *profiler.Trace, o LineOptions, costs lineCosts) {
	for i, text := range strings.Split(strings.TrimRight(o.Text, "\n"), "\n") {
		line := LineCost{}
		w := profiler.Where{Source: o.Source, Line: int32(i + 1)}
		if costs[w] != nil {
			line = *costs[w]
			line.Rate = r.rate(&line).String()
			delete(costs, w)
		}
		line.Place, line.Text = fmt.Sprintf("line %d", i+1), text
		r.Lines = append(r.Lines, line)
	}
	for w, line := range costs {
		if w.Line > 0 && (line.Time > 0 || line.Busy > 0 || line.Waits > 0) {
			line.Place, line.Text, line.Rate = t.PlaceName(w), t.LineText(w), r.rate(line).String()
			r.Elsewhere = append(r.Elsewhere, *line)
		}
	}
	slices.SortFunc(r.Elsewhere, func(a, b LineCost) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Busy, a.Busy), cmp.Compare(a.Place, b.Place))
	})
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
