package routines

import (
	"math/bits"
	"sync"
)

// matrix transforms long rows: the row is a matrix of outer rows and inner columns. Its columns are transformed,
// multiplied by powers of the row's root, and then its rows; the result is read down the columns.
type matrix struct {
	outer, inner *engine
	turns        turns
	scratch      sync.Pool // of *[]complex128
}

// turns are the powers i*(first+l) of a root, for point i of sequence l: power i*l is in lanes, as vectors of parts,
// and power e = first*i is high[e>>shift] * low[e % (1<<shift)].
type turns struct {
	lanes, high, low []complex128
	shift            int
}

func newMatrix(p *Plans, outer, inner int) *matrix {
	n := outer * inner
	m := &matrix{outer: columnEngine(outer), inner: columnEngine(inner)}
	m.turns.lanes = make([]complex128, lanes*outer)
	table := floatsIn(m.turns.lanes)
	for i := range outer {
		for l := range lanes {
			w := rootOf(n, i*l)
			table[2*lanes*i+l], table[2*lanes*i+lanes+l] = real(w), imag(w)
		}
	}
	m.turns.shift = bits.Len(uint(n)) / 2
	m.turns.low = rootsOf(n, 1<<m.turns.shift, 1)
	m.turns.high = rootsOf(n, n>>m.turns.shift+1, 1<<m.turns.shift)
	return m
}

// columnEngine makes an engine that transforms eight sequences side by side.
func columnEngine(n int) *engine {
	return &engine{n: n, across: 1, whole: newStages(n), scratches: 4*lanes*n + lanes, width: vectorWidth()}
}

func (m *matrix) alone() bool { return true }

func (m *matrix) bytes() int {
	return 16 * (len(m.turns.lanes) + len(m.turns.high) + len(m.turns.low) + m.outer.n + m.inner.n)
}

func (m *matrix) rows(par Parallel, dst, src []complex128, _ int, inverse bool, scale float64) {
	n := m.outer.n * m.inner.n
	between, _ := m.scratch.Get().(*[]complex128)
	if between == nil {
		made := make([]complex128, n)
		between = &made
	}
	defer m.scratch.Put(between)
	for r := 0; r < len(src); r += n {
		m.row(par, dst[r:r+n], src[r:r+n], *between, inverse, scale)
	}
}

func (m *matrix) row(par Parallel, dst, src, between []complex128, inverse bool, scale float64) {
	rows, columns := m.outer.n, m.inner.n
	split(par, (columns+lanes-1)/lanes, rows*lanes, func(lo, hi int) {
		for g := lo; g < hi; g++ {
			c := g * lanes
			m.outer.run(batch{dst: between[c:], src: src[c:], srcPoint: columns, srcLane: 1, dstPoint: columns, dstLane: 1,
				lanes: min(lanes, columns-c), inverse: inverse, scale: scale, turns: &m.turns, first: c})
		}
	})
	split(par, (rows+lanes-1)/lanes, columns*lanes, func(lo, hi int) {
		for g := lo; g < hi; g++ {
			r := g * lanes
			m.inner.run(batch{dst: dst[r:], src: between[r*columns:], srcPoint: 1, srcLane: columns, dstPoint: rows, dstLane: 1,
				lanes: min(lanes, rows-r), inverse: inverse, scale: 1})
		}
	})
}
