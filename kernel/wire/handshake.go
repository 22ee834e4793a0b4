package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// greetingLen is the fixed length of a ZMTP 3 greeting.
const greetingLen = 64

// maxCommand bounds commands and subscriptions: both are read whole, in the
// reader's buffer, before anything acts on them.
const maxCommand = 4096

// greeting is what every socket of ours says first: signature, version 3.0, the
// NULL mechanism, and filler (RFC 23). The ZeroMQ module writes the same bytes; the
// connection swallows those, because we have said them already.
func greeting() []byte {
	g := make([]byte, greetingLen)
	g[0], g[9] = 0xff, 0x7f
	g[10], g[11] = 3, 0
	copy(g[12:32], "NULL")
	return g
}

// checkGreeting refuses peers that the ZeroMQ module would not get along with.
func checkGreeting(g []byte) error {
	if len(g) != greetingLen {
		return fmt.Errorf("greeting has %d bytes, wanted %d", len(g), greetingLen)
	}
	if g[0] != 0xff || g[9] != 0x7f {
		return fmt.Errorf("greeting starts with %#02x and has %#02x at byte 9, wanted 0xff and 0x7f: not a ZeroMQ peer", g[0], g[9])
	}
	if g[10] < 3 {
		return fmt.Errorf("peer speaks ZMTP %d.%d, wanted 3.0 or later", g[10], g[11])
	}
	mechanism := string(bytes.TrimRight(g[12:32], "\x00"))
	if mechanism != "NULL" {
		return fmt.Errorf("peer wants the security mechanism %q; this socket has only \"NULL\"", mechanism)
	}
	if g[32] > 1 {
		return fmt.Errorf("greeting has %#02x as its server flag, wanted 0 or 1", g[32])
	}
	return nil
}

// metadata is the list of properties in a READY command.
type metadata map[string]string

// parseReady reads the body of a READY command. It is strict where the ZeroMQ
// module slices without looking, since a panic there could not be recovered.
func parseReady(body []byte) (metadata, error) {
	name, rest, err := splitCommand(body)
	if err != nil {
		return nil, err
	}
	if name != "READY" {
		return nil, fmt.Errorf("first command is %q, wanted \"READY\"", name)
	}
	md := metadata{}
	for len(rest) > 0 {
		n := int(rest[0])
		if n == 0 || len(rest) < 1+n+4 {
			return nil, fmt.Errorf("READY: property name of %d bytes does not fit in the %d that are left", n, len(rest)-1)
		}
		key := string(rest[1 : 1+n])
		size := binary.BigEndian.Uint32(rest[1+n:])
		rest = rest[1+n+4:]
		if uint64(size) > uint64(len(rest)) {
			return nil, fmt.Errorf("READY: property %q announces %d bytes, only %d are left", key, size, len(rest))
		}
		if _, dup := md[key]; dup {
			return nil, fmt.Errorf("READY: property %q appears twice", key)
		}
		md[key] = string(rest[:size])
		rest = rest[size:]
	}
	return md, nil
}

// splitCommand cuts the body of a command frame into its name and its data.
func splitCommand(body []byte) (name string, data []byte, err error) {
	if len(body) == 0 || len(body) < 1+int(body[0]) {
		return "", nil, fmt.Errorf("command frame of %d bytes does not hold its own name", len(body))
	}
	n := int(body[0])
	return string(body[1 : 1+n]), body[1+n:], nil
}

// appendCommand appends a whole command frame.
func appendCommand(dst []byte, name string, data []byte) []byte {
	dst = appendHeader(dst, flagCommand, 1+len(name)+len(data))
	dst = append(dst, byte(len(name)))
	dst = append(dst, name...)
	return append(dst, data...)
}

// peekHandshake waits for a peer's greeting and READY, checks both, and leaves them
// in the buffer for the ZeroMQ module to read again. It returns their length.
func peekHandshake(br *bufio.Reader, peers []string) (int, error) {
	b, err := br.Peek(greetingLen)
	if err != nil {
		return 0, fmt.Errorf("greeting: %w", err)
	}
	if err := checkGreeting(b); err != nil {
		return 0, err
	}
	if b, err = br.Peek(greetingLen + 1); err != nil {
		return 0, fmt.Errorf("READY: %w", err)
	}
	n := headerLen(b[greetingLen])
	if b, err = br.Peek(greetingLen + n); err != nil {
		return 0, fmt.Errorf("READY: %w", err)
	}
	h, err := parseHeader(b[greetingLen:], maxCommand)
	if err != nil {
		return 0, fmt.Errorf("READY: %w", err)
	}
	if !h.command() {
		return 0, fmt.Errorf("first frame is not a command (flags %#02x), wanted READY", h.flags)
	}
	total := greetingLen + n + int(h.size)
	if b, err = br.Peek(total); err != nil {
		return 0, fmt.Errorf("READY: %w", err)
	}
	md, err := parseReady(b[greetingLen+n:])
	if err != nil {
		return 0, err
	}
	if typ := md["Socket-Type"]; !slices.Contains(peers, typ) {
		return 0, fmt.Errorf("peer is a %q socket, wanted one of %q", typ, peers)
	}
	return total, nil
}
