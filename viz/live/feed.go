package live

import (
	"context"
	"errors"
	"fmt"
	"log"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"weft/profiler"
	"weft/viz/detail"
	"weft/viz/label"
)

// pollEvery is how often a run is looked at while a viewer watches it. A bar is on the screen this long
// after its task began at most, and a frame.
const pollEvery = 30 * time.Millisecond

// What is kept of a run that goes on, for its viewers to look back on: about 200 MB.
const (
	liveRecords = 2 << 20
	liveThin    = 1 << 27 // of these only sums
	liveBuckets = 1 << 21
)

// feed is what the viewers of a server look at: one store that they share. The collector writes it, everybody else
// reads. No viewer ever waits for another one, and the run waits for none of them.
type feed struct {
	mu       sync.RWMutex
	store    *detail.Store
	catalog  *catalog
	palette  *label.Palette // of the catalogs; nil for one of each
	origin   int64
	fixed    bool // origin is
	number   int  // counts the recorders that were followed
	beat     int  // counts the changes, from 1 on
	now      int64
	running  []runningBar
	lost     uint64
	title    string
	machine  []profiler.Field
	runs     []pageRun
	notes    []string
	live     bool
	loading  bool
	changed  chan struct{} // closed at the next change
	recorder *profiler.Recorder
	cursor   *profiler.Cursor
	inc      profiler.Increment
}

// runningBar is a task that has begun and not ended.
type runningBar struct {
	Lane  uint16  `json:"lane"`
	Row   int     `json:"row"`
	Start float64 `json:"start"`
	Kind  string  `json:"kind"`
	Task  uint32  `json:"task"`
	Op    uint32  `json:"op"`
	Group uint32  `json:"group"`
}

// fixedFeed shows a whole trace.
func fixedFeed(t *profiler.Trace, title string, colors *label.Palette) *feed {
	f := &feed{store: wholeStore(t), catalog: newCatalog(colors), palette: colors, title: title, machine: t.Machine, notes: notes(t, 0), changed: make(chan struct{}), fixed: true, beat: 1}
	f.origin, f.now = t.Span()
	f.catalog.update(f.store)
	f.lost = f.missing()
	return f
}

// wholeStore builds a store on all processors.
func wholeStore(t *profiler.Trace) *detail.Store {
	s, steps := detail.Prepare(t)
	var next atomic.Int64
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for k := next.Add(1); k <= int64(len(steps)); k = next.Add(1) {
				steps[k-1]()
			}
		})
	}
	done.Wait()
	return s
}

// What is kept of a profile that is read in pieces, unless options say otherwise.
const (
	loadedMemory = 2 << 30
	loadedThin   = 1 << 30 // records of which only sums are kept
	recordBytes  = 128     // that a record takes with its task, its place in the rows and in the levels of detail, about
)

// loadingFeed shows a profile while it is read, and takes about so much memory for it.
func loadingFeed(title string, memory int64, colors *label.Palette) *feed {
	if memory <= 0 {
		memory = loadedMemory
	}
	f := liveFeed(title, colors)
	f.live, f.loading = false, true
	f.store = detail.New(detail.Options{Limit: int(max(memory/recordBytes, 1)), Thin: loadedThin})
	return f
}

// pieces hands over a profile in increments.
type pieces func(ctx context.Context, add func(*profiler.Increment)) error

// load reads a profile, and a second one beside it if that is not nil.
func (f *feed) load(ctx context.Context, first, second pieces) {
	err := f.read(ctx, first, f.add)
	f.settle()
	if second != nil {
		err = errors.Join(err, f.readSecond(ctx, second))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.notes = append(f.notes, err.Error())
		f.number++ // so that the viewers are told from the beginning
	}
	f.loading, f.fixed = false, true
	f.tell()
}

// settle moves time 0 to the first start, where that came late: a cell is recorded when it ends. The viewers are told
// from the beginning.
func (f *feed) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if start, _ := f.store.Span(); f.fixed && start < f.origin {
		f.origin = start
		f.number++
	}
}

// read adds pieces while the next ones are unpacked, and tells the viewers now and then.
func (f *feed) read(ctx context.Context, pieces pieces, add func(*profiler.Increment) (shown bool)) (err error) {
	read := make(chan profiler.Increment, 4)
	go func() {
		defer close(read)
		defer func() {
			if p := recover(); p != nil {
				log.Printf("weft: BUG: panic while a profile is read: %v\n%s", p, debug.Stack())
				err = fmt.Errorf("BUG: %v", p)
			}
		}()
		err = pieces(ctx, func(inc *profiler.Increment) { read <- *inc })
	}()
	var told time.Time
	for inc := range read {
		if add(&inc) && time.Since(told) > pollEvery {
			f.mu.Lock()
			f.tell()
			f.mu.Unlock()
			told = time.Now()
		}
	}
	return err
}

// add adds a piece of a profile, and reports whether there is anything to show.
func (f *feed) add(inc *profiler.Increment) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.store.Append(inc)
	f.catalog.update(f.store) // a viewer may be sent a picture of it before all are told
	if start, end := f.store.Span(); len(inc.Records) > 0 {
		if !f.fixed {
			f.origin, f.fixed = start, true
		}
		f.now = end
	}
	f.lost = f.missing()
	return f.fixed
}

// missing counts the records that never came into the store. What the recorder dropped after it was read is not lost.
func (f *feed) missing() (lost uint64) {
	for _, n := range f.store.Tables().Lost {
		lost += n
	}
	return lost
}

// tell wakes the viewers. The caller holds the lock.
func (f *feed) tell() {
	f.catalog.update(f.store)
	f.beat++
	close(f.changed)
	f.changed = make(chan struct{})
}

// liveFeed follows the recorders that a run has, one after the other.
func liveFeed(title string, colors *label.Palette) *feed {
	f := &feed{title: title, palette: colors, live: true, changed: make(chan struct{})}
	f.reset(nil)
	return f
}

func (f *feed) reset(r *profiler.Recorder) {
	f.store, f.catalog = detail.New(detail.Options{Limit: liveRecords, Thin: liveThin, Buckets: liveBuckets}), newCatalog(f.palette)
	f.recorder, f.cursor, f.fixed, f.running, f.lost = r, nil, false, nil, 0
	f.number++
	if r != nil {
		f.cursor = r.Cursor()
	}
}

// follow polls until ctx ends.
func (f *feed) follow(ctx context.Context, recorder func() *profiler.Recorder) {
	defer f.contain()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		f.poll(recorder())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// contain keeps a fault of the viewer from ending the program that is viewed: a kernel, with all of its variables.
func (f *feed) contain() {
	p := recover()
	if p == nil {
		return
	}
	log.Printf("weft: BUG: panic while the viewer follows the run: %v\n%s", p, debug.Stack())
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reset(nil) // the state of the store is not known
	f.notes = append(f.notes, fmt.Sprintf("BUG: the viewer failed (%v). The run goes on; this page shows no more of it until it is opened again.", p))
	f.tell()
}

// poll takes what is new, and tells the viewers if there is anything.
func (f *feed) poll(r *profiler.Recorder) {
	if r == nil {
		return
	}
	if r != f.recorder { // only this goroutine writes it
		f.turn(r)
	}
	running := r.Running() // before the records, so that a bar that ends in between is in one of them at least
	f.cursor.Next(&f.inc)
	now := r.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inc.Empty() && len(running) == 0 && len(f.running) == 0 {
		return
	}
	f.store.Append(&f.inc)
	if kept := f.store.Count().Kept; !f.fixed && (kept > 0 || len(running) > 0) {
		f.origin, f.fixed = now, true
		if kept > 0 {
			f.origin, _ = f.store.Span()
		}
		for _, rec := range running {
			f.origin = min(f.origin, rec.Start)
		}
	}
	f.running = f.running[:0]
	for i := range running {
		rec := &running[i]
		if int(rec.Lane) >= f.store.Lanes() || f.ended(rec) {
			continue
		}
		f.running = append(f.running, runningBar{
			Lane: rec.Lane, Row: f.store.RowOf(int(rec.Lane), rec.Kind, rec.Start), Start: float64(rec.Start - f.origin), Kind: rec.Kind.String(),
			Task: rec.Task, Op: rec.Op, Group: f.store.GroupOf(rec),
		})
	}
	f.now, f.lost = now, f.missing()
	f.tell()
}

// turn goes over to another recorder.
func (f *feed) turn(r *profiler.Recorder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = nil
	f.reset(r)
}

// ended reports whether a bar that ran when it was looked at has its record by now.
func (f *feed) ended(running *profiler.Record) bool {
	for i := len(f.inc.Records) - 1; i >= 0; i-- {
		rec := &f.inc.Records[i]
		if rec.Lane == running.Lane && rec.Start == running.Start && rec.Kind == running.Kind && rec.Task == running.Task {
			return true
		}
	}
	return false
}

// look calls see with the feed while nothing changes it, and returns the channel that tells of the next change.
func (f *feed) look(see func()) (changed <-chan struct{}) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	see()
	return f.changed
}
