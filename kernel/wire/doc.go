// Package wire carries Jupyter messages over ZeroMQ: sockets, frames, signatures
// and the connection file. It knows nothing of what the messages say. It must not
// import the kernel, and it must never touch Python: the heartbeat answers while
// the interpreter is stuck.
//
// # Layers, from the bottom up
//
//	handshake.go  the ZMTP greeting and READY of a peer, read and checked before
//	              anything else sees them
//	frames.go     ZMTP frame headers and the limits on what a peer may announce
//	conn.go       one connection: checked reading, queued writing, drain
//	endpoint.go   one listening address: accepts, shakes hands, keeps the connections
//	sockets.go    Router, Pub and Rep, the only things that the kernel sees
//	message.go    a Jupyter message to and from frames
//	sign.go       HMAC-SHA256 and the history of signatures already used
//	connfile.go   the connection file, read or created
//
// # Why the sockets do not use the ZeroMQ module's own transport
//
// The ZeroMQ module handles routing and request-reply; every byte passes through
// the connections of this package. As published, the module runs the handshake
// inside its accept loop (one silent peer blocks all later ones), writes to peers
// under a lock (one peer that does not read blocks the others), and allocates
// whatever length a peer announces before it knows who the peer is. So here:
//
//   - A connection reaches the module only when its greeting and its READY are
//     complete and valid. Nothing that the module then does can block.
//   - Frame headers are parsed before the module reads them. A frame over the limit
//     ends that connection, and no other.
//   - Write appends to the connection's own queue. One goroutine per connection
//     empties the queue with large gathered writes.
//   - Pub sends to its subscribers' queues itself, since only then does a publisher
//     know how much is still unsent. Nothing is ever dropped: the publisher asks
//     WaitRoom first and is held while a subscriber is behind. A peer is cut off only
//     when its queue is full and it took nothing for Limits.Stall.
//   - Close empties the queues first, for at most Limits.Drain.
//
// # Who owns the bytes
//
// Frames given to Router.Send and Rep.Send are copied. Frames given to Pub.Send are
// shared by the queues of all subscribers: the caller must not change them
// afterwards. Frames returned by Recv belong to the caller.
package wire
