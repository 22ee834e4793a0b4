//go:build cuda && cgo && linux

package cuda

import (
	"bytes"
	"math/rand/v2"
	"syscall"
	"testing"
)

// TestRing brings bytes to the device and back by several hands, in pieces of which the last is shorter.
func TestRing(t *testing.T) {
	if fake != nil {
		needFake(t)
	}
	const most = 9*slotBytes + 4321
	var plain [2][]byte
	for i := range plain {
		var err error
		if plain[i], err = syscall.Mmap(-1, 0, most, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Munmap(plain[i]) }()
	}
	from, to := plain[0], plain[1]
	random := rand.NewChaCha8([32]byte{5})
	_, _ = random.Read(from)
	d := open(t, 0)
	at, err := d.dev.Alloc(most)
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.dev.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	for hands := 1; hands <= 4; hands++ {
		var r ring
		if err := r.open(d.dev, hands); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, slotBytes, slotBytes + 1, 3 * slotBytes, most} {
			clear(to)
			if err := r.copyIn(q, at, from[:n]); err != nil {
				t.Fatal(err)
			}
			if err := r.copyOut(q, to[:n], at); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(to[:n], from[:n]) || bytes.ContainsFunc(to[n:], func(c rune) bool { return c != 0 }) {
				t.Errorf("%d bytes by %d hands came back as others", n, hands)
			}
			from[0]++ // the next ones are others
		}
		if err := q.Synchronize(); err != nil {
			t.Fatal(err)
		}
		if err := r.close(d.dev); err != nil {
			t.Fatal(err)
		}
	}
	for _, close := range []func() error{q.Close, func() error { return d.dev.Free(at) }, d.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
}
