package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// greetingLen is the fixed length of a ZMTP 3 greeting.
const greetingLen = 64

// maxCommand bounds commands and subscriptions: both are read whole, in the
// reader's buffer, before anything acts on them.
const maxCommand = 4096

// The security mechanisms of greetings.
const (
	mechanismNull  = "NULL"
	mechanismCurve = "CURVE"
)

// greeting is what every socket of ours says first: signature, version 3.0, the
// mechanism, whether it is the mechanism's server, and filler (RFC 23).
func greeting(mechanism string) []byte {
	g := make([]byte, greetingLen)
	g[0], g[9] = 0xff, 0x7f
	g[10], g[11] = 3, 0
	copy(g[12:32], mechanism)
	if mechanism == mechanismCurve {
		g[32] = 1
	}
	return g
}

// checkGreeting refuses peers whose frames would have another form, or who want what no socket here has.
func checkGreeting(g []byte, mechanism string) error {
	if len(g) != greetingLen {
		return fmt.Errorf("greeting has %d bytes, wanted %d", len(g), greetingLen)
	}
	if g[0] != 0xff || g[9] != 0x7f {
		return fmt.Errorf("greeting starts with %#02x and has %#02x at byte 9, wanted 0xff and 0x7f: not a ZeroMQ peer", g[0], g[9])
	}
	if g[10] < 3 {
		return fmt.Errorf("peer speaks ZMTP %d.%d, wanted 3.0 or later", g[10], g[11])
	}
	if got := string(bytes.TrimRight(g[12:32], "\x00")); got != mechanism {
		return fmt.Errorf("peer wants the security mechanism %q; this socket has only %q", got, mechanism)
	}
	if g[32] > 1 {
		return fmt.Errorf("greeting has %#02x as its server flag, wanted 0 or 1", g[32])
	}
	return nil
}

// metadata is the list of properties in a READY command.
type metadata map[string]string

// parseProperties reads the metadata of a READY or INITIATE command.
func parseProperties(rest []byte) (metadata, error) {
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

// shaken is a peer that has shaken hands but for the last word, READY: when it hears that, it counts as connected, and
// so it has to be known by then.
type shaken struct {
	metadata
	ready  []byte
	shared *curve // with keys
}

// shakeHands greets a peer and checks who it is.
func shakeHands(br *bufio.Reader, kind socketKind, keys *CurveKeys, answer func([]byte) error) (*shaken, error) {
	mechanism := mechanismNull
	if keys != nil {
		mechanism = mechanismCurve
	}
	if err := answer(greeting(mechanism)); err != nil {
		return nil, err
	}
	b := make([]byte, greetingLen)
	if _, err := io.ReadFull(br, b); err != nil {
		return nil, fmt.Errorf("greeting: %w", err)
	}
	if err := checkGreeting(b, mechanism); err != nil {
		return nil, err
	}
	p, err := shakeMechanism(br, kind, keys, answer)
	if err != nil {
		return nil, err
	}
	if typ := p.metadata["Socket-Type"]; !slices.Contains(kind.peers, typ) {
		return nil, fmt.Errorf("peer is a %q socket, wanted one of %q", typ, kind.peers)
	}
	if n := len(p.metadata["Identity"]); n > 255 {
		return nil, fmt.Errorf("READY: identity has %d bytes, the protocol allows 255", n)
	}
	return p, nil
}

func shakeMechanism(br *bufio.Reader, kind socketKind, keys *CurveKeys, answer func([]byte) error) (*shaken, error) {
	if keys != nil {
		return shakeCurve(br, keys, kind.name, answer)
	}
	data, err := readCommand(br, "READY")
	if err != nil {
		return nil, err
	}
	md, err := parseProperties(data)
	return &shaken{metadata: md, ready: ready(kind.name)}, err
}

// ready is the READY command of a socket.
func ready(socketType string) []byte {
	data := appendProperty(nil, "Socket-Type", socketType)
	return appendCommand(nil, "READY", appendProperty(data, "Identity", ""))
}

func appendProperty(dst []byte, name, value string) []byte {
	dst = append(append(dst, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(value))), value...)
}
