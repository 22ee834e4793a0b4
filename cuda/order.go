package cuda

import (
	"fmt"
	"sync"

	"weft/cuda/driver"
	"weft/tile"
)

// order is what other queues know of a queue's work: which numbers the driver has, with their events, and which have
// ended.
//
//	ended         given, not ended                 not given to the driver yet
//	... 5   6  |  7 (event)   8 (event)   9 (event)  |  10  11 ...
//
// Its mutex is held for as long as an event must not be used for something else, and while no other is taken.
type order struct {
	mu      sync.Mutex
	moved   sync.Cond // given or ended went on
	given   uint64    // the last number that the driver has
	events  []point   // of the numbers that have not ended, in order
	ended   uint64    // the last number that has ended
	history [historyN]ending
	next    int // in the history
}

// point is the event behind a piece of work. Work whose event could not be recorded has none: the queue was waited for.
type point struct {
	seq   uint64
	event *driver.Event
}

// ending is when a piece of work ended.
type ending struct {
	seq uint64
	at  int64
}

// historyN is how many endings are known: an older one is told as that of the oldest of these, which is not before it.
const historyN = 128

// give says that the driver has a piece of work.
func (o *order) give(seq uint64, e *driver.Event) {
	if seq == 0 {
		return
	}
	o.mu.Lock()
	o.given = seq
	o.events = append(o.events, point{seq, e})
	o.moved.Broadcast()
	o.mu.Unlock()
}

// leave says that nothing may wait for the events of a piece of work and of those before it any more, because they have
// happened.
func (o *order) leave(seq uint64) {
	o.mu.Lock()
	for len(o.events) > 0 && o.events[0].seq <= seq {
		o.events = o.events[1:]
	}
	o.mu.Unlock()
}

// end says that a piece of work has ended, and that its taker has been told.
func (o *order) end(seq uint64, at int64) {
	if seq == 0 {
		return
	}
	o.mu.Lock()
	o.ended = seq
	o.history[o.next] = ending{seq, at}
	o.next = (o.next + 1) % historyN
	o.moved.Broadcast()
	o.mu.Unlock()
}

// has reports whether the driver has a piece of work.
func (o *order) has(seq uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.given >= seq
}

// done reports whether a piece of work has ended.
func (o *order) done(seq uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended >= seq
}

// await waits until the driver has a piece of work.
func (o *order) await(seq uint64) {
	o.mu.Lock()
	for o.given < seq {
		o.moved.Wait()
	}
	o.mu.Unlock()
}

// over waits until a piece of work has ended, and returns when that was.
func (o *order) over(seq uint64) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.ended < seq {
		o.moved.Wait()
	}
	for i := range historyN { // from the oldest on
		if h := o.history[(o.next+i)%historyN]; h.seq >= seq {
			return h.at
		}
	}
	return 0
}

// behind makes a stream wait for a piece of work that the driver has.
func (o *order) behind(seq uint64, stream *driver.Queue) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.events {
		if p.seq >= seq {
			if p.event == nil {
				return nil
			}
			return stream.Wait(p.event)
		}
	}
	return nil // it has happened
}

// others are the points of other queues that a piece of work waits for.
func (q *queue) others(t *tile.Turn) (points []pointOf, err error) {
	for i, p := range t.After {
		d, ok := p.Device.(*Device)
		if !ok || p.Queue < 0 || p.Queue >= len(d.queues) {
			return nil, fmt.Errorf("%s: point %d that the work waits for, on queue %d, is on no queue of a GPU of this driver", q.d.info.Name, i, p.Queue)
		}
		if other := d.queues[p.Queue]; other != q {
			points = append(points, pointOf{&other.order, p.Seq})
		}
	}
	return points, nil
}

// pointOf is a number on a queue.
type pointOf struct {
	order *order
	seq   uint64
}
