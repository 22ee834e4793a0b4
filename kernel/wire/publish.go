package wire

import (
	"sync"
	"time"
)

// No output is lost to a subscriber that reads: a goroutine that publishes output asks WaitRoom first, and waits while
// a subscriber has more than Limits.HighWater unread. But a subscriber needs no key, so that one which hardly reads
// must not hold the others, nor the cell whose output it is:
//
//	unread <= HighWater        no wait
//	more, but it reads         the publisher waits for it
//	more, and for a second it  the publisher waits for it only if all other subscribers are as far behind
//	took less than minPace
//	unread > 4 HighWater       its connection ends, and onCutOff is told
//
// A single subscriber is waited for, however slow: it is the notebook. An interrupt ends a wait (hurry): what the
// interrupted code had in hand is queued, above the mark.

// room is where publishers wait.
type room struct {
	mu      sync.Mutex
	changed sync.Cond // a queue got shorter, a connection came or went, or hurry was called
	hurried int       // how often hurry was called
	moves   int       // how often moved was called
}

// farBehind is how many times Limits.HighWater a slow subscriber may leave unread.
const farBehind = 4

// publish queues a message for every connection with a matching subscription.
func (ep *endpoint) publish(frames [][]byte) {
	chunks := encodeFrames(frames)
	var cut []*conn
	ep.mu.Lock()
	for c, topics := range ep.conns {
		for topic := range topics {
			if len(frames[0]) >= len(topic) && string(frames[0][:len(topic)]) == topic {
				c.sendEncoded(frames, chunks)
				if unsent, slow := c.backlog(); slow && unsent > farBehind*ep.limits.HighWater {
					cut = append(cut, c)
				}
				break
			}
		}
	}
	ep.mu.Unlock()
	for _, c := range cut {
		unsent, _ := c.backlog()
		ep.report("subscriber cut off", "%v: subscriber cut off: it takes less than %d bytes a second, with %d waiting", c.peer(), minPace, unsent)
		peer := c.peer()
		_ = c.Close()
		if ep.onCutOff != nil {
			go ep.onCutOff(peer, unsent) // it publishes, and the publisher's lock may be held here
		}
	}
}

// held says whether a publisher has to wait.
func (ep *endpoint) held() bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	slow, ready := 0, 0
	for c, topics := range ep.conns {
		if len(topics) == 0 {
			continue
		}
		switch unsent, isSlow := c.backlog(); {
		case unsent <= ep.limits.HighWater:
			ready++
		case !isSlow:
			return true
		default:
			slow++
		}
	}
	return slow > 0 && ready == 0
}

// waitRoom blocks while a publisher has to wait for subscribers.
func (ep *endpoint) waitRoom() {
	ep.room.mu.Lock()
	defer ep.room.mu.Unlock()
	for hurried := ep.room.hurried; ep.room.hurried == hurried && ep.held(); {
		ep.room.changed.Wait()
	}
}

// hurry ends the waits of now.
func (ep *endpoint) hurry() {
	ep.room.mu.Lock()
	ep.room.hurried++
	ep.room.mu.Unlock()
	ep.room.changed.Broadcast()
}

// moved says that waitRoom's answer may be another. No lock of a connection may be held.
func (ep *endpoint) moved() {
	ep.room.mu.Lock()
	ep.room.moves++ // under the lock: no publisher is between its look and its wait
	ep.room.mu.Unlock()
	ep.room.changed.Broadcast()
}

// drain empties the queues of those that read and then ends the connections.
func (ep *endpoint) drain(conns []*conn) {
	deadline := time.Now().Add(ep.limits.Drain)
	var wg sync.WaitGroup
	for _, c := range conns {
		if _, slow := c.backlog(); slow && len(conns) > 1 {
			continue // it would hold the end of the others
		}
		wg.Go(func() { c.drain(deadline) })
	}
	wg.Wait()
	for _, c := range conns {
		_ = c.Close()
	}
}
