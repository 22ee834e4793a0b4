package profiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Trace is what a recorder knew at one time, or what a file holds.
type Trace struct {
	Epoch   int64 // wall clock of time 0, in nanoseconds since 1970
	Machine []Field
	Lanes   []LaneInfo // Record.Lane is the index
	Lost    []uint64   // records lost per lane
	Sources []Source   // sorted by ID
	Forms   []Form     // row 0 is the unknown form
	Ops     []Op       // sorted by ID; an op that is not here has the unknown form
	Labels  []Label    // row 0 is no label
	Tasks   []Task     // sorted by ID; only those of which it is known what they waited for
	Records []Record   // sorted by lane and start
	Texts   []Text     // sorted by name

	// Held is how many bytes each lane's memory held before the first record; nil where that is not known. It is not in
	// files, whose runs begin with nothing.
	Held []int64

	// Cut says that the file ended in the middle of a chunk: the run crashed or still goes on.
	Cut bool
}

// mend makes a record pass Check whatever its writer did; times, above all, come from two
// clocks that need not agree, a device's and the host's.
func (rec *Record) mend(labels uint32) {
	rec.Start = min(max(rec.Start, 0), maxTime-1)
	rec.End = min(max(rec.End, rec.Start), maxTime-1)
	rec.Bytes = max(rec.Bytes, 0)
	if rec.Label >= labels {
		rec.Label = 0
	}
	if int(rec.Kind) >= len(kinds) {
		rec.Kind = Run
	}
}

// sort puts the tables in their order. Of two rows with one ID the later one stays.
func (t *Trace) sort() {
	slices.SortStableFunc(t.Records, compareRecords)
	slices.SortStableFunc(t.Sources, func(a, b Source) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(t.Ops, func(a, b Op) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(t.Texts, func(a, b Text) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(t.Tasks, func(a, b Task) int { return cmp.Compare(a.ID, b.ID) })
	t.Tasks = latest(t.Tasks, func(k Task) uint32 { return k.ID })
	t.Sources = latest(t.Sources, func(s Source) uint32 { return s.ID })
	t.Ops = latest(t.Ops, func(o Op) uint32 { return o.ID })
	t.Texts = latest(t.Texts, func(x Text) string { return x.Name })
}

// compareRecords orders by lane and start, longer ones first, so that a bar comes before those that it encloses.
func compareRecords(a, b Record) int {
	return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Task, b.Task))
}

func latest[T any, K comparable](rows []T, key func(T) K) []T {
	kept := rows[:0]
	for i, row := range rows {
		if i+1 == len(rows) || key(rows[i+1]) != key(row) {
			kept = append(kept, row)
		}
	}
	return kept
}

// dropUnused removes the ops and tasks that no record names.
func (t *Trace) dropUnused() {
	ops, tasks := make(map[uint32]bool, len(t.Ops)), make(map[uint32]bool, len(t.Tasks))
	for i := range t.Records {
		ops[t.Records[i].Op], tasks[t.Records[i].Task] = true, true
	}
	t.Ops = slices.DeleteFunc(t.Ops, func(o Op) bool { return !ops[o.ID] })
	t.Tasks = slices.DeleteFunc(t.Tasks, func(k Task) bool { return !tasks[k.ID] })
}

// Between returns the part of a trace that overlaps [start, end): the trace of one cell.
// The tables are shared with t, the records are not. Of lanes whose lost records all ended before start, none is lost.
func (t *Trace) Between(start, end int64) *Trace {
	part := *t
	part.Lost, part.Held = t.lostAfter(start), t.heldBefore(start)
	part.Records, part.Ops, part.Tasks = nil, slices.Clone(t.Ops), slices.Clone(t.Tasks)
	for _, rec := range t.Records {
		if rec.End >= start && rec.Start < end {
			part.Records = append(part.Records, rec)
		}
	}
	part.dropUnused()
	return &part
}

// lostAfter returns how many records each lane has lost of those that may have ended after a time. A lane writes
// records as they end, and loses the oldest: where the first one that it still has ended before the time, so did all
// that are lost.
func (t *Trace) lostAfter(start int64) []uint64 {
	lost := slices.Clone(t.Lost)
	oldest := slices.Repeat([]int64{maxTime}, len(t.Lanes)) // end of a lane's first record
	for i := range t.Records {
		rec := &t.Records[i]
		oldest[rec.Lane] = min(oldest[rec.Lane], rec.End)
	}
	for lane := range lost {
		if oldest[lane] <= start {
			lost[lane] = 0
		}
	}
	return lost
}

// Span returns the first start and the last end; zeros without records.
func (t *Trace) Span() (start, end int64) {
	for i := range t.Records {
		rec := &t.Records[i]
		if i == 0 {
			start, end = rec.Start, rec.End
		}
		start, end = min(start, rec.Start), max(end, rec.End)
	}
	return start, end
}

// FormOf returns the form of an op, the unknown one if need be.
func (t *Trace) FormOf(op uint32) *Form {
	at, found := slices.BinarySearchFunc(t.Ops, op, func(o Op, id uint32) int { return cmp.Compare(o.ID, id) })
	if !found {
		return &t.Forms[0]
	}
	return &t.Forms[t.Ops[at].Form]
}

// Name returns what a record is called: its label, its op or its kind.
func (t *Trace) Name(rec *Record) string {
	if name := t.Labels[rec.Label].Name; name != "" {
		return name
	}
	if name := t.FormOf(rec.Op).Name; name != "" && rec.Kind == Run {
		return name
	}
	return rec.Kind.String()
}

// WhereOf returns the place of a record: its label's, or its op's.
func (t *Trace) WhereOf(rec *Record) Where {
	if w := t.Labels[rec.Label].Where; w != (Where{}) {
		return w
	}
	return t.FormOf(rec.Op).Where
}

// SourceName returns the name of a source, s7 if it has none, and nothing for 0.
func (t *Trace) SourceName(id uint32) string {
	if s := t.source(id); s != nil && s.Name != "" {
		return s.Name
	}
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("source %d", id)
}

func (t *Trace) source(id uint32) *Source {
	at, found := slices.BinarySearchFunc(t.Sources, id, func(s Source, id uint32) int { return cmp.Compare(s.ID, id) })
	if !found {
		return nil
	}
	return &t.Sources[at]
}

// LineText returns the text of a place's line; nothing where it is not known.
func (t *Trace) LineText(w Where) string {
	s := t.source(w.Source)
	if s == nil || w.Line < 1 {
		return ""
	}
	n := int32(0)
	for line := range strings.Lines(s.Text) {
		if n++; n == w.Line {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// PlaceName returns a place as people read it: In [3] line 7.
func (t *Trace) PlaceName(w Where) string {
	return PlaceText(t.SourceName(w.Source), w.Line)
}

// PlaceText is a line of a source of that name as people read it. Nothing reads it back: places travel as numbers.
func PlaceText(source string, line int32) string {
	switch {
	case line == 0:
		return source
	case source == "":
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s line %d", source, line)
}

// Check reports what is wrong with a trace. Readers and exporters rely on it: every trace
// that is read or parsed has passed.
func (t *Trace) Check() error {
	if len(t.Forms) == 0 || t.Forms[0] != (Form{}) || len(t.Labels) == 0 || t.Labels[0] != (Label{}) {
		return fmt.Errorf("profiler: the tables of forms and labels must begin with an empty row")
	}
	if len(t.Lost) != len(t.Lanes) {
		return fmt.Errorf("profiler: %d lanes, but %d counts of lost records", len(t.Lanes), len(t.Lost))
	}
	for i, s := range t.Sources {
		if s.ID == 0 || i > 0 && s.ID <= t.Sources[i-1].ID {
			return fmt.Errorf("profiler: source %d is 0 or out of order", s.ID)
		}
	}
	for i, f := range t.Forms {
		if f.Where.Line < 0 {
			return fmt.Errorf("profiler: form %d has line %d, wanted 0 or more", i, f.Where.Line)
		}
		if _, err := f.Parts.parse(); err != nil {
			return fmt.Errorf("profiler: form %d: %w", i, err)
		}
	}
	for i, l := range t.Labels {
		if l.Where.Line < 0 {
			return fmt.Errorf("profiler: label %d has line %d, wanted 0 or more", i, l.Where.Line)
		}
	}
	for i, o := range t.Ops {
		if int(o.Form) >= len(t.Forms) {
			return fmt.Errorf("profiler: o%d has form %d, but there are %d forms", o.ID, o.Form, len(t.Forms))
		}
		if i > 0 && o.ID <= t.Ops[i-1].ID {
			return fmt.Errorf("profiler: o%d is out of order", o.ID)
		}
	}
	for i, k := range t.Tasks {
		if i > 0 && k.ID <= t.Tasks[i-1].ID {
			return fmt.Errorf("profiler: t%d is out of order", k.ID)
		}
		if k.Planned < 0 || k.Planned >= maxTime {
			return fmt.Errorf("profiler: t%d was planned at %d ns, wanted 0 or more and less than 2^53", k.ID, k.Planned)
		}
	}
	for i := range t.Texts {
		if i > 0 && t.Texts[i].Name <= t.Texts[i-1].Name {
			return fmt.Errorf("profiler: document %q is out of order", t.Texts[i].Name)
		}
	}
	for i := range t.Records {
		if err := t.Records[i].check(len(t.Lanes), len(t.Labels)); err != nil {
			return fmt.Errorf("profiler: record %d: %w", i, err)
		}
		if i > 0 && compareRecords(t.Records[i-1], t.Records[i]) > 0 {
			return fmt.Errorf("profiler: record %d is out of order", i)
		}
	}
	return nil
}

// maxTime bounds times to 104 days, so that they are exact in the float64 of the viewer.
const maxTime = 1 << 53

func (rec *Record) check(lanes, labels int) error {
	switch {
	case int(rec.Kind) >= len(kinds):
		return fmt.Errorf("kind %d is unknown, wanted less than %d; a newer weft may have written it", rec.Kind, len(kinds))
	case int(rec.Lane) >= lanes:
		return fmt.Errorf("lane %d, but there are %d lanes", rec.Lane, lanes)
	case int(rec.Label) >= labels:
		return fmt.Errorf("label %d, but there are %d labels", rec.Label, labels)
	case rec.Start < 0 || rec.End < rec.Start || rec.End >= maxTime:
		return fmt.Errorf("it lasts from %d to %d ns, wanted 0 <= start <= end < 2^53", rec.Start, rec.End)
	case rec.Bytes < 0:
		return fmt.Errorf("%d bytes, wanted 0 or more", rec.Bytes)
	}
	return nil
}
