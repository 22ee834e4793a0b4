package wire

import (
	"errors"
	"log"
	"net"
)

// Router talks to many peers, each under its own identity. Recv and Send may run at
// the same time; Send may be called from several goroutines.
type Router interface {
	// Recv returns the next message. After Close it returns ErrClosed.
	Recv() (Received, error)
	// Send queues frames for the peer whose identity is frames[0]. It does not wait
	// for the peer. A peer that is gone is no error. The frames must not be changed afterwards.
	Send(frames [][]byte) error
	Addr() net.Addr
	// Close empties the queues first, for at most Limits.Drain.
	Close() error
}

// Received is a message of a Router.
type Received struct {
	Frames [][]byte // the first is the peer's identity
	from   *conn
}

// Trust says that the message had a good signature: its connection is no stranger's any more, and what is sent to its
// identity goes there.
func (r Received) Trust() {
	r.from.trust()
	r.from.ep.route(r.from)
}

// Pub sends every message to every subscriber; publish.go says which of them it waits for.
type Pub interface {
	// WaitRoom blocks while a subscriber is behind. A publisher of
	// output calls it before Send; a short message that must not wait does not.
	WaitRoom()
	// Hurry ends the waits of now.
	Hurry()
	// Send queues the message and returns. The frames must not be changed afterwards.
	Send(frames [][]byte) error
	Addr() net.Addr
	// Close empties the queues first, for at most Limits.Drain.
	Close() error
}

// Echo sends every message back to where it came from, by itself.
type Echo interface {
	Addr() net.Addr
	Close() error
}

// ErrClosed is what the sockets return after Close; ErrNoPeer is returned by
// Router.Send when no peer is connected at all.
var (
	ErrClosed = errors.New("socket is closed")
	ErrNoPeer = errors.New("no client is connected to the socket")
)

// Options opens a socket.
type Options struct {
	Network string // "tcp" or "unix"
	Address string // host:port, or a path
	Name    string // for the log: "shell", "iopub"
	Limits  Limits
	Journal *Journal // nil: of the standard logger
	// Strangers is what connections without a signed message share, with those of other sockets. Nil is a budget of
	// this socket's own, of DefaultStrangers bytes.
	Strangers *Budget
	// Curve has peers shake hands by the CURVE mechanism, and encrypts all frames. Nil is the NULL mechanism.
	Curve *CurveKeys
	// OnSubscribe, for a Pub, is called with the topic of a new subscription. The
	// message that it returns goes to that subscriber alone, before all others; nil
	// sends nothing. It runs under the publisher's lock and must not publish.
	OnSubscribe func(topic string) [][]byte
	// OnCutOff, for a Pub, is told of a subscriber whose connection was ended because it did not read.
	OnCutOff func(peer string, unsent int64)
}

// DefaultStrangers is the memory, in bytes, of connections that have not sent a signed message.
const DefaultStrangers = 64 << 20

// The functions that open sockets. Each names the types of sockets that may connect.

// NewRouter opens a Router.
func NewRouter(o Options) (Router, error) {
	ep, err := open(o, socketKind{name: "ROUTER", peers: []string{"DEALER", "REQ", "ROUTER"}, received: deliver})
	if err != nil {
		return nil, err
	}
	return router{ep}, nil
}

// NewPub opens a Pub.
func NewPub(o Options) (Pub, error) {
	ep, err := open(o, socketKind{name: "PUB", peers: []string{"SUB", "XSUB"}, publishes: true, received: takeSubscription})
	if err != nil {
		return nil, err
	}
	return pub{ep}, nil
}

// NewEcho opens an Echo.
func NewEcho(o Options) (Echo, error) {
	ep, err := open(o, socketKind{name: "REP", peers: []string{"REQ", "DEALER"}, received: sendBack})
	if err != nil {
		return nil, err
	}
	return echo{ep}, nil
}

func open(o Options, kind socketKind) (*endpoint, error) {
	if o.Journal == nil {
		o.Journal = NewJournal(log.Default())
	}
	if o.Strangers == nil {
		o.Strangers = NewBudget(DefaultStrangers, nil)
	}
	return listen(o, kind)
}

// deliver waits for the router's Recv. It gives a connection's next message only then, so that its messages stay in
// order.
func deliver(c *conn, frames [][]byte) error {
	r := Received{append([][]byte{[]byte(c.identity)}, frames...), c}
	in := c.ep.in
	if c.known() {
		in = c.ep.known
	}
	select {
	case in <- r:
	case <-c.ep.done:
	}
	return nil
}

// takeSubscription reads the form of a subscription that is a message: a byte, 1 for on, and the topic.
func takeSubscription(c *conn, frames [][]byte) error {
	if body := frames[0]; len(frames) == 1 && len(body) > 0 && body[0] <= 1 {
		return c.ep.subscribe(c, body[0] == 1, string(body[1:]))
	}
	return nil
}

func sendBack(c *conn, frames [][]byte) error {
	c.send(frames)
	return nil
}

func (ep *endpoint) closed() bool {
	select {
	case <-ep.done:
		return true
	default:
		return false
	}
}

type router struct{ ep *endpoint }

func (r router) Addr() net.Addr { return r.ep.Addr() }
func (r router) Close() error   { return r.ep.close() }

// Recv takes strangers' messages when no other waits: to look at the signatures of what they send takes longer than to
// serve an interrupt, which would be behind all of it.
func (r router) Recv() (Received, error) {
	select {
	case m := <-r.ep.known:
		return m, nil
	default:
	}
	select {
	case m := <-r.ep.known:
		return m, nil
	case m := <-r.ep.in:
		return m, nil
	case <-r.ep.done:
		return Received{}, ErrClosed
	}
}

func (r router) Send(frames [][]byte) error {
	if r.ep.closed() {
		return ErrClosed
	}
	if r.ep.count() == 0 {
		return ErrNoPeer
	}
	if c := r.ep.routed(string(frames[0])); c != nil {
		c.send(frames[1:])
	}
	return nil
}

type pub struct{ ep *endpoint }

func (p pub) Addr() net.Addr { return p.ep.Addr() }
func (p pub) Close() error   { return p.ep.close() }
func (p pub) WaitRoom()      { p.ep.waitRoom() }
func (p pub) Hurry()         { p.ep.hurry() }

func (p pub) Send(frames [][]byte) error {
	if p.ep.closed() {
		return ErrClosed
	}
	p.ep.publish(frames)
	return nil
}

type echo struct{ ep *endpoint }

func (e echo) Addr() net.Addr { return e.ep.Addr() }
func (e echo) Close() error   { return e.ep.close() }
