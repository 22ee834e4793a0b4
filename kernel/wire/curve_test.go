package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/crypto/nacl/box"
)

// curveClient is the other side of curve.go, with what a test does wrong.
type curveClient struct {
	*peer
	shared curveKey
	sent   uint64
}

func newKeys(t *testing.T) *CurveKeys {
	t.Helper()
	public, secret, err := box.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &CurveKeys{*public, *secret}
}

// hello greets and sends HELLO to a server with a public key.
func (c *curveClient) hello(t *testing.T, short *CurveKeys, server *curveKey) {
	t.Helper()
	g := greeting(mechanismCurve)
	g[32] = 0
	nonce := numbered(nonceHello, make([]byte, 8))
	body := append([]byte{1, 0}, make([]byte, 72)...)
	body = append(append(body, short.Public[:]...), make([]byte, 8)...)
	body = box.Seal(body, make([]byte, 64), &nonce, server, &short.Secret)
	c.send(t, g, appendCommand(nil, "HELLO", body))
}

// shake does the whole handshake. vouched is the server that the client vouches for.
func (c *curveClient) shake(t *testing.T, server, vouched *curveKey, socketType string) {
	t.Helper()
	short, long := newKeys(t), newKeys(t)
	c.hello(t, short, server)
	h := make([]byte, greetingLen)
	if _, err := readFull(c.peer, h); err != nil {
		t.Fatal(err)
	}
	_, welcome := c.frame(t)
	welcome = bytes.TrimPrefix(welcome, []byte("\x07WELCOME"))
	nonce := numbered(nonceWelcome, welcome[:16])
	plain, ok := box.Open(nil, welcome[16:], &nonce, server, &short.Secret)
	if !ok {
		t.Fatal("WELCOME does not open")
	}
	serverShort := curveKey(plain[:32])
	box.Precompute(&c.shared, &serverShort, &short.Secret)
	vouchNonce := numbered(nonceVouch, make([]byte, 16))
	vouch := box.Seal(nil, append(short.Public[:], vouched[:]...), &vouchNonce, &serverShort, &long.Secret)
	body := append(append(long.Public[:], make([]byte, 16)...), vouch...)
	body = appendProperty(body, "Socket-Type", socketType)
	c.sent = 1
	number := binary.BigEndian.AppendUint64(nil, c.sent)
	nonce = numbered(nonceInitiate, number)
	c.send(t, appendCommand(nil, "INITIATE", box.SealAfterPrecomputation(append(plain[32:], number...), body, &nonce, &c.shared)))
}

func readFull(p *peer, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		k, err := p.br.Read(b[n:])
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

// sealed is an encrypted frame with a number of the caller's choice.
func (c *curveClient) sealed(number uint64, body string) []byte {
	n := binary.BigEndian.AppendUint64(nil, number)
	nonce := numbered(nonceClient, n)
	frame := append([]byte(messagePrefix), n...)
	frame = box.SealAfterPrecomputation(frame, append([]byte{0}, body...), &nonce, &c.shared)
	return append(appendHeader(nil, 0, len(frame)), frame...)
}

func (c *curveClient) opened(t *testing.T) string {
	t.Helper()
	_, frame := c.frame(t)
	nonce := numbered(nonceServer, frame[8:16])
	plain, ok := box.OpenAfterPrecomputation(nil, frame[16:], &nonce, &c.shared)
	if !ok {
		t.Fatal("the frame does not open")
	}
	return string(plain[1:])
}

func TestCurve(t *testing.T) {
	keys, other := newKeys(t), newKeys(t)
	book := newLogBook()
	o := options("shell", book)
	o.Curve = keys
	o.Strangers = NewBudget(DefaultStrangers, nil)
	r := openRouter(t, o)
	go echoAll(r)

	t.Run("served", func(t *testing.T) {
		c := &curveClient{peer: dialRaw(t, r.Addr())}
		c.shake(t, &keys.Public, &keys.Public, "DEALER")
		c.frame(t) // READY
		c.send(t, c.sealed(2, "hello"), c.sealed(7, strings.Repeat("x", 100_000)))
		if got := c.opened(t); got != "hello" {
			t.Fatalf("got %q", got)
		}
		if got := c.opened(t); len(got) != 100_000 {
			t.Fatalf("got %d bytes", len(got))
		}
		if used := o.Strangers.used(); used != 0 {
			t.Errorf("%d bytes are booked for a peer with the key", used)
		}
		c.send(t, c.sealed(7, "the same number again"))
		c.awaitEnd(t)
		book.await(t, "does not have the key")
	})
	for name, do := range map[string]func(t *testing.T, c *curveClient){
		"another server's key": func(t *testing.T, c *curveClient) { c.hello(t, newKeys(t), &other.Public) },
		"a vouch for another server": func(t *testing.T, c *curveClient) {
			c.shake(t, &keys.Public, &other.Public, "DEALER")
		},
		"not encrypted at all": func(t *testing.T, c *curveClient) {
			c.send(t, greeting(mechanismNull), ready("DEALER"))
		},
		"READY after the greeting": func(t *testing.T, c *curveClient) {
			c.send(t, greeting(mechanismCurve), ready("DEALER"))
		},
		"a short HELLO": func(t *testing.T, c *curveClient) {
			c.send(t, greeting(mechanismCurve), appendCommand(nil, "HELLO", nil))
		},
		"a changed frame": func(t *testing.T, c *curveClient) {
			c.shake(t, &keys.Public, &keys.Public, "DEALER")
			frame := c.sealed(2, "hello")
			frame[len(frame)-1] ^= 1
			c.send(t, frame)
		},
		"a frame in the clear": func(t *testing.T, c *curveClient) {
			c.shake(t, &keys.Public, &keys.Public, "DEALER")
			c.send(t, []byte("\x00\x05hello"))
		},
		"another socket": func(t *testing.T, c *curveClient) { c.shake(t, &keys.Public, &keys.Public, "PULL") },
	} {
		t.Run(name, func(t *testing.T) {
			c := &curveClient{peer: dialRaw(t, r.Addr())}
			do(t, c)
			c.awaitEnd(t)
		})
	}
}

func TestKeys(t *testing.T) {
	// The example of RFC 32, four times over.
	key, err := parseKey(strings.Repeat("HelloWorld", 4))
	if want := bytes.Repeat([]byte{0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b}, 4); err != nil || !bytes.Equal(key[:], want) {
		t.Fatalf("got % x, %v; wanted % x", key, err, want)
	}
	for _, bad := range []string{"", "short", strings.Repeat("#", 40), strings.Repeat(" ", 40)} {
		if _, err := parseKey(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	c := NewConnection()
	c.CurvePublicKey, c.CurveSecretKey = strings.Repeat("HelloWorld", 4), strings.Repeat("HelloWorld", 4)
	if _, err := c.Curve(); err == nil || !strings.Contains(err.Error(), "does not belong") {
		t.Errorf("two keys that are no pair: %v", err)
	}
	c.CurveSecretKey = ""
	if _, err := c.Curve(); err == nil || !strings.Contains(err.Error(), "curve_secretkey is no key") {
		t.Errorf("one key: %v", err)
	}
}
