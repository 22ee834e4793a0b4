package detail

import (
	"slices"
	"sort"

	"weft/profiler"
)

// blockPoints is how many changes of a memory share a maximum.
const blockPoints = 64

// memory is how much of a lane's memory was in use, as the Alloc and Free records tell it.
type memory struct {
	times  []int64
	levels []int64
	peaks  []int64 // of each block of points
	level  int64
	every  int // changes that share two points, that with the most bytes and the last one; 0: each has one of its own
	shared int // changes that the newest two points have
}

func (m *memory) add(rec *profiler.Record) {
	switch rec.Kind {
	case profiler.Alloc:
		m.level += rec.Bytes
	case profiler.Free:
		// The records of what was there before the first one may be lost.
		m.level = max(m.level-rec.Bytes, 0)
	default:
		return
	}
	at := rec.End
	if n := len(m.times); n > 0 {
		at = max(at, m.times[n-1])
	}
	if m.every > 0 && m.shared < m.every {
		m.share(at)
		return
	}
	if len(m.times) >= mostPoints {
		m.halve()
	}
	m.point(at)
	if m.every > 0 {
		m.point(at)
		m.shared = 1
	}
}

// point adds a point with the present level.
func (m *memory) point(at int64) {
	if len(m.times)%blockPoints == 0 {
		m.peaks = append(m.peaks, 0)
	}
	m.times, m.levels = append(m.times, at), append(m.levels, m.level)
	last := &m.peaks[len(m.peaks)-1]
	*last = max(*last, m.level)
}

// share adds a change to the newest two points.
func (m *memory) share(at int64) {
	m.shared++
	n := len(m.times)
	m.times[n-1], m.levels[n-1] = at, m.level
	if m.level > m.levels[n-2] {
		m.times[n-2], m.levels[n-2] = at, m.level
		last := &m.peaks[len(m.peaks)-1] // two points that belong together lie in one block
		*last = max(*last, m.level)
	}
}

// mostPoints bounds the points of a memory, a multiple of blockPoints.
const mostPoints = 1 << 19

// halve keeps of four points the one with the most bytes, and the last one.
func (m *memory) halve() {
	n := 0
	put := func(i int) {
		m.times[n], m.levels[n] = m.times[i], m.levels[i]
		n++
	}
	for at := 0; at < len(m.times); at += 4 {
		last := min(at+4, len(m.times)) - 1
		most := at
		for i := at; i <= last; i++ {
			if m.levels[i] > m.levels[most] {
				most = i
			}
		}
		put(most)
		put(last)
	}
	m.every, m.shared = max(2*m.every, 4), max(2*m.every, 4)
	m.times, m.levels = m.times[:n], m.levels[:n]
	m.peaks = m.peaks[:0]
	for at := 0; at < n; at += blockPoints {
		m.peaks = append(m.peaks, slices.Max(m.levels[at:min(at+blockPoints, n)]))
	}
}

// dropBefore forgets whole blocks that end before a time.
func (m *memory) dropBefore(t int64) {
	n := 0
	for (n+1)*blockPoints < len(m.times) && m.times[(n+1)*blockPoints] < t {
		n++
	}
	m.times, m.levels, m.peaks = m.times[n*blockPoints:], m.levels[n*blockPoints:], m.peaks[n:]
}

// Memory returns the most bytes in use in each pixel of a window, nil for a lane that is no memory.
func (s *Store) Memory(id int, w Window) []int64 {
	if id >= len(s.lanes) || len(s.lanes[id].memory.times) == 0 || w.T1 <= w.T0 || w.Px <= 0 {
		return nil
	}
	m := &s.lanes[id].memory
	out := make([]int64, w.Px)
	at := 0
	for x := range out {
		from := w.T0 + int64(float64(x)*float64(w.T1-w.T0)/float64(w.Px))
		to := w.T0 + int64(float64(x+1)*float64(w.T1-w.T0)/float64(w.Px))
		first := at + sort.Search(len(m.times)-at, func(i int) bool { return m.times[at+i] >= from })
		end := first + sort.Search(len(m.times)-first, func(i int) bool { return m.times[first+i] >= to })
		if first > 0 {
			out[x] = m.levels[first-1] // in use when the pixel begins
		}
		out[x] = max(out[x], m.peak(first, end))
		at = end
	}
	return out
}

// peak returns the maximum of the points of [first, end).
func (m *memory) peak(first, end int) int64 {
	var most int64
	for i := first; i < end; {
		if i%blockPoints == 0 && i+blockPoints <= end {
			most = max(most, m.peaks[i/blockPoints])
			i += blockPoints
			continue
		}
		most = max(most, m.levels[i])
		i++
	}
	return most
}
