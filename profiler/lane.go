package profiler

import "sync/atomic"

// chunkRows is how many records a chunk holds. 512 records are 20 KiB: large enough that
// its allocation costs a few nanoseconds per record, small enough that an idle lane is cheap.
const chunkRows = 512

// idle in Lane.since says that nothing runs on the lane.
const idle = -1

type chunk struct {
	number uint64 // rows[0] is the lane's record number*chunkRows
	rows   [chunkRows]Record
}

// Lane is the ring of one writer: a processor, a copy channel, the program's thread. Only
// one goroutine at a time may call Begin and Record; everything else may be called by any.
//
// The ring is a ring of chunks. The writer stores a record as plain memory and then
// publishes the count of records, so that a reader sees only whole records. A full ring
// drops its oldest chunk: the writer takes it out and fills it anew, or leaves it to the
// reader that may still hold it and the collector, and fills a fresh one. So nothing is
// torn, nobody waits, and the readers know exactly how many records they missed.
type Lane struct {
	id    uint16
	info  LaneInfo
	off   bool
	ring  []atomic.Pointer[chunk] // a power of two; chunk k lies in slot k&(len-1)
	begun atomic.Uint64           // task and op that run now
	since atomic.Int64            // start<<8 | kind of what runs now, or idle
	reads atomic.Int64            // readers that may hold a chunk

	open    opened        // what since and begun say, the writer's copy
	current *chunk        // the writer's
	count   uint64        // the writer's copy of written
	written atomic.Uint64 // records so far
}

// ID returns the lane's number, as in Record.Lane.
func (l *Lane) ID() uint16 { return l.id }

// Info returns what the lane was registered as.
func (l *Lane) Info() LaneInfo { return l.info }

// Begin says what the lane starts to do now, for those who watch it live. The Record that
// has its kind and task ends it; others may come in between.
func (l *Lane) Begin(kind Kind, task, op uint32, start int64) {
	if l.off {
		return
	}
	l.begun.Store(uint64(op)<<32 | uint64(task))
	l.since.Store(start<<8 | int64(kind))
	l.open = opened{true, kind, task}
}

// opened is what runs now, if anything does.
type opened struct {
	any  bool
	kind Kind
	task uint32
}

// Record stores a finished record. It never waits: when the ring is full, the oldest
// records are lost, and counted.
func (l *Lane) Record(rec Record) {
	if l.off {
		return
	}
	rec.Lane = l.id
	at := l.count % chunkRows
	if at == 0 {
		l.nextChunk()
	}
	l.current.rows[at] = rec
	l.count++
	// An atomic store costs about as much as the rest of this, so that it is not made for nothing.
	if l.open.any && l.open == (opened{true, rec.Kind, rec.Task}) {
		l.open.any = false
		l.since.Store(idle)
	}
	l.written.Store(l.count)
}

// nextChunk puts a chunk for the next records into the ring, in the place of the oldest.
func (l *Lane) nextChunk() {
	k := l.count / chunkRows
	slot := &l.ring[k&uint64(len(l.ring)-1)]
	// A reader counts itself before it takes a chunk from its slot. So when nobody counts
	// after the chunk has left its slot, nobody has it.
	c := slot.Swap(nil)
	if c == nil || l.reads.Load() != 0 {
		c = new(chunk)
	}
	c.number = k
	l.current = c
	slot.Store(c)
}

// running returns the record that has begun but not ended, with End set to now.
func (l *Lane) running(now int64) (Record, bool) {
	since := l.since.Load()
	begun := l.begun.Load()
	if since == idle || l.since.Load() != since {
		return Record{}, false // it ended while we looked; the next look sees the next one
	}
	start := since >> 8
	return Record{
		Start: start, End: max(now, start), Task: uint32(begun), Op: uint32(begun >> 32),
		Lane: l.id, Kind: Kind(since & 0xff),
	}, true
}

// read appends the lane's records from number from on, and returns them, the number of the
// next record and how many were lost on the way.
func (l *Lane) read(dst []Record, from uint64) (rows []Record, next, lost uint64) {
	l.reads.Add(1)
	defer l.reads.Add(-1)
	end := l.written.Load()
	for from < end {
		k := from / chunkRows
		stop := min((k+1)*chunkRows, end)
		c := l.ring[k&uint64(len(l.ring)-1)].Load()
		if c != nil && c.number == k {
			dst = append(dst, c.rows[from-k*chunkRows:stop-k*chunkRows]...)
		} else {
			lost += stop - from
		}
		from = stop
	}
	return dst, end, lost
}

// lost returns how many records the ring has dropped.
func (l *Lane) lost() uint64 {
	chunks := (l.written.Load() + chunkRows - 1) / chunkRows
	if kept := uint64(len(l.ring)); chunks > kept {
		return (chunks - kept) * chunkRows
	}
	return 0
}
