package detail

import (
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
	if len(m.times)%blockPoints == 0 {
		m.peaks = append(m.peaks, 0)
	}
	m.times, m.levels = append(m.times, at), append(m.levels, m.level)
	last := &m.peaks[len(m.peaks)-1]
	*last = max(*last, m.level)
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
