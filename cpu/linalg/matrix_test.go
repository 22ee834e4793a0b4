package linalg

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// A copy has each element where a plain loop has it, whichever way both matrices lie, and writes nothing else.
func TestCopiesOfMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 400 {
		words := 1 + r.IntN(2)
		rows, columns := 1+r.IntN(70), 1+r.IntN(70)
		laid := func() ([]uint64, matrix) {
			m := matrix{rows: rows, columns: columns, size: 8 * words}
			gap := r.IntN(3)
			switch r.IntN(3) {
			case 0:
				m.right, m.down = m.size, m.size*(columns+gap)
			case 1:
				m.down, m.right = m.size, m.size*(rows+gap)
			default:
				m.down, m.right = 2*m.size, 2*m.size*(rows+gap)
			}
			room := make([]uint64, ((rows-1)*m.down+(columns-1)*m.right)/8+words+7)
			for i := range room {
				room[i] = r.Uint64()
			}
			m.p = unsafe.Pointer(&room[0])
			return room, m
		}
		_, s := laid()
		room, d := laid()
		want := append([]uint64(nil), room...)
		for i := range rows {
			for j := range columns {
				for k := range words {
					want[(i*d.down+j*d.right)/8+k] = *(*uint64)(unsafe.Add(s.at(i, j), 8*k))
				}
			}
		}
		d.copy(s)
		for i := range room {
			if room[i] != want[i] {
				t.Fatalf("%d x %d, steps %d %d to %d %d: word %d is %x, want %x", rows, columns, s.down, s.right, d.down, d.right, i, room[i], want[i])
			}
		}
	}
}

// A lower triangle is copied and turned in place as a plain loop does it, with zeros on its other side.
func TestLowerTriangles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 10))
	for range 200 {
		words, n, gap := 1+r.IntN(2), 1+r.IntN(3*square), r.IntN(3)
		given, made := make([]uint64, n*(n+gap)*words), make([]uint64, n*n*words)
		for i := range given {
			given[i] = r.Uint64()
		}
		size := 8 * words
		s := matrix{p: unsafe.Pointer(&given[0]), rows: n, columns: n, down: size * (n + gap), right: size, size: size}
		if r.IntN(2) == 0 {
			s.down, s.right = s.right, s.down
		}
		m := matrix{p: unsafe.Pointer(&made[0]), rows: n, columns: n, down: size, right: size * n, size: size}
		m.copyLower(s)
		m.turnLower()
		for i := range n {
			for j := range n {
				for k := range words {
					want := uint64(0)
					if j <= i {
						want = *(*uint64)(unsafe.Add(s.at(i, j), 8*k))
					}
					if got := made[(i*n+j)*words+k]; got != want {
						t.Fatalf("%d x %d of %d words, steps %d %d: element %d %d is %x, want %x", n, n, words, s.down, s.right, i, j, got, want)
					}
				}
			}
		}
	}
}
