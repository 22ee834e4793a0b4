package routines

import (
	"slices"
	"strings"

	"weft/tile"
)

// Of values for one place the last one stays. Threads find out which that is in a table of scratch memory: the places
// are taken in windows, from the first on, and each slot of the table is for one place of the array that a window
// means, with the last of those that mean it. When all of a window have met, those that are the last ones write; the
// next window comes when they have.
//
//	at       4 1 4 7 | 1 4 0 2     windows of 4
//	slots    4: 2  1: 1  7: 3      the first window's value of place 0 is not written
//
// There are two tables: while one is read, the other is emptied for the next window.

// maxWindow is how many places a window has at most; it need not have more than there are threads under way. A table
// has twice as many slots, so that of two at least one is empty.
const maxWindow = scratchWords / 8

// scatter writes rows to the places that indices mean. Where all rows are one row, any order will do.
func scatter(s *plan) (*tile.Launch, error) {
	p, err := newPoints(s)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(p.steps[p.arrays], func(by int64) bool { return by != 0 }) {
		p.bind(0)
		return p.launch(p.grid(p.count()*p.row(), p.raises()), p.key("one row"), func(c *code) {
			w := newPointsCode(c, p)
			w.inside(nil, func() {
				w.each(w.mul(w.count, w.row), w.write)
			})
		})
	}
	window := min(p.count(), p.together(), maxWindow)
	slots := 2
	for slots < 2*window {
		slots *= 2
	}
	p.bind(2 * slots)
	p.number(slots)
	p.number(window)
	return p.launch(p.grid(max(window*p.row(), slots), true), p.key("scatter"), func(c *code) {
		w := newPointsCode(c, p)
		t := &owners{pointsCode: w, slots: c.Uniform(tile.Int64)}
		wide := c.Uniform(tile.Int64)
		first := c.whole(int64(p.words - 2*slots))
		w.inside(func() { t.empty(first); t.empty(c.add(first, t.slots)) }, func() {
			c.count(w.zero, w.count, wide, []tile.Value{first, c.add(first, t.slots)}, func(lo tile.Value, now []tile.Value) []tile.Value {
				used, next := now[0], now[1]
				some := c.least(wide, c.sub(w.count, lo))
				c.each(some, func(i tile.Value) { t.enter(used, i, w.numberOf(c.add(lo, i))) })
				c.GridBarrier()
				c.each(c.mul(some, w.row), func(k tile.Value) {
					i := k
					if len(w.rest) > 0 {
						i, _ = c.over(k, w.row)
					}
					c.when(t.last(used, i, w.numberOf(c.add(lo, i))), func() { w.write(c.add(c.mul(lo, w.row), k)) })
				})
				t.empty(next)
				c.GridBarrier()
				return []tile.Value{next, used}
			})
		})
	})
}

// write writes an element of what is near.
func (w *pointsCode) write(k tile.Value) {
	_, at, from, near := w.element(k)
	offset, _ := w.place(at)
	w.Put(w.x, w.Element(w.near, near), w.add(offset, from))
}

// numberOf is the number of the place that the indices of number i mean.
func (w *pointsCode) numberOf(i tile.Value) tile.Value {
	_, number := w.place(w.coordinates(i, w.index))
	return number
}

// owners are the tables: a word of a slot is the number of a place, from 1 on, and, in its last bits, which of a window
// comes last there. A place's slot is the first free one behind that which its number says.
type owners struct {
	*pointsCode
	slots tile.Value
}

// lastBits are those that count the places of a window.
const lastBits = 15 // maxWindow is 1<<15

// empty empties the table that begins at a word.
func (t *owners) empty(table tile.Value) {
	t.each(t.slots, func(i tile.Value) { t.Put(t.words, t.zero, t.add(table, i)) })
}

// slot is where to look first.
func (t *owners) slot(number tile.Value) tile.Value {
	mixed := t.mul(number, t.whole(0x1e3779b97f4a7c15))
	return t.both(t.Do(tile.Shr, mixed, t.whole(32)), t.sub(t.slots, t.one))
}

// after is the slot behind another.
func (t *owners) after(slot tile.Value) tile.Value {
	return t.both(t.add(slot, t.one), t.sub(t.slots, t.one))
}

// bits shifts a number in front of that of a window's place.
func (t *owners) key(number tile.Value) tile.Value {
	return t.Do(tile.Shl, t.add(number, t.one), t.whole(lastBits))
}

// enter has place i of a window mean a place of the array.
func (t *owners) enter(table, i, number tile.Value) {
	key := t.key(number)
	word := t.add(key, i)
	t.loop([]tile.Value{t.slot(number), t.Const(tile.BoolScalar(false))}, func(now []tile.Value) tile.Value { return t.Do(tile.Not, now[1]) },
		func(now []tile.Value) []tile.Value {
			at := t.add(table, now[0])
			before := t.Cas(t.words, t.zero, word, at)
			same := t.Do(tile.Eq, t.Do(tile.Shr, before, t.whole(lastBits)), t.add(number, t.one))
			t.when(same, func() { t.Atomic(tile.AtomicMax, t.words, word, at) })
			return []tile.Value{t.after(now[0]), t.Do(tile.Or, same, t.Do(tile.Eq, before, t.zero))}
		})
}

// last reports whether place i is the last one of a window that means a place of the array.
func (t *owners) last(table, i, number tile.Value) tile.Value {
	read := func(slot tile.Value) tile.Value { return t.Element(t.words, t.add(table, slot)) }
	start := t.slot(number)
	end := t.loop([]tile.Value{start, read(start)}, func(now []tile.Value) tile.Value {
		return t.Do(tile.Ne, t.Do(tile.Shr, now[1], t.whole(lastBits)), t.add(number, t.one))
	}, func(now []tile.Value) []tile.Value {
		next := t.after(now[0])
		return []tile.Value{next, read(next)}
	})
	return t.Do(tile.Eq, end[1], t.add(t.key(number), i))
}

// combines are the opcodes by which integers are combined in any order with what is there.
var combines = map[string]tile.Form{
	"add": tile.AtomicAdd, "sub": tile.AtomicSub, "min": tile.AtomicMin, "max": tile.AtomicMax,
	"and": tile.AtomicAnd, "or": tile.AtomicOr, "xor": tile.AtomicXor,
}

// combined says why the host combines values with what is there.
func combined(p *tile.Program) string {
	form, ok := combines[strings.TrimPrefix(p.Routine, "scatter.")]
	if len(p.Params) == 0 {
		if !ok {
			return "GPUs have no atomic operation for it"
		}
		return ""
	}
	switch t := p.Params[0].Type; {
	case !ok:
		return "GPUs have no atomic operation for it"
	case t.Is(tile.KindFloat | tile.KindComplex):
		return "combinations of floats depend on their order"
	case !form.AcceptsAtomic(t):
		return "GPUs have no atomic operations on elements of 1 and 2 bytes"
	case t != p.Params[len(p.Params)-1].Type:
		return "GPUs combine values of the array's own dtype alone"
	}
	return ""
}

// combine has each thread combine some elements with what is there.
func combine(s *plan) (*tile.Launch, error) {
	p, err := newPoints(s)
	if err != nil {
		return nil, err
	}
	p.bind(0)
	key := "combine"
	if p.loose {
		key = "combine alone"
	}
	return p.launch(p.grid(p.count()*p.row(), p.raises()), p.key(key), func(c *code) {
		w := newPointsCode(c, p)
		_, name, _ := strings.Cut(p.r.p.Routine, ".")
		operation, _ := tile.ParseOpcode(name)
		all := w.mul(w.count, w.row)
		w.inside(nil, func() {
			if key == "combine" {
				w.each(all, func(k tile.Value) {
					_, at, from, near := w.element(k)
					offset, _ := w.place(at)
					w.Atomic(combines[name], w.x, w.Element(w.near, near), w.add(offset, from))
				})
				return
			}
			w.first(func() { // there are no atomic operations on elements at any byte
				w.code.count(w.zero, all, w.one, nil, func(k tile.Value, _ []tile.Value) []tile.Value {
					_, at, from, near := w.element(k)
					offset, _ := w.place(at)
					to := w.add(offset, from)
					w.Put(w.x, w.Do(operation, w.Element(w.x, to), w.Element(w.near, near)), to)
					return nil
				})
			})
		})
	})
}
