package ptx

import "weft/tile"

// staged is the kernel of a Reduce of few blocks: one of threads for each of them. All threads put their share of the
// values into memory that they share, with as many loads under way as there are, and the 32 of the first warp combine
// these, each as a lane. Elements behind the last stand for that one, and are not put there.
func (x *lanes) staged() error {
	n, ahead := x.n, int(x.v.Ahead)
	room := make([]int, len(x.reduces))
	for i, in := range x.reduces {
		room[i] = x.shared
		x.shared += mostStaged * in.Type.Size()
	}
	shared := x.word("mov.u32", "weft_tiles")
	tid := x.word("mov.u32", "%tid.x")
	own := make([]string, len(x.reduces)) // where a thread's first value is
	for i, in := range x.reduces {
		own[i] = x.word("mad.lo.u32", tid, dec(in.Type.Size()), x.word("add.u32", shared, dec(room[i])))
	}
	others := x.pred("setp.ge.u32", tid, dec(tile.Lanes))
	leads := x.pred("setp.eq.u32", tid, "0")
	b, step := n.op("mov", n.special("%ctaid.x")), n.special("%nctaid.x")
	x.lane = n.widen(tid)
	loop, done, after := x.label("blocks"), x.label("done"), x.label("after")
	x.place(loop)
	x.when(n.cmp("ge", b, x.blocks), "bra", done)
	found := x.where(b)
	last := n.op("sub", found.total, "1")

	k, puts := n.op("mov", x.lane), make([]string, len(own))
	for i := range own {
		puts[i] = x.word("mov.b32", own[i])
	}
	again, put := x.label("several"), x.label("put")
	x.place(again)
	x.when(n.cmp("ge", k, found.total), "bra", put)
	inside, loaded := make([]string, ahead), make([][]value, ahead)
	for j := range ahead {
		i := n.op("add", k, dec(j*Threads))
		inside[j], loaded[j] = n.cmp("le", i, last), make([]value, len(x.p.Params))
		i = n.op("min", i, last)
		for p, param := range x.p.Params {
			if param.Dir == tile.In {
				loaded[j][p] = x.load(param.Type, "global", x.long("mad.lo.s64", n.asLong(i), x.strides[p][x.axis], found.at[p]), 0)
			}
		}
	}
	for j := range ahead {
		if err := x.emitter.lane(loaded[j], nil, nil); err != nil {
			return err
		}
		x.guard = inside[j]
		for i, in := range x.reduces {
			x.storeAt("shared", puts[i], j*Threads*in.Type.Size(), x.values[in.Args[0]])
		}
		x.guard = ""
	}
	for i, in := range x.reduces {
		x.do("add.u32", puts[i], puts[i], dec(ahead*Threads*in.Type.Size()))
	}
	n.do("add."+n.typ, k, k, dec(ahead*Threads))
	x.do("bra", again)
	x.place(put)
	x.do("bar.sync", "0")
	x.when(others, "bra", after)
	accs, err := x.combineStaged(found.total, own)
	if err != nil {
		return err
	}
	if err := x.fold(found.total, accs); err != nil {
		return err
	}
	if err := x.finish(found, accs, leads); err != nil {
		return err
	}
	x.place(after)
	x.do("bar.sync", "0")
	n.do("add."+n.typ, b, b, step)
	x.do("bra", loop)
	x.place(done)
	x.do("ret")
	return nil
}

// combineStaged combines a lane's values in the memory that threads share. The last block may have fewer elements than
// lanes: a lane behind them has nothing to load, and the fold takes no such lane's.
func (x *lanes) combineStaged(total string, own []string) (sums, error) {
	const ahead = 16
	n := x.n
	accs, at := make(sums, len(own)), make([]string, len(own))
	for i, in := range x.reduces {
		accs[i], at[i] = []value{x.literal(tile.Scalar{Type: in.Type})}, x.word("mov.b32", own[i])
	}
	behind := x.label("behind")
	x.when(n.cmp("ge", x.lane, total), "bra", behind)
	for i, in := range x.reduces {
		x.assign(accs[i][0], x.load(in.Type, "shared", own[i], 0))
	}
	x.place(behind)
	turn := func(many int) error {
		for i, in := range x.reduces {
			size := tile.Lanes * in.Type.Size()
			var values []value
			for j := range many {
				values = append(values, x.load(in.Type, "shared", at[i], (j+1)*size))
			}
			for _, v := range values {
				stepped, err := x.apply(in.Comb.Step(), in.Type, []value{accs[i][0], v})
				if err != nil {
					return err
				}
				x.assign(accs[i][0], stepped)
			}
			x.do("add.u32", at[i], at[i], dec(many*size))
		}
		return nil
	}
	k := n.op("add", x.lane, dec(tile.Lanes)) // the next one's number
	for _, many := range []int{ahead, 1} {
		again, few := x.label("staged"), x.label("few")
		x.place(again)
		x.when(n.cmp("ge", n.op("add", k, dec((many-1)*tile.Lanes)), total), "bra", few)
		if err := turn(many); err != nil {
			return nil, err
		}
		n.do("add."+n.typ, k, k, dec(many*tile.Lanes))
		x.do("bra", again)
		x.place(few)
	}
	return accs, nil
}
