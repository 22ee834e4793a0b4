package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// flood writes pieces until the other side takes no more of them, or until most bytes are written. It returns how many
// were.
func (p *peer) flood(t *testing.T, piece []byte, most int) int {
	t.Helper()
	written := 0
	for written < most {
		_ = p.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		n, err := p.Write(piece)
		written += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return written
}

// unread is the most that waits for one of the peers of ep.
func (ep *endpoint) unread() (most int64) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	for c := range ep.conns {
		unsent, _ := c.backlog()
		most = max(most, unsent)
	}
	return most
}

// A peer that does not read what it is answered is not read from.
func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	pings := bytes.Repeat(appendCommand(nil, "PING", append([]byte{0, 5}, make([]byte, 4000)...)), 64)
	beats := bytes.Repeat(append(appendHeader(nil, 0, 4000), make([]byte, 4000)...), 64)
	const most = 256 << 20 // far more than the buffers of the system hold
	for _, tt := range []struct {
		name  string
		piece []byte
		typ   string
		open  func(Options) (*endpoint, error)
	}{
		{"PING", pings, "DEALER", func(o Options) (*endpoint, error) {
			return open(o, socketKind{name: "ROUTER", peers: []string{"DEALER"}, received: deliver})
		}},
		{"PING to a publisher", pings, "SUB", func(o Options) (*endpoint, error) {
			return open(o, socketKind{name: "PUB", peers: []string{"SUB"}, publishes: true, received: takeSubscription})
		}},
		{"heartbeat", beats, "REQ", func(o Options) (*endpoint, error) {
			return open(o, socketKind{name: "REP", peers: []string{"REQ"}, received: sendBack})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ep, err := tt.open(options(tt.name, newLogBook()))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = ep.close() })
			p := dialRaw(t, ep.Addr())
			p.shake(t, tt.typ)
			if n := p.flood(t, tt.piece, most); n >= most {
				t.Errorf("all of %d bytes were taken", n)
			}
			if n := ep.unread(); n > answersUnread+4096 {
				t.Errorf("%d bytes of answers wait, wanted at most %d and one answer", n, answersUnread)
			}
		})
	}
}

// What is announced costs nothing; what arrives is booked, and strangers share one budget.
func TestStrangersShareABudget(t *testing.T) {
	book := newLogBook()
	o := options("shell", book)
	o.Strangers = NewBudget(8<<20, nil)
	o.Limits.MaxFrame = 1 << 30
	r := openRouter(t, o)
	messages := make(chan Received)
	go func() {
		for {
			m, err := r.Recv()
			if err != nil {
				return
			}
			messages <- m
		}
	}()
	announced := binary.BigEndian.AppendUint64([]byte{flagLong}, 512<<20)
	var waiting []*peer
	for range 50 {
		p := dialRaw(t, r.Addr())
		p.shake(t, "DEALER")
		p.send(t, announced, make([]byte, 60))
		waiting = append(waiting, p)
	}
	known := dialRaw(t, r.Addr())
	known.shake(t, "DEALER")
	known.send(t, []byte("\x00\x02hi"))
	m := <-messages
	m.Trust()
	if used := o.Strangers.used(); used > 51*(strangerCost+2*firstPiece) {
		t.Errorf("%d bytes are booked for 51 connections of which one is known", used)
	}

	// One of the strangers goes on: it ends when the budget does.
	p := waiting[0]
	go func() { _, _ = p.Write(make([]byte, 64<<20)) }()
	p.awaitEnd(t)
	book.await(t, "connections without a signed message take")

	// Who has shown the key is not bounded by it.
	large := make([]byte, 32<<20)
	known.send(t, appendHeader(nil, 0, len(large)), large)
	if m := <-messages; len(m.Frames[1]) != len(large) {
		t.Fatalf("got %d bytes, wanted %d", len(m.Frames[1]), len(large))
	}

	// A message is free again when the kernel has looked at it, and a connection when it has ended.
	for _, p := range waiting {
		_ = p.Close()
	}
	_ = known.Close()
	_ = r.Close()
	if used := o.Strangers.used(); used != 0 {
		t.Errorf("%d bytes are booked for nobody", used)
	}
}

// Strangers that hold all there is do not keep a client from showing the key whose connection is there.
func TestAClientShowsTheKeyWhileStrangersHoldEverything(t *testing.T) {
	book := newLogBook()
	o := options("shell", book)
	o.Strangers = NewBudget(8<<20, nil)
	r := openRouter(t, o)
	client, other := dialRaw(t, r.Addr()), dialRaw(t, r.Addr())
	client.shake(t, "DEALER")
	other.shake(t, "DEALER")
	if err := o.Strangers.take(o.Strangers.size - o.Strangers.used()); err != nil {
		t.Fatal(err)
	}
	client.send(t, appendHeader(nil, flagMore, 4000), make([]byte, 4000), appendHeader(nil, 0, 2000), make([]byte, 2000))
	m, err := r.Recv()
	if err != nil || len(m.Frames) != 3 { // with the identity
		t.Fatalf("got %d frames, %v", len(m.Frames), err)
	}
	m.Trust()

	// What is more than a small message has no room.
	if err := o.Strangers.take(o.Strangers.size - o.Strangers.used()); err != nil {
		t.Fatal(err)
	}
	other.send(t, appendHeader(nil, 0, 2*smallMessage), make([]byte, 2*smallMessage))
	other.awaitEnd(t)
	book.await(t, "connections without a signed message take")
}

func TestBudgetTellsWhenItIsEased(t *testing.T) {
	told := make(chan struct{}, 10)
	b := NewBudget(1000, func() { told <- struct{}{} })
	if err := b.take(200); err != nil {
		t.Fatal(err)
	}
	b.giveBack(200, 200) // little
	if err := b.take(900); err != nil {
		t.Fatal(err)
	}
	if err := b.take(200); err == nil || !strings.Contains(err.Error(), "of 1000 that they share") {
		t.Fatalf("got %v", err)
	}
	b.giveBack(900, 900)
	<-told
	if len(told) > 0 || b.used() != 0 {
		t.Fatalf("told %d times more, %d used", len(told), b.used())
	}
}

// What strangers sent and the kernel has refused is collected before as much again has come as they may hold.
func TestGarbageOfStrangersIsCollected(t *testing.T) {
	b := NewBudget(1000, nil)
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	before := forced()
	for i, wanted := range []uint32{1, 2, 3, 4} {
		if err := b.take(300); err != nil {
			t.Fatal(err)
		}
		b.giveBack(300, 300)
		b.sweep()
		if n := forced() - before; n != wanted {
			t.Fatalf("after %d bytes were given back %d collections, wanted %d", 300*(i+1), n, wanted)
		}
	}
}

func TestMessageWithoutEndIsRefused(t *testing.T) {
	book := newLogBook()
	o := options("shell", book)
	o.Limits.MaxFrame = 1 << 20
	r := openRouter(t, o)
	p := dialRaw(t, r.Addr())
	p.shake(t, "DEALER")
	go func() {
		frame := append(appendHeader(nil, flagMore, 1000), make([]byte, 1000)...)
		for {
			if _, err := p.Write(frame); err != nil {
				return
			}
		}
	}()
	p.awaitEnd(t)
	book.await(t, "message is over the limit of 1048576 bytes")
}

// identified is a peer with an identity.
func identified(t *testing.T, addr net.Addr, identity string) *peer {
	t.Helper()
	p := dialRaw(t, addr)
	data := appendProperty(nil, "Socket-Type", "DEALER")
	p.send(t, greeting(mechanismNull), appendCommand(nil, "READY", appendProperty(data, "Identity", identity)))
	p.frameAfterGreeting(t)
	return p
}

// A stranger cannot take a client's place; a client that comes back can.
func TestIdentityInUse(t *testing.T) {
	r := openRouter(t, options("stdin", newLogBook()))
	client := identified(t, r.Addr(), "session")
	stranger := identified(t, r.Addr(), "session")
	ask := func(text string) {
		t.Helper()
		if err := r.Send([][]byte{[]byte("session"), []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	ask("for the first")
	if _, body := client.frame(t); string(body) != "for the first" {
		t.Fatalf("the client got %q", body)
	}
	stranger.send(t, []byte("\x00\x02no"))
	if m, err := r.Recv(); err != nil || string(m.Frames[1]) != "no" {
		t.Fatalf("got %q, %v", m.Frames, err)
	} // has no good signature, and is not trusted
	ask("for the first again")
	if _, body := client.frame(t); string(body) != "for the first again" {
		t.Fatalf("the client got %q", body)
	}
	back := identified(t, r.Addr(), "session")
	back.send(t, []byte("\x00\x03yes"))
	m, err := r.Recv()
	if err != nil {
		t.Fatal(err)
	}
	m.Trust()
	ask("for who is back")
	if _, body := back.frame(t); string(body) != "for who is back" {
		t.Fatalf("the client that is back got %q", body)
	}
	_ = stranger.SetReadDeadline(time.Now())
	if b, err := stranger.br.Peek(1); err == nil {
		t.Fatalf("the stranger got % x", b)
	}
}

// A client with the key does not stand in line behind strangers whose messages wait to be looked at.
func TestStrangersWaitForClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := &endpoint{known: make(chan Received), in: make(chan Received), done: make(chan struct{}), strangers: NewBudget(1<<20, nil)}
		say := func(c *conn, text string) {
			go func() { _ = deliver(c, [][]byte{[]byte(text)}) }()
			synctest.Wait() // until it stands in line
		}
		for i := range 20 {
			say(newConn(ep, nil, nil, fmt.Sprint(i)), "no")
		}
		client := newConn(ep, nil, nil, "client")
		client.trusted = true
		say(client, "interrupt")
		for i := range 21 {
			m, err := router{ep}.Recv()
			if err != nil {
				t.Fatal(err)
			}
			if text := string(m.Frames[1]); (i == 0) != (text == "interrupt") {
				t.Fatalf("message %d is %q", i, text)
			}
		}
	})
}

// trickle reads a little each time that it is told, until the connection ends.
func (p *peer) trickle(told <-chan struct{}) {
	b := make([]byte, 2048)
	for range told {
		if _, err := p.Conn.Read(b); err != nil {
			return
		}
	}
}

// Subscribers need no key: one that hardly reads holds neither the others nor the publisher, and ends.
func TestSlowSubscriberHoldsNobody(t *testing.T) {
	book := newLogBook()
	told := make(chan int64, 1)
	o := options("iopub", book)
	o.Limits = Limits{HighWater: 1 << 20, Stall: time.Hour}
	o.OnSubscribe = func(topic string) [][]byte { return [][]byte{[]byte(topic), []byte("welcome")} }
	o.OnCutOff = func(_ string, unsent int64) { told <- unsent }
	p, err := NewPub(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	healthy := subscribe(t, p.Addr(), "")
	read := make(chan struct{}, 60)
	defer close(read)
	go stalledPeer(t, p).trickle(read)
	body := make([]byte, 512<<10)
	const count = 60
	go func() {
		for i := range count {
			p.WaitRoom()
			_ = p.Send([][]byte{[]byte(fmt.Sprint(i)), body})
		}
	}()
	for i := range count {
		expect(t, healthy, fmt.Sprint(i), string(body))
		read <- struct{}{} // the other has read 2 KB by now, of half a megabyte
	}
	book.await(t, "subscriber cut off: it takes less than")
	if unsent := <-told; unsent > farBehind<<20+int64(len(body))+100 {
		t.Errorf("%d bytes waited for it", unsent)
	}
}

// The only subscriber is waited for however slow it is, unless the code that waits is interrupted.
func TestHurryEndsAWait(t *testing.T) {
	p := subscribed(t, Limits{HighWater: 1 << 20, Stall: time.Hour}, newLogBook())
	stalledPeer(t, p)
	if err := p.Send([][]byte{[]byte("t"), make([]byte, 32<<20)}); err != nil {
		t.Fatal(err)
	}
	ep := p.(pub).ep
	var ended sync.WaitGroup
	ended.Go(p.WaitRoom)
	if !ep.held() {
		t.Fatal("the publisher does not wait")
	}
	// Hurry ends only waits that have begun: it is called until this one has.
	over := make(chan struct{})
	go func() { ended.Wait(); close(over) }()
	for {
		p.Hurry()
		select {
		case <-over:
			return
		default:
			runtime.Gosched()
		}
	}
}
