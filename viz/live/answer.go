package live

import (
	"errors"
	"slices"

	"weft/profiler"
	"weft/viz/detail"
	"weft/viz/label"
)

// answerMessage answers a question.
type answerMessage struct {
	Type  string `json:"type"`
	ID    uint32 `json:"id"`
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
}

// progressMessage says how far the answer to a question is, and what is known of it.
type progressMessage struct {
	Type  string  `json:"type"`
	ID    uint32  `json:"id"`
	Part  float64 `json:"part"` // from 0 to 1
	Value any     `json:"value,omitempty"`
}

// errNotWanted ends the work on a question whose answer is not wanted any more.
var errNotWanted = errors.New("nobody wants the answer")

// questions is the table of what can be asked besides views. A newer question of one kind takes the place of an older
// one that has no answer yet, but where each is answered.
var questions = []struct {
	name   string
	asked  func(*request) bool
	each   bool
	answer func(*asked, *request) (any, error)
}{
	{"totals", func(r *request) bool { return r.Totals != nil }, false, func(a *asked, r *request) (any, error) { return a.totals(*r.Totals) }},
	{"search", func(r *request) bool { return r.Search != nil }, false, func(a *asked, r *request) (any, error) { return a.search(r.Search.Text) }},
	{"next", func(r *request) bool { return r.Next != nil }, false, func(a *asked, r *request) (any, error) { return a.next(r.Next) }},
	{"marks", func(r *request) bool { return r.Marks != nil }, false, func(a *asked, r *request) (any, error) { return a.marks(r.Marks) }},
	{"task", func(r *request) bool { return r.Task != nil }, false, func(a *asked, r *request) (any, error) { return a.task(*r.Task) }},
	{"bar", func(r *request) bool { return r.Bar != nil }, true, func(a *asked, r *request) (any, error) { return a.bar(detail.Ref{Lane: r.Bar.Lane, At: r.Bar.At}), nil }},
	{"memory", func(r *request) bool { return r.Memory != nil }, false, func(a *asked, r *request) (any, error) { return a.memory(*r.Memory), nil }},
	{"path", func(r *request) bool { return r.Path != nil }, false, func(a *asked, r *request) (any, error) { return a.path(*r.Path) }},
}

// kind is the row of a question, -1 for a view.
func (r *request) kind() int {
	for k := range questions {
		if questions[k].asked(r) {
			return k
		}
	}
	return -1
}

// asked is what a question is answered from: the state of the run when it was asked. Working on it keeps no goroutine
// waiting: not the one that adds to the run, and not those of viewers.
type asked struct {
	f      *feed
	run    *detail.Snapshot
	number int // of the recorder
	origin int64
	tell   func(part float64, value any) (wanted bool)
}

// ask finds the answer to a question that is no view; errNotWanted if tell said so.
func (f *feed) ask(r *request, tell func(part float64, value any) (wanted bool)) (any, error) {
	a := &asked{f: f, tell: tell}
	f.look(func() { a.run, a.number, a.origin = f.store.Snapshot(), f.number, f.origin })
	return questions[r.kind()].answer(a, r)
}

// tick tells of progress that has no value.
func (a *asked) tick(part float64) bool { return a.tell(part, nil) }

func (a *asked) times(s timeSpan) (t0, t1 int64) { return s.on(a.origin) }

// totals are rows of lane, group, count, time, bytes.
func (a *asked) totals(s timeSpan) ([][5]int64, error) {
	rows := [][5]int64{}
	for _, sum := range a.run.Totals(a.times(s)) {
		rows = append(rows, [5]int64{int64(sum.Lane), int64(sum.Group), sum.Count, sum.Time, sum.Bytes})
	}
	return rows, nil
}

// foundMessage says what a search found: how many, how long together, of how many more it is not known, which groups,
// and the first one.
type foundMessage struct {
	Count  int64    `json:"count"`
	Time   int64    `json:"time"`
	Unseen int64    `json:"unseen"`
	Groups []int    `json:"groups"`
	First  *barJSON `json:"first"`
}

// searchStep is how many records are looked at between two messages on how far it is.
const searchStep = 1 << 18

// search looks through everything.
func (a *asked) search(text string) (*foundMessage, error) {
	q, err := detail.ParseQuery(text)
	if q == nil || err != nil {
		return nil, err
	}
	x := a.run.Search(q)
	for x.Step(searchStep) {
		if !a.tell(x.Part(), foundMessage{Count: x.Count, Time: x.Time}) {
			return nil, errNotWanted
		}
	}
	out := &foundMessage{Count: x.Count, Time: x.Time, Unseen: x.Unseen, Groups: []int{}}
	for g, hit := range x.Matches() {
		if hit {
			out.Groups = append(out.Groups, g)
		}
	}
	if x.Found {
		out.First = a.bar(x.First)
	}
	return out, nil
}

func (a *asked) next(r *nextRequest) (*barJSON, error) {
	q, err := detail.ParseQuery(r.Text)
	if q == nil || err != nil {
		return nil, err
	}
	ref, found, wanted := a.run.Next(q, int64(r.Start)+a.origin, detail.Ref{Lane: r.Lane, At: r.At}, r.Back, a.tick)
	if !wanted {
		return nil, errNotWanted
	}
	if !found {
		return nil, nil
	}
	return a.bar(ref), nil
}

// markedRecords is how many records are looked at for the marks of one lane.
const markedRecords = 1 << 20

// marks are pairs of lane and the pixels with hits; lanes on which there is too much to look at are left out.
func (a *asked) marks(r *markRequest) ([][]int, error) {
	out := [][]int{}
	q, err := detail.ParseQuery(r.Text)
	if q == nil || err != nil {
		return out, err
	}
	w := r.window.on(a.origin)
	marks := a.run.Marks(q, w)
	seen := map[int]bool{}
	for i, lane := range r.Lanes {
		if !a.tick(float64(i) / float64(len(r.Lanes))) {
			return nil, errNotWanted
		}
		if seen[lane] {
			continue // once is enough
		}
		seen[lane] = true
		hit := make([]byte, w.Px)
		if !marks.Lane(lane, hit, markedRecords) {
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

// bars returns records as JSON, nil for those that are not there any more.
func (a *asked) bars(refs []detail.Ref) []*barJSON {
	out := make([]*barJSON, len(refs))
	a.f.look(func() {
		for i := 0; i < len(refs) && a.f.number == a.number; i++ {
			out[i] = a.f.bar(refs[i])
		}
	})
	return out
}

func (a *asked) bar(ref detail.Ref) *barJSON { return a.bars([]detail.Ref{ref})[0] }

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
	Gone    int        `json:"gone"` // of those that it waited for, how many have no bar here: they are too old, or from before
}

func (a *asked) task(id uint32) (*taskMessage, error) {
	m := &taskMessage{Planned: -1, Ready: -1, Before: []*barJSON{}, Behind: []*barJSON{}}
	planned, before, known := a.run.Before(id)
	behind, wanted := a.run.Behind(id, func(part float64) bool { return a.tick(part / 2) })
	if !wanted {
		return nil, errNotWanted
	}
	found, wanted := a.run.Refs(slices.Concat([]uint32{id}, before, behind), func(part float64) bool { return a.tick((1 + part) / 2) })
	if !wanted {
		return nil, errNotWanted
	}
	if ref, there := found[id]; there {
		m.Bar = a.bar(ref)
	}
	if known {
		m.Planned = float64(max(planned, a.origin) - a.origin)
		if ready, all := a.ready(before, found); all {
			m.Ready = max(float64(ready-a.origin), m.Planned)
		}
	}
	m.Before, m.Behind = a.barsOf(before, found), a.barsOf(behind, found)
	m.Gone = len(before) - len(m.Before)
	return m, nil
}

// ready returns when the last of some tasks ended, and whether all of them are known.
func (a *asked) ready(tasks []uint32, found map[uint32]detail.Ref) (ready int64, known bool) {
	for _, id := range tasks {
		ref, there := found[id]
		if !there {
			return 0, false
		}
		ready = max(ready, a.run.Record(ref).End)
	}
	return ready, true
}

func (a *asked) barsOf(tasks []uint32, found map[uint32]detail.Ref) []*barJSON {
	refs := []detail.Ref{}
	for _, id := range tasks {
		if ref, there := found[id]; there {
			refs = append(refs, ref)
		}
	}
	return a.bars(refs)
}

// memoryMessage is the plot of one memory.
type memoryMessage struct {
	Lane   int     `json:"lane"`
	Values []int64 `json:"values"`
}

func (a *asked) memory(r window) []memoryMessage {
	out := []memoryMessage{}
	w := r.on(a.origin)
	w.Px = min(w.Px, 4*plotPixels)
	a.f.look(func() {
		for lane := range a.f.store.Lanes() {
			if values := a.f.store.Memory(lane, w); values != nil {
				out = append(out, memoryMessage{lane, values})
			}
		}
	})
	return out
}

// pathMessage is a critical path: the newest of its bars, how many there are, and how long they took together.
type pathMessage struct {
	Bars  []*barJSON `json:"bars"`
	Count int        `json:"count"`
	Time  float64    `json:"time"`
	Whole bool       `json:"whole"` // all of the run's tasks were looked at
	Known int        `json:"known"` // so many were
	Tasks int64      `json:"tasks"` // of so many
	More  bool       `json:"more"`  // and of some that are forgotten altogether
}

// maxPath bounds the bars of a path that are sent.
const maxPath = 20_000

func (a *asked) path(s timeSpan) (*pathMessage, error) {
	t0, t1 := a.times(s)
	path, wanted := a.run.CriticalPath(t0, t1, maxPath, a.tick)
	if !wanted {
		return nil, errNotWanted
	}
	refs := make([]detail.Ref, len(path.Steps))
	for i, step := range path.Steps {
		refs[i] = step.Ref
	}
	tasks, more := a.run.Tasks(t0, t1)
	tasks = max(tasks, int64(path.Known)) // of a run that goes on, some are known before their records
	return &pathMessage{
		Bars: a.bars(refs), Count: path.Count, Time: float64(path.Time), Known: path.Known, Tasks: tasks, More: more, Whole: !more && int64(path.Known) == tasks,
	}, nil
}

// comparedFeed shows two runs, one above the other.
func comparedFeed(a, b *profiler.Trace, titleA, titleB string, colors *label.Palette) *feed {
	both, firstB := beside(a, b)
	f := fixedFeed(both, titleA+" | "+titleB, colors)
	f.catalog = newCatalog(colors)
	f.catalog.second = len(a.Lanes)
	f.catalog.update(f.store)
	f.runs = []pageRun{{titleA, 0}, {titleB, firstB}}
	return f
}
