package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// firstPiece is how much of an announced body is made room for before any of it has arrived; after that, room
// doubles with what has.
const firstPiece = 4 << 10

// answersUnread is how many bytes of answers to commands and heartbeats a stranger's connection may leave unread
// before nothing more is read from it. With a signed message the limit becomes Limits.HighWater.
const answersUnread = 16 << 10

// conn is one connection with its handshake done.
//
// One goroutine reads it (read), one writes it (queue.go). mu guards the queue, and everything below it here.
type conn struct {
	net.Conn
	ep       *endpoint
	br       *bufio.Reader
	identity string // what a Router's Send calls the peer
	curve    *curve // nil: frames are not encrypted

	mu      sync.Mutex
	changed sync.Cond // the queue got longer, got shorter, or the connection ended
	queue
	trusted bool  // has sent a message with a good signature
	held    int64 // bytes of the message that is read or looked at; not counted once the connection is trusted
	booked  int64 // bytes of the budget that this connection holds; none once it is trusted
	closing bool  // draining: nothing more is accepted
	closed  bool
}

// newConn makes a connection of a peer that has shaken hands. Its strangerCost is booked already.
func newConn(ep *endpoint, raw net.Conn, br *bufio.Reader, identity string) *conn {
	c := &conn{Conn: raw, ep: ep, br: br, identity: identity, booked: strangerCost}
	c.changed.L = &c.mu
	return c
}

// refused is an error that is worth a line in the log, unlike a peer that leaves.
type refused struct{ error }

// read takes messages until the connection ends, and hands them to the endpoint.
func (c *conn) read() {
	defer c.ep.recoverTo("reader")
	for {
		frames, err := c.message()
		if err != nil {
			c.end(err)
			return
		}
		if err := c.ep.kind.received(c, frames); err != nil {
			c.end(err)
			return
		}
		c.forgetMessage()
	}
}

// message reads one message. Commands on the way are answered.
func (c *conn) message() ([][]byte, error) {
	var frames [][]byte
	var size int64
	for {
		c.waitAnswersRead()
		flags, body, err := c.frame(c.ep.limits.MaxFrame - size)
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			if err := c.command(body); err != nil {
				return nil, err
			}
			continue
		}
		size += int64(len(body))
		if len(frames) == c.ep.limits.MaxFrames {
			return nil, refused{fmt.Errorf("message has more than %d frames", c.ep.limits.MaxFrames)}
		}
		if frames = append(frames, body); flags&flagMore == 0 {
			return frames, nil
		}
	}
}

// frame reads one frame of a message that may have left bytes more, and decrypts it.
func (c *conn) frame(left int64) (flags byte, body []byte, err error) {
	h, err := c.header(left)
	if err != nil {
		return 0, nil, err
	}
	if body, err = c.body(h.size); err != nil || c.curve == nil {
		return h.flags, body, err
	}
	if flags, body, err = c.curve.open(body); err != nil {
		return 0, nil, refused{err}
	}
	return flags, body, nil
}

// header reads the header of the next frame of a message that may have left bytes more. Commands, and all that a
// publisher's peers send, are short.
func (c *conn) header(left int64) (frameHeader, error) {
	b, err := c.br.Peek(1)
	if err != nil {
		return frameHeader{}, err
	}
	limit := c.ep.limits.MaxFrame
	if b[0]&flagCommand != 0 || c.ep.kind.publishes {
		limit = maxCommand
	}
	if c.curve != nil {
		limit, left = limit+int64(curveCost), left+int64(curveCost)
	}
	if b, err = c.br.Peek(headerLen(b[0])); err != nil {
		return frameHeader{}, err
	}
	h, err := parseHeader(b, limit)
	if err != nil {
		return h, refused{err}
	}
	if h.size > left {
		return h, refused{fmt.Errorf("message is over the limit of %d bytes", c.ep.limits.MaxFrame)}
	}
	_, err = c.br.Discard(h.len)
	return h, err
}

// frameCost is what a frame takes besides its bytes.
const frameCost = 48

// body reads size bytes. A stranger's are booked as they arrive.
func (c *conn) body(size int64) ([]byte, error) {
	room := min(size, firstPiece)
	if err := c.book(room + frameCost); err != nil {
		return nil, err
	}
	b := make([]byte, 0, room)
	for {
		n, err := io.ReadFull(c.br, b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err != nil {
			return nil, err
		}
		if int64(len(b)) == size {
			return b, nil
		}
		grown := min(2*room, size)
		if err := c.book(grown); err != nil { // while it is copied both are there
			return nil, err
		}
		b = append(make([]byte, 0, grown), b...)
		c.unbook(room)
		room = grown
	}
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
		c.sendCommand("PONG", data[2:])
	case "SUBSCRIBE", "CANCEL":
		if c.ep.kind.publishes {
			return c.ep.subscribe(c, name == "SUBSCRIBE", string(data))
		}
	}
	return nil
}

// waitAnswersRead returns when the peer has read enough of what it was answered for more to be read from it.
func (c *conn) waitAnswersRead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.unsent > c.answersLimit() && !c.closed {
		c.changed.Wait()
	}
}

// answersLimit runs with mu held.
func (c *conn) answersLimit() int64 {
	if c.trusted {
		return c.ep.limits.HighWater
	}
	return min(answersUnread, c.ep.limits.HighWater)
}

// stallLimit is how many bytes a peer may leave unread for longer than Limits.Stall; it runs with mu held.
func (c *conn) stallLimit() int64 {
	if c.ep.kind.publishes {
		return c.ep.limits.HighWater
	}
	return c.answersLimit()
}

// book takes of the strangers' budget what n bytes more of a message need.
func (c *conn) book(n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trusted || c.closed {
		return nil
	}
	if more := cost(c.held+n) - c.booked; more > 0 {
		if err := c.ep.strangers.take(more); err != nil {
			return err
		}
		c.booked += more
	}
	c.held += n
	return nil
}

// cost is what a stranger's connection that holds so many bytes of a message takes of the budget.
func cost(held int64) int64 { return strangerCost + max(0, held-smallMessage) }

func (c *conn) unbook(n int64) {
	c.mu.Lock()
	booked := !c.trusted && !c.closed
	if booked {
		c.held -= n
		less := c.booked - cost(c.held)
		c.booked -= less
		c.ep.strangers.giveBack(less, n)
	}
	c.mu.Unlock()
	if booked {
		c.ep.strangers.sweep()
	}
}

// forgetMessage books a message out with which the kernel is done.
func (c *conn) forgetMessage() {
	c.mu.Lock()
	n := c.held
	c.mu.Unlock()
	if n > 0 {
		c.unbook(n)
	}
}

// trust says that a message of this connection had a good signature.
func (c *conn) trust() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.trusted && !c.closed {
		c.trusted = true
		c.ep.strangers.giveBack(c.booked, c.booked)
		c.booked = 0
		c.changed.Broadcast() // more may be unread now
	}
}

// known says whether a message of this connection had a good signature.
func (c *conn) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trusted
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
		c.ep.report("closed with bytes unsent", "%v: closed with %d bytes unsent", c.peer(), left)
	}
	// Half-closing lets the peer read everything that was sent before it sees the end.
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// end closes the connection because of err, which is logged when the peer is to blame.
func (c *conn) end(err error) {
	if r, ok := err.(refused); ok {
		c.ep.report("connection closed", "%v: connection closed: %v", c.peer(), r.error)
	}
	_ = c.Close()
}

// Close ends the connection at once.
func (c *conn) Close() error {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.ep.strangers.giveBack(c.booked, c.booked) // under the lock: what is closed has nothing
	c.booked = 0
	c.drop()
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
