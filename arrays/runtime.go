package arrays

import (
	"errors"
	"unsafe"

	"weft/scheduler"
)

// ErrInterrupted is what a waiting call fails with after its stop channel delivered. The
// work goes on, and the call may be made again.
var ErrInterrupted = errors.New("interrupted while waiting for arrays")

// Stream is the part of a Runtime that is called for every op.
type Stream interface {
	// NewStore names a new store of the given bytes. No memory is allocated yet; the
	// contents are undefined until an op or Write fills them.
	NewStore(bytes int64) scheduler.StoreID

	// Submit appends an op to the stream. The runtime owns it from then on. It fails only
	// for an op that is malformed.
	Submit(op *scheduler.Op) error

	// Free says that the program cannot reach the store any more. Ops submitted before may
	// still use it. A mapping keeps the memory until it is released.
	Free(id scheduler.StoreID)
}

// Runtime is what arrays need of whatever runs their ops; the driver satisfies it.
// Methods may be called from any goroutine, but the op stream has one order: callers
// that share arrays call one after the other.
type Runtime interface {
	Stream

	// Write fills a fresh store with host bytes, which are copied before it returns.
	Write(id scheduler.StoreID, src []byte) error

	// Lend makes memory of the program's own the bytes of a fresh store, without a copy. The program may
	// read and write it at any time: every op on the store is complete before Submit returns, and sees what
	// was written. back is called once, on any goroutine, when nothing uses the memory any more.
	Lend(id scheduler.StoreID, p unsafe.Pointer, back func()) error

	// TakeOver makes memory that the program gives up the bytes of a fresh store, without a copy. back is called as
	// Lend's is.
	TakeOver(id scheduler.StoreID, p unsafe.Pointer, back func()) error

	// Read waits for the view's value and packs its elements into dst in C order. An
	// error of the ops that lead to it is returned here.
	Read(v scheduler.View, dst []byte, stop <-chan struct{}) error

	// Map waits for the view's value, for a writable mapping for that of its whole store, and
	// returns the store's host memory; only the view's bytes mean something. It stays valid and
	// pinned until release is called. While a writable mapping is out, every
	// op on the store is complete before Submit returns, and sees what was written.
	Map(v scheduler.View, writable bool, stop <-chan struct{}) (p unsafe.Pointer, release func(), err error)

	// Sync flushes the stream and waits for everything. It returns the first error of an
	// op whose result nothing has read.
	Sync(stop <-chan struct{}) error
}
