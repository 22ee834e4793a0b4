package cpu

import (
	"slices"
	"sync"
	"unsafe"

	"weft/cpu/lockstep"
	"weft/tile"
)

// Blocks that may wait for each other have their turns in rounds. In a round each row that has begun goes on, and some
// rows begin, until its end, until it has had its turns, or until a grid barrier: then it pauses, and what it holds is
// put aside. Where all rows that are left are at a grid barrier, they pass it.
//
//	round 1   row 0 spins for a flag    paused
//	          row 1 sets it             ended
//	round 2   row 0 goes on             ended

// mostPaused is how many lanes are put aside at most, before rows wait to begin until others have ended: some hundred
// megabytes. Those of a grid with barriers all begin.
const mostPaused = 1 << 20

// rounds runs all rows of a launch, on as many cores as chunks may be taken at once.
func (g *gridRun) rounds(e *engine, f *frame, rows int64, chunks int) error {
	lanes := int64(g.threads * g.per)
	most := max(mostPaused/lanes, int64(chunks))
	if g.x.meets {
		most = rows
	}
	if chunks > 1 {
		g.crowded = 1
	}
	rs := rounds{gridRun: g, engine: e, ready: []*rowRun{}}
	defer rs.close()
	first, err := g.prepare(f)
	if err != nil {
		return err
	}
	rs.ready = append(rs.ready, first)
	base := f.base
	for begun := int64(0); ; {
		var now []*pausedRow
		for _, p := range rs.left {
			if p.place == nil {
				now = append(now, p)
			}
		}
		for n := max(most/8, 1); n > 0 && begun < rows && int64(len(rs.left)) < most; n-- {
			p := &pausedRow{number: begun}
			now, rs.left = append(now, p), append(rs.left, p)
			begun++
		}
		if len(now) == 0 {
			if len(rs.left) == 0 {
				break
			}
			now = rs.meet()
		}
		parts := min(chunks, len(now))
		if err := e.share(parts, func(i int) error {
			return rs.run(base, now[len(now)*i/parts:len(now)*(i+1)/parts])
		}); err != nil {
			return err
		}
		rs.left = slices.DeleteFunc(rs.left, func(p *pausedRow) bool { return p.ended })
	}
	if rs.fault != nil {
		return g.l.Explain(rs.fault)
	}
	return nil
}

// rounds is a launch that goes on in rounds.
type rounds struct {
	*gridRun
	engine *engine
	left   []*pausedRow // that have begun, and not ended, in their order

	mu       sync.Mutex
	ready    []*rowRun // that no core uses
	borrowed []*frame
	fault    *tile.Fault // of the lowest thread of those that have failed
}

// pausedRow is a row that has begun.
type pausedRow struct {
	number      int64
	pause       int64
	parked      unsafe.Pointer
	shared, own []byte
	guards      []byte // of a guarded launch: what the block has done to its own
	began       uint32 // and when it began, and met, and all blocks did
	met, grid   uint32
	place       []int64 // where it waits at a grid barrier: by scope around it, which, and its turn; and the step
	absent      int64   // thread of the grid that has not come there; -1: none
	fails       bool
	other       int64
	ended       bool
}

// close frees what rows hold that have not ended.
func (rs *rounds) close() {
	for _, p := range rs.left {
		lockstep.Forget(&lockstep.Row{Parked: p.parked})
	}
	for _, f := range rs.borrowed {
		rs.engine.giveBack(f)
	}
}

// take returns room for a row that runs.
func (rs *rounds) take(base []unsafe.Pointer) (*rowRun, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if n := len(rs.ready); n > 0 {
		r := rs.ready[n-1]
		rs.ready = rs.ready[:n-1]
		return r, nil
	}
	f, err := rs.engine.borrow()
	if err != nil {
		return nil, err
	}
	rs.borrowed = append(rs.borrowed, f)
	f.base = append(f.base[:0], base...)
	return rs.prepare(f)
}

// run has rows go on, one after the other.
func (rs *rounds) run(base []unsafe.Pointer, rows []*pausedRow) error {
	r, err := rs.take(base)
	if err != nil {
		return err
	}
	for _, p := range rows {
		if rs.l.Stop.Stopped() {
			return tile.ErrStopped
		}
		r.begin(p.number)
		r.row.Pause, r.row.Parked, r.row.Fails, r.row.Other = p.pause, p.parked, 0, p.other
		if p.fails {
			r.row.Fails = 1
		}
		copy(r.shared, p.shared)
		copy(r.own, p.own)
		if rs.guards != nil {
			rs.guards.each(r.row, &p.guards, func(guard, kept []byte) { copy(guard, kept) })
			if r.row.Met, r.row.Grid = p.met, p.grid; p.began > 0 { // it has marks
				r.row.Began = p.began
				for i := range r.calm {
					r.calm[i] = lockstep.Calm{Stirred: r.row.Now + 1, Marked: r.row.Now + 1}
				}
			}
		}
		lockstep.Run(rs.x.machine, r.row)
		p.pause, p.parked, p.place, p.fails = r.row.Pause, r.row.Parked, nil, false
		first := p.number * int64(rs.per)
		if r.row.Fault.Kind != 0 {
			f, err := r.fault(first)
			if err != nil {
				return err
			}
			rs.failed(f)
		}
		switch p.pause {
		case lockstep.Ended:
			if rs.guards != nil {
				rs.guards.end()
			}
			p.ended, p.shared, p.own, p.guards = true, nil, nil, nil
			continue
		case lockstep.AtGridBarrier:
			p.place = r.place()
			if p.absent = r.row.Absent; p.absent >= 0 {
				p.absent += first * int64(rs.threads)
			}
		}
		p.shared, p.own = append(p.shared[:0], r.shared...), append(p.own[:0], r.own...)
		if rs.guards != nil {
			rs.guards.each(r.row, &p.guards, func(guard, kept []byte) { copy(kept, guard) })
			p.began, p.met, p.grid = r.row.Began, r.row.Met, r.row.Grid
		}
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.ready = append(rs.ready, r)
	return nil
}

// failed notes a fault.
func (rs *rounds) failed(f *tile.Fault) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.fault == nil || f.Before(rs.fault) {
		rs.fault = f
	}
}

// place is where a row's lanes wait that has paused at a grid barrier.
func (r *rowRun) place() []int64 {
	steps := unsafe.Slice((*lockstep.Step)(r.row.Step), r.row.Steps)
	scopes := unsafe.Slice((*lockstep.Scope)(r.row.Scope), r.row.Scopes)
	place := []int64{r.row.At}
	for i := int64(steps[r.row.At].Scope); i >= 0; i = scopes[i].Outer {
		place = append([]int64{i, scopes[i].Turns}, place...)
	}
	return place
}

// before reports whether one place comes before another, in order of time: what differs first are the turns of a loop
// around both, or the steps.
func before(a, b []int64) bool {
	for i := 0; i+2 < len(a) && i+2 < len(b) && a[i] == b[i]; i += 2 {
		if a[i+1] != b[i+1] {
			return a[i+1] < b[i+1]
		}
	}
	return a[len(a)-1] < b[len(b)-1]
}

// meet has the rows go on that wait at the first of the grid barriers where any does: they pass it, or fail there if
// some thread has not come. All rows that are left wait at some.
func (rs *rounds) meet() []*pausedRow {
	here := rs.left[0].place
	for _, p := range rs.left {
		if before(p.place, here) {
			here = p.place
		}
	}
	var met []*pausedRow
	missing := int64(-1)
	for _, p := range rs.left {
		absent := p.absent
		switch {
		case slices.Equal(p.place, here):
			met = append(met, p)
		default:
			absent = p.lowest(rs.gridRun)
		}
		if missing < 0 {
			missing = absent
		}
	}
	now := &rs.ready[0].row.Now // the launch's, where there are guards: one row runs after the other
	*now++
	for _, p := range met {
		p.fails, p.other, p.met, p.grid = missing >= 0, missing, *now, *now
	}
	return met
}

// lowest is the lowest thread of the grid in a row that has not ended.
func (p *pausedRow) lowest(g *gridRun) int64 {
	return p.number*int64(g.per*g.threads) + lockstep.Lowest(p.parked, min(int64(g.per), g.blocks-p.number*int64(g.per))*int64(g.threads))
}
