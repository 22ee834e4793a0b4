package tiletest

import "weft/tile"

// relaxation replaces each element by the sum of its neighbours, several times, with a barrier of all blocks between
// any two times. Some threads leave on the way, and so do whole blocks, which others do not wait for.
func relaxation(b *bench) {
	const blocksN, threads = 7, 40
	nb, i := threadsOf("relaxation")
	from, to := nb.Array(tile.Update, tile.Int64, 1, "from"), nb.Array(tile.Update, tile.Int64, 1, "to")
	turns := nb.Uniform(tile.Int64)
	n, zero, one := whole(nb, tile.Int64, blocksN*threads), whole(nb, tile.Int64, 0), whole(nb, tile.Int64, 1)
	own := nb.Scratch(tile.Own, tile.Int64, "kept", 2)
	common := nb.Scratch(tile.Shared, tile.Int64, "common", threads)
	t := nb.Cast(tile.Int64, nb.Thread(tile.TidX))
	nb.Put(own, i, one)
	nb.Put(common, i, t)
	nb.Loop()
	k := nb.Carry(zero)
	nb.While(nb.Do(tile.Lt, k, turns))
	nb.If(nb.Do(tile.Lt, i, nb.Do(tile.Mul, k, whole(nb, tile.Int64, 30))))
	nb.Leave()
	nb.End()
	left, right := nb.Do(tile.Rem, nb.Do(tile.Add, i, nb.Do(tile.Sub, n, one)), n), nb.Do(tile.Rem, nb.Do(tile.Add, i, one), n)
	sum := nb.Do(tile.Add, nb.Element(from, left), nb.Element(from, right))
	nb.Put(to, nb.Do(tile.Add, sum, nb.Element(own, one)), i)
	nb.GridBarrier()
	nb.Put(from, nb.Do(tile.Add, nb.Element(to, i), nb.Element(common, t)), i)
	nb.GridBarrier()
	next := nb.Do(tile.Add, k, one)
	nb.Next(k, next)
	nb.End()
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(blocksN, threads), arrays: []array{numbers(tile.Int64, 3, blocksN*threads),
		zeros(tile.Int64, blocksN*threads)}, uniforms: []tile.Scalar{tile.IntScalar(tile.Int64, 9)}})
}

// within has one thread of each block come to the grid's barrier, while others have ended.
func within(b *bench) {
	nb, i := threadsOf("within")
	a, out := nb.Array(tile.Update, tile.Int64, 1, "a"), nb.Array(tile.Update, tile.Int64, 1, "out")
	first := nb.Do(tile.Eq, nb.Thread(tile.TidX), whole(nb, tile.Int32, 0))
	nb.Put(a, nb.Do(tile.Mul, i, i), i)
	nb.If(first)
	nb.GridBarrier()
	nb.Put(out, nb.Element(a, nb.Do(tile.Sub, whole(nb, tile.Int64, -1), i)), i)
	nb.Else()
	nb.Put(out, i, i)
	nb.End()
	b.grids(&gridTrial{p: nb.Program(), grid: blocks(5, 3), arrays: []array{numbers(tile.Int64, 3, 15), zeros(tile.Int64, 15)}})
}

// flags has each block wait for the one behind it to say that it has written, and threads of the last block for one of
// their own, which takes another way. They look by atomics, and on a host by plain reads, too, which need not see on
// GPUs what others have written.
func flags(b *bench) {
	const blocksN, threads = 6, 35
	for _, atomics := range []bool{true, false} {
		if !atomics && !b.dev.Info().Host {
			break
		}
		nb, i := threadsOf("flags")
		flag, out := nb.Array(tile.Update, tile.Int32, 1, "flag"), nb.Array(tile.Update, tile.Int64, 1, "out")
		block := nb.Cast(tile.Int64, nb.Thread(tile.CtaidX))
		behind := nb.Do(tile.Add, block, whole(nb, tile.Int64, 1))
		zero := whole(nb, tile.Int32, 0)
		wait := func(at tile.Value) {
			nb.Loop()
			seen := nb.Carry(zero)
			nb.While(nb.Do(tile.Eq, seen, zero))
			var now tile.Value
			if atomics {
				now = nb.Atomic(tile.AtomicAdd, flag, zero, at)
			} else {
				now = nb.Element(flag, at)
			}
			nb.Next(seen, now)
			nb.End()
		}
		nb.If(nb.Do(tile.Lt, behind, nb.Cast(tile.Int64, nb.Thread(tile.NctaidX))))
		wait(behind)
		nb.Put(out, nb.Do(tile.Add, nb.Element(out, nb.Do(tile.Add, i, whole(nb, tile.Int64, threads))), whole(nb, tile.Int64, 1)), i)
		nb.Else()
		nb.If(nb.Do(tile.Ne, nb.Thread(tile.TidX), whole(nb, tile.Int32, 3)))
		wait(whole(nb, tile.Int64, blocksN))
		nb.Put(out, nb.Do(tile.Mul, i, i), i)
		nb.Else()
		nb.Put(out, i, i)
		nb.Fence(tile.FenceDevice)
		nb.Atomic(tile.AtomicAdd, flag, whole(nb, tile.Int32, 1), whole(nb, tile.Int64, blocksN))
		nb.End()
		nb.End()
		nb.Fence(tile.FenceDevice)
		nb.Barrier()
		nb.If(nb.Do(tile.Eq, nb.Thread(tile.TidX), zero))
		nb.Atomic(tile.AtomicAdd, flag, whole(nb, tile.Int32, 1), block)
		nb.End()
		b.grids(&gridTrial{p: nb.Program(), grid: blocks(blocksN, threads), arrays: []array{zeros(tile.Int32, blocksN+1), zeros(tile.Int64, blocksN*threads)}})
	}
}
