package wire

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/curve25519"
	"golang.org/x/crypto/nacl/box"
	"golang.org/x/crypto/nacl/secretbox"
)

// CURVE, the encrypting mechanism of ZeroMQ (RFC 26), from the server's side. Capitals are long-lived keys, primed ones
// are made for one connection; C and S stand for client and server:
//
//	client                                          server
//	HELLO     C', Box[zeros](C'->S)                 knows that the client has S, the key of the connection file
//	          WELCOME   Box[S', cookie](S->C')      remembers nothing: the cookie has C' and s'
//	INITIATE  cookie, Box[C, vouch, metadata](C'->S')
//	          READY     Box[metadata](S'->C')
//	MESSAGE   Box[flags, body](C'->S')              each frame from here on, in both directions
//
// Who does not know S cannot say HELLO: all peers that shake hands have read the connection file.

// CurveKeys is the long-lived key pair of a kernel.
type CurveKeys struct{ Public, Secret [32]byte }

type curveKey = [32]byte

// Nonces have 24 bytes: a name and a number of 8 bytes, or a short name and 16 random bytes.
const (
	nonceHello    = "CurveZMQHELLO---"
	nonceWelcome  = "WELCOME-"
	nonceCookie   = "COOKIE--"
	nonceInitiate = "CurveZMQINITIATE"
	nonceVouch    = "VOUCH---"
	nonceReady    = "CurveZMQREADY---"
	nonceClient   = "CurveZMQMESSAGEC"
	nonceServer   = "CurveZMQMESSAGES"
)

// The bodies of the commands, their names left out.
const (
	helloLen    = 2 + 72 + 32 + 8 + 64 + box.Overhead
	cookieLen   = 16 + 64 + secretbox.Overhead
	initiateMin = cookieLen + 8 + box.Overhead + 32 + 16 + 64 + box.Overhead
)

// messagePrefix begins each encrypted frame; the number of the nonce and the box follow.
const messagePrefix = "\x07MESSAGE"

// curveCost is how many bytes an encrypted frame is longer than its body.
const curveCost = len(messagePrefix) + 8 + box.Overhead + 1

// errCurve is all that a peer's fault is worth in words: what is not known about a box is not told.
var errCurve = errors.New("CURVE: the peer does not have the key of the connection file, or what it sent was changed")

// curve is what two sides share after the handshake. Reading and writing are independent of each other; each is
// for one goroutine at a time.
type curve struct {
	shared   curveKey
	sent     uint64 // the number of the last frame to the peer; READY had the first
	received uint64 // the number of the last frame from it; numbers only grow
}

func numbered(name string, number []byte) (n [24]byte) {
	copy(n[copy(n[:], name):], number)
	return n
}

// shakeCurve does what follows the greetings.
func shakeCurve(br *bufio.Reader, keys *CurveKeys, socketType string, answer func([]byte) error) (*shaken, error) {
	hello, err := readCommand(br, "HELLO")
	if err != nil {
		return nil, err
	}
	if len(hello) != helloLen || hello[0] != 1 {
		return nil, fmt.Errorf("CURVE: HELLO has %d bytes and version %d, wanted %d and 1", len(hello), hello[:min(1, len(hello))], helloLen)
	}
	client := curveKey(hello[74:106])
	nonce := numbered(nonceHello, hello[106:114])
	zeros, ok := box.Open(nil, hello[114:], &nonce, &client, &keys.Secret)
	if !ok || !bytes.Equal(zeros, make([]byte, 64)) {
		return nil, errCurve
	}

	// WELCOME. Both keys are kept in the cookie as the protocol has it, although here the goroutine could keep them.
	public, secret, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	var cookieKey curveKey
	_, _ = rand.Read(cookieKey[:])
	cookieNonce := numbered(nonceCookie, random[:16])
	cookie := append(random[:16:16], secretbox.Seal(nil, append(client[:], secret[:]...), &cookieNonce, &cookieKey)...)
	welcomeNonce := numbered(nonceWelcome, random[16:])
	welcome := box.Seal(random[16:32:32], append(public[:], cookie...), &welcomeNonce, &client, &keys.Secret)
	if err := answer(appendCommand(nil, "WELCOME", welcome)); err != nil {
		return nil, err
	}

	initiate, err := readCommand(br, "INITIATE")
	if err != nil {
		return nil, err
	}
	if len(initiate) < initiateMin {
		return nil, fmt.Errorf("CURVE: INITIATE has %d bytes, wanted at least %d", len(initiate), initiateMin)
	}
	if !bytes.Equal(initiate[:cookieLen], cookie) {
		return nil, errCurve
	}
	number := initiate[cookieLen : cookieLen+8]
	nonce = numbered(nonceInitiate, number)
	plain, ok := box.Open(nil, initiate[cookieLen+8:], &nonce, &client, secret)
	if !ok {
		return nil, errCurve
	}
	// The vouch says that the client's long-lived key C belongs to C', and is meant for this server.
	long := curveKey(plain[:32])
	nonce = numbered(nonceVouch, plain[32:48])
	vouch, ok := box.Open(nil, plain[48:128], &nonce, &long, secret)
	if !ok || !bytes.Equal(vouch, append(client[:], keys.Public[:]...)) {
		return nil, errCurve
	}
	md, err := parseProperties(plain[128:])
	if err != nil {
		return nil, err
	}

	c := &curve{received: binary.BigEndian.Uint64(number), sent: 1}
	box.Precompute(&c.shared, &client, secret)
	first := binary.BigEndian.AppendUint64(nil, c.sent)
	nonce = numbered(nonceReady, first)
	properties := appendProperty(appendProperty(nil, "Socket-Type", socketType), "Identity", "")
	last := appendCommand(nil, "READY", box.SealAfterPrecomputation(first, properties, &nonce, &c.shared))
	return &shaken{metadata: md, ready: last, shared: c}, nil
}

// readCommand reads a command of the handshake and returns what follows its name.
func readCommand(br *bufio.Reader, name string) ([]byte, error) {
	b, err := br.Peek(1)
	if err == nil {
		b, err = br.Peek(headerLen(b[0]))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h, err := parseHeader(b, maxCommand)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !h.command() {
		return nil, fmt.Errorf("first frame is not a command (flags %#02x), wanted %s", h.flags, name)
	}
	body := make([]byte, h.len+int(h.size))
	if _, err := io.ReadFull(br, body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	got, data, err := splitCommand(body[h.len:])
	if err != nil {
		return nil, err
	}
	if got != name {
		return nil, fmt.Errorf("command is %q, wanted %q", got, name)
	}
	return data, nil
}

// open decrypts a frame. The flags are those of an unencrypted header, but for the length.
func (c *curve) open(frame []byte) (flags byte, body []byte, err error) {
	if len(frame) < curveCost || string(frame[:len(messagePrefix)]) != messagePrefix {
		return 0, nil, fmt.Errorf("CURVE: frame of %d bytes is no encrypted message", len(frame))
	}
	number := frame[len(messagePrefix) : len(messagePrefix)+8]
	n := binary.BigEndian.Uint64(number)
	if n <= c.received {
		return 0, nil, errCurve // a frame that was seen before
	}
	nonce := numbered(nonceClient, number)
	plain, ok := box.OpenAfterPrecomputation(nil, frame[len(messagePrefix)+8:], &nonce, &c.shared)
	if !ok {
		return 0, nil, errCurve
	}
	c.received = n
	const more, command = 0x01, 0x02 // as RFC 26 numbers them
	if plain[0]&more != 0 {
		flags |= flagMore
	}
	if plain[0]&command != 0 {
		flags |= flagCommand
	}
	return flags, plain[1:], nil
}

// seal appends an encrypted frame to dst.
func (c *curve) seal(dst []byte, flags byte, body []byte) []byte {
	c.sent++
	plain := make([]byte, 1, 1+len(body))
	if flags&flagMore != 0 {
		plain[0] |= 0x01
	}
	if flags&flagCommand != 0 {
		plain[0] |= 0x02
	}
	plain = append(plain, body...)
	number := binary.BigEndian.AppendUint64(nil, c.sent)
	nonce := numbered(nonceServer, number)
	dst = appendHeader(dst, 0, curveCost+len(body))
	dst = append(append(dst, messagePrefix...), number...)
	return box.SealAfterPrecomputation(dst, plain, &nonce, &c.shared)
}

// publicOf is the public key of a secret one.
func publicOf(secret curveKey) (public curveKey) {
	made, err := curve25519.X25519(secret[:], curve25519.Basepoint)
	if err != nil {
		return public // no key has the public key of zeros
	}
	return curveKey(made)
}

// z85Digits are the 85 characters of ZeroMQ's form of keys (RFC 32): five for each four bytes.
const z85Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// parseKey reads a key of 32 bytes, which has 40 characters.
func parseKey(text string) (key curveKey, err error) {
	if len(text) != 40 {
		return key, fmt.Errorf("it has %d characters, wanted 40", len(text))
	}
	for i := 0; i < len(text); i += 5 {
		var value uint64
		for _, digit := range []byte(text[i : i+5]) {
			at := bytes.IndexByte([]byte(z85Digits), digit)
			if at < 0 {
				return key, errors.New("it has a character that Z85 does not have")
			}
			value = 85*value + uint64(at)
		}
		if value > 1<<32-1 {
			return key, errors.New("its characters do not stand for bytes")
		}
		binary.BigEndian.PutUint32(key[i/5*4:], uint32(value))
	}
	return key, nil
}
