package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/transport"
)

// socketKind is what distinguishes the three sockets on the transport level.
type socketKind struct {
	name      string
	peers     []string // socket types that may connect
	publishes bool     // peers send nothing but subscriptions
}

// endpoint is one listening address and its connections. It is the net.Listener
// that the ZeroMQ module accepts from: Accept returns connections whose handshake
// is complete.
type endpoint struct {
	net.Listener
	kind        socketKind
	limits      Limits
	log         *log.Logger
	onSubscribe func(topic string) [][]byte // see PubOptions

	ready chan *conn
	done  chan struct{} // closed by close
	ended chan struct{} // closed when the module has closed its socket

	mu    sync.Mutex
	conns map[*conn]map[string]int // live connections; topic -> how often it is subscribed
	shut  bool
}

// listen opens address ("tcp" or "unix") and starts to accept.
func listen(network, address string, kind socketKind, limits Limits, logger *log.Logger) (*endpoint, error) {
	if network == "unix" {
		if err := prepareUnix(address); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("%s socket: %w", kind.name, err)
	}
	if network == "unix" {
		if err := os.Chmod(address, 0o600); err != nil {
			_ = ln.Close()
			return nil, fmt.Errorf("%s socket: %w", kind.name, err)
		}
	}
	ep := &endpoint{
		Listener: ln, kind: kind, limits: limits.withDefaults(), log: logger,
		ready: make(chan *conn), done: make(chan struct{}), ended: make(chan struct{}),
		conns: map[*conn]map[string]int{},
	}
	return ep, nil
}

// maxUnixPath is what fits into sockaddr_un, with its final zero byte.
const maxUnixPath = 107

// prepareUnix checks the path and removes the socket that a killed kernel left
// behind: a restarted kernel is given the same path. A socket that still answers stays.
func prepareUnix(path string) error {
	if len(path) > maxUnixPath {
		return fmt.Errorf("ipc socket path has %d bytes, the system allows %d: %s (choose a shorter ip in the connection file)", len(path), maxUnixPath, path)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("ipc socket path %s exists and is not a socket", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		return fmt.Errorf("ipc socket %s is in use by another process", path)
	}
	return os.Remove(path)
}

// acceptLoop gives each raw connection its own goroutine, so that a silent peer
// holds up nobody.
func (ep *endpoint) acceptLoop() {
	defer ep.recoverTo("acceptor")
	for {
		raw, err := ep.Listener.Accept()
		if err != nil {
			select {
			case <-ep.done:
				return
			case <-time.After(100 * time.Millisecond): // out of descriptors, most likely
				if errors.Is(err, net.ErrClosed) {
					return
				}
				ep.logf("accept: %v", err)
				continue
			}
		}
		go ep.admit(raw)
	}
}

// admit shakes hands with a peer and hands the connection to the module.
func (ep *endpoint) admit(raw net.Conn) {
	defer ep.recoverTo("handshake")
	name := raw.RemoteAddr().String()
	br := bufio.NewReaderSize(raw, 64<<10)
	size, err := ep.shake(raw, br)
	if err != nil {
		_ = raw.Close()
		ep.logf("%s: connection refused: %v", name, err)
		return
	}
	c := newConn(ep, raw, br, size)
	ep.mu.Lock()
	if ep.shut {
		ep.mu.Unlock()
		_ = raw.Close()
		return
	}
	ep.conns[c] = map[string]int{}
	ep.mu.Unlock()
	go c.writeLoop()
	select {
	case ep.ready <- c:
	case <-ep.done:
		_ = c.Close()
	}
}

func (ep *endpoint) shake(raw net.Conn, br *bufio.Reader) (int, error) {
	if u, ok := raw.(*net.UnixConn); ok {
		if err := checkPeerUser(u); err != nil {
			return 0, err
		}
	}
	if err := raw.SetDeadline(time.Now().Add(ep.limits.Handshake)); err != nil {
		return 0, err
	}
	if _, err := raw.Write(greeting()); err != nil {
		return 0, err
	}
	size, err := peekHandshake(br, ep.kind.peers)
	if err != nil {
		return 0, err
	}
	return size, raw.SetDeadline(time.Time{})
}

// checkPeerUser refuses other users on a Unix socket: file permissions of the
// directory are the client's affair and may be too wide.
func checkPeerUser(u *net.UnixConn) error {
	sc, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var cred *syscall.Ucred
	var credErr error
	if err := sc.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if credErr != nil {
		return fmt.Errorf("peer credentials: %w", credErr)
	}
	return checkUser(cred.Uid, uint32(os.Getuid()))
}

func checkUser(got, want uint32) error {
	if got != want {
		return fmt.Errorf("peer runs as user %d, this kernel as %d", got, want)
	}
	return nil
}

// Accept is called by the module in a loop that only the end of its context ends:
// after close it must block until then, since the module would retry an error at once.
func (ep *endpoint) Accept() (net.Conn, error) {
	select {
	case c := <-ep.ready:
		return c, nil
	case <-ep.ended:
		return nil, net.ErrClosed
	}
}

// Close is the module's; close does the work.
func (ep *endpoint) Close() error { return nil }

// close stops accepting, empties the queues, and then ends the connections.
func (ep *endpoint) close() {
	ep.mu.Lock()
	if ep.shut {
		ep.mu.Unlock()
		return
	}
	ep.shut = true
	close(ep.done)
	conns := make([]*conn, 0, len(ep.conns))
	for c := range ep.conns {
		conns = append(conns, c)
	}
	ep.mu.Unlock()
	_ = ep.Listener.Close() // removes a Unix socket's file as well

	deadline := time.Now().Add(ep.limits.Drain)
	var wg sync.WaitGroup
	for _, c := range conns {
		wg.Go(func() { c.drain(deadline) })
	}
	wg.Wait()
	for _, c := range conns {
		_ = c.Close()
	}
}

func (ep *endpoint) forget(c *conn) {
	ep.mu.Lock()
	delete(ep.conns, c)
	ep.mu.Unlock()
}

func (ep *endpoint) count() int {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return len(ep.conns)
}

// subscribe books a subscription. The welcome goes into the subscriber's queue
// under the same lock that publishing takes, so it is the first thing it gets.
func (ep *endpoint) subscribe(c *conn, on bool, topic string) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	topics := ep.conns[c]
	if topics == nil {
		return // closed meanwhile
	}
	if !on {
		if topics[topic]--; topics[topic] <= 0 {
			delete(topics, topic)
		}
		return
	}
	if topics[topic] == 0 && ep.onSubscribe != nil {
		if frames := ep.onSubscribe(topic); frames != nil {
			c.send(frames)
		}
	}
	topics[topic]++
}

// publish queues a message for every connection with a matching subscription.
func (ep *endpoint) publish(frames [][]byte) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	for c, topics := range ep.conns {
		for topic := range topics {
			if len(frames[0]) >= len(topic) && string(frames[0][:len(topic)]) == topic {
				c.send(frames)
				break
			}
		}
	}
}

// waitRoom blocks until no queue is over the high-water mark.
func (ep *endpoint) waitRoom() {
	for {
		var behind *conn
		ep.mu.Lock()
		for c := range ep.conns {
			if c.full() {
				behind = c
				break
			}
		}
		ep.mu.Unlock()
		if behind == nil {
			return
		}
		behind.waitRoom()
	}
}

func (ep *endpoint) logf(format string, args ...any) {
	ep.log.Printf(ep.kind.name+": "+format, args...)
}

// recoverTo turns a panic of one goroutine into a line in the log: an unrecovered
// one would take the interpreter and the user's data with it.
func (ep *endpoint) recoverTo(what string) {
	if r := recover(); r != nil {
		ep.logf("BUG: panic in the %s: %v\n%s", what, r, debug.Stack())
	}
}

// handover is the transport registered with the module. It opens nothing: the
// endpoint travels in the socket's context, because the module's own address
// argument is text and the endpoint carries limits, hooks and an open listener.
type handover struct{}

type endpointKey struct{}

var _ transport.Transport = handover{}

func (handover) Dial(context.Context, transport.Dialer, string) (net.Conn, error) {
	return nil, errors.New("wire: this transport only listens")
}

func (handover) Addr(ep string) (string, error) { return ep, nil }

func (handover) Listen(ctx context.Context, _ string) (net.Listener, error) {
	ep, ok := ctx.Value(endpointKey{}).(*endpoint)
	if !ok {
		return nil, errors.New("wire: socket without an endpoint in its context")
	}
	go ep.acceptLoop()
	context.AfterFunc(ctx, func() { close(ep.ended) })
	return ep, nil
}

// scheme names handover in the module's table of transports.
const scheme = "weft"

var register = sync.OnceValue(func() error { return zmq4.RegisterTransport(scheme, handover{}) })

// attach makes a module socket serve ep.
func attach(ep *endpoint, open func(context.Context, ...zmq4.Option) zmq4.Socket) (zmq4.Socket, error) {
	if err := register(); err != nil {
		return nil, err
	}
	ctx := context.WithValue(context.Background(), endpointKey{}, ep)
	// The module's log is ours; its send timeout could only matter when a queue
	// blocked, which none does.
	sck := open(ctx, zmq4.WithLogger(log.New(logWriter{ep}, "", 0)), zmq4.WithTimeout(ep.limits.Stall))
	if err := sck.Listen(scheme + "://" + ep.kind.name); err != nil {
		_ = ep.Listener.Close()
		return nil, err
	}
	return sck, nil
}

// logWriter gives the module's log lines the socket's name.
type logWriter struct{ ep *endpoint }

func (w logWriter) Write(p []byte) (int, error) {
	w.ep.logf("%s", strings.TrimRight(string(p), "\n"))
	return len(p), nil
}
