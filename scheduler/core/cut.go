package core

import "weft/scheduler"

// A full window is not planned to its end: the last ops of a loop's turn would be cut off from
// the rest of it, so that what they compute for each other is stored and read back, and the
// next window would begin at another place of the loop, where no plan is known. It is cut where the
// fewest bytes cross: those of stores that the window made in front of the cut and that
// are used behind it, or held for all we know. In loops that is where they turn:
//
//	t = 0.5*u          t crosses
//	w = t+u            t, w cross
//	u[:] = w           nothing crosses: t and w are released behind the cut, but not used
//	---- the cut
//	t = 0.5*u; drop the old t
//	w = t+u; drop the old w

// cutting is split's scratch.
type cutting struct {
	full  bool    // the window is: it may be planned in part
	kept  []entry // that are not planned this time
	ops   int     // of those
	bytes int64   // that cross the cut
	cross []int64
	turns uint64 // how many cuts there were
}

// split is the pass that takes out of a full window what is not planned this time.
func split(c *Core) {
	if !c.cutting.full || c.opt.NoFusion {
		return
	}
	at := c.cut()
	if at == len(c.window) {
		return
	}
	c.keepFrom(at)
	for i := range c.cutting.kept {
		if c.cutting.kept[i].op != nil {
			c.cutting.ops++
		}
	}
	c.ops -= c.cutting.ops
}

// keepFrom takes the entries from a position on out of the window, but for releases of stores
// that none of them uses: these need not wait, and what is released with the ops that
// use it may not have to be stored at all.
func (c *Core) keepFrom(at int) {
	c.cutting.turns++
	for i := at; i < len(c.window); i++ {
		for k := range c.window[i].uses {
			c.window[i].uses[k].store.cut.turn = c.cutting.turns
		}
	}
	kept := append(c.cutting.kept[:0], c.window[at:]...)
	c.window = c.window[:at]
	n := 0
	for i := range kept {
		if st := kept[i].release; st != nil && st.cut.turn != c.cutting.turns {
			c.window = append(c.window, kept[i])
			continue
		}
		kept[n] = kept[i]
		n++
	}
	clear(kept[n:])
	c.cutting.kept = kept[:n]
}

// crossing is what cut notes of a store.
type crossing struct {
	turn       uint64 // of the cut that the rest belongs to
	made, last int32  // positions of the first and last entry that use it
	fresh      bool   // the window makes it
	dies       bool   // the window releases it
}

// cut returns the position from which on a full window is kept. At least a quarter of the ops
// are planned, so that no op is looked at many times. Among equals it is the last place
// where the program is where it was at the window's start, or else the last place.
//
// cross is a sum to be: cross[p] has what cutting before entry p crosses more than cutting before the entry in front of
// it. A store that the window makes adds its size behind the entry that makes it, and takes it away behind its
// last use; one that lives on never does.
//
//	entry p       0 makes t      1 makes w, uses t      2 uses w      3
//	cross[p]                     +t                     +w -t         -w       both are released
func (c *Core) cut() int {
	c.cutting.turns++
	n := len(c.window)
	c.cutting.cross = append(c.cutting.cross[:0], make([]int64, n+1)...)
	for i := range c.window {
		e := &c.window[i]
		if st := e.release; st != nil && st.cut.turn == c.cutting.turns {
			st.cut.dies = true
		}
		for k := range e.uses {
			st := e.uses[k].store
			if st.cut.turn != c.cutting.turns {
				st.cut = crossing{turn: c.cutting.turns, made: int32(i), fresh: !st.exists()}
			}
			st.cut.last = int32(i)
		}
	}
	for i := range c.window { // cross[p] becomes what cutting at p crosses more than cutting before
		e := &c.window[i]
		for k := range e.uses {
			st := e.uses[k].store
			if x := &st.cut; x.fresh && int(x.made) == i {
				x.fresh = false // counted
				c.cutting.cross[i+1] += st.size
				if x.dies {
					c.cutting.cross[x.last+1] -= st.size
				}
			}
		}
	}
	best, least, turns := n, int64(-1), false
	ops, bytes := 0, int64(0)
	var start scheduler.Where
	for p := 0; p <= n; p++ {
		bytes += c.cutting.cross[p]
		end := p == n
		if !end && c.window[p].op == nil {
			continue
		}
		if ops == 0 && !end {
			start = c.window[p].op.Where
		}
		if ops > 0 && ops >= c.opt.Window/4 {
			turn := !end && c.window[p].op.Where == start
			if least < 0 || bytes < least || bytes == least && (turn || !turns) {
				best, least, turns = p, bytes, turn
				c.cutting.bytes = bytes
			}
		}
		ops++
	}
	return best
}

// exists reports whether the store has an instance already.
func (st *store) exists() bool {
	for _, inst := range st.at {
		if inst != nil {
			return true
		}
	}
	return false
}
