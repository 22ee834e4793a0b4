package profiler

import "sync/atomic"

// chunkRows is how many rows a chunk holds. 512 records are 20 KiB: large enough that
// its allocation costs a few nanoseconds per record, small enough that an idle lane is cheap.
const chunkRows = 512

type chunk[T any] struct {
	number uint64 // rows[0] is the ring's row number*chunkRows
	rows   [chunkRows]T
}

// ring is a ring of chunks with one writer: put and publish are for one goroutine at a time, everything else for any.
//
// The writer stores rows as plain memory and then publishes the count of rows, so that a reader
// sees only whole ones. A full ring drops its oldest chunk: the writer takes it out and fills it anew, or leaves it to
// the reader that may still hold it and the collector, and fills a fresh one. So nothing is torn, no reader or writer
// waits, and the readers know exactly how many rows they missed.
//
// A row that is put finds its place out of every cache, as rings are larger than these. The processor does not wait for
// such a store, unless what comes next is an atomic one: to publish is for later, and for many rows together.
type ring[T any] struct {
	slots     []atomic.Pointer[chunk[T]] // a power of two; chunk k lies in slot k&(len-1)
	reads     atomic.Int64               // readers that may hold a chunk
	current   *chunk[T]                  // the writer's
	count     uint64                     // rows so far
	published uint64                     // the writer's copy of written
	written   atomic.Uint64              // rows that readers may see
}

// put returns the place of a new row, to be stored there at once. It never waits: when the ring is full, the oldest
// rows are lost, and counted. A row that was handed over would be copied from a copy in parts, which the processor
// cannot forward.
func (r *ring[T]) put() *T {
	if r.count%chunkRows == 0 {
		r.nextChunk()
	}
	r.count++
	return &r.current.rows[(r.count-1)%chunkRows]
}

// publish lets readers see what was put.
func (r *ring[T]) publish() {
	if r.published != r.count {
		r.published = r.count
		r.written.Store(r.count)
	}
}

// nextChunk puts a chunk for the next rows into the ring, in the place of the oldest.
func (r *ring[T]) nextChunk() {
	k := r.count / chunkRows
	slot := &r.slots[k&uint64(len(r.slots)-1)]
	// A reader counts itself before it takes a chunk from its slot. So when no reader counts
	// after the chunk has left its slot, no reader has it.
	c := slot.Swap(nil)
	if c == nil || r.reads.Load() != 0 {
		c = new(chunk[T])
	}
	c.number = k
	r.current = c
	slot.Store(c)
}

// read appends the rows from number from on, and returns them, the number of the
// next row and how many were lost on the way.
func (r *ring[T]) read(dst []T, from uint64) (rows []T, next, lost uint64) {
	r.reads.Add(1)
	defer r.reads.Add(-1)
	end := r.written.Load()
	for from < end {
		k := from / chunkRows
		stop := min((k+1)*chunkRows, end)
		c := r.slots[k&uint64(len(r.slots)-1)].Load()
		if c != nil && c.number == k {
			dst = append(dst, c.rows[from-k*chunkRows:stop-k*chunkRows]...)
		} else {
			lost += stop - from
		}
		from = stop
	}
	return dst, end, lost
}

// lost returns how many rows the ring has dropped.
func (r *ring[T]) lost() uint64 {
	chunks := (r.written.Load() + chunkRows - 1) / chunkRows
	if kept := uint64(len(r.slots)); chunks > kept {
		return (chunks - kept) * chunkRows
	}
	return 0
}
