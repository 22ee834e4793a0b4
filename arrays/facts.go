package arrays

import (
	"math"

	"weft/scheduler"
	"weft/tile"
)

// facts are what is known about all elements of a store, so that no call waits for it twice: an
// index that a loop uses again and again, or the mask of a[mask] = f(a[mask]). They hold until
// the store is written, by an op or through memory that the program has.
type facts struct {
	of        tile.DType // of the elements
	exports   uint32     // of the store, when they were found
	bounded   bool       // integers: low <= x <= high
	low, high int64
	counted   bool // how many of them are not zero
	nonzeros  int
	untouched bool // nothing has written any
}

// maxFacts bounds the stores that something is known about.
const maxFacts = 1024

// remember adds to what is known about the store of an array that has all its elements, or
// all that are ever read. A store that the program can write to behind our back has no facts.
func (c *Context) remember(a *Array, f facts) {
	if a.store.exported.Load() > 0 {
		return
	}
	f.of, f.exports = a.view.Type, a.store.exports.Load()
	if len(c.known) >= maxFacts {
		clear(c.known)
	}
	if old, ok := c.about(a); ok {
		if !f.bounded {
			f.bounded, f.low, f.high = old.bounded, old.low, old.high
		}
		if !f.counted {
			f.counted, f.nonzeros = old.counted, old.nonzeros
		}
	}
	c.known[a.store.id] = f
}

// about returns what is known about all elements of an array.
func (c *Context) about(a *Array) (facts, bool) {
	f, ok := c.known[a.store.id]
	return f, ok && f.of == a.view.Type && f.exports == a.store.exports.Load()
}

// LeaveUntouched notes that nothing has written the store of an array, until something does.
func (c *Context) LeaveUntouched(a *Array) { c.remember(a, facts{untouched: true}) }

// Untouched reports whether that is so. It may say no where it is.
func (c *Context) Untouched(a *Array) bool {
	f, ok := c.about(a)
	return ok && f.untouched
}

// learn remembers what find finds out about all elements of an array. find may wait, and others may call and write the
// array meanwhile, which removes the entry that stands for it: then what it found is of the past.
func (c *Context) learn(a *Array, find func() (facts, error)) (facts, error) {
	c.remember(a, facts{})
	f, err := find()
	if _, unwritten := c.about(a); unwritten && err == nil {
		c.remember(a, f)
	}
	return f, err
}

// forget removes what is known about the stores that an op writes.
func (c *Context) forget(op *scheduler.Op) {
	if len(c.known) == 0 {
		return
	}
	for i := range op.Uses {
		if op.Uses[i].Access.Writes() {
			delete(c.known, op.Uses[i].View.Store)
		}
	}
}

// submit hands an op to the runtime, and forgets what was known about what it writes.
func (c *Context) submit(op *scheduler.Op) error {
	if told := c.telling(); told.as != "" {
		op.Tells, op.Continues = told.as, told.last
		told.last = op
	}
	op.Asked = c.asked
	c.forget(op)
	defer c.forget(op) // what others have found out while it waited is of what was there before
	if len(c.bytewise) == 0 {
		return c.rt.Submit(op)
	}
	copies, err := c.withTruth(op)
	if err == nil {
		err = c.rt.Submit(op)
	}
	for _, a := range copies {
		a.Free()
	}
	return err
}

// inBounds returns indices packed as int64, once all lie within an axis of n points. It
// waits where that is not known.
func (s *scope) inBounds(name string, indices *Array, n, axis int) (*Array, error) {
	if err := indices.alive(); err != nil {
		return nil, err
	}
	at, err := s.packed(indices, tile.Int64)
	if err != nil || at.size == 0 {
		return at, err
	}
	f, known := s.c.about(indices)
	if !known || !f.bounded || f.low < -int64(n) || f.high >= int64(n) {
		find := func() (facts, error) { return s.extremes(name, at) }
		if indices.Whole() {
			f, err = s.c.learn(indices, find)
		} else {
			f, err = find()
		}
		if err != nil {
			return nil, err
		}
	}
	if f.low >= -int64(n) && f.high < int64(n) {
		return at, nil
	}
	wrong, err := s.own(s.c.alloc(tile.Int64, nil, nil))
	if err != nil {
		return nil, err
	}
	if err := s.c.routine("beyond").in(at.view).out(wrong).uniform(tile.IntScalar(tile.Int64, int64(n))).submit(name); err != nil {
		return nil, err
	}
	i, err := s.count(wrong)
	if err != nil {
		return nil, err
	}
	return nil, errorf("IndexError", "index %d is out of bounds for axis %d with size %d", i, axis, n)
}

// extremes waits for the smallest and the largest of packed indices.
func (s *scope) extremes(name string, at *Array) (facts, error) {
	ends, err := s.own(s.c.alloc(tile.Int64, []int{2}, nil))
	if err != nil {
		return facts{}, err
	}
	if err := s.c.routine("extremes").in(at.view).out(ends).submit(name); err != nil {
		return facts{}, err
	}
	raw, err := ends.Bytes(s.c.Stop)
	if err != nil {
		return facts{}, err
	}
	return facts{bounded: true, low: scalarAt(tile.Int64, raw).Int(), high: scalarAt(tile.Int64, raw[8:]).Int()}, nil
}

// literalFacts are those of integers that come from the host: most indices are lists in the program.
func literalFacts(data []byte) facts {
	f := facts{bounded: true, low: math.MaxInt64, high: math.MinInt64}
	for ; len(data) > 0; data = data[8:] {
		x := scalarAt(tile.Int64, data).Int()
		f.low, f.high = min(f.low, x), max(f.high, x)
	}
	return f
}

// fewLiterals is how many of them are looked at.
const fewLiterals = 256
