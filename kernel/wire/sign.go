package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"sync"
)

// ErrBadSignature, ErrDuplicate and ErrOwn are the ways in which a well-formed message
// is refused.
var (
	ErrBadSignature = errors.New("signature does not match")
	ErrDuplicate    = errors.New("signature was used before: a message was sent twice")
	ErrOwn          = errors.New("message was signed by a kernel: it comes back to where it was made")
)

// historySize is how many signatures are remembered. Jupyter's own clients keep as many.
const historySize = 1 << 16

type digest [sha256.Size]byte

// Signer signs and checks messages with the connection's key. It is safe for use by
// several goroutines. One Signer serves all sockets of a kernel, so that a message
// recorded on one channel cannot be replayed on another.
type Signer struct {
	key     []byte
	own     string    // how sessions begin whose messages are a kernel's; "" for a client, which accepts them
	mac     sync.Pool // of hash.Hash, keyed
	history int       // how many signatures are remembered

	mu   sync.Mutex
	seen map[digest]struct{}
	ring []digest // the same, oldest at next once it is full
	next int
}

// ownMark is how sessions of kernels begin that sign with key. A process that reads the kernel's output has messages
// with good signatures in hand. Their headers, which are signed, name the session of the side that made them, so that a
// kernel knows what it has made itself, and what one before it made with the same key: a restarted kernel keeps the
// connection file.
func ownMark(key []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("the sessions of kernels"))
	return "kernel-" + hex.EncodeToString(h.Sum(nil)[:8]) + "-"
}

// OwnSession makes a session for a kernel that signs with s. From then on Decode does not accept messages of such
// sessions.
func (s *Signer) OwnSession() string {
	s.own = ownMark(s.key)
	return s.own + NewID()
}

// NewSigner makes a Signer. With an empty key nothing is signed and nothing checked.
func NewSigner(key []byte) *Signer {
	s := &Signer{key: key, history: historySize, seen: map[digest]struct{}{}}
	s.mac.New = func() any { return hmac.New(sha256.New, key) }
	return s
}

func (s *Signer) digest(signed [][]byte) (d digest) {
	h := s.mac.Get().(hash.Hash)
	h.Reset()
	for _, part := range signed {
		h.Write(part)
	}
	h.Sum(d[:0])
	s.mac.Put(h)
	return d
}

// sign returns the signature in hexadecimal, or no bytes when signing is off.
func (s *Signer) sign(signed [][]byte) []byte {
	if len(s.key) == 0 {
		return []byte{}
	}
	d := s.digest(signed)
	return hex.AppendEncode(nil, d[:])
}

// verify compares in constant time and then looks the signature up in the history.
// Only good signatures enter the history: a stranger cannot fill it.
func (s *Signer) verify(signature []byte, signed [][]byte) error {
	if len(s.key) == 0 {
		return nil
	}
	var got digest
	if len(signature) != hex.EncodedLen(len(got)) {
		return fmt.Errorf("%w: it has %d characters, wanted %d", ErrBadSignature, len(signature), hex.EncodedLen(len(got)))
	}
	if _, err := hex.Decode(got[:], signature); err != nil {
		return fmt.Errorf("%w: it is not hexadecimal", ErrBadSignature)
	}
	want := s.digest(signed)
	if !hmac.Equal(got[:], want[:]) {
		return ErrBadSignature
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.seen[want]; dup {
		return ErrDuplicate
	}
	s.seen[want] = struct{}{}
	if len(s.ring) < s.history {
		s.ring = append(s.ring, want)
		return nil
	}
	delete(s.seen, s.ring[s.next])
	s.ring[s.next] = want
	s.next = (s.next + 1) % s.history
	return nil
}
