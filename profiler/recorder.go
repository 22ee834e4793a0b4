package profiler

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Bounds of what a recorder keeps besides the records.
const (
	maxLanes       = 1 << 16
	maxForms       = 1 << 16
	maxLabels      = 1 << 16
	maxOps         = 1 << 18 // newest ops whose form is still known
	maxSources     = 1 << 16
	maxString      = 64 << 10 // longest name, shape or program text
	maxSourceBytes = 32 << 20 // all source texts together
	maxTextBytes   = 32 << 20 // all documents together
	defaultPerLane = 1 << 16
)

// Options configure a recorder. The zero value is good.
type Options struct {
	PerLane int     // records that each lane keeps, rounded up to a power of two; 0 is 65536 (2.6 MB)
	Machine []Field // what the run runs on
}

// Recorder collects what a run does. All its methods may be called by any goroutine.
type Recorder struct {
	epoch   time.Time
	off     atomic.Bool // shared with the lanes
	perLane int         // chunks in each ring
	machine []Field

	ops ring[Op] // the newest, in the order of arrival

	mu      sync.Mutex
	lanes   []*Lane
	forms   []Form // row 0 is what is not known
	formIDs map[Form]uint32
	labels  []Label // row 0 is no label
	labelID map[Label]uint32
	tasks   taskLog
	sources []Source
	byID    map[uint32]int // source ID -> position
	kept    int            // bytes of source texts
	texts   []Text
	textLen int
	changes uint64 // counts changes of sources and texts, for streaming writers
}

// New returns a recorder whose epoch is now.
func New(o Options) *Recorder {
	if o.PerLane <= 0 {
		o.PerLane = defaultPerLane
	}
	chunks := 2 // one that fills and one that is full
	for chunks*chunkRows < o.PerLane {
		chunks *= 2
	}
	r := &Recorder{
		epoch: time.Now(), perLane: chunks, machine: append([]Field(nil), o.Machine...),
		forms: []Form{{}}, formIDs: map[Form]uint32{{}: 0},
		labels: []Label{{}}, labelID: map[Label]uint32{{}: 0},
		byID: map[uint32]int{},
	}
	r.ops.slots = make([]atomic.Pointer[chunk[Op]], maxOps/chunkRows)
	return r
}

// Switch(false) has nothing recorded until Switch(true): for measuring what recording costs.
func (r *Recorder) Switch(on bool) { r.off.Store(!on) }

// Tick is Now for times that only records need: 0 while nothing is recorded.
func (r *Recorder) Tick() int64 {
	if r.off.Load() {
		return 0
	}
	return r.Now()
}

// Now returns the nanoseconds since the epoch, the clock of all records.
func (r *Recorder) Now() int64 { return int64(time.Since(r.epoch)) }

// Epoch returns the wall-clock time at which Now is 0.
func (r *Recorder) Epoch() time.Time { return r.epoch }

// Lane registers a lane for one writer. Lanes are shown in the order of their registration.
func (r *Recorder) Lane(info LaneInfo) *Lane {
	l := &Lane{off: &r.off, info: LaneInfo{clip(info.Name), clip(info.Kind), clip(info.Device)}}
	l.rows.slots = make([]atomic.Pointer[chunk[Record]], r.perLane)
	l.since.Store(idle)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lanes) == maxLanes {
		panic(fmt.Sprintf("BUG: inv 1: lane %q is one more than %d lanes", info.Name, maxLanes))
	}
	l.id = uint16(len(r.lanes))
	r.lanes = append(r.lanes, l)
	return l
}

// Form interns a form and returns its number for Op. A driver calls it once per planned
// op and keeps the number with the plan. It returns 0, the unknown form, when there are
// more forms than a profile can be read with.
func (r *Recorder) Form(f Form) uint32 {
	f.Name, f.Kind, f.Shape, f.Program = clip(f.Name), clip(f.Kind), clip(f.Shape), clip(f.Program)
	f.Where.Line = max(f.Where.Line, 0)
	r.mu.Lock()
	defer r.mu.Unlock()
	id, ok := r.formIDs[f]
	if !ok && len(r.forms) < maxForms {
		id = uint32(len(r.forms))
		r.forms = append(r.forms, f)
		r.formIDs[f] = id
	}
	return id
}

// Op says that op id has a form, and publishes that. It must come before the records that name the op. One goroutine
// at a time may call Op, PutOp and PublishOps.
func (r *Recorder) Op(id, form uint32) {
	r.PutOp(id, form)
	r.PublishOps()
}

// PutOp says that op id has a form; readers see it when it is published.
func (r *Recorder) PutOp(id, form uint32) {
	if !r.off.Load() {
		row := r.ops.put()
		row.ID, row.Form = id, form
	}
}

// PublishOps lets readers see what was put. It stands before the same of the lanes whose records name the ops.
func (r *Recorder) PublishOps() { r.ops.publish() }

// Label interns a label and returns its number for Record.Label.
func (r *Recorder) Label(key Label) uint32 {
	key.Where.Line = max(key.Where.Line, 0)
	key.Name, key.Detail = clip(key.Name), clip(key.Detail)
	r.mu.Lock()
	defer r.mu.Unlock()
	id, ok := r.labelID[key]
	if !ok && len(r.labels) < maxLabels {
		id = uint32(len(r.labels))
		r.labels = append(r.labels, key)
		r.labelID[key] = id
	}
	return id
}

// Source gives a source's name and text; the caller chooses its ID (not 0). Texts beyond 32 MiB are dropped.
func (r *Recorder) Source(s Source) {
	s.Name = clip(s.Name)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept+len(s.Text) > maxSourceBytes {
		s.Text = ""
	}
	at, known := r.byID[s.ID]
	switch {
	case s.ID == 0, !known && len(r.sources) == maxSources:
		return
	case known:
		r.kept += len(s.Text) - len(r.sources[at].Text)
		r.sources[at] = s
	default:
		r.kept += len(s.Text)
		r.byID[s.ID] = len(r.sources)
		r.sources = append(r.sources, s)
	}
	r.changes++
}

// Sources returns the cells and files that are known so far.
func (r *Recorder) Sources() []Source {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sources)
}

// Tables returns a trace without records: what is known of sources.
func (r *Recorder) Tables() *Trace {
	t := empty()
	t.Sources = r.Sources()
	slices.SortFunc(t.Sources, func(a, b Source) int { return cmp.Compare(a.ID, b.ID) })
	return t
}

// Attach adds a document to the trace or replaces the one of that name.
func (r *Recorder) Attach(name, body string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, old := len(r.texts), 0
	for i, t := range r.texts {
		if t.Name == name {
			at, old = i, len(t.Body)
		}
	}
	if r.textLen+len(body)-old > maxTextBytes || len(name) > maxString {
		return fmt.Errorf("profiler: document %.40q with %d bytes does not fit; the profile holds %d bytes of documents already, at most %d", name, len(body), r.textLen, maxTextBytes)
	}
	if at == len(r.texts) {
		r.texts = append(r.texts, Text{Name: name})
	}
	r.texts[at].Body = body
	r.textLen += len(body) - old
	r.changes++
	return nil
}

// Lost returns how many records the lanes have dropped because they were full.
func (r *Recorder) Lost() uint64 {
	var lost uint64
	for _, l := range r.allLanes() {
		lost += l.rows.lost()
	}
	return lost
}

// Running returns what the lanes do right now, with End set to now.
func (r *Recorder) Running() []Record {
	now := r.Now()
	var rows []Record
	for _, l := range r.allLanes() {
		if rec, ok := l.running(now); ok {
			rows = append(rows, rec)
		}
	}
	return rows
}

func (r *Recorder) allLanes() []*Lane {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lanes[:len(r.lanes):len(r.lanes)]
}

// clip bounds a string, so that every profile that is written can be read.
func clip(s string) string {
	if len(s) <= maxString {
		return s
	}
	end := maxString
	for end > maxString-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
