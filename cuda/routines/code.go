package routines

import "weft/tile"

// code writes a program of threads. Numbers are int64 where nothing else is said.
type code struct{ *tile.Builder }

func (c *code) whole(n int64) tile.Value { return c.Const(tile.IntScalar(tile.Int64, n)) }

// input and result add an array of one axis.
func (c *code) input(t tile.DType, name string) tile.Memory  { return c.Array(tile.In, t, 1, name) }
func (c *code) result(t tile.DType, name string) tile.Memory { return c.Array(tile.Out, t, 1, name) }

func (c *code) add(x, y tile.Value) tile.Value   { return c.Do(tile.Add, x, y) }
func (c *code) sub(x, y tile.Value) tile.Value   { return c.Do(tile.Sub, x, y) }
func (c *code) mul(x, y tile.Value) tile.Value   { return c.Do(tile.Mul, x, y) }
func (c *code) less(x, y tile.Value) tile.Value  { return c.Do(tile.Lt, x, y) }
func (c *code) both(x, y tile.Value) tile.Value  { return c.Do(tile.And, x, y) }
func (c *code) least(x, y tile.Value) tile.Value { return c.Do(tile.Min, x, y) }

// over divides numbers that are not negative.
func (c *code) over(x, y tile.Value) (quotient, rest tile.Value) {
	quotient = c.Do(tile.FloorDiv, x, y)
	return quotient, c.sub(x, c.mul(quotient, y))
}

// thread is a number that says where the thread is.
func (c *code) thread(f tile.Form) tile.Value { return c.Cast(tile.Int64, c.Thread(f)) }

// place is the thread's number in the grid, and how many threads there are.
func (c *code) place() (i, n tile.Value) {
	threads := c.thread(tile.NtidX)
	return c.add(c.mul(c.thread(tile.CtaidX), threads), c.thread(tile.TidX)), c.mul(c.thread(tile.NctaidX), threads)
}

// each has the threads of the grid take the numbers below n in turns.
func (c *code) each(n tile.Value, body func(i tile.Value)) {
	first, step := c.place()
	c.count(first, n, step, nil, func(i tile.Value, _ []tile.Value) []tile.Value { body(i); return nil })
}

// count is a loop over the numbers from lo on, step by step, below hi. It carries values from turn to turn, which begin
// as first and go on as body returns them, and returns them as they are in the end.
func (c *code) count(lo, hi, step tile.Value, first []tile.Value, body func(i tile.Value, now []tile.Value) []tile.Value) []tile.Value {
	end := c.loop(append([]tile.Value{lo}, first...), func(now []tile.Value) tile.Value { return c.less(now[0], hi) },
		func(now []tile.Value) []tile.Value {
			next := body(now[0], now[1:])
			return append([]tile.Value{c.add(now[0], step)}, next...)
		})
	return end[1:]
}

// loop goes on for as long as a condition holds.
func (c *code) loop(first []tile.Value, holds func(now []tile.Value) tile.Value, body func(now []tile.Value) []tile.Value) []tile.Value {
	c.Loop()
	var now []tile.Value
	for _, v := range first {
		now = append(now, c.Carry(v))
	}
	c.While(holds(now))
	next := body(now)
	for i := range now {
		c.Next(now[i], next[i])
	}
	c.End()
	return now
}

// when has threads for which a condition holds do something.
func (c *code) when(holds tile.Value, body func()) {
	c.If(holds)
	body()
	c.End()
}

// first has the first thread of the grid do something.
func (c *code) first(body func()) {
	i, _ := c.place()
	c.when(c.Do(tile.Eq, i, c.whole(0)), body)
}
