package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

// logBook collects log lines and lets a test wait for one.
type logBook struct {
	mu    sync.Mutex
	lines []string
	grew  chan struct{}
}

func newLogBook() *logBook { return &logBook{grew: make(chan struct{}, 1)} }

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	b.lines = append(b.lines, string(p))
	b.mu.Unlock()
	select {
	case b.grew <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (b *logBook) has(part string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		if strings.Contains(l, part) {
			return true
		}
	}
	return false
}

// await returns once a line with part was logged; the test's own deadline ends a failure.
func (b *logBook) await(t *testing.T, part string) {
	t.Helper()
	for !b.has(part) {
		select {
		case <-b.grew:
		case <-time.After(30 * time.Second):
			t.Fatalf("no log line with %q in %q", part, b.lines)
		}
	}
}

func options(name string, b *logBook) Options {
	return Options{Network: "tcp", Address: "127.0.0.1:0", Name: name, Journal: NewJournal(log.New(b, "", 0))}
}

func openRouter(t *testing.T, o Options) Router {
	t.Helper()
	r, err := NewRouter(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// echoAll answers every message with itself until the router closes.
func echoAll(r Router) {
	for {
		m, err := r.Recv()
		if err != nil {
			return
		}
		m.Trust()
		_ = r.Send(m.Frames)
	}
}

func dealer(t *testing.T, addr net.Addr, id string) zmq4.Socket {
	t.Helper()
	d := zmq4.NewDealer(context.Background(), zmq4.WithID(zmq4.SocketIdentity(id)), zmq4.WithLogger(log.New(io.Discard, "", 0)))
	if err := d.Dial("tcp://" + addr.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func roundTrip(t *testing.T, d zmq4.Socket, text string) {
	t.Helper()
	if err := d.SendMulti(zmq4.NewMsgFrom([]byte(text), []byte("second"))); err != nil {
		t.Fatal(err)
	}
	msg, err := d.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if len(msg.Frames) != 2 || string(msg.Frames[0]) != text {
		t.Fatalf("got %q, wanted %q and \"second\"", msg.Frames, text)
	}
}

// peer is a raw ZMTP peer that does exactly what a test tells it to.
type peer struct {
	net.Conn
	br *bufio.Reader
}

func dialRaw(t *testing.T, addr net.Addr) *peer {
	t.Helper()
	c, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &peer{c, bufio.NewReader(c)}
}

// shake does the whole handshake, including reading the other side's.
func (p *peer) shake(t *testing.T, socketType string) {
	t.Helper()
	p.send(t, greeting(mechanismNull), ready(socketType))
	p.frameAfterGreeting(t)
}

func (p *peer) frameAfterGreeting(t *testing.T) {
	t.Helper()
	if _, err := io.ReadFull(p.br, make([]byte, greetingLen)); err != nil {
		t.Fatal(err)
	}
	if h, _ := p.frame(t); !h.command() {
		t.Fatalf("frame with flags %#x, wanted READY", h.flags)
	}
}

func (p *peer) send(t *testing.T, pieces ...[]byte) {
	t.Helper()
	for _, b := range pieces {
		if _, err := p.Write(b); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *peer) frame(t *testing.T) (frameHeader, []byte) {
	t.Helper()
	b, err := p.br.Peek(1)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = p.br.Peek(headerLen(b[0])); err != nil {
		t.Fatal(err)
	}
	h, err := parseHeader(b, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = p.br.Discard(h.len)
	body := make([]byte, h.size)
	if _, err := io.ReadFull(p.br, body); err != nil {
		t.Fatal(err)
	}
	return h, body
}

// awaitEnd reads until the other side closes.
func (p *peer) awaitEnd(t *testing.T) {
	t.Helper()
	_ = p.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.Copy(io.Discard, p.br); err != nil {
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Fatal("connection was not closed")
		}
	}
}

func TestSilentPeersBlockNobody(t *testing.T) {
	book := newLogBook()
	o := options("shell", book)
	o.Limits.Handshake = time.Hour // they may stay as long as they like
	r := openRouter(t, o)
	go echoAll(r)
	dialRaw(t, r.Addr())                                             // says nothing
	dialRaw(t, r.Addr()).send(t, greeting(mechanismNull)[:10])       // stops inside its greeting
	dialRaw(t, r.Addr()).send(t, greeting(mechanismNull), []byte{4}) // stops inside its READY
	dialRaw(t, r.Addr()).send(t, greeting(mechanismNull), []byte{})  // stops between the two
	roundTrip(t, dealer(t, r.Addr(), "client"), "hello")             // and yet
}

func TestHandshakeDeadline(t *testing.T) {
	book := newLogBook()
	o := options("shell", book)
	o.Limits.Handshake = 20 * time.Millisecond
	r := openRouter(t, o)
	dialRaw(t, r.Addr()).awaitEnd(t)
	book.await(t, "connection refused: greeting")
}

func TestBadHandshakesAreRefused(t *testing.T) {
	old, curve := greeting(mechanismNull), greeting(mechanismNull)
	old[10] = 1
	copy(curve[12:32], "CURVE")
	tests := []struct {
		name, want string
		bytes      []byte
	}{
		{"http", "not a ZeroMQ peer", bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 8)},
		{"version", "ZMTP 1.0", old},
		{"mechanism", `"CURVE"`, curve},
		{"no command", "not a command", append(greeting(mechanismNull), 0, 1, 'x')},
		{"huge READY", "over the limit", append(greeting(mechanismNull), 6, 0x40, 0, 0, 0, 0, 0, 0, 0)},
		{"name too long", "does not fit", append(greeting(mechanismNull), 4, 7, 5, 'R', 'E', 'A', 'D', 'Y', 255)},
		{"value too long", "announces", append(greeting(mechanismNull), 4, 12, 5, 'R', 'E', 'A', 'D', 'Y', 1, 'a', 255, 255, 255, 255)},
		{"wrong socket", `"PULL" socket`, append(greeting(mechanismNull), ready("PULL")...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			book := newLogBook()
			r := openRouter(t, options("shell", book))
			go echoAll(r)
			p := dialRaw(t, r.Addr())
			p.send(t, tt.bytes)
			p.awaitEnd(t)
			book.await(t, tt.want)
			roundTrip(t, dealer(t, r.Addr(), "client"), "still there")
		})
	}
}

func TestOversizedFrameClosesOnlyItsConnection(t *testing.T) {
	book := newLogBook()
	o := options("shell", book)
	o.Limits.MaxFrame, o.Limits.MaxFrames = 1<<20, 5
	r := openRouter(t, o)
	go echoAll(r)
	other := dealer(t, r.Addr(), "other")
	roundTrip(t, other, "before")

	p := dialRaw(t, r.Addr())
	p.shake(t, "DEALER")
	p.send(t, []byte{flagLong, 0x40, 0, 0, 0, 0, 0, 0, 0}) // 2^62 bytes: would end the process
	p.awaitEnd(t)
	book.await(t, "frame of 4611686018427387904 bytes is over the limit of 1048576")

	p = dialRaw(t, r.Addr())
	p.shake(t, "DEALER")
	p.send(t, bytes.Repeat([]byte{flagMore, 0}, 6))
	p.awaitEnd(t)
	book.await(t, "more than 5 frames")

	roundTrip(t, other, "after")
}

func TestPeerThatDoesNotReadBlocksNobody(t *testing.T) {
	r := openRouter(t, options("shell", newLogBook()))
	go echoAll(r)
	p := dialRaw(t, r.Addr())
	p.shake(t, "DEALER")
	other := dealer(t, r.Addr(), "other")
	body := bytes.Repeat([]byte("x"), 1<<20)
	if n := p.flood(t, append(appendHeader(nil, 0, len(body)), body...), 256<<20); n >= 256<<20 {
		t.Errorf("all of %d bytes were taken from a peer that reads no answers", n)
	}
	roundTrip(t, other, "hello")
}

func TestPingIsAnswered(t *testing.T) {
	r := openRouter(t, options("shell", newLogBook()))
	go echoAll(r)
	p := dialRaw(t, r.Addr())
	p.shake(t, "DEALER")
	p.send(t, appendCommand(nil, "PING", []byte("\x00\x05ctx")), []byte("\x00\x02hi"))
	h, body := p.frame(t)
	if !h.command() || string(body) != "\x04PONGctx" {
		t.Fatalf("got flags %#x body %q, wanted a PONG with the context", h.flags, body)
	}
	if _, body := p.frame(t); string(body) != "hi" {
		t.Fatalf("got %q, wanted the echo \"hi\"", body)
	}
}

// subscribed opens a publisher whose subscribers get a welcome, so that tests know
// when a subscription holds.
func subscribed(t *testing.T, lim Limits, book *logBook) Pub {
	t.Helper()
	o := options("iopub", book)
	o.Limits = lim
	o.OnSubscribe = func(topic string) [][]byte { return [][]byte{[]byte(topic), []byte("welcome")} }
	p, err := NewPub(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func subscribe(t *testing.T, addr net.Addr, topic string) zmq4.Socket {
	t.Helper()
	s := zmq4.NewSub(context.Background(), zmq4.WithLogger(log.New(io.Discard, "", 0)))
	if err := s.Dial("tcp://" + addr.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.SetOption(zmq4.OptionSubscribe, topic); err != nil {
		t.Fatal(err)
	}
	expect(t, s, topic, "welcome")
	return s
}

func expect(t *testing.T, s zmq4.Socket, frames ...string) {
	t.Helper()
	msg, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%.80q", msg.Frames), fmt.Sprintf("%.80q", frames); got != want {
		t.Fatalf("got %s, wanted %s", got, want)
	}
}

func TestWelcomeGoesToTheSubscriberOnly(t *testing.T) {
	p := subscribed(t, Limits{}, newLogBook())
	all := subscribe(t, p.Addr(), "")
	some := subscribe(t, p.Addr(), "a.")
	for _, topic := range []string{"b.1", "a.1"} {
		if err := p.Send([][]byte{[]byte(topic), []byte("body")}); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, all, "b.1", "body") // not the welcome of some
	expect(t, all, "a.1", "body")
	expect(t, some, "a.1", "body")
}

// stalledPeer subscribes and then reads nothing.
func stalledPeer(t *testing.T, p Pub) *peer {
	t.Helper()
	s := dialRaw(t, p.Addr())
	s.shake(t, "SUB")
	s.send(t, []byte("\x00\x01\x01"))
	if _, topic := s.frame(t); len(topic) != 0 {
		t.Fatalf("topic %q, wanted \"\"", topic)
	}
	s.frame(t)
	return s
}

func TestBackPressureLosesNothing(t *testing.T) {
	const count, size, high = 100, 512 << 10, 64 << 10
	p := subscribed(t, Limits{HighWater: high, Stall: time.Hour}, newLogBook())
	healthy := subscribe(t, p.Addr(), "")
	stalled := stalledPeer(t, p)
	body := bytes.Repeat([]byte("b"), size)

	behind, read := make(chan struct{}), make(chan struct{})
	go func() { // reads nothing until the publisher has to wait for it
		defer close(read)
		<-behind
		for i := range count {
			if _, name := stalled.frame(t); string(name) != fmt.Sprint(i) {
				t.Errorf("stalled peer got message %q, wanted %d", name, i)
				return
			}
			stalled.frame(t)
		}
	}()
	go func() {
		once := sync.OnceFunc(func() { close(behind) })
		for i := range count {
			p.WaitRoom()
			if err := p.Send([][]byte{[]byte(fmt.Sprint(i)), body}); err != nil {
				t.Error(err)
			}
			n := p.(pub).longest()
			if n > high {
				once()
			}
			if n > high+size+100 {
				t.Errorf("after message %d a queue holds %d bytes, wanted at most the mark and one message", i, n)
			}
		}
	}()
	for i := range count {
		expect(t, healthy, fmt.Sprint(i), string(body))
	}
	<-read
}

func (p pub) longest() int64 { return p.ep.unread() }

func TestStalledSubscriberIsCutOff(t *testing.T) {
	book := newLogBook()
	p := subscribed(t, Limits{HighWater: 1 << 20, Stall: 200 * time.Millisecond}, book)
	healthy := subscribe(t, p.Addr(), "")
	stalledPeer(t, p)
	const count = 64
	go func() {
		for i := range count {
			p.WaitRoom()
			_ = p.Send([][]byte{[]byte(fmt.Sprint(i)), make([]byte, 1<<20)})
		}
	}()
	for i := range count { // ends only because the other peer is cut off
		expect(t, healthy, fmt.Sprint(i), string(make([]byte, 1<<20)))
	}
	book.await(t, "peer took nothing for")
}

func TestCloseDrains(t *testing.T) {
	p := subscribed(t, Limits{Drain: 30 * time.Second}, newLogBook())
	s := stalledPeer(t, p)
	body := make([]byte, 1<<20)
	const count = 20
	for range count {
		if err := p.Send([][]byte{[]byte("t"), body}); err != nil {
			t.Fatal(err)
		}
	}
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }()
	for range count {
		s.frame(t)
		if _, b := s.frame(t); len(b) != len(body) {
			t.Fatalf("got %d bytes, wanted %d", len(b), len(body))
		}
	}
	s.awaitEnd(t)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if err := p.Send([][]byte{[]byte("t")}); err != ErrClosed {
		t.Fatalf("Send after Close: got %v, wanted %v", err, ErrClosed)
	}
}

func TestEcho(t *testing.T) {
	e, err := NewEcho(options("hb", newLogBook()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	d := dealer(t, e.Addr(), "d")
	if err := d.SendMulti(zmq4.NewMsgFrom([]byte("without an envelope"))); err != nil {
		t.Fatal(err)
	}
	expect(t, d, "without an envelope")
	q := zmq4.NewReq(context.Background())
	defer q.Close()
	if err := q.Dial("tcp://" + e.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if err := q.Send(zmq4.NewMsgString("ping")); err != nil {
		t.Fatal(err)
	}
	expect(t, q, "ping")
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel-1")
	o := options("shell", newLogBook())
	o.Network, o.Address = "unix", path
	// A socket file that a killed kernel has left behind is replaced.
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()

	r := openRouter(t, o)
	go echoAll(r)
	p := dialRaw(t, r.Addr())
	p.shake(t, "DEALER")
	p.send(t, []byte("\x00\x02hi"))
	if _, body := p.frame(t); string(body) != "hi" {
		t.Fatalf("got %q", body)
	}
	if _, err := NewRouter(o); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("second kernel on the path: got %v, wanted an error that it is in use", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("unix", path); err == nil {
		t.Fatal("the socket is still there after Close")
	}
	o.Address = "/tmp/" + strings.Repeat("x", 110)
	if _, err := NewRouter(o); err == nil || !strings.Contains(err.Error(), "allows 107") {
		t.Fatalf("long path: got %v", err)
	}
}

func TestOtherUsersAreRefused(t *testing.T) {
	if err := checkUser(1000, 1000); err != nil {
		t.Fatal(err)
	}
	if err := checkUser(1001, 1000); err == nil || !strings.Contains(err.Error(), "user 1001") {
		t.Fatalf("got %v, wanted an error naming user 1001", err)
	}
}

func TestSendWithoutClients(t *testing.T) {
	r := openRouter(t, options("stdin", newLogBook()))
	if err := r.Send([][]byte{[]byte("nobody"), []byte("x")}); err != ErrNoPeer {
		t.Fatalf("got %v, wanted %v", err, ErrNoPeer)
	}
	_ = r.Close()
	if _, err := r.Recv(); err != ErrClosed {
		t.Fatalf("Recv after Close: got %v, wanted %v", err, ErrClosed)
	}
}
