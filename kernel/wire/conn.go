package wire

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"time"
)

// shareAbove is the size from which a published frame is queued as it is instead
// of being copied into the tail; chunkSize is the capacity of a tail.
const (
	shareAbove = 8 << 10
	chunkSize  = 64 << 10
)

// conn is one connection with its handshake done. The ZeroMQ module reads and
// writes it like any other; endpoint.go creates it.
//
// Reading happens on one goroutine of the module. Writing only fills the queue,
// which the goroutine in writeLoop empties. mu guards the queue and everything
// below it.
type conn struct {
	net.Conn
	ep *endpoint
	br *bufio.Reader

	pass   int64 // bytes that Read may hand on before the next frame header
	frames int   // frames of the incoming message so far

	mu      sync.Mutex
	changed sync.Cond // the queue got longer, got shorter, or closed
	chunks  [][]byte  // to be sent, oldest first
	tail    []byte    // to be sent after chunks; ours, with room to append
	unsent  int64     // bytes in chunks, in tail and in the batch being written
	moved   time.Time // when the peer last took something, or the queue last began to fill
	closing bool      // draining: nothing more is accepted
	closed  bool
	swallow int      // bytes of the module's own greeting that are still to be ignored
	out     boundary // where the module is in the message that it writes
	pongs   []byte   // answers to PING that wait for the end of that message
}

func newConn(ep *endpoint, raw net.Conn, br *bufio.Reader, handshake int) *conn {
	c := &conn{Conn: raw, ep: ep, br: br, pass: int64(handshake), swallow: greetingLen}
	c.changed.L = &c.mu
	return c
}

// Read hands on what the limits allow. Every error ends the connection and is
// reported as net.ErrClosed: the module forgets a connection for good only on an
// error that is neither a timeout nor an unexpected end.
func (c *conn) Read(p []byte) (int, error) {
	for c.pass == 0 {
		if err := c.nextFrame(); err != nil {
			c.end(err)
			return 0, net.ErrClosed
		}
	}
	n, err := c.br.Read(p[:min(int64(len(p)), c.pass)])
	c.pass -= int64(n)
	if err != nil {
		c.end(nil)
		return n, net.ErrClosed
	}
	return n, nil
}

// refused is an error that is worth a line in the log, unlike a peer that leaves.
type refused struct{ error }

// nextFrame looks at the next frame header. A frame of a message is let through
// to the module. Commands, and all that a publisher's peers send, are dealt with here.
func (c *conn) nextFrame() error {
	b, err := c.br.Peek(1)
	if err != nil {
		return err
	}
	if b, err = c.br.Peek(headerLen(b[0])); err != nil {
		return err
	}
	limit := c.ep.limits.MaxFrame
	ours := b[0]&flagCommand != 0 || c.ep.kind.publishes
	if ours {
		limit = maxCommand
	}
	h, err := parseHeader(b, limit)
	if err != nil {
		return refused{err}
	}
	if !h.command() {
		c.frames++
		if c.frames > c.ep.limits.MaxFrames {
			return refused{fmt.Errorf("message has more than %d frames", c.ep.limits.MaxFrames)}
		}
	}
	whole := !h.more() && c.frames == 1
	if !h.more() {
		c.frames = 0
	}
	if !ours {
		c.pass = int64(h.len) + h.size
		return nil
	}
	if b, err = c.br.Peek(h.len + int(h.size)); err != nil {
		return err
	}
	body := append([]byte(nil), b[h.len:]...)
	if _, err := c.br.Discard(h.len + int(h.size)); err != nil {
		return err
	}
	switch {
	case h.command():
		return c.command(body)
	case whole && len(body) > 0 && body[0] <= 1:
		c.ep.subscribe(c, body[0] == 1, string(body[1:]))
	}
	return nil
}

// command answers PING (ZMTP 3.1: a time to live of two bytes, then a context that
// is echoed) and takes subscriptions in their ZMTP 3.1 form. Others mean nothing here.
func (c *conn) command(body []byte) error {
	name, data, err := splitCommand(body)
	if err != nil {
		return refused{err}
	}
	switch name {
	case "PING":
		if len(data) < 2 {
			return refused{fmt.Errorf("PING has %d bytes, wanted at least 2", len(data))}
		}
		c.mu.Lock()
		c.pongs = appendCommand(c.pongs, "PONG", data[2:])
		c.flushPongs()
		c.mu.Unlock()
	case "SUBSCRIBE", "CANCEL":
		if c.ep.kind.publishes {
			c.ep.subscribe(c, name == "SUBSCRIBE", string(data))
		}
	}
	return nil
}

// flushPongs runs with mu held.
func (c *conn) flushPongs() {
	if len(c.pongs) > 0 && c.swallow == 0 && c.out.complete() {
		c.push(c.pongs, false)
		c.pongs = nil
	}
}

// Write is the module's way out. It copies p into the queue and never blocks: the
// module calls it under a lock that all peers share.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.closing {
		return 0, net.ErrClosed
	}
	n := len(p)
	if c.swallow > 0 {
		k := min(c.swallow, len(p))
		c.swallow -= k
		p = p[k:]
	}
	c.out.feed(p)
	c.push(p, false)
	c.flushPongs()
	return n, nil
}

// send queues a whole message. Large frames are shared with the caller and with
// other connections, not copied.
func (c *conn) send(frames [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.closing {
		return
	}
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = flagMore
		}
		var h [maxHeader]byte
		c.push(appendHeader(h[:0], flags, len(f)), false)
		c.push(f, len(f) >= shareAbove)
	}
}

// push appends to the queue, with mu held.
func (c *conn) push(p []byte, share bool) {
	if len(p) == 0 {
		return
	}
	if c.unsent == 0 {
		c.moved = time.Now()
	}
	c.unsent += int64(len(p))
	c.changed.Broadcast()
	if share {
		c.sealTail()
		c.chunks = append(c.chunks, p)
		return
	}
	for len(p) > 0 {
		if c.tail == nil {
			c.tail = make([]byte, 0, chunkSize)
			if len(c.chunks) == 0 && len(p) < chunkSize/16 {
				c.tail = make([]byte, 0, chunkSize/16) // a quiet connection sends one short message at a time
			}
		}
		n := min(cap(c.tail)-len(c.tail), len(p))
		c.tail = append(c.tail, p[:n]...)
		p = p[n:]
		if len(c.tail) == cap(c.tail) {
			c.sealTail()
		}
	}
}

func (c *conn) sealTail() {
	if len(c.tail) > 0 {
		c.chunks = append(c.chunks, c.tail)
	}
	c.tail = nil
}

// writeLoop sends the queue until the connection ends. The write deadline is short
// so that the stall rule is looked at even when the peer takes nothing at all.
func (c *conn) writeLoop() {
	defer c.ep.recoverTo("writer")
	tick := min(time.Second, c.ep.limits.Stall/4)
	for {
		c.mu.Lock()
		for len(c.chunks) == 0 && len(c.tail) == 0 && !c.closed {
			c.changed.Wait()
		}
		if c.closed {
			c.mu.Unlock()
			return
		}
		c.sealTail()
		batch := net.Buffers(c.chunks)
		c.chunks = nil
		c.mu.Unlock()

		for len(batch) > 0 {
			// An error here means a closed connection, which the write then reports.
			_ = c.Conn.SetWriteDeadline(time.Now().Add(tick))
			n, err := batch.WriteTo(c.Conn)
			if why := c.wrote(n, err); why != nil {
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
	c.changed.Broadcast()
	if err == nil {
		return nil
	}
	if t, ok := err.(net.Error); !ok || !t.Timeout() {
		return err
	}
	if still := now.Sub(c.moved); c.unsent > c.ep.limits.HighWater && still >= c.ep.limits.Stall {
		return refused{fmt.Errorf("peer took nothing for %v with %d bytes waiting", still.Round(time.Millisecond), c.unsent)}
	}
	return nil
}

// waitRoom blocks while the queue is over the high-water mark. writeLoop ends the
// wait: the queue shrinks, or the peer is cut off.
func (c *conn) waitRoom() {
	c.mu.Lock()
	for c.unsent > c.ep.limits.HighWater && !c.closed {
		c.changed.Wait()
	}
	c.mu.Unlock()
}

func (c *conn) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsent > c.ep.limits.HighWater && !c.closed
}

// drain refuses new writes and waits until the queue is empty, the connection is
// gone, or the deadline has passed.
func (c *conn) drain(deadline time.Time) {
	timer := time.AfterFunc(time.Until(deadline), func() {
		c.mu.Lock()
		c.changed.Broadcast()
		c.mu.Unlock()
	})
	defer timer.Stop()
	c.mu.Lock()
	c.closing = true
	for c.unsent > 0 && !c.closed && time.Now().Before(deadline) {
		c.changed.Wait()
	}
	left := c.unsent
	c.mu.Unlock()
	if left > 0 {
		c.ep.logf("%v: closed with %d bytes unsent", c.peer(), left)
	}
	// Half-closing lets the peer read everything that was sent before it sees the end.
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// end closes the connection because of err, which is logged when the peer is to blame.
func (c *conn) end(err error) {
	if r, ok := err.(refused); ok {
		c.ep.logf("%v: connection closed: %v", c.peer(), r.error)
	}
	_ = c.Close()
}

// Close ends the connection at once. The module calls it too, on every read error.
func (c *conn) Close() error {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.chunks, c.tail = nil, nil
	c.changed.Broadcast()
	c.mu.Unlock()
	if was {
		return nil
	}
	c.ep.forget(c)
	return c.Conn.Close()
}

// peer names the other end for the log; a Unix socket's peer has no address.
func (c *conn) peer() string {
	if a := c.RemoteAddr().String(); a != "" && a != "@" {
		return a
	}
	return "local peer"
}
