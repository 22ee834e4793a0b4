package wire

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"sync"

	"github.com/go-zeromq/zmq4"
)

// Router talks to many peers, each under its own identity. Recv and Send may run at
// the same time; Send may be called from several goroutines.
type Router interface {
	// Recv returns the frames of one message; the first is the peer's identity.
	// After Close it returns ErrClosed.
	Recv() ([][]byte, error)
	// Send queues frames for the peer whose identity is frames[0]. It does not wait
	// for the peer. A peer that is gone is no error.
	Send(frames [][]byte) error
	Addr() net.Addr
	// Close empties the queues first, for at most Limits.Drain.
	Close() error
}

// Pub sends every message to every subscriber and loses none.
type Pub interface {
	// WaitRoom blocks while a subscriber is over Limits.HighWater. A publisher of
	// output calls it before Send; a short message that must not wait does not.
	WaitRoom()
	// Send queues the message and returns. The frames must not be changed afterwards.
	Send(frames [][]byte) error
	Addr() net.Addr
	// Close empties the queues first, for at most Limits.Drain.
	Close() error
}

// Rep answers one request at a time: Recv, then Send.
type Rep interface {
	Recv() ([][]byte, error)
	Send(frames [][]byte) error
	Addr() net.Addr
	Close() error
}

// ErrClosed is what the sockets return after Close; ErrNoPeer is returned by
// Router.Send when nobody is connected at all.
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
	Log     *log.Logger
	// OnSubscribe, for a Pub, is called with the topic of a new subscription. The
	// message that it returns goes to that subscriber alone, before all others; nil
	// sends nothing. It runs under the publisher's lock and must not publish.
	OnSubscribe func(topic string) [][]byte
}

var (
	routerKind = socketKind{peers: []string{"DEALER", "REQ", "ROUTER"}}
	pubKind    = socketKind{peers: []string{"SUB", "XSUB"}, publishes: true}
	repKind    = socketKind{peers: []string{"REQ", "DEALER"}}
)

// NewRouter opens a Router.
func NewRouter(o Options) (Router, error) {
	s, err := openSocket(o, routerKind, zmq4.NewRouter)
	if err != nil {
		return nil, err
	}
	return router{s}, nil
}

// NewPub opens a Pub.
func NewPub(o Options) (Pub, error) {
	s, err := openSocket(o, pubKind, zmq4.NewPub)
	if err != nil {
		return nil, err
	}
	return pub{s}, nil
}

// NewRep opens a Rep.
func NewRep(o Options) (Rep, error) {
	s, err := openSocket(o, repKind, zmq4.NewRep)
	if err != nil {
		return nil, err
	}
	return rep{s}, nil
}

func openSocket(o Options, kind socketKind, open func(context.Context, ...zmq4.Option) zmq4.Socket) (*socket, error) {
	kind.name = o.Name
	if o.Log == nil {
		o.Log = log.Default()
	}
	ep, err := listen(o.Network, o.Address, kind, o.Limits, o.Log)
	if err != nil {
		return nil, err
	}
	ep.onSubscribe = o.OnSubscribe
	sck, err := attach(ep, open)
	if err != nil {
		return nil, fmt.Errorf("%s socket: %w", o.Name, err)
	}
	return &socket{ep: ep, sck: sck}, nil
}

// socket is what the three have in common.
type socket struct {
	ep   *endpoint
	sck  zmq4.Socket
	once sync.Once
	err  error
}

func (s *socket) Addr() net.Addr { return s.ep.Addr() }

func (s *socket) Close() error {
	s.once.Do(func() {
		s.ep.close()
		s.err = s.sck.Close()
	})
	return s.err
}

func (s *socket) closed() bool {
	select {
	case <-s.ep.done:
		return true
	default:
		return false
	}
}

type router struct{ *socket }

func (r router) Recv() ([][]byte, error) {
	msg, err := r.sck.Recv()
	if err != nil {
		if r.closed() {
			return nil, ErrClosed
		}
		return nil, err
	}
	return msg.Frames, nil
}

func (r router) Send(frames [][]byte) error {
	if r.closed() {
		return ErrClosed
	}
	if r.ep.count() == 0 { // the module would wait for the first peer
		return ErrNoPeer
	}
	err := r.sck.SendMulti(zmq4.NewMsgFrom(frames...))
	if errors.Is(err, net.ErrClosed) || errors.Is(err, zmq4.ErrClosedConn) {
		return nil // left between its request and our answer
	}
	return err
}

type pub struct{ *socket }

func (p pub) WaitRoom() { p.ep.waitRoom() }

func (p pub) Send(frames [][]byte) error {
	if p.closed() {
		return ErrClosed
	}
	p.ep.publish(frames)
	return nil
}

type rep struct{ *socket }

// Recv skips what is no request: a message without the empty frame that ends the
// envelope is an error of the peer, not of the socket.
func (r rep) Recv() ([][]byte, error) {
	for {
		msg, err := r.sck.Recv()
		if err == nil {
			return msg.Frames, nil
		}
		if r.closed() {
			return nil, ErrClosed
		}
		r.ep.logf("request dropped: %v", err)
	}
}

func (r rep) Send(frames [][]byte) error {
	if r.closed() {
		return ErrClosed
	}
	return r.sck.SendMulti(zmq4.NewMsgFrom(frames...))
}
