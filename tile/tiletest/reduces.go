package tiletest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"weft/tile"
)

// reduction is a shape with the axes that are reduced.
type reduction struct {
	shape   []int
	reduced tile.Axes
	in      []order
	out     order
}

// reductions are the shapes of the reduction tests: inner, outer, several axes, extents
// around the number of lanes and beyond a block.
var reductions = []reduction{
	{shape: []int{}},
	{shape: []int{1}, reduced: 1},
	{shape: []int{5}, reduced: 1},
	{shape: []int{31}, reduced: 1},
	{shape: []int{33}, reduced: 1},
	{shape: []int{100}, reduced: 1, in: []order{{spacing: 2}}},
	{shape: []int{1000}, reduced: 1, in: []order{{reverse: []int{0}}}},
	{shape: []int{4096 + 4}, reduced: 1},
	{shape: []int{4096 + 700}, reduced: 1},
	{shape: []int{7}, reduced: 0},
	{shape: []int{6, 70}, reduced: 0b10},
	{shape: []int{6, 70}, reduced: 0b01},
	{shape: []int{6, 70}, reduced: 0b11},
	{shape: []int{70, 6}, reduced: 0b10, in: []order{{perm: []int{1, 0}}}, out: order{spacing: 2}},
	{shape: []int{300, 5}, reduced: 0b01, out: order{reverse: []int{1}}},
	{shape: []int{300, 5}, reduced: 0b11},
	{shape: []int{2, 40, 3}, reduced: 0b010},
	{shape: []int{3, 20, 4}, reduced: 0b101},
	{shape: []int{3, 20, 4}, reduced: 0b110, in: []order{{perm: []int{0, 2, 1}}}},
	{shape: []int{4, 6, 5}, reduced: 0b011},
	{shape: []int{4, 3}, reduced: 0b00},
	{shape: []int{5, 1}, reduced: 0b10},
	{shape: []int{5, 1}, reduced: 0b01},
	{shape: []int{1, 5}, reduced: 0b01},
	{shape: []int{3, 0}, reduced: 0b10},
	{shape: []int{8, 40}, reduced: 0b10, in: []order{{same: []int{1}}}},
	{shape: []int{40, 8}, reduced: 0b01, in: []order{{same: []int{1}}}},
	{shape: []int{2, 4200}, reduced: 0b11},
	{shape: []int{9, 6, 5}, reduced: 0b001, out: order{pad: 3}},
	{shape: []int{6, 5, 40}, reduced: 0b100, out: order{pad: 2}},
	{shape: []int{50, 3}, reduced: 0b10, out: order{spacing: 3}},
	{shape: []int{700, 32}, reduced: 0b10, in: []order{{perm: []int{1, 0}}}},
}

// trialOf lays out a reduction in its canonical blocks.
func (s reduction) trialOf(p *tile.Program, value func(t tile.DType) tile.Scalar) *trial {
	tr := &trial{program: withRank(p, len(s.shape)), shape: s.shape, reduced: s.reduced, block: tile.BlockShape(s.shape, s.reduced)}
	tr.fit(layout{shape: s.shape, in: s.in, out: s.out}, value)
	return tr
}

// testReduce compares every combiner on every dtype over every shape, of a loaded value and
// of a computed one.
func testReduce(b *bench) {
	for _, c := range tile.Combiners() {
		for _, d := range tile.DTypes() {
			if !c.Accepts(d) {
				continue
			}
			b.sub(fmt.Sprintf("%v %v", c, d), func(b *bench) {
				plain := tile.NewBuilder("plain", 0)
				plain.Reduce(c, plain.Load(d))
				computed := tile.NewBuilder("computed", 0)
				computed.Reduce(c, computed.Do(tile.Max, computed.Load(d), computed.Load(d)))
				r := source(uint64(c)<<8 | uint64(d))
				for _, s := range reductions {
					for _, p := range []*tile.Program{plain.Program(), computed.Program()} {
						if !b.compare(s.trialOf(p, mild(r))) {
							return
						}
					}
				}
			})
		}
	}
}

// mild returns values that a long product or sum of does not overflow at once; some are special.
func mild(r *rand.Rand) func(t tile.DType) tile.Scalar {
	return func(t tile.DType) tile.Scalar {
		if r.IntN(1000) == 0 {
			return random(r, t)
		}
		v := 1 + r.NormFloat64()*0.1
		switch t.Kind() {
		case tile.KindFloat:
			return tile.FloatScalar(t, v)
		case tile.KindComplex:
			return tile.ComplexScalar(t, complex(v, r.NormFloat64()*0.1))
		}
		return ordinary(r, t)
	}
}

// testReduceSeveral has several results of one pass, with coordinates and uniforms in them.
func testReduceSeveral(b *bench) {
	for i, s := range reductions {
		nb := tile.NewBuilder("several", len(s.shape))
		x, u := nb.Load(tile.Float32), nb.Uniform(tile.Float32)
		y := nb.Do(tile.Mul, x, u)
		nb.Reduce(tile.Sum, y)
		nb.Reduce(tile.MaxOf, x)
		nb.Reduce(tile.All, nb.Do(tile.Lt, x, y))
		nb.Reduce(tile.Sum, u)
		for axis := range s.shape {
			nb.Reduce(tile.Sum, nb.Index(axis))
		}
		tr := s.trialOf(nb.Program(), mild(source(uint64(i))))
		tr.uniforms = []tile.Scalar{tile.FloatScalar(tile.Float32, 1.1)}
		for axis := range s.shape {
			tr.origin = append(tr.origin, 100*axis)
		}
		b.compare(tr)
	}
}

// testReduceTiles cuts reductions into tiles of whole blocks, each a launch of its own; the bits
// must be those of one launch over everything.
func testReduceTiles(b *bench) {
	for i, s := range []reduction{
		{shape: []int{30000}, reduced: 1},
		{shape: []int{700, 9}, reduced: 0b01},
		{shape: []int{5, 9000}, reduced: 0b10},
		{shape: []int{50, 300}, reduced: 0b11},
		{shape: []int{3000, 7}, reduced: 0b11},
		{shape: []int{6, 130, 5}, reduced: 0b010},
	} {
		nb := tile.NewBuilder("tiles", len(s.shape))
		x := nb.Load(tile.Float64)
		nb.Reduce(tile.Sum, x)
		nb.Reduce(tile.Prod, nb.Do(tile.Add, x, nb.Cast(tile.Float64, nb.Index(0))))
		whole := s.trialOf(nb.Program(), mild(source(uint64(i))))
		want := whole.on(b, b.ref)
		for seed := range uint64(3) {
			got := b.inTiles(whole, source(seed))
			for k := range want {
				if !b.equal(whole, k, append([]byte(nil), want[k]...), got[k]) {
					return
				}
			}
		}
	}
}

// inTiles runs a trial as launches over random tiles of whole blocks.
func (b *bench) inTiles(tr *trial, r *rand.Rand) [][]byte {
	exe, err := b.dev.Compile(tr.program)
	if err != nil {
		b.Fatal(err)
	}
	buffers := make([]tile.Buffer, len(tr.memory))
	for i, m := range tr.memory {
		buffers[i] = b.alloc(b.dev, m)
	}
	rank := len(tr.shape)
	tiles, grid := make([]int, rank), make([]int, rank) // blocks of a tile, and tiles
	for k := range tr.shape {
		blocks := (tr.shape[k] + tr.block[k] - 1) / tr.block[k]
		tiles[k] = 1 + r.IntN(blocks)
		grid[k] = (blocks + tiles[k] - 1) / tiles[k]
	}
	for at := range points(grid) {
		l := tr.launch(exe)
		l.Shape = make([]int, rank)
		for k := range at {
			l.Origin[k] = at[k] * tiles[k] * tr.block[k]
			l.Shape[k] = min(tiles[k]*tr.block[k], tr.shape[k]-l.Origin[k])
		}
		for i, param := range tr.program.Params {
			l.Args[i].Buffer = buffers[tr.args[i].buffer]
			for k := range at {
				steps := l.Origin[k]
				if param.Dir.Writes() {
					steps /= tr.block[k]
				}
				l.Args[i].Offset += int64(steps) * l.Args[i].Strides[k]
			}
		}
		if c := b.wait(func(done func(tile.Completion)) { b.dev.Launch(b.queue(), l, done) }); c.Err != nil {
			b.Fatal(c.Err)
		}
	}
	after := make([][]byte, len(buffers))
	for i, buf := range buffers {
		after[i] = b.download(b.dev, buf, len(tr.memory[i]))
		b.dev.Free(buf)
	}
	return after
}

// testProduct compares matrix products, whose program devices may recognise, and sums of products of that program.
func testProduct(b *bench) {
	compare := func(tr *trial) bool {
		for _, tr.product = range []bool{true, false} {
			if !b.compare(tr) {
				return false
			}
		}
		return true
	}
	for _, d := range []tile.DType{tile.Float16, tile.Float32, tile.Float64, tile.Int32, tile.Complex64} {
		nb := tile.NewBuilder("product", 3)
		nb.Reduce(tile.Sum, nb.Do(tile.Mul, nb.Load(d), nb.Load(d)))
		p := nb.Program()
		r := source(uint64(d))
		for _, s := range [][3]int{{1, 1, 1}, {2, 3, 5}, {5, 4, 31}, {4, 5, 32}, {3, 7, 33}, {9, 8, 70}, {17, 3, 200}, {2, 2, 5000}} {
			for _, in := range [][]order{
				{{same: []int{1}}, {same: []int{0}}},                                             // both side by side along k
				{{same: []int{1}}, {same: []int{0}, perm: []int{0, 2, 1}}},                       // C order matrices
				{{same: []int{1}, perm: []int{2, 0, 1}}, {same: []int{0}, spacing: 2}},           // a transposed
				{{same: []int{0}}, {same: []int{1}, perm: []int{1, 2, 0}, reverse: []int{2}}},    // exchanged
				{{perm: []int{1, 2, 0}}, {same: []int{0}}},                                       // no matrix product
				{{same: []int{1}}, {same: []int{0, 2}}}, {{same: []int{1, 2}}, {same: []int{0}}}, // constant along k
			} {
				if !compare(reduction{shape: s[:], reduced: 0b100, in: in}.trialOf(p, mild(r))) {
					return
				}
			}
		}
		for _, in := range [][]order{{{}, {same: []int{0}}}, {{same: []int{0}}, {perm: []int{1, 0}}}, {{}, {}}} { // matrix and vector
			if !compare(reduction{shape: []int{20, 77}, reduced: 0b10, in: in}.trialOf(p, mild(r))) {
				return
			}
		}
		if !compare(reduction{shape: []int{500}, reduced: 1}.trialOf(p, mild(r))) { // vectors
			return
		}
		if !b.largeProducts(compare, p, d) {
			return
		}
		if !compare(reduction{shape: []int{2, 3, 4, 40}, reduced: 0b1000, in: []order{{same: []int{2}}, {same: []int{1}}}}.trialOf(p, mild(r))) { // a stack of them
			return
		}
	}
}

// wholes are small numbers without a fraction, whose products have the same sum in any order, and an infinity now and
// then.
func wholes(r *rand.Rand) func(t tile.DType) tile.Scalar {
	return func(t tile.DType) tile.Scalar {
		v, w := float64(r.IntN(9)-4), float64(r.IntN(9)-4)
		switch t.Kind() {
		case tile.KindFloat:
			if r.IntN(2000) == 0 {
				v = math.Inf(1)
			}
			return tile.FloatScalar(t, v)
		case tile.KindComplex:
			return tile.ComplexScalar(t, complex(v, w))
		}
		return ordinary(r, t)
	}
}

// largeProducts compares products of more elements than a device may compute at once, cut along each axis by a part of
// that. They may be added up in any order.
func (b *bench) largeProducts(compare func(*trial) bool, p *tile.Program, d tile.DType) bool {
	r := source(uint64(d) + 100)
	both := [][]order{
		{{same: []int{1}}, {same: []int{0}, perm: []int{0, 2, 1}}},                    // C order matrices
		{{same: []int{1}, perm: []int{2, 0, 1}}, {same: []int{0}, spacing: 2}},        // a transposed
		{{same: []int{0}}, {same: []int{1}, perm: []int{1, 2, 0}, reverse: []int{2}}}, // exchanged
	}
	for i, s := range [][3]int{{17, 16, 16}, {70, 33, 19}, {16, 66, 50}} {
		if !compare(reduction{shape: s[:], reduced: 0b100, in: both[i]}.trialOf(p, wholes(r))) {
			return false
		}
	}
	in := []order{{same: []int{2}}, {same: []int{1}}} // a stack of them
	return compare(reduction{shape: []int{2, 18, 20, 40}, reduced: 0b1000, in: in}.trialOf(p, wholes(r)))
}
