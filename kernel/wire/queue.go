package wire

import (
	"fmt"
	"net"
	"time"
)

// shareAbove is the size from which a frame is queued as it is instead of being copied next to its neighbours.
const shareAbove = 8 << 10

// queue is what waits to be sent to one peer; the connection's lock guards it. Messages are encoded once, and the bytes
// are shared by the queues of all subscribers: a queue owns its list only.
type queue struct {
	chunks [][]byte  // to be sent, oldest first
	unsent int64     // bytes in chunks and in the batch that is being written
	moved  time.Time // when the peer last took something, or the queue last began to fill
	pace   pace
}

// pace tells a peer that takes what it is sent, however late, from one that hardly does.
type pace struct {
	begun time.Time // of the second that is counted now
	taken int64     // bytes that the peer has taken in it
	slow  bool      // the last whole second had less than minPace
}

// minPace is how many bytes a second a peer takes that others wait for.
const minPace = 1 << 20

func (p *pace) start(now time.Time) { *p = pace{begun: now} }

func (p *pace) took(n int64, now time.Time) {
	p.taken += n
	if passed := now.Sub(p.begun); passed >= time.Second {
		p.slow = float64(p.taken) < minPace*passed.Seconds()
		p.begun, p.taken = now, 0
	}
}

// encodeFrames makes chunks of a message: small frames side by side in one buffer, large ones as they are.
func encodeFrames(frames [][]byte) [][]byte {
	var chunks [][]byte
	var small []byte
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = flagMore
		}
		small = appendHeader(small, flags, len(f))
		if len(f) < shareAbove {
			small = append(small, f...)
			continue
		}
		chunks = append(chunks, small, f)
		small = nil
	}
	if len(small) > 0 {
		chunks = append(chunks, small)
	}
	return chunks
}

// send queues a message, whose frames must not change afterwards. It never waits.
func (c *conn) send(frames [][]byte) { c.sendEncoded(frames, nil) }

// sendEncoded is send of a message whose chunks are there already, for connections that are not encrypted.
func (c *conn) sendEncoded(frames, chunks [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || c.closing:
		return
	case c.curve != nil: // under the lock: frames are numbered in the order in which they are queued
		var sealed []byte
		for i, f := range frames {
			var flags byte
			if i < len(frames)-1 {
				flags = flagMore
			}
			sealed = c.curve.seal(sealed, flags, f)
		}
		chunks = [][]byte{sealed}
	case chunks == nil:
		chunks = encodeFrames(frames)
	}
	c.push(chunks)
}

// sendCommand queues a command.
func (c *conn) sendCommand(name string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.closing {
		return
	}
	if c.curve != nil {
		body := append(append([]byte{byte(len(name))}, name...), data...)
		c.push([][]byte{c.curve.seal(nil, flagCommand, body)})
		return
	}
	c.push([][]byte{appendCommand(nil, name, data)})
}

// push runs with mu held.
func (c *conn) push(chunks [][]byte) {
	if c.unsent == 0 {
		c.moved = time.Now()
		c.pace.start(c.moved)
	}
	for _, chunk := range chunks {
		c.unsent += int64(len(chunk))
	}
	c.chunks = append(c.chunks, chunks...)
	c.changed.Broadcast()
}

// drop forgets what has not been sent; it runs with mu held.
func (c *conn) drop() { c.chunks = nil }

// write sends the queue until the connection ends. The write deadline is short
// so that the stall rule is looked at even when the peer takes nothing at all.
func (c *conn) write() {
	defer c.ep.recoverTo("writer")
	tick := min(time.Second, c.ep.limits.Stall) / 4
	for {
		c.mu.Lock()
		for len(c.chunks) == 0 && !c.closed {
			c.changed.Wait()
		}
		if c.closed {
			c.mu.Unlock()
			return
		}
		batch := net.Buffers(c.chunks)
		c.chunks = nil
		c.mu.Unlock()

		for len(batch) > 0 {
			// An error here means a closed connection, which the write then reports.
			_ = c.SetWriteDeadline(time.Now().Add(tick))
			n, err := batch.WriteTo(c.Conn)
			why := c.wrote(n, err)
			c.ep.moved()
			if why != nil {
				c.end(why)
				return
			}
		}
	}
}

// wrote books n sent bytes and decides whether the connection can go on.
func (c *conn) wrote(n int64, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsent -= n
	now := time.Now()
	if n > 0 {
		c.moved = now
	}
	c.pace.took(n, now)
	c.changed.Broadcast()
	if err == nil {
		return nil
	}
	if t, ok := err.(net.Error); !ok || !t.Timeout() {
		return err
	}
	if still := now.Sub(c.moved); c.unsent > c.stallLimit() && still >= c.ep.limits.Stall {
		return refused{fmt.Errorf("peer took nothing for %v with %d bytes waiting", still.Round(time.Millisecond), c.unsent)}
	}
	return nil
}

// backlog is what a publisher asks: how much waits, and whether the peer hardly takes any of it.
func (c *conn) backlog() (unsent int64, slow bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, false
	}
	return c.unsent, c.pace.slow
}
