package profiler

import "slices"

// Increment is what a recording has grown by: rows for the ends of a trace's tables. A viewer that follows a run
// or a file take one after the other, and add them to tables of their own. The rows must not be changed.
type Increment struct {
	Lanes   []LaneInfo
	Sources []Source // a later one with the same ID replaces it, and so with Ops, Tasks and Texts
	Forms   []Form
	Labels  []Label
	Ops     []Op
	Tasks   []Task
	Records []Record // those of a lane in the order in which they ended
	Lost    []uint64 // per lane, all that were lost so far; nil if that has not changed
	Texts   []Text
}

// Empty reports whether there is nothing new.
func (i *Increment) Empty() bool {
	return len(i.Lanes)+len(i.Sources)+len(i.Forms)+len(i.Labels)+len(i.Ops)+len(i.Tasks)+len(i.Records)+len(i.Lost)+len(i.Texts) == 0
}

// reset empties the tables and keeps their memory.
func (i *Increment) reset() {
	*i = Increment{Ops: i.Ops[:0], Tasks: i.Tasks[:0], Records: i.Records[:0]}
}

// Cursor reads a recorder step by step.
type Cursor struct {
	r    *Recorder
	next []uint64 // per lane, the number of the next record
	lost []uint64

	lanes, forms, labels int    // rows that were read; forms and labels without row 0
	ops                  uint64 // ops that were read
	tasks                taskMark
	changes              uint64
	sources              map[uint32]Source
	texts                map[string]string
}

// Cursor returns a cursor before the oldest records that are still kept. One goroutine at a time may use it.
func (r *Recorder) Cursor() *Cursor {
	return &Cursor{r: r, forms: 1, labels: 1, sources: map[uint32]Source{}, texts: map[string]string{}}
}

// Next puts what is new since the last call into inc, whose memory it uses again. Whatever a record names is
// in the tables of this increment or of an earlier one.
func (c *Cursor) Next(inc *Increment) {
	inc.reset()
	before := slices.Clone(c.lost)
	inc.Records = c.read(inc.Records)
	c.tables(inc) // after the records, so that all that they name is there
	labels := uint32(c.labels)
	for i := range inc.Records {
		inc.Records[i].mend(labels)
	}
	if !slices.Equal(c.lost, before) {
		inc.Lost = slices.Clone(c.lost)
	}
}

// read appends the new records, lane by lane.
func (c *Cursor) read(dst []Record) []Record {
	for i, l := range c.r.allLanes() {
		if i == len(c.next) {
			c.next, c.lost = append(c.next, 0), append(c.lost, 0)
		}
		var n uint64
		dst, c.next[i], n = l.rows.read(dst, c.next[i])
		c.lost[i] += n
	}
	return dst
}

// tables takes the new rows of the recorder's tables.
func (c *Cursor) tables(inc *Increment) {
	r := c.r
	inc.Ops, c.ops, _ = r.ops.read(inc.Ops, c.ops)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lanes[c.lanes:] {
		inc.Lanes = append(inc.Lanes, l.info)
	}
	inc.Forms, inc.Labels = r.forms[c.forms:len(r.forms):len(r.forms)], r.labels[c.labels:len(r.labels):len(r.labels)]
	inc.Tasks, c.tasks = r.tasks.since(inc.Tasks, c.tasks)
	if c.changes != r.changes {
		for _, s := range r.sources {
			if c.sources[s.ID] != s {
				inc.Sources, c.sources[s.ID] = append(inc.Sources, s), s
			}
		}
		for _, t := range r.texts {
			if body, known := c.texts[t.Name]; !known || body != t.Body {
				inc.Texts, c.texts[t.Name] = append(inc.Texts, t), t.Body
			}
		}
	}
	c.lanes, c.forms, c.labels = len(r.lanes), len(r.forms), len(r.labels)
	for i := range inc.Ops {
		if int(inc.Ops[i].Form) >= c.forms {
			inc.Ops[i].Form = 0
		}
	}
	c.changes = r.changes
}

// add puts an increment at the ends of the tables, which are sorted later.
func (t *Trace) add(inc *Increment) {
	t.Lanes = append(t.Lanes, inc.Lanes...)
	t.Sources = append(t.Sources, inc.Sources...)
	t.Forms = append(t.Forms, inc.Forms...)
	t.Labels = append(t.Labels, inc.Labels...)
	t.Ops = append(t.Ops, inc.Ops...)
	t.Tasks = append(t.Tasks, inc.Tasks...)
	t.Records = append(t.Records, inc.Records...)
	t.Texts = append(t.Texts, inc.Texts...)
	if inc.Lost != nil {
		t.Lost = append(t.Lost[:0], inc.Lost...)
	}
}

// empty returns a trace without rows.
func empty() *Trace { return &Trace{Forms: []Form{{}}, Labels: []Label{{}}} }

// Snapshot returns everything that the recorder still holds.
func (r *Recorder) Snapshot() *Trace {
	var inc Increment
	r.Cursor().Next(&inc)
	t := empty()
	t.Epoch, t.Machine = r.epoch.UnixNano(), slices.Clone(r.machine)
	t.add(&inc)
	t.finish()
	t.dropUnused()
	return t
}

// finish brings the tables of a trace into their order.
func (t *Trace) finish() {
	for len(t.Lost) < len(t.Lanes) {
		t.Lost = append(t.Lost, 0)
	}
	t.sort()
}
