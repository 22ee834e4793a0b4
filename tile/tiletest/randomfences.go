package tiletest

import "weft/tile"

// Threads that hand on what they have done, by a fence and a flag: each does something, some of them have a fence, and
// they arrive at a counter. The last of them looks at what all have done, or changes it. Whether that is a race depends
// on neither the order of threads nor of blocks: barriers of all stand around it, and of those that have no fence there
// are none or several, so that it does not matter which thread comes last.

// handing is such a statement.
type handing struct {
	act  handedAct
	tell handedTell
	form tile.Form
	grid bool // all threads arrive at one counter; or those of each block at one of theirs
	meet bool // those of a block meet before they arrive
	one  bool // the first thread of each block arrives for all of it
}

// handedAct is what threads do, and the last one with it.
type handedAct uint8

const (
	actOwn    handedAct = iota // each writes an element of its own; the last one reads all
	actOver                    // as well; the last one writes all
	actRead                    // all read one; the last one writes it
	actReads                   // all read one, and so does the last one
	actAtomic                  // all change one by atomics; the last one reads it
	actPut                     // all write what is there; the last one reads it
	actPuts                    // as well; the last one writes it, too
	actChange                  // as well; the last one writes another value
	actBehind                  // a block reads one, and writes it when it has met; one of another block writes the same
	handedActs
)

// handedTell is who has a fence.
type handedTell uint8

const (
	tellNobody handedTell = iota
	tellAll
	tellTwo // the first two of the block
	tellMet // the first one of the block, when that has met
	tellEven
	tellVoted // the first one of each warp, when that has voted
	tellSome  // the first one of each warp, when the even ones of that have voted
	handedTells
)

// fenceless is how many of n threads of a block have no fence that knows of them.
func (t handedTell) fenceless(n int) int {
	return [...]int{tellNobody: n, tellAll: 0, tellTwo: max(n-2, 0), tellMet: 0, tellEven: n / 2, tellVoted: 0, tellSome: n / 2}[t]
}

// counters is how many of these a program has, and slots how many a statement takes: two for each block.
const counters, slots = 25, 6

// handOn builds such a statement, where all threads come once.
func (b *threadsBuilder) handOn() {
	if b.flagged+slots >= counters {
		return
	}
	h := handing{act: handedAct(b.r.IntN(int(handedActs))), tell: handedTell(b.r.IntN(int(handedTells))),
		form: []tile.Form{tile.FenceBlock, tile.FenceDevice, tile.FenceDevice, tile.FenceSystem}[b.r.IntN(4)],
		grid: b.r.IntN(3) > 0, meet: b.r.IntN(3) == 0}
	h.one = h.meet && b.r.IntN(2) == 0
	blocks, threads := int(b.grid.Count()), b.grid.BlockThreads()
	without := h.tell.fenceless(threads)
	if h.grid {
		without *= blocks
	}
	if without == 1 {
		h.tell = tellNobody
	}
	if h.act == actBehind {
		b.behind(threads)
		return
	}
	b.hand(h, blocks, threads)
	b.flagged += slots
}

func (b *threadsBuilder) hand(h handing, blocks, threads int) {
	number := func(n int) tile.Value { return b.Const(tile.IntScalar(tile.Int64, int64(n))) }
	one := number(1)
	is := func(v tile.Value, n int) tile.Value { return b.Do(tile.Eq, v, number(n)) }
	only := func(c tile.Value, do func()) {
		b.If(c)
		do()
		b.End()
	}
	t := b.typeOf(b.out)
	some, other := b.Const(tile.IntScalar(t, 1)), b.Const(tile.IntScalar(t, 0))

	part, from, to := number(0), number(0), b.all // the counter's threads
	if !h.grid {
		part = b.blockNumber
		from = b.Do(tile.Mul, part, b.threads)
		to = b.Do(tile.Add, from, b.threads)
	}
	counter := b.Do(tile.Add, number(b.flagged), part)
	target := b.Do(tile.Add, number(b.flagged+slots/2), part)
	first := is(b.local, 0)

	b.GridBarrier()
	switch h.act {
	case actPut, actPuts, actChange:
		only(b.Do(tile.Eq, b.global, from), func() { b.Put(b.out, some, from) })
		b.GridBarrier()
	}
	switch h.act {
	case actOwn, actOver:
		b.Put(b.out, b.value(t), b.global)
	case actRead, actReads:
		b.keep(b.Element(b.out, from))
	case actAtomic:
		b.Atomic(tile.AtomicAdd, b.flags, one, target)
	default:
		b.Put(b.out, some, from)
	}
	fence := func() { b.Fence(h.form) }
	warp := b.Do(tile.Eq, b.Cast(tile.Int64, b.Thread(tile.LaneID)), number(0))
	vote := func() { b.Vote(tile.VoteAny, b.Active(), b.Const(tile.BoolScalar(true))) }
	even := is(b.Do(tile.Rem, b.local, number(2)), 0)
	switch h.tell {
	case tellAll:
		fence()
	case tellTwo:
		only(b.Do(tile.Lt, b.local, number(2)), fence)
	case tellMet:
		b.Barrier()
		only(first, fence)
	case tellEven:
		only(even, fence)
	case tellVoted:
		vote()
		only(warp, fence)
	case tellSome:
		only(even, vote)
		only(warp, fence)
	}
	if h.meet {
		b.Barrier()
	}
	arrive := func(n int) {
		only(is(b.Atomic(tile.AtomicAdd, b.flags, one, counter), n-1), func() {
			switch h.act {
			case actOwn:
				b.turns(from, to, func(i tile.Value) { b.keep(b.Element(b.out, i)) })
			case actOver:
				b.turns(from, to, func(i tile.Value) { b.Put(b.out, other, i) })
			case actReads, actPut:
				b.keep(b.Element(b.out, from))
			case actAtomic:
				b.keep(b.Element(b.flags, target))
			case actPuts:
				b.Put(b.out, some, from)
			default:
				b.Put(b.out, other, from)
			}
		})
	}
	n := threads
	if h.one {
		n = 1
	}
	if h.grid {
		n *= blocks
	}
	if h.one {
		only(first, func() { arrive(n) })
	} else {
		arrive(n)
	}
	b.GridBarrier()
}

// behind has a write take the place of what others have read and written before it, where one that leaves the element
// as it is comes to race with what was read.
func (b *threadsBuilder) behind(threads int) {
	zero := b.Const(tile.IntScalar(tile.Int64, 0))
	b.GridBarrier()
	b.If(b.Do(tile.Eq, b.blockNumber, zero))
	b.keep(b.Element(b.out, zero))
	b.End()
	b.Barrier()
	for _, who := range []int{0, threads} {
		b.If(b.Do(tile.Eq, b.global, b.Const(tile.IntScalar(tile.Int64, int64(who)))))
		b.Put(b.out, b.Const(tile.IntScalar(b.typeOf(b.out), 1)), zero)
		b.End()
	}
	b.GridBarrier()
}

// keep has a value be needed.
func (b *threadsBuilder) keep(v tile.Value) {
	b.Put(b.own, b.Cast(b.typeOf(b.own), b.Do(tile.Eq, v, v)), b.Const(tile.IntScalar(tile.Int64, 0)))
}

// turns is a loop over numbers.
func (b *threadsBuilder) turns(from, to tile.Value, turn func(i tile.Value)) {
	b.Loop()
	i := b.Carry(from)
	b.While(b.Do(tile.Lt, i, to))
	turn(i)
	b.Next(i, b.Do(tile.Add, i, b.Const(tile.IntScalar(tile.Int64, 1))))
	b.End()
}
