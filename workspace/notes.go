package workspace

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"weft/profiler"
	"weft/scheduler"
	"weft/tile"
)

// Noted is one operation that the eager tier has computed, in the layout of its C code. Arrays are named by the lower
// bits of their memories' numbers, as 0 where they are numbers.
type Noted struct {
	Where    uint64 // see WhereOf
	Out      uint32
	In       [2]uint32
	Elements uint32 // of the result, or of what was reduced
	What     uint16 // a ufunc, or another operation; from FirstDelegate on, a function of NumPy's: see Delegate
	DType    tile.DType
	Ndim     uint8
}

// NotedRun is a run of them between two operations that were submitted.
type NotedRun struct {
	N            int64
	Begun, Ended int64 // by the clock of the eager tier
}

// Tally is how often a line did what, since the runtime started. N is 0 in empty rows.
type Tally struct {
	Where uint64
	N     int64
	What  int32
}

const (
	NotesKept     = 1 << 14 // the newest operations that are known
	FirstDelegate = 512
	// OwnStore is added to the number of a memory that the runtime has no store for.
	OwnStore scheduler.StoreID = 1 << 31
)

// notes are what is known of the operations that the eager tier computes: the newest of them, the runs that they came
// in, and how often each line did what. The runtime's log has none of them.
type notes struct {
	space *Workspace

	mu     sync.Mutex // queries come without the interpreter's lock
	before int64      // how many operations earlier runtimes had
	all    int64      // taken so far, since the runtime started
	rows   []Noted
	runs   []smallRun // the newest, in order
	counts []Tally
	stores map[uint32]scheduler.StoreID // by the number of the memory, of what the runtime knows as well
	labels map[string]bool              // that bars have

	delegates []string // the functions of NumPy that answer calls with few elements
}

// smallRun is a run of such operations between two that were submitted.
type smallRun struct {
	first, n     int64          // the number of the first one, and how many
	after        scheduler.OpID // the newest op by then
	begun, ended int64          // nanoseconds since the recorder's epoch
}

const (
	everyNote = math.MaxInt64
	runsKept  = 1 << 12
	linksKept = 1 << 16
	namesKept = 1 << 12 // of bars
	worthABar = 10_000  // nanoseconds: shorter runs are no wider than a line on any timeline
)

// TakeNotes takes over what the eager tier has noted since the last time: n operations, of which the last ones are in
// ring, in runs. clock is what its clock shows. It is called before the runtime hears of another operation.
func (m *Machine) TakeNotes(ring *[NotesKept]Noted, n int64, runs []NotedRun, clock int64) {
	last, _ := m.rt.Submitted()
	shift := m.rt.Now() - clock
	s := &m.space.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copy(ring, n)
	for _, r := range runs {
		run := smallRun{first: s.all, n: r.N, after: last, begun: r.Begun + shift, ended: r.Ended + shift}
		s.all += run.n
		if len(s.runs) == runsKept {
			s.runs = slices.Delete(s.runs, 0, runsKept/2)
		}
		s.runs = append(s.runs, run)
		if run.ended-run.begun >= worthABar {
			m.rt.Note(profiler.Small, s.barName(run.n), s.lineOf(run), run.begun, run.ended, 0)
		}
	}
}

// copy takes the newest of n rows; s.all counts those before them.
func (s *notes) copy(ring *[NotesKept]Noted, n int64) {
	if need := min(s.all+n, NotesKept); need > int64(len(s.rows)) {
		s.rows = append(s.rows, make([]Noted, max(need, min(2*need, NotesKept))-int64(len(s.rows)))...)
	}
	for i := max(0, n-NotesKept); i < n; i++ {
		s.rows[(s.all+i)%NotesKept] = ring[i%NotesKept]
	}
}

// row returns the row of a number, which must be one of the newest.
func (s *notes) row(number int64) *Noted { return &s.rows[number%NotesKept] }

// lineOf is the place of a run whose operations are all of one line; else none.
func (s *notes) lineOf(run smallRun) scheduler.Where {
	if run.n > NotesKept {
		return scheduler.Where{}
	}
	first := s.row(run.first).Where
	for i := int64(1); i < run.n; i++ {
		if s.row(run.first+i).Where != first {
			return scheduler.Where{}
		}
	}
	return WhereOf(first)
}

// barName says how many operations a bar stands for. A recorder keeps the names of a process: large numbers are rounded
// to two digits, so that there are few.
func (s *notes) barName(n int64) string {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	name := smallText(n / unit * unit)
	if !s.labels[name] {
		if len(s.labels) >= namesKept {
			return "small operations"
		}
		if s.labels == nil {
			s.labels = map[string]bool{}
		}
		s.labels[name] = true
	}
	return name
}

// smallText says how many operations were computed at once: 1,240 small operations.
func smallText(n int64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if n == 1 {
		return "1 small operation"
	}
	return digits + " small operations"
}

// Link says which store of the runtime's has the values of a memory.
func (w *Workspace) Link(memory uint64, store scheduler.StoreID) {
	s := &w.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stores == nil || len(s.stores) >= linksKept {
		s.stores = map[uint32]scheduler.StoreID{}
	}
	s.stores[uint32(memory)] = store
}

// storeOf is the store of a memory; one that the runtime has never heard of has a number beyond all of the runtime's.
func (s *notes) storeOf(memory uint32) scheduler.StoreID {
	if id, ok := s.stores[memory]; ok {
		return id
	}
	return OwnStore | scheduler.StoreID(memory)
}

// forget starts anew with another runtime.
func (s *notes) forget() {
	s.space.options.Program.Forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = s.space.options.Program.Computed()
	s.all, s.rows, s.runs, s.counts, s.stores, s.labels = 0, nil, nil, nil, nil, nil
}

// count is how many there were.
func (s *notes) count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// computed is how many there were, while nothing was recorded as well.
func (s *notes) computed() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.space.options.Program.Computed() - s.before
}

// between is how many there were from one number on and below another.
func (s *notes) between(first, last int64) int64 { return max(0, min(last, s.count())-first) }

// noted is one operation that was computed at once, as pictures have it.
type noted struct {
	name, kind string
	where      scheduler.Where
	typ        tile.DType
	shape      string
	elements   int64
	out        scheduler.StoreID
	in         []scheduler.StoreID
}

// notedRun is a run with those of its operations that are known: the last ones.
type notedRun struct {
	smallRun
	ops []noted
}

// of returns what is known of a cell: its runs, and how many operations of it are not in them.
func (s *notes) of(c cell, shown func(scheduler.Where) bool) (runs []notedRun, missing int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := min(c.lastNote, s.all)
	missing = max(0, last-c.firstNote)
	for _, run := range s.runs {
		from, to := max(run.first, c.firstNote, s.all-NotesKept), min(run.first+run.n, last)
		if from >= to {
			continue
		}
		missing -= to - from
		known := notedRun{smallRun: run}
		known.first, known.n = from, 0
		for i := from; i < to; i++ {
			if op := s.describe(s.row(i)); shown(op.where) {
				known.ops = append(known.ops, op)
				known.n++
			}
		}
		if known.n > 0 {
			runs = append(runs, known)
		}
	}
	return runs, missing
}

// named is what the function of a note is called, and what kind of operation it is. It runs with s.mu held.
func (s *notes) named(what uint16) (name, kind string) {
	if what >= FirstDelegate {
		return s.delegates[what-FirstDelegate], "call"
	}
	return s.space.options.Named(what)
}

func (s *notes) describe(r *Noted) noted {
	op := noted{where: WhereOf(r.Where), typ: r.DType, elements: int64(r.Elements)}
	op.name, op.kind = s.named(r.What)
	switch r.Ndim {
	case 0:
		op.shape = "()"
	case 1:
		op.shape = fmt.Sprintf("(%d)", r.Elements)
	default:
		op.shape = fmt.Sprintf("%d elements", r.Elements)
	}
	if r.Out != 0 {
		op.out = s.storeOf(r.Out)
	}
	for _, memory := range r.In {
		if memory != 0 {
			op.in = append(op.in, s.storeOf(memory))
		}
	}
	return op
}

// Tallied takes over how often each line did what in the eager tier.
func (w *Workspace) Tallied(rows []Tally) {
	s := &w.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = slices.Clone(rows)
}

// Delegate returns the number, less FirstDelegate, by which notes name a function of NumPy's that answers calls with
// few elements.
func (w *Workspace) Delegate(name string) int {
	s := &w.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delegates = append(s.delegates, name)
	return len(s.delegates) - 1
}

// delegated are the calls with few elements that NumPy answered: function, place and how many.
func (m *Machine) delegated(string) (string, error) {
	s, places := &m.space.notes, m.places()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := [][3]any{}
	for i := range s.counts {
		if row := &s.counts[i]; row.N > 0 && row.What >= FirstDelegate {
			name, _ := s.named(uint16(row.What))
			all = append(all, [3]any{name, places(WhereOf(row.Where)), row.N})
		}
	}
	return asJSON(all)
}

// known is the store by which the runtime knows one, if it does.
func (s *notes) known(id scheduler.StoreID) scheduler.StoreID {
	if id < OwnStore {
		return id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.storeOf(uint32(id &^ OwnStore))
}

// tally is how often a line called a function that was computed at once.
type tally struct {
	where scheduler.Where
	name  string
	n     int64
}

// tallied are all that were counted at the last query, but for those that were hidden.
func (s *notes) tallied(hidden func(scheduler.Where) bool) (all []tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.counts {
		row := &s.counts[i]
		if where := WhereOf(row.Where); row.N > 0 && !hidden(where) {
			name, _ := s.named(uint16(row.What))
			all = append(all, tally{where, name, row.N})
		}
	}
	return all
}
