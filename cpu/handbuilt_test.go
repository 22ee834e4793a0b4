package cpu

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// handbuilt is one pass over arrays as one writes it by hand for this engine, without the front end, the
// scheduler or fusion: what the same program in plain NumPy source is compared with (make bench).
type handbuilt struct {
	t       tile.DType
	build   func(f *formula) (outs []tile.Value)
	n       int  // points along each axis
	grid    bool // in two dimensions, within a border of one point
	buffers int
	ins     []operand // in the order of the loads
	outs    []int     // buffers
	turns   int       // so many buffers at the front change places with as many behind them
}

// operand is a view of a buffer, moved by rows and columns.
type operand struct{ buffer, row, column int }

// formula writes arithmetic with numbers.
type formula struct {
	*tile.Builder
	t tile.DType
}

func (f *formula) num(x float64) tile.Value       { return f.Const(tile.FloatScalar(f.t, x)) }
func (f *formula) add(x, y tile.Value) tile.Value { return f.Do(tile.Add, x, y) }
func (f *formula) sub(x, y tile.Value) tile.Value { return f.Do(tile.Sub, x, y) }
func (f *formula) mul(x, y tile.Value) tile.Value { return f.Do(tile.Mul, x, y) }
func (f *formula) div(x, y tile.Value) tile.Value { return f.Do(tile.Div, x, y) }

func stencilByHand(f *formula) []tile.Value {
	sum := f.Load(f.t)
	for range 4 {
		sum = f.add(sum, f.Load(f.t))
	}
	return []tile.Value{f.mul(f.num(0.2), sum)}
}

func grayScottByHand(f *formula) []tile.Value {
	const feed, kill, du, dv = 0.035, 0.065, 0.16, 0.08
	laplacian := func() (center, sum tile.Value) {
		north, west := f.Load(f.t), f.Load(f.t)
		center = f.Load(f.t)
		sum = f.sub(f.add(north, west), f.mul(f.num(4), center))
		return center, f.add(f.add(sum, f.Load(f.t)), f.Load(f.t))
	}
	u, lu := laplacian()
	v, lv := laplacian()
	reaction := f.mul(f.mul(u, v), v)
	growU := f.add(f.sub(f.mul(f.num(du), lu), reaction), f.mul(f.num(feed), f.sub(f.num(1), u)))
	growV := f.sub(f.add(f.mul(f.num(dv), lv), reaction), f.mul(f.num(feed+kill), v))
	return []tile.Value{f.add(u, growU), f.add(v, growV)}
}

func blackScholesByHand(f *formula) []tile.Value {
	const rate, volatility = 0.02, 0.3
	price, strike, years := f.Load(f.t), f.Load(f.t), f.Load(f.t)
	normal := func(d tile.Value) tile.Value {
		k := f.div(f.num(1), f.add(f.num(1), f.mul(f.num(0.2316419), f.Do(tile.Abs, d))))
		poly := f.num(1.330274429)
		for _, c := range []float64{-1.821255978, 1.781477937, -0.356563782, 0.319381530} {
			poly = f.add(f.num(c), f.mul(k, poly))
		}
		tail := f.mul(f.mul(f.num(0.3989422804014327), f.Do(tile.Exp, f.mul(f.mul(f.num(-0.5), d), d))), f.mul(k, poly))
		return f.Do(tile.Select, f.Do(tile.Gt, d, f.num(0)), f.sub(f.num(1), tail), tail)
	}
	spread := f.mul(f.num(volatility), f.Do(tile.Sqrt, years))
	d1 := f.div(f.add(f.Do(tile.Log, f.div(price, strike)), f.mul(f.num(rate+0.5*volatility*volatility), years)), spread)
	n1, n2 := normal(d1), normal(f.sub(d1, spread))
	discounted := f.mul(strike, f.Do(tile.Exp, f.mul(f.num(-rate), years)))
	call := f.sub(f.mul(price, n1), f.mul(discounted, n2))
	put := f.sub(f.mul(discounted, f.sub(f.num(1), n2)), f.mul(price, f.sub(f.num(1), n1)))
	return []tile.Value{call, put}
}

// around are the five points of a buffer in the order of the programs.
func around(buffer int) []operand {
	return []operand{{buffer, -1, 0}, {buffer, 0, -1}, {buffer, 0, 0}, {buffer, 0, 1}, {buffer, 1, 0}}
}

// BenchmarkHandbuilt is one step of programs of make bench, at their full sizes, in tiles on two workers.
func BenchmarkHandbuilt(b *testing.B) {
	for name, h := range map[string]handbuilt{
		"stencil": {t: tile.Float64, build: stencilByHand, n: 4000, grid: true, buffers: 2, ins: around(0), outs: []int{1}, turns: 1},
		"gray_scott": {
			t: tile.Float32, build: grayScottByHand, n: 2000, grid: true, buffers: 4,
			ins: append(around(0), around(1)...), outs: []int{2, 3}, turns: 2,
		},
		"black_scholes_f64": {
			t: tile.Float64, build: blackScholesByHand, n: 10_000_000, buffers: 5,
			ins: []operand{{buffer: 0}, {buffer: 1}, {buffer: 2}}, outs: []int{3, 4},
		},
	} {
		b.Run(name, h.run)
	}
}

// tilesByHand is how many there are: two for each worker, as the scheduler cuts.
const tilesByHand = 4

func (h *handbuilt) run(b *testing.B) {
	d := New(Options{Workers: 2})
	closeAfter(b, d)
	rank, points := 1, h.n
	if h.grid {
		rank, points = 2, h.n*h.n
	}
	f := &formula{tile.NewBuilder("by hand", rank), h.t}
	for _, v := range h.build(f) {
		f.Store(v)
	}
	p := f.Program()
	exe, err := d.Compile(p)
	if err != nil {
		b.Fatal(err)
	}
	size := int64(h.t.Size())
	buffers := make([]tile.Buffer, h.buffers)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range buffers {
		if buffers[i], err = d.Alloc(int64(points) * size); err != nil {
			b.Fatal(err)
		}
		for at, raw := 0, buffers[i].Bytes(); at < len(raw); at += int(size) {
			if x := 0.5 + random.Float64(); size == 4 {
				binary.LittleEndian.PutUint32(raw[at:], math.Float32bits(float32(x)))
			} else {
				binary.LittleEndian.PutUint64(raw[at:], math.Float64bits(x))
			}
		}
	}
	b.SetBytes(int64(len(h.ins)+len(h.outs)) * int64(points) * size)
	for b.Loop() {
		h.step(b, d, p, exe, buffers)
		for i := range h.turns {
			buffers[i], buffers[i+h.turns] = buffers[i+h.turns], buffers[i]
		}
	}
}

// step runs the tiles: each worker takes the next as soon as it has done one.
func (h *handbuilt) step(b *testing.B, d *Device, p *tile.Program, exe tile.Executable, buffers []tile.Buffer) {
	size, rows, border := int64(h.t.Size()), h.n, 0
	strides := []int64{size}
	if h.grid {
		rows, border, strides = h.n-2, 1, []int64{int64(h.n) * size, size}
	}
	next, ended := make(chan int, tilesByHand), make(chan error, tilesByHand)
	for i := range tilesByHand {
		next <- i
	}
	close(next)
	for worker := range 2 {
		var launch func()
		launch = func() {
			i, more := <-next
			if !more {
				return
			}
			lo, hi := rows*i/tilesByHand, rows*(i+1)/tilesByHand
			l := &tile.Launch{Exe: exe, Program: p, Shape: []int{hi - lo}, Origin: []int{lo}}
			if h.grid {
				l.Shape, l.Origin = append(l.Shape, h.n-2), append(l.Origin, 0)
			}
			bind := func(buffer, row, column int) {
				at := int64(lo+border+row) * strides[0]
				if h.grid {
					at += int64(border+column) * size
				}
				l.Args = append(l.Args, tile.Binding{Buffer: buffers[buffer], Offset: at, Strides: strides})
			}
			for _, in := range h.ins {
				bind(in.buffer, in.row, in.column)
			}
			for _, out := range h.outs {
				bind(out, 0, 0)
			}
			d.Launch(worker, l, func(c tile.Completion) {
				ended <- c.Err
				launch()
			})
		}
		launch()
	}
	for range tilesByHand {
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
	}
}
