package profiler

import "sync/atomic"

// idle in Lane.since says that nothing runs on the lane.
const idle = -1

// Lane is the ring of one writer: a processor, a copy channel, the program's thread. Only
// one goroutine at a time may call Begin, Put, Publish and Record; everything else may be called by any.
type Lane struct {
	id    uint16
	info  LaneInfo
	off   *atomic.Bool // the recorder's
	rows  ring[Record]
	begun atomic.Uint64 // task and op that run now
	since atomic.Int64  // start<<8 | kind of what runs now, or idle
	open  opened        // what since and begun say, the writer's copy
}

// ID returns the lane's number, as in Record.Lane.
func (l *Lane) ID() uint16 { return l.id }

// Info returns what the lane was registered as.
func (l *Lane) Info() LaneInfo { return l.info }

// Begin says what the lane starts to do now, for viewers that watch it live. The Record that
// has its kind and task ends it; others may come in between.
func (l *Lane) Begin(kind Kind, task, op uint32, start int64) {
	if l.off.Load() {
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

// Record stores a finished record, and publishes it. It never waits: when the ring is full, the oldest
// records are lost, and counted.
func (l *Lane) Record(rec Record) {
	l.Put(rec)
	l.Publish()
}

// Put stores a finished record, which readers see when it is published. It reports whether it is the first since then.
func (l *Lane) Put(rec Record) (first bool) {
	if l.off.Load() {
		return false
	}
	first = l.rows.count == l.rows.published
	row := l.rows.put()
	row.Start, row.End, row.Bytes = rec.Start, rec.End, rec.Bytes
	row.Task, row.Op, row.Label, row.Lane, row.Kind = rec.Task, rec.Op, rec.Label, l.id, rec.Kind
	// An atomic store costs about as much as the rest of this, so that it is not made for nothing.
	if l.open.any && l.open == (opened{true, rec.Kind, rec.Task}) {
		l.open.any = false
		l.since.Store(idle)
	}
	return first
}

// Publish lets readers see what was put.
func (l *Lane) Publish() { l.rows.publish() }

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
