package tiletest

import (
	"strings"
	"testing"

	"weft/tile"
)

// guardedCase is a guarded program that two blocks run, and what it fails with, in whatever order its threads come.
type guardedCase struct {
	name  string
	build func(g *guardedBuilder)
	want  string
}

const guardedBlocks, guardedWidth = 2, 40 // two warps, of which one is not whole

// guardedBuilder makes up such a program: it has an element for each thread of the grid, for each of a block, and
// counters.
type guardedBuilder struct {
	*tile.Builder
	g, counts, s tile.Memory
	block        tile.Value // its number
	i, all       tile.Value // the thread's in its block, and in the grid
}

func (g *guardedBuilder) n(v int64) tile.Value { return g.Const(tile.IntScalar(tile.Int64, v)) }

// other is the element of a thread of the block behind, the i-th one of which it is; the first block is behind the
// last.
func (g *guardedBuilder) other(i tile.Value) tile.Value {
	behind := g.Do(tile.Sub, g.n(guardedBlocks-1), g.block)
	return g.Do(tile.Add, g.Do(tile.Mul, behind, g.n(guardedWidth)), i)
}

func (g *guardedBuilder) neighbour() tile.Value { return g.Do(tile.Sub, g.i, g.n(1)) }

// only has threads do something whose value is so.
func (g *guardedBuilder) only(v tile.Value, is int64, do func()) {
	g.If(g.Do(tile.Eq, v, g.n(is)))
	do()
	g.End()
}

// below has those threads of a block do something that stand below one.
func (g *guardedBuilder) below(n int64, do func()) {
	g.If(g.Do(tile.Lt, g.i, g.n(n)))
	do()
	g.End()
}

// last has the last one do something of so many that come to a counter.
func (g *guardedBuilder) last(of int64, counter tile.Value, do func()) {
	g.only(g.Atomic(tile.AtomicAdd, g.counts, g.n(1), counter), of-1, do)
}

// vote has the threads of a warp meet that are there.
func (g *guardedBuilder) vote() { g.Vote(tile.VoteAny, g.Active(), g.Const(tile.BoolScalar(true))) }

func (g *guardedBuilder) device() { g.Fence(tile.FenceDevice) }

// tell has each thread write, and the first ones of the blocks look at the other block's k-th element, when they are
// the last to come.
func tell(k int64, between func(g *guardedBuilder)) func(g *guardedBuilder) {
	return func(g *guardedBuilder) {
		g.Put(g.g, g.i, g.all)
		between(g)
		g.only(g.i, 0, func() {
			g.last(guardedBlocks, g.n(0), func() { g.Put(g.counts, g.Element(g.g, g.other(g.n(k))), g.n(2)) })
		})
	}
}

// readers has all threads read one element, and the last one write it.
func readers(between func(g *guardedBuilder)) func(g *guardedBuilder) {
	return func(g *guardedBuilder) {
		g.Put(g.s, g.Element(g.g, g.n(0)), g.i)
		between(g)
		g.last(guardedBlocks*guardedWidth, g.n(0), func() { g.Put(g.g, g.n(5), g.n(0)) })
	}
}

// inBlock has each thread write an element of the block's, and the block's last one read all.
func inBlock(between func(g *guardedBuilder)) func(g *guardedBuilder) {
	return func(g *guardedBuilder) {
		g.Put(g.s, g.all, g.i)
		between(g)
		g.last(guardedWidth, g.block, func() {
			g.turns(guardedWidth, func(i tile.Value) { g.Put(g.g, g.Element(g.s, i), g.all) })
		})
	}
}

func (g *guardedBuilder) turns(n int64, turn func(i tile.Value)) {
	first := g.n(0)
	g.Loop()
	i := g.Carry(first)
	g.While(g.Do(tile.Lt, i, g.n(n)))
	turn(i)
	g.Next(i, g.Do(tile.Add, i, g.n(1)))
	g.End()
}

var guardedCases = []guardedCase{
	{"elements of one's own", func(g *guardedBuilder) { g.Put(g.g, g.Do(tile.Add, g.Element(g.g, g.all), g.n(1)), g.all) }, ""},
	{"one element", func(g *guardedBuilder) { g.Put(g.g, g.all, g.n(0)) }, "line 7, with nothing between the two that orders them (kernel guarded, line 7, thread ("},
	{"one element, with one value", func(g *guardedBuilder) { g.Put(g.g, g.n(1), g.n(0)) }, ""},
	{"the neighbour's", func(g *guardedBuilder) {
		g.Put(g.s, g.all, g.i)
		g.Put(g.g, g.Element(g.s, g.neighbour()), g.all)
	}, "s["},
	{"the neighbour's of the launch's", func(g *guardedBuilder) {
		g.Put(g.g, g.all, g.all)
		g.Put(g.s, g.Element(g.g, g.Do(tile.Sub, g.all, g.n(1))), g.i)
	}, "race on g["},
	{"the neighbour's behind a barrier", func(g *guardedBuilder) {
		g.Put(g.s, g.all, g.i)
		g.Barrier()
		g.Put(g.g, g.Element(g.s, g.neighbour()), g.all)
	}, ""},
	{"the neighbour's in the warp behind a vote", func(g *guardedBuilder) {
		g.Put(g.s, g.all, g.i)
		g.vote()
		g.below(32, func() { g.Put(g.g, g.Element(g.s, g.Do(tile.Rem, g.Do(tile.Add, g.i, g.n(1)), g.n(32))), g.all) })
	}, ""},
	{"another warp's behind a vote", func(g *guardedBuilder) {
		g.Put(g.s, g.all, g.i)
		g.vote()
		g.Put(g.g, g.Element(g.s, g.Do(tile.Rem, g.Do(tile.Add, g.i, g.n(32)), g.n(guardedWidth))), g.all)
	}, "s["},
	{"one's that has not voted", func(g *guardedBuilder) {
		g.Put(g.g, g.all, g.all)
		g.below(20, g.vote)
		g.only(g.i, 0, func() { g.Put(g.s, g.Element(g.g, g.Do(tile.Add, g.all, g.n(20))), g.i) })
	}, "race on g["},
	{"one's who voted with one that it voted with before", func(g *guardedBuilder) {
		g.Put(g.g, g.all, g.all)
		g.below(20, g.vote)
		g.If(g.Do(tile.Ge, g.i, g.n(19)))
		g.vote()
		g.Put(g.s, g.Element(g.g, g.Do(tile.Sub, g.all, g.i)), g.i)
		g.End()
	}, "race on g["}, // by those of the second warp
	{"that, of the first warp", func(g *guardedBuilder) {
		g.Put(g.g, g.all, g.all)
		g.below(20, g.vote)
		g.below(32, func() {
			g.If(g.Do(tile.Ge, g.i, g.n(19)))
			g.vote()
			g.Put(g.s, g.Element(g.g, g.Do(tile.Sub, g.all, g.i)), g.i)
			g.End()
		})
	}, ""},
	{"no barrier before the next turn", func(g *guardedBuilder) {
		g.Put(g.s, g.all, g.i)
		g.Barrier()
		v := g.Element(g.s, g.neighbour())
		g.Put(g.s, v, g.i)
		g.Put(g.g, v, g.all)
	}, "race on s["},
	{"another block's, behind a barrier of one's own", func(g *guardedBuilder) {
		g.Put(g.g, g.all, g.all)
		g.Barrier()
		g.Put(g.s, g.Element(g.g, g.other(g.i)), g.i)
	}, "race on g["},
	{"another block's, behind a barrier of all", func(g *guardedBuilder) {
		g.Put(g.g, g.all, g.all)
		g.GridBarrier()
		g.Put(g.s, g.Element(g.g, g.other(g.i)), g.i)
	}, ""},
	{"atomics", func(g *guardedBuilder) { g.Atomic(tile.AtomicAdd, g.g, g.n(1), g.n(0)) }, ""},
	{"atomics and a read", func(g *guardedBuilder) {
		g.Atomic(tile.AtomicAdd, g.g, g.n(1), g.n(0))
		g.Put(g.g, g.Element(g.g, g.n(0)), g.Do(tile.Max, g.all, g.n(1)))
	}, "race on g[0]"},
	{"nothing was written", func(g *guardedBuilder) { g.Put(g.g, g.Element(g.s, g.i), g.all) }, "s[0] is read, and nothing has written it"},

	// A fence is for all that its thread knows of.
	{"the first one's own, which has a fence", tell(0, func(g *guardedBuilder) { g.device() }), ""},
	{"another one's, which has a fence", tell(7, func(g *guardedBuilder) { g.device(); g.Barrier() }), ""},
	{"another one's, where the block meets before a fence of the first", tell(7, func(g *guardedBuilder) {
		g.Barrier()
		g.only(g.i, 0, g.device)
	}), ""},
	{"another warp's, where the block meets before a fence of the first", tell(35, func(g *guardedBuilder) {
		g.Barrier()
		g.only(g.i, 0, g.device)
	}), ""},
	{"another one's, where the first has a fence before the block meets", tell(7, func(g *guardedBuilder) {
		g.only(g.i, 0, g.device)
		g.Barrier()
	}), "race on g["},
	{"another one's, which the first does not meet", tell(7, func(g *guardedBuilder) { g.only(g.i, 0, g.device) }), "g["},
	{"another one's, without a fence", tell(7, func(g *guardedBuilder) { g.Barrier() }), "race on g["},
	{"another one's, behind a fence of the block", tell(7, func(g *guardedBuilder) {
		g.Barrier()
		g.Fence(tile.FenceBlock)
	}), "race on g["},
	{"another one's, where the warp votes before a fence of the first", tell(7, func(g *guardedBuilder) {
		g.vote()
		g.only(g.i, 0, g.device)
		g.Barrier()
	}), ""},
	{"another warp's, where each votes before a fence of the first", tell(35, func(g *guardedBuilder) {
		g.vote()
		g.only(g.i, 0, g.device)
		g.Barrier()
	}), "race on g["},
	{"another one's, which told the block, and that another block", tell(7, func(g *guardedBuilder) {
		g.only(g.i, 7, func() { g.Fence(tile.FenceBlock) })
		g.vote()
		g.only(g.i, 0, g.device)
		g.Barrier()
	}), ""},

	// Many who read.
	{"readers that have fences", readers(func(g *guardedBuilder) { g.device() }), ""},
	{"readers of which the first has a fence", readers(func(g *guardedBuilder) { g.only(g.i, 0, g.device) }), "race on g[0]"},
	{"readers of which two have a fence", readers(func(g *guardedBuilder) { g.below(2, g.device) }), "race on g[0]"},
	{"readers of which all but a few have a fence", readers(func(g *guardedBuilder) { g.below(guardedWidth-2, g.device) }), "race on g[0]"},
	{"readers that meet before a fence of the first", readers(func(g *guardedBuilder) {
		g.Barrier()
		g.only(g.i, 0, g.device)
		g.Barrier()
	}), ""},
	{"readers that vote before a fence of the first", readers(func(g *guardedBuilder) {
		g.vote()
		g.only(g.i, 0, g.device)
		g.Barrier()
	}), "race on g[0]"},

	// A write that others' is ordered behind.
	{"a write of what another one wrote, and read before", func(g *guardedBuilder) {
		g.only(g.block, 0, func() { g.Put(g.s, g.Element(g.g, g.n(0)), g.i) })
		g.Barrier()
		g.only(g.i, 0, func() { g.Put(g.g, g.n(5), g.n(0)) })
	}, "race on g[0]"},
	{"a write of what another one wrote", func(g *guardedBuilder) {
		g.only(g.block, 0, func() { g.Put(g.g, g.n(5), g.n(0)) })
		g.Barrier()
		g.only(g.i, 0, func() { g.Put(g.g, g.n(5), g.n(0)) })
	}, ""},
	{"a write behind another one, of which another block hears", func(g *guardedBuilder) {
		g.only(g.block, 0, func() { g.Put(g.g, g.n(5), g.n(0)) })
		g.Barrier()
		g.only(g.all, 0, func() { g.Put(g.g, g.n(6), g.n(0)); g.device() })
		g.only(g.i, 0, func() {
			g.last(guardedBlocks, g.n(0), func() { g.Put(g.counts, g.Element(g.g, g.n(0)), g.n(2)) })
		})
	}, ""},

	// A fence of the block.
	{"elements of a block behind its fence", inBlock(func(g *guardedBuilder) { g.Fence(tile.FenceBlock) }), ""},
	{"elements of a block behind a fence of all", inBlock(func(g *guardedBuilder) { g.device() }), ""},
	{"elements of a block without one", inBlock(func(g *guardedBuilder) {}), "race on s["},
	{"elements of a block of which some are behind a fence", inBlock(func(g *guardedBuilder) {
		g.below(30, func() { g.Fence(tile.FenceBlock) })
	}), "race on s["},
}

// Guards runs programs whose threads race, or do not, or read what nothing has written, on the device and on the
// reference in three orders.
func Guards(t *testing.T, dev tile.Device) {
	b := newBench(t, dev)
	for _, c := range guardedCases {
		tr := c.trial(t)
		run := func(name string, on tile.Device, order func(n int) []int) {
			exe, err := on.Compile(tr.program)
			if err != nil {
				t.Fatalf("%s: %v\n%v", c.name, err, tr.program)
			}
			b.ref.Order = order
			text := ""
			if _, err := tr.on(b, on, exe); err != nil {
				text = err.Error()
			}
			if b.ref.Order = nil; (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
				t.Errorf("%s: on %s the launch failed with %q; want %q", c.name, name, text, c.want)
			}
		}
		run("the reference", b.ref, nil)
		run("the reference, in the other order", b.ref, func(n int) []int {
			order := make([]int, n)
			for i := range order {
				order[i] = n - 1 - i
			}
			return order
		})
		run("the reference, in a random order", b.ref, source(uint64(len(c.name))).Perm)
		run(dev.Info().Name, dev, nil)
	}
	b.close()
}

// trial is the case's launch.
func (c *guardedCase) trial(t *testing.T) *threadsTrial {
	b := tile.NewThreads("guarded")
	b.Guarded()
	g := &guardedBuilder{Builder: b, g: b.Array(tile.Update, tile.Int64, 1, "g"), counts: b.Array(tile.Update, tile.Int64, 1, "counts"),
		s: b.Scratch(tile.Shared, tile.Int64, "s", guardedWidth)}
	wide := func(form tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(form)) }
	g.i, g.block = wide(tile.TidX), wide(tile.CtaidX)
	g.all = b.Do(tile.Add, b.Do(tile.Mul, g.block, g.n(guardedWidth)), g.i)
	b.Line(7)
	c.build(g)
	b.Atomic(tile.AtomicAdd, g.counts, g.n(1), g.n(3))
	p := b.Program()
	if q, err := tile.Parse(p.String()); err != nil || q.String() != p.String() || !q.Guarded {
		t.Fatalf("%s: parsed again it is %v, %v; want\n%v", c.name, q, err, p)
	}
	shapes := [][]int{{guardedBlocks * guardedWidth}, {4}}
	tr := &threadsTrial{program: p, shapes: shapes, grid: blocks(guardedBlocks, guardedWidth)}
	for _, shape := range shapes {
		tr.memory = append(tr.memory, make([]byte, 8*shape[0]))
	}
	return tr
}
