package detail

import (
	"cmp"
	"slices"

	"weft/profiler"
)

// Total adds up the records of one group on one lane.
type Total struct {
	Lane  int
	Group uint32
	Count int64
	Time  int64 // nanoseconds in the stretch of time asked for
	Bytes int64 // of all records that touch it
}

// summary says what is in a chunk, so that it need not be read to be added up or to be passed over.
type summary struct {
	start, end       int64 // first start, last end
	minTask, maxTask uint32
	minOp, maxOp     uint32
	longest          int64
	rows             []groupSum
	n                int
}

type groupSum struct {
	group uint32
	count int32
	time  int64
	bytes int64
}

func (m *summary) add(rec *profiler.Record, group uint32) {
	if m.n == 0 {
		*m = summary{start: rec.Start, end: rec.End, minTask: rec.Task, maxTask: rec.Task, minOp: rec.Op, maxOp: rec.Op}
	}
	m.n++
	m.start, m.end = min(m.start, rec.Start), max(m.end, rec.End)
	m.minTask, m.maxTask = min(m.minTask, rec.Task), max(m.maxTask, rec.Task)
	m.minOp, m.maxOp = min(m.minOp, rec.Op), max(m.maxOp, rec.Op)
	m.longest = max(m.longest, rec.End-rec.Start)
	// The groups of a chunk are few.
	at := 0
	for at < len(m.rows) && m.rows[at].group != group {
		at++
	}
	if at == len(m.rows) {
		m.rows = append(m.rows, groupSum{group: group})
	}
	r := &m.rows[at]
	r.count++
	r.time += rec.End - rec.Start
	r.bytes += rec.Bytes
}

// Totals adds up what lies in a stretch of time, by lane and group, sorted by both. Records that only touch it
// count whole in Count and Bytes, and with the part that lies in it in Time. Where there are only sums, and the stretch
// begins or ends in the middle of a chunk, that chunk counts in proportion.
func (s *Snapshot) Totals(t0, t1 int64) []Total {
	var out []Total
	at := make([]int, len(s.names.groups)) // of each group, behind its row in out
	for id := range s.lanes {
		first := len(out)
		of := func(group uint32) *Total {
			if at[group] <= first {
				out = append(out, Total{Lane: id, Group: group})
				at[group] = len(out)
			}
			return &out[at[group]-1]
		}
		for k := range s.lanes[id].chunks {
			s.lanes[id].chunks[k].totals(t0, t1, of)
		}
	}
	slices.SortFunc(out, func(a, b Total) int { return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Group, b.Group)) })
	return out
}

func (c *chunk) totals(t0, t1 int64, of func(uint32) *Total) {
	m := &c.sum
	switch {
	case m.end <= t0 && m.start < t0 || m.start >= t1:
	case m.start >= t0 && m.end <= t1:
		for _, row := range m.rows {
			sum := of(row.group)
			sum.Count += int64(row.count)
			sum.Time += row.time
			sum.Bytes += row.bytes
		}
	case c.thin:
		share := float64(min(m.end, t1)-max(m.start, t0)) / float64(m.end-m.start)
		for _, row := range m.rows {
			sum := of(row.group)
			sum.Count += int64(share * float64(row.count))
			sum.Time += int64(share * float64(row.time))
			sum.Bytes += int64(share * float64(row.bytes))
		}
	default:
		for i := range c.records {
			rec := &c.records[i]
			if !touches(rec, t0, t1) {
				continue
			}
			sum := of(c.groups[i])
			sum.Count++
			sum.Time += min(rec.End, t1) - max(rec.Start, t0)
			sum.Bytes += rec.Bytes
		}
	}
}

// touches reports whether a record lies in [t0, t1) at least in part. One without length lies where it starts.
func touches(rec *profiler.Record, t0, t1 int64) bool {
	return rec.Start < t1 && (rec.End > t0 || rec.Start >= t0)
}

// Usage returns how much of each of n equal parts of a stretch of time a lane was busy, from 0 to 1. It reads the
// lane's rows but that of the cells, as deep as a picture of n pixels does.
func (s *Store) Usage(id int, w Window) []float32 {
	out := make([]float32, w.Px)
	if id >= len(s.lanes) || w.T1 <= w.T0 || w.Px <= 0 {
		return out
	}
	sums := make([]float64, w.Px)
	scale := float64(w.Px) / float64(w.T1-w.T0)
	var bars []Bar
	var scratch Scratch
	for row := 1; row < len(s.lanes[id].tracks); row++ {
		bars = s.View(bars[:0], Track{id, row}, w, &scratch)
		for _, b := range bars {
			if !s.groups.rows[b.Group].Kind.Info().Busy {
				continue
			}
			x0, x1 := float64(max(b.Start, w.T0)-w.T0)*scale, float64(min(b.End, w.T1)-w.T0)*scale
			dense := 1.0
			if b.Merged && b.End > b.Start {
				dense = float64(b.Busy) / float64(b.End-b.Start)
			}
			for x := max(int(x0), 0); x < w.Px && float64(x) < x1; x++ {
				sums[x] += dense * (min(x1, float64(x+1)) - max(x0, float64(x)))
			}
		}
	}
	for i, v := range sums {
		out[i] = float32(min(v, 1))
	}
	return out
}
