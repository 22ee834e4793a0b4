package wire

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Flag bits of a ZMTP 3 frame header (RFC 23).
const (
	flagMore    = 0x01 // another frame of the same message follows
	flagLong    = 0x02 // the length has eight bytes instead of one
	flagCommand = 0x04 // a command of the protocol, not a part of a message
)

// maxHeader is the longest frame header: flags and an eight-byte length.
const maxHeader = 9

// Limits bounds what a peer may do to a socket. The zero value of a field means
// its default.
type Limits struct {
	MaxFrame  int64         // bytes that one message may have, all its frames together
	MaxFrames int           // frames that one message may have
	HighWater int64         // unsent bytes of one connection above which WaitRoom holds the publisher; see publish.go
	Handshake time.Duration // time that a peer has for greeting and READY
	Stall     time.Duration // a peer over HighWater that takes nothing for so long is cut off
	Drain     time.Duration // time that Close spends on emptying the queues
}

// DefaultLimits fits a notebook: one picture or widget buffer of hundreds of
// megabytes passes, and a peer on the loopback that takes nothing for ten
// seconds is gone.
func DefaultLimits() Limits {
	return Limits{
		MaxFrame:  512 << 20,
		MaxFrames: 4096,
		HighWater: 16 << 20,
		Handshake: 2 * time.Second,
		Stall:     10 * time.Second,
		Drain:     time.Second,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l.MaxFrame <= 0 {
		l.MaxFrame = d.MaxFrame
	}
	if l.MaxFrames <= 0 {
		l.MaxFrames = d.MaxFrames
	}
	if l.HighWater <= 0 {
		l.HighWater = d.HighWater
	}
	if l.Handshake <= 0 {
		l.Handshake = d.Handshake
	}
	if l.Stall <= 0 {
		l.Stall = d.Stall
	}
	if l.Drain <= 0 {
		l.Drain = d.Drain
	}
	return l
}

// frameHeader is one parsed frame header.
type frameHeader struct {
	flags byte
	len   int   // bytes of the header itself, 2 or 9
	size  int64 // bytes of the body
}

func (h frameHeader) more() bool    { return h.flags&flagMore != 0 }
func (h frameHeader) command() bool { return h.flags&flagCommand != 0 }

// headerLen is the length of the header that begins with these flags.
func headerLen(flags byte) int {
	if flags&flagLong != 0 {
		return maxHeader
	}
	return 2
}

// parseHeader reads the header at the start of b, which has headerLen(b[0]) bytes,
// and refuses a length over limit. The check comes before any use of the length:
// an announced length is not yet worth an allocation.
func parseHeader(b []byte, limit int64) (frameHeader, error) {
	if len(b) < 2 || len(b) < headerLen(b[0]) {
		return frameHeader{}, fmt.Errorf("frame header has %d bytes, wanted 2 or 9", len(b))
	}
	h := frameHeader{flags: b[0], len: headerLen(b[0])}
	if h.flags&^(flagMore|flagLong|flagCommand) != 0 {
		return h, fmt.Errorf("frame header has reserved flag bits set: %#02x", h.flags)
	}
	if h.command() && h.more() {
		return h, fmt.Errorf("command frame claims that more frames follow: flags %#02x", h.flags)
	}
	if h.len == 2 {
		h.size = int64(b[1])
	} else {
		n := binary.BigEndian.Uint64(b[1:maxHeader])
		if n > uint64(limit) {
			return h, fmt.Errorf("frame of %d bytes is over the limit of %d", n, limit)
		}
		h.size = int64(n)
	}
	if h.size > limit {
		return h, fmt.Errorf("frame of %d bytes is over the limit of %d", h.size, limit)
	}
	return h, nil
}

// appendHeader appends the header of a frame with size bytes.
func appendHeader(dst []byte, flags byte, size int) []byte {
	if size > 255 {
		dst = append(dst, flags|flagLong)
		return binary.BigEndian.AppendUint64(dst, uint64(size))
	}
	return append(dst, flags, byte(size))
}
