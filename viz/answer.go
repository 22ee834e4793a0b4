package viz

import (
	"weft/profiler"
	"weft/viz/detail"
)

// answerMessage answers a question.
type answerMessage struct {
	Type  string `json:"type"`
	ID    uint32 `json:"id"`
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
}

// answer answers one question, and reports whether the viewer is still there.
func (v *viewerConn) answer(r *request) bool {
	m := answerMessage{Type: "answer", ID: r.ID}
	value, err := v.feed.ask(r)
	if m.Value = value; err != nil {
		m.Error = err.Error()
	}
	return v.sendJSON(m)
}

// ask finds the answer to a question that is no view.
func (f *feed) ask(r *request) (value any, err error) {
	if r.Search != nil {
		return f.search(r.Search.Text)
	}
	f.look(func() {
		switch {
		case r.Totals != nil:
			value = f.totals(*r.Totals)
		case r.Next != nil:
			value, err = f.next(r.Next)
		case r.Marks != nil:
			value, err = f.marks(r.Marks)
		case r.Task != nil:
			value = f.task(*r.Task)
		case r.Bar != nil:
			value = f.bar(detail.Ref{Lane: r.Bar.Lane, At: r.Bar.At})
		case r.Memory != nil:
			value = f.memory(*r.Memory)
		case r.Path != nil:
			value = f.path(*r.Path)
		}
	})
	return value, err
}

// totals are rows of lane, group, count, time, bytes.
func (f *feed) totals(s timeSpan) [][5]int64 {
	t0, t1 := f.times(s)
	rows := [][5]int64{}
	for _, sum := range f.store.Totals(t0, t1) {
		rows = append(rows, [5]int64{int64(sum.Lane), int64(sum.Group), sum.Count, sum.Time, sum.Bytes})
	}
	return rows
}

// foundMessage says what a search found: how many, how long together, which groups, and the first one.
type foundMessage struct {
	Count  int64    `json:"count"`
	Time   int64    `json:"time"`
	Groups []int    `json:"groups"`
	First  *barJSON `json:"first"`
}

// searchStep is how many records are looked at before the collector gets its turn.
const searchStep = 1 << 18

// search looks through everything. Other questions are answered by other viewers' goroutines meanwhile, and
// the collector goes on between two steps.
func (f *feed) search(text string) (*foundMessage, error) {
	q, err := detail.ParseQuery(text)
	if q == nil || err != nil {
		return nil, err
	}
	var x *detail.Search
	number := 0
	f.look(func() { x, number = f.store.Search(q), f.number })
	for more := true; more; {
		f.look(func() { more = f.number == number && x.Step(searchStep) })
	}
	out := &foundMessage{Count: x.Count, Time: x.Time, Groups: []int{}}
	f.look(func() {
		for g, hit := range f.store.Matches(q) {
			if hit {
				out.Groups = append(out.Groups, g)
			}
		}
		if x.Found {
			out.First = f.bar(x.First)
		}
	})
	return out, nil
}

func (f *feed) next(r *nextRequest) (*barJSON, error) {
	q, err := detail.ParseQuery(r.Text)
	if q == nil || err != nil {
		return nil, err
	}
	ref, found := f.store.Next(q, int64(r.Start)+f.origin, detail.Ref{Lane: r.Lane, At: r.At}, r.Back)
	if !found {
		return nil, nil
	}
	return f.bar(ref), nil
}

// markedRecords is how many records are looked at for the marks of one lane.
const markedRecords = 1 << 20

// marks are pairs of lane and the pixels with hits; lanes on which there is too much to look at are left out.
func (f *feed) marks(r *markRequest) ([][]int, error) {
	out := [][]int{}
	q, err := detail.ParseQuery(r.Text)
	if q == nil || err != nil {
		return out, err
	}
	w := f.window(r.window)
	seen := map[int]bool{}
	for _, lane := range r.Lanes {
		if seen[lane] {
			continue // once is enough
		}
		seen[lane] = true
		hit := make([]byte, w.Px)
		if !f.store.Marks(q, lane, w, hit, markedRecords) {
			continue
		}
		row := []int{lane}
		for x, there := range hit {
			if there != 0 {
				row = append(row, x)
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// barJSON is one bar with everything that is known of it.
type barJSON struct {
	Lane  uint16  `json:"lane"`
	Row   int     `json:"row"`
	At    uint32  `json:"at"`
	Start float64 `json:"start"`
	Dur   float64 `json:"dur"`
	Bytes float64 `json:"bytes"`
	Task  uint32  `json:"task"`
	Op    uint32  `json:"op"`
	Group uint32  `json:"group"`
}

// bar returns a record as JSON, nil if it is not there.
func (f *feed) bar(ref detail.Ref) *barJSON {
	rec, group := f.store.Record(ref)
	if rec == nil {
		return nil
	}
	return &barJSON{
		Lane: ref.Lane, Row: f.store.RowAt(ref), At: ref.At, Start: float64(rec.Start - f.origin), Dur: float64(rec.End - rec.Start), Bytes: float64(rec.Bytes),
		Task: rec.Task, Op: rec.Op, Group: group,
	}
}

// taskMessage is a task with its neighbours. Planned and ready are -1 where they are not known.
type taskMessage struct {
	Bar     *barJSON   `json:"bar"`
	Planned float64    `json:"planned"`
	Ready   float64    `json:"ready"`
	Before  []*barJSON `json:"before"`
	Behind  []*barJSON `json:"behind"`
}

func (f *feed) task(id uint32) *taskMessage {
	m := &taskMessage{Planned: -1, Ready: -1, Before: []*barJSON{}, Behind: []*barJSON{}}
	if ref, found := f.store.TaskRef(id); found {
		m.Bar = f.bar(ref)
	}
	planned, after, known := f.store.Before(id)
	if known {
		m.Planned = float64(max(planned, f.origin) - f.origin)
		if ready, all := f.store.Ready(after); all {
			m.Ready = max(float64(ready-f.origin), m.Planned)
		}
	}
	m.Before, m.Behind = f.barsOf(after), f.barsOf(f.store.Behind(id))
	return m
}

func (f *feed) barsOf(tasks []uint32) []*barJSON {
	out := []*barJSON{}
	for _, id := range tasks {
		if ref, found := f.store.TaskRef(id); found {
			out = append(out, f.bar(ref))
		}
	}
	return out
}

// memoryMessage is the plot of one memory.
type memoryMessage struct {
	Lane   int     `json:"lane"`
	Values []int64 `json:"values"`
}

func (f *feed) memory(r window) []memoryMessage {
	out := []memoryMessage{}
	w := f.window(r)
	w.Px = min(w.Px, 4*plotPixels)
	for lane := range f.store.Lanes() {
		if values := f.store.Memory(lane, w); values != nil {
			out = append(out, memoryMessage{lane, values})
		}
	}
	return out
}

// pathMessage is a critical path: its bars, and how long they took together.
type pathMessage struct {
	Bars []*barJSON `json:"bars"`
	Time float64    `json:"time"`
}

// maxPath bounds the bars of a path that are sent.
const maxPath = 20_000

func (f *feed) path(s timeSpan) *pathMessage {
	t0, t1 := f.times(s)
	steps, sum := f.store.CriticalPath(t0, t1)
	m := &pathMessage{Bars: []*barJSON{}, Time: float64(sum)}
	for _, step := range steps[max(len(steps)-maxPath, 0):] {
		m.Bars = append(m.Bars, f.bar(step.Ref))
	}
	return m
}

// comparedFeed shows two runs, one above the other.
func comparedFeed(a, b *profiler.Trace, titleA, titleB string) *feed {
	both, firstB := beside(a, b)
	f := fixedFeed(both, titleA+" | "+titleB)
	f.catalog = newCatalog()
	f.catalog.second = len(a.Lanes)
	f.catalog.update(f.store)
	f.runs = []pageRun{{titleA, 0}, {titleB, firstB}}
	return f
}
