package wire

import (
	"fmt"
	"runtime"
	"sync"
)

// A connection that has not yet sent a message with a good signature is a stranger's, for all that the kernel knows.
// What strangers cost is booked in one Budget for all sockets of a kernel:
//
//	each connection    strangerCost, for as long as it lasts
//	each message       the bytes of it that have arrived and are more than smallMessage, until the kernel has looked
//	                   at its signature
//
// Bytes are booked as they arrive, not as they are announced. A connection that would exceed the budget ends; so does
// none that has shown the key. The small message with which a client shows it is booked with its connection: strangers
// that take all there is do not keep a client out whose connection is there. Subscribers and heartbeats never sign
// anything: they keep costing strangerCost.

// strangerCost is what a connection takes without having sent anything: the stacks of two goroutines, the buffer of
// the reader, answers to commands that the peer has not read (answersUnread), and smallMessage.
const strangerCost = 48<<10 + smallMessage

// smallMessage is the bytes of a message, frameCost included, that a connection has room for whatever others take. A
// request that has no code or data in it takes a quarter.
const smallMessage = 8 << 10

// Budget is the memory, in bytes, that connections without a good signature share. Its methods may be called by several
// goroutines.
type Budget struct {
	mu    sync.Mutex
	size  int64
	taken int64
	most  int64  // the most that was taken since eased was called
	freed int64  // given back since the last collection: garbage, for the most part
	eased func() // called, on a goroutine of its own, when little is taken again after much was
}

// NewBudget makes a budget of size bytes. eased, which may be nil, is called when at most an eighth of it is
// taken again after more than a quarter was: a moment to give memory back to the system.
func NewBudget(size int64, eased func()) *Budget { return &Budget{size: size, eased: eased} }

// take books n bytes, or none of them.
func (b *Budget) take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken+n > b.size {
		return refused{fmt.Errorf("connections without a signed message take %d bytes, of %d that they share, and this one asks for %d more", b.taken, b.size, n)}
	}
	b.taken += n
	b.most = max(b.most, b.taken)
	return nil
}

// giveBack books n bytes out, and notes how many have become garbage.
func (b *Budget) giveBack(n, garbage int64) {
	b.mu.Lock()
	b.taken -= n
	b.freed += garbage
	eased := b.most > b.size/4 && b.taken <= b.size/8
	if eased {
		b.most = b.taken
	}
	b.mu.Unlock()
	if eased && b.eased != nil {
		go b.eased()
	}
}

// sweep collects garbage when a quarter of the budget has been given back since it last did. Without it there would be
// as much garbage as Go allows, which grows with what is taken and comes on top of it. The reader of a stranger's
// connection calls it, without locks, so that the stranger waits for it.
func (b *Budget) sweep() {
	b.mu.Lock()
	due := b.freed > b.size/4
	if due {
		b.freed = 0
	}
	b.mu.Unlock()
	if due {
		runtime.GC()
	}
}

// used is what is taken now.
func (b *Budget) used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}
