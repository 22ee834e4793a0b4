package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// socketKind is what distinguishes the three sockets on the transport level.
type socketKind struct {
	name      string                               // in the protocol
	peers     []string                             // socket types that may connect
	publishes bool                                 // peers send nothing but subscriptions
	received  func(c *conn, frames [][]byte) error // which ends the connection
}

// endpoint is one listening address and its connections.
type endpoint struct {
	net.Listener
	name        string // for the log
	kind        socketKind
	limits      Limits
	journal     *Journal
	strangers   *Budget
	curve       *CurveKeys                      // nil: not encrypted
	onSubscribe func(topic string) [][]byte     // see Options
	onCutOff    func(peer string, unsent int64) // see Options
	known       chan Received                   // of a Router: messages of connections that have shown the key
	in          chan Received                   // of a Router: messages of all others, which wait for those
	done        chan struct{}                   // closed by close
	room        room                            // of a Pub

	mu     sync.Mutex
	conns  map[*conn]map[string]int // live connections; topic -> how often it is subscribed
	routes map[string]*conn         // identity -> the connection that it stands for
	named  uint32                   // identities given so far
	shut   bool
}

// listen opens the address of o and starts to accept.
func listen(o Options, kind socketKind) (*endpoint, error) {
	if o.Network == "unix" {
		if err := prepareUnix(o.Address); err != nil {
			return nil, fmt.Errorf("%s socket: %w", o.Name, err)
		}
	}
	ln, err := net.Listen(o.Network, o.Address)
	if err != nil {
		return nil, fmt.Errorf("%s socket: %w", o.Name, err)
	}
	if o.Network == "unix" {
		if err := os.Chmod(o.Address, 0o600); err != nil {
			_ = ln.Close()
			return nil, fmt.Errorf("%s socket: %w", o.Name, err)
		}
	}
	ep := &endpoint{
		Listener: ln, name: o.Name, kind: kind, limits: o.Limits.withDefaults(), journal: o.Journal, strangers: o.Strangers, curve: o.Curve,
		onSubscribe: o.OnSubscribe, onCutOff: o.OnCutOff,
		known: make(chan Received), in: make(chan Received), done: make(chan struct{}), conns: map[*conn]map[string]int{}, routes: map[string]*conn{},
	}
	ep.room.changed.L = &ep.room.mu
	go ep.acceptLoop()
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
// holds up none of them.
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
				ep.report("accept", "accept: %v", err)
				continue
			}
		}
		go ep.admit(raw)
	}
}

// admit shakes hands with a peer and serves it.
func (ep *endpoint) admit(raw net.Conn) {
	defer ep.recoverTo("handshake")
	peer := raw.RemoteAddr().String()
	if err := ep.strangers.take(strangerCost); err != nil {
		_ = raw.Close()
		ep.report("connection refused: no room", "%s: connection refused: %v", peer, err)
		return
	}
	br := bufio.NewReaderSize(raw, 2*maxCommand)
	p, err := ep.shake(raw, br)
	if err != nil {
		_ = raw.Close()
		ep.strangers.giveBack(strangerCost, strangerCost)
		ep.report("connection refused", "%s: connection refused: %v", peer, err)
		return
	}
	c := newConn(ep, raw, br, p.metadata["Identity"])
	if c.curve = p.shared; c.curve != nil {
		c.trust() // it has read the connection file
	}
	c.mu.Lock()
	c.push([][]byte{p.ready}) // before anything that is sent to it once it is known
	c.mu.Unlock()
	if !ep.add(c) {
		_ = c.Close()
		return
	}
	go c.write()
	c.read()
}

// add books a new connection, unless the endpoint is closed. A peer without an identity is given one; one with an
// identity that is in use gets nothing that is sent to it, until it has shown the key.
func (ep *endpoint) add(c *conn) bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.shut {
		return false
	}
	if c.identity == "" {
		ep.named++
		c.identity = string(binary.BigEndian.AppendUint32([]byte{0}, ep.named)) // a peer's own begins with another byte
	}
	ep.conns[c] = map[string]int{}
	if ep.routes[c.identity] == nil {
		ep.routes[c.identity] = c
	}
	return true
}

// route makes c the connection that its identity stands for.
func (ep *endpoint) route(c *conn) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.conns[c] != nil {
		ep.routes[c.identity] = c
	}
}

func (ep *endpoint) routed(identity string) *conn {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.routes[identity]
}

func (ep *endpoint) shake(raw net.Conn, br *bufio.Reader) (*shaken, error) {
	if u, ok := raw.(*net.UnixConn); ok {
		if err := checkPeerUser(u); err != nil {
			return nil, err
		}
	}
	if err := raw.SetDeadline(time.Now().Add(ep.limits.Handshake)); err != nil {
		return nil, err
	}
	p, err := shakeHands(br, ep.kind, ep.curve, func(b []byte) error { _, err := raw.Write(b); return err })
	if err != nil {
		return nil, err
	}
	return p, raw.SetDeadline(time.Time{})
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

// close stops accepting, empties the queues, and then ends the connections.
func (ep *endpoint) close() error {
	ep.mu.Lock()
	if ep.shut {
		ep.mu.Unlock()
		return nil
	}
	ep.shut = true
	close(ep.done)
	conns := make([]*conn, 0, len(ep.conns))
	for c := range ep.conns {
		conns = append(conns, c)
	}
	ep.mu.Unlock()
	err := ep.Listener.Close() // removes a Unix socket's file as well
	ep.drain(conns)
	return err
}

func (ep *endpoint) forget(c *conn) {
	ep.mu.Lock()
	delete(ep.conns, c)
	if ep.routes[c.identity] == c {
		delete(ep.routes, c.identity)
		for other := range ep.conns { // one that was kept from it
			if other.identity == c.identity {
				ep.routes[c.identity] = other
				break
			}
		}
	}
	ep.mu.Unlock()
	ep.moved()
}

func (ep *endpoint) count() int {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return len(ep.conns)
}

// topicsBytes is what the topics of one connection may take; it is a part of strangerCost.
const topicsBytes = 8 << 10

// subscribe books a subscription. The welcome goes into the subscriber's queue
// under the same lock that publishing takes, so it is the first thing it gets.
func (ep *endpoint) subscribe(c *conn, on bool, topic string) error {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	topics := ep.conns[c]
	if topics == nil {
		return nil // closed meanwhile
	}
	if !on {
		if topics[topic]--; topics[topic] <= 0 {
			delete(topics, topic)
		}
		return nil
	}
	if topics[topic] == 0 {
		taken := 0
		for other := range topics {
			taken += len(other) + frameCost
		}
		if taken+len(topic)+frameCost > topicsBytes {
			return refused{fmt.Errorf("the topics of one connection may have %d bytes", topicsBytes)}
		}
		if ep.onSubscribe != nil {
			if frames := ep.onSubscribe(topic); frames != nil {
				c.send(frames)
			}
		}
	}
	topics[topic]++
	return nil
}

func (ep *endpoint) report(cause, format string, args ...any) {
	ep.journal.Report(ep.name+": "+cause, ep.name+": "+format, args...)
}

// recoverTo turns a panic of one goroutine into a line in the log: an unrecovered
// one would take the interpreter and the user's data with it.
func (ep *endpoint) recoverTo(what string) {
	if r := recover(); r != nil {
		ep.journal.log.Printf("%s: BUG: panic in the %s: %v\n%s", ep.name, what, r, debug.Stack())
	}
}
