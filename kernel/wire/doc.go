// Package wire carries Jupyter messages over ZeroMQ: sockets, frames, signatures
// and the connection file. It knows nothing of what the messages say. It must not
// import the kernel, and it must never touch Python: the heartbeat answers while
// the interpreter is stuck.
//
// # Layers, from the bottom up
//
//	handshake.go  the ZMTP greeting and READY of a peer, checked before anything else is read
//	curve.go      the CURVE mechanism: a handshake and frames that only holders of the connection file can make and read
//	frames.go     ZMTP frame headers and the limits on what a peer may announce
//	conn.go       reading one connection: messages, commands
//	queue.go      writing it: what waits, and how quickly the peer takes it
//	budget.go     the memory that connections share which have not shown the key
//	endpoint.go   one listening address: accepts, shakes hands, keeps the connections and their identities
//	publish.go    one message for all subscribers, and whom a publisher waits for
//	sockets.go    Router, Pub and Echo, the only things that the kernel sees
//	message.go    a Jupyter message to and from frames
//	sign.go       HMAC-SHA256, signatures already used, and messages that kernels have made
//	connfile.go   the connection file, read or created
//	journal.go    the log of what peers do
//
// # What a peer may cost
//
// Every process that reaches the address can connect, and a subscriber never has to show the key. So:
//
//   - Each connection has its own goroutines: one that stays silent, sends half a frame or does not read holds up
//     no other.
//   - A frame's header is checked before room is made for its body, and room is made as the body arrives.
//   - What connections hold before they have sent a message with a good signature comes out of one Budget. The one that
//     would exceed it ends.
//   - A connection that does not read what it is answered is not read from.
//   - Sending fills a queue and never waits; messages for subscribers are encoded once and shared by their queues.
//     A publisher of output asks WaitRoom first: publish.go says whom it waits for.
//   - The log has few lines for each cause.
//   - Close empties the queues first, for at most Limits.Drain.
//
// # Who owns the bytes
//
// Frames given to Send are shared by the queues of all peers that get them: the caller must not change them
// afterwards. Frames returned by Recv belong to the caller.
package wire
