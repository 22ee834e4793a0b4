package routines

import "weft/tile"

// block is what the threads of a block need to combine a value of each with those of the threads before it.
//
//	v              a b c d | e f g h        warps of 4
//	within warps   a ab abc abcd | e ef efg efgh
//	totals         abcd, efgh in shared memory; each warp scans them itself
type block struct {
	c       *code
	op      tile.Opcode
	neutral tile.Value
	totals  tile.Memory
	lane    tile.Value // in its warp: an int32
	warp    tile.Value // in its block, and how many there are: int32
	warps   tile.Value
	mask    tile.Value // all threads of a warp
}

// blockOf prepares scans of values of a dtype, by an operation that any grouping is the same for.
func (c *code) blockOf(op tile.Opcode, t tile.DType, neutral tile.Scalar) *block {
	size := c.Const(tile.IntScalar(tile.Int32, 5))
	return &block{c: c, op: op, neutral: c.Const(neutral), totals: c.Scratch(tile.Shared, t, "totals", tile.WarpSize),
		lane: c.Thread(tile.LaneID), warp: c.Do(tile.Shr, c.Thread(tile.TidX), size), warps: c.Do(tile.Shr, c.Thread(tile.NtidX), size),
		mask: c.Const(tile.UintScalar(tile.Uint32, 1<<32-1))}
}

// inWarp combines a value with those of the lanes before it.
func (b *block) inWarp(v tile.Value) tile.Value {
	c := b.c
	for by := int64(1); by < tile.WarpSize; by *= 2 {
		far := c.Const(tile.IntScalar(tile.Int32, by))
		other := c.Shuffle(tile.ShuffleUp, b.mask, v, far)
		v = c.Do(tile.Select, c.Do(tile.Ge, b.lane, far), c.Do(b.op, other, v), v)
	}
	return v
}

// scan combines the values of all threads up to each one, and those of all. Every thread of the block takes part.
func (b *block) scan(v tile.Value) (upTo, total tile.Value) {
	c := b.c
	upTo = b.inWarp(v)
	one := c.Const(tile.IntScalar(tile.Int32, 1))
	c.when(c.Do(tile.Eq, b.lane, c.Const(tile.IntScalar(tile.Int32, tile.WarpSize-1))), func() { c.Put(b.totals, upTo, c.Cast(tile.Int64, b.warp)) })
	c.Barrier()
	c.If(c.less(b.lane, b.warps))
	there := c.Element(b.totals, c.Cast(tile.Int64, b.lane))
	c.End()
	all := b.inWarp(c.Merge(there, b.neutral))
	c.Barrier()                                                           // the totals have been read
	before := c.Shuffle(tile.ShuffleIdx, b.mask, all, c.sub(b.warp, one)) // of no warp before the first: not used there
	upTo = c.Do(tile.Select, c.Do(tile.Gt, b.warp, c.Const(tile.IntScalar(tile.Int32, 0))), c.Do(b.op, before, upTo), upTo)
	return upTo, c.Shuffle(tile.ShuffleIdx, b.mask, all, c.sub(b.warps, one))
}

// fold combines what each thread of the block has of the numbers from lo up to, not including, hi.
func (b *block) fold(lo, hi tile.Value, of func(i tile.Value) tile.Value) tile.Value {
	c := b.c
	own := c.count(c.add(lo, c.thread(tile.TidX)), hi, c.thread(tile.NtidX), []tile.Value{b.neutral}, func(i tile.Value, now []tile.Value) []tile.Value {
		return []tile.Value{c.Do(b.op, now[0], of(i))}
	})
	_, total := b.scan(own[0])
	return total
}

// running goes through the numbers from lo up to, not including, hi, one for each thread of the block at a time: of
// gives the value of one, and use gets, for those that are below hi, the combination of start and all values up to it.
// After, where it is not nil, is what the block does at the end of each turn, with the number of the first thread.
func (b *block) running(lo, hi, start tile.Value, of func(i tile.Value) tile.Value, use func(i, v, upTo tile.Value), after func(first, before, total tile.Value)) {
	c := b.c
	thread := c.thread(tile.TidX)
	c.count(lo, hi, c.thread(tile.NtidX), []tile.Value{start}, func(first tile.Value, now []tile.Value) []tile.Value {
		i := c.add(first, thread)
		inside := c.less(i, hi)
		c.If(inside)
		there := of(i)
		c.End()
		v := c.Merge(there, b.neutral)
		upTo, total := b.scan(v)
		c.when(inside, func() { use(i, v, c.Do(b.op, now[0], upTo)) })
		if after != nil {
			after(first, now[0], total)
		}
		return []tile.Value{c.Do(b.op, now[0], total)}
	})
}
