//go:build extension

package main

// #include "values.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"weft/arrays"
	"weft/profiler"
	"weft/scheduler"
	"weft/tile"
)

// notes are what is known of the operations that C computes at once: the newest of them, the runs that they came in, and how
// often each line did what. The runtime's log has none of them.
type notes struct {
	before   int64  // how many operations earlier runtimes had
	memories uint64 // how many there were when a call of NumPy's began; the interpreter's lock guards it

	mu     sync.Mutex // queries come without the interpreter's lock
	all    int64      // taken so far, since the runtime started
	rows   []C.weft_noted
	runs   []smallRun // the newest, in order
	counts []C.weft_tally
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
	notesKept = C.WEFT_NOTES
	runsKept  = 1 << 12
	linksKept = 1 << 16
	namesKept = 1 << 12 // of bars
	worthABar = 10_000  // nanoseconds: shorter runs are no wider than a line on any timeline
)

// takeNotes takes over what C has noted. It runs under the interpreter's lock, before Go hears of another operation.
func (b *binding) takeNotes() {
	k := &C.weft_notes
	if k.open != 0 {
		C.weft_end_run()
	}
	if k.runs == 0 || b.machine == nil {
		return
	}
	rt := b.machine.rt
	last, _ := rt.Submitted()
	shift := rt.Now() - int64(C.weft_clock())
	s := &b.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copy(int64(k.n))
	for i := range k.run[:k.runs] {
		r := &k.run[i]
		run := smallRun{
			first: s.all, n: int64(r.n), after: last, begun: int64(r.begun) + shift, ended: int64(r.ended) + shift,
		}
		s.all += run.n
		if len(s.runs) == runsKept {
			s.runs = slices.Delete(s.runs, 0, runsKept/2)
		}
		s.runs = append(s.runs, run)
		if run.ended-run.begun >= worthABar {
			rt.Note(profiler.Small, s.barName(run.n), s.lineOf(run), run.begun, run.ended, 0)
		}
	}
	k.n, k.runs = 0, 0
}

// copy takes the newest of n rows; s.all counts those before them.
func (s *notes) copy(n int64) {
	if need := min(s.all+n, notesKept); need > int64(len(s.rows)) {
		s.rows = append(s.rows, make([]C.weft_noted, max(need, min(2*need, notesKept))-int64(len(s.rows)))...)
	}
	for i := max(0, n-notesKept); i < n; i++ {
		s.rows[(s.all+i)%notesKept] = C.weft_notes.note[i%notesKept]
	}
}

// row returns the row of a number, which must be one of the newest.
func (s *notes) row(number int64) *C.weft_noted { return &s.rows[number%notesKept] }

// lineOf is the place of a run whose operations are all of one line; else none.
func (s *notes) lineOf(run smallRun) scheduler.Where {
	if run.n > notesKept {
		return scheduler.Where{}
	}
	first := s.row(run.first).where
	for i := int64(1); i < run.n; i++ {
		if s.row(run.first+i).where != first {
			return scheduler.Where{}
		}
	}
	return whereOf(first)
}

// barName says how many operations a bar stands for. A recorder keeps the names of a process: large numbers are rounded to two
// digits, so that there are few.
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

// link says which store of the runtime's has the values of a memory.
func (s *notes) link(memory uint64, store scheduler.StoreID) {
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
	return scheduler.StoreID(C.WEFT_OWN | memory)
}

// forget starts anew with another runtime.
func (s *notes) forget() {
	C.weft_forget_tallies()
	s.before = int64(C.weft_notes.all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all, s.rows, s.runs, s.counts, s.stores, s.labels = 0, nil, nil, nil, nil, nil
}

// count is how many there were.
func (s *notes) count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// computed is how many there were, while nothing was recorded as well.
func (s *notes) computed() int64 { return int64(C.weft_notes.all) - s.before }

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
		from, to := max(run.first, c.firstNote, s.all-notesKept), min(run.first+run.n, last)
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

// notedKinds are what the operations other than ufuncs are called.
var notedKinds = map[C.uint16_t][2]string{
	C.WEFT_NOTE_FOLD + C.WEFT_SUM: {"sum", "reduce"}, C.WEFT_NOTE_FOLD + C.WEFT_PROD: {"prod", "reduce"},
	C.WEFT_NOTE_FOLD + C.WEFT_MIN: {"min", "reduce"}, C.WEFT_NOTE_FOLD + C.WEFT_MAX: {"max", "reduce"},
	C.WEFT_NOTE_FOLD + C.WEFT_ANY: {"any", "reduce"}, C.WEFT_NOTE_FOLD + C.WEFT_ALL: {"all", "reduce"},
	C.WEFT_NOTE_FOLD + C.WEFT_MEAN: {"mean", "reduce"}, C.WEFT_NOTE_POSITION: {"argextreme", "reduce"},
	C.WEFT_NOTE_PRODUCT: {"matmul", "contract"}, C.WEFT_NOTE_COPY: {"copy", "move"}, C.WEFT_NOTE_SET: {"copy", "move"},
	C.WEFT_NOTE_FILL: {"fill", "fill"}, C.WEFT_NOTE_RANGE: {"arange", "fill"}, C.WEFT_NOTE_LINE: {"linspace", "fill"},
	C.WEFT_NOTE_WHERE: {"where", "map"}, C.WEFT_NOTE_CLIP: {"clip", "map"}, C.WEFT_NOTE_DIFF: {"subtract", "map"}, C.WEFT_NOTE_OUTER: {"multiply", "map"},
	C.WEFT_NOTE_PICK: {"getitem", "call"}, C.WEFT_NOTE_PUT: {"setitem", "call"}, C.WEFT_NOTE_NONZERO: {"nonzero", "call"},
	C.WEFT_NOTE_JOIN: {"concatenate", "move"}, C.WEFT_NOTE_RUNNING: {"accumulate", "scan"}, C.WEFT_NOTE_NORM: {"norm", "reduce"},
	C.WEFT_NOTE_INTERP: {"interp", "call"}, C.WEFT_NOTE_FFT: {"fft", "call"},
	C.WEFT_NOTE_SORT: {"sort", "call"}, C.WEFT_NOTE_ARGSORT: {"argsort", "call"},
	C.WEFT_NOTE_SOLVE: {"linalg.solve", "call"}, C.WEFT_NOTE_INV: {"linalg.inv", "call"}, C.WEFT_NOTE_DETERMINANT: {"linalg.det", "call"}, C.WEFT_NOTE_CHOLESKY: {"linalg.cholesky", "call"},
	C.WEFT_NOTE_QR: {"linalg.qr", "call"}, C.WEFT_NOTE_EIGH: {"linalg.eigh", "call"}, C.WEFT_NOTE_SVD: {"linalg.svd", "call"}, C.WEFT_NOTE_EIGVALS: {"linalg.eigvals", "call"}, C.WEFT_NOTE_LSTSQ: {"linalg.lstsq", "call"},
	C.WEFT_NOTE_ROLL:     {"roll", "move"},
	C.WEFT_NOTE_SEGMENTS: {"reduceat", "reduce"}, C.WEFT_NOTE_PAD: {"pad", "move"}, C.WEFT_NOTE_BINCOUNT: {"bincount", "call"}, C.WEFT_NOTE_SEARCH: {"searchsorted", "call"}, C.WEFT_NOTE_DIGITIZE: {"digitize", "call"},
	C.WEFT_NOTE_SAME: {"array_equal", "reduce"}, C.WEFT_NOTE_REPEAT: {"repeat", "move"},
	C.WEFT_NOTE_DRAW: {"random", "fill"}, C.WEFT_NOTE_UNIQUE: {"unique", "call"},
	C.WEFT_NOTE_SPLICE: {"splice", "move"}, C.WEFT_NOTE_CORRELATE: {"correlate", "call"}, C.WEFT_NOTE_POLYNOMIAL: {"polyval", "map"}, C.WEFT_NOTE_ISIN: {"isin", "call"}, C.WEFT_NOTE_INTERSECT: {"intersect1d", "call"},
}

// named is what the function of a note is called, and what kind of operation it is. It runs with s.mu held.
func (s *notes) named(what C.uint16_t) (name, kind string) {
	if what >= C.WEFT_NOTE_NUMPY {
		return s.delegates[what-C.WEFT_NOTE_NUMPY], "call"
	}
	if row, ok := notedKinds[what]; ok {
		return row[0], row[1]
	}
	return arrays.Ufunc(what).Name(), "map"
}

func (s *notes) describe(r *C.weft_noted) noted {
	op := noted{where: whereOf(r.where), typ: tile.DType(r.dtype), elements: int64(r.n)}
	op.name, op.kind = s.named(r.what)
	switch r.ndim {
	case 0:
		op.shape = "()"
	case 1:
		op.shape = fmt.Sprintf("(%d)", r.n)
	default:
		op.shape = fmt.Sprintf("%d elements", r.n)
	}
	if r.out != 0 {
		op.out = s.storeOf(uint32(r.out))
	}
	for _, memory := range [...]C.uint32_t{r.x, r.y} {
		if memory != 0 {
			op.in = append(op.in, s.storeOf(uint32(memory)))
		}
	}
	return op
}

func whereOf(w C.uint64_t) scheduler.Where {
	return scheduler.Where{Source: scheduler.SourceID(w >> 32), Line: int32(uint32(w))}
}

// goNoted takes over what C has noted and counted.
//
//export goNoted
func goNoted() {
	defer guard("what was computed at once")
	the.takeNotes()
	for op := range C.weft_operated {
		n := int64(C.weft_operated[op])
		if n == 0 {
			continue
		}
		C.weft_operated[op] = 0
		if op < C.OP_COUNT {
			the.ops[op] += n
		} else if op == C.WEFT_COPY {
			the.calls[the.copied] += n
		}
	}
	s := &the.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = nil
	if C.weft_notes.slots > 0 {
		s.counts = slices.Clone(unsafe.Slice(C.weft_notes.tallies, int(C.weft_notes.slots)))
	}
}

// goDelegate is the number by which notes name a function of NumPy's that answers calls with few elements.
//
//export goDelegate
func goDelegate(name *C.char) C.int {
	s := &the.notes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delegates = append(s.delegates, C.GoString(name))
	return C.int(len(s.delegates) - 1)
}

// delegated are the calls with few elements that NumPy answered: function, place and how many.
func (m *machine) delegated(string) (string, error) {
	s, places := &the.notes, m.places()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := [][3]any{}
	for i := range s.counts {
		if row := &s.counts[i]; row.n > 0 && row.what >= C.WEFT_NOTE_NUMPY {
			name, _ := s.named(C.uint16_t(row.what))
			all = append(all, [3]any{name, places(whereOf(row.where)), int64(row.n)})
		}
	}
	return asJSON(all)
}

// known is the store by which the runtime knows one, if it does.
func (s *notes) known(id scheduler.StoreID) scheduler.StoreID {
	if id < C.WEFT_OWN {
		return id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.storeOf(uint32(id) &^ C.WEFT_OWN)
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
		if where := whereOf(row.where); row.n > 0 && !hidden(where) {
			name, _ := s.named(C.uint16_t(row.what))
			all = append(all, tally{where, name, int64(row.n)})
		}
	}
	return all
}
