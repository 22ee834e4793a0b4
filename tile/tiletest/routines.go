package tiletest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/tile"
)

// Routines compares launches of named routines, which the seeds make up, on a device and on another one that has all of
// them: every bit of what they write, or the error that they end with. Of each routine and dtype there are so many as
// there are seeds, where both devices compile it.
func Routines(t *testing.T, seeds uint64, dev, twin tile.Device) {
	t.Helper()
	b := newBench(t, dev)
	for _, name := range RoutineNames() {
		t.Run(name, func(t *testing.T) {
			b := b.of(t)
			for _, dtype := range tile.DTypes() {
				for seed := range seeds {
					if tr := drawRoutine(source(seed*31+uint64(dtype)), name, dtype); tr != nil && dev.Info().Runs(tr.program) {
						b.compareRoutine(fmt.Sprintf("%s of %v, seed %d", name, dtype, seed), tr, twin)
					}
				}
			}
		})
	}
	b.close()
}

// EveryRoutine calls f with so many launches of each routine and dtype for which there are trials. Their buffers are
// nowhere.
func EveryRoutine(seeds uint64, f func(l *tile.Launch)) {
	for _, name := range RoutineNames() {
		for _, dtype := range tile.DTypes() {
			for seed := range seeds {
				tr := drawRoutine(source(seed*31+uint64(dtype)), name, dtype)
				if tr == nil {
					continue
				}
				l := tr.launch(nil)
				for i, m := range tr.memory {
					l.Args[i].Buffer = tile.Buffer{Handle: uint64(i+1) << 32, Size: int64(len(m))}
				}
				f(l)
			}
		}
	}
}

// RoutineNames returns the routines for which there are trials.
func RoutineNames() []string {
	var names []string
	for name := range routineDraws {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func drawRoutine(r *rand.Rand, name string, t tile.DType) *trial {
	d := &routineDraw{Rand: r, t: t, name: name, tr: &trial{}}
	if routineDraws[name](d); d.b == nil {
		return nil
	}
	d.tr.program = d.b.Program()
	return d.tr
}

// computed are the routines that do arithmetic on floats, for which all NaNs are equal.
var computed = map[string]bool{"scan.add": true, "scan.multiply": true, "scan.maximum": true, "scan.minimum": true, "interp": true}

// compareRoutine compares all bytes of all operands, or the errors.
func (b *bench) compareRoutine(what string, tr *trial, twin tile.Device) {
	b.Helper()
	run := func(dev tile.Device) ([][]byte, error) {
		exe, err := dev.Compile(tr.program)
		if err != nil {
			b.Fatalf("%s: Compile: %v\n%v", what, err, tr.program)
		}
		l := tr.launch(exe)
		var all [][]byte
		for i, m := range tr.memory {
			l.Args[i].Buffer = b.alloc(dev, m)
			defer dev.Free(l.Args[i].Buffer)
		}
		c := b.wait(func(done func(tile.Completion)) { dev.Launch(b.queueOf(dev), l, done) })
		for i, m := range tr.memory {
			all = append(all, b.download(dev, l.Args[i].Buffer, len(m)))
		}
		return all, c.Err
	}
	want, wantErr := run(twin)
	got, err := run(b.dev)
	var fault, wantFault *tile.DataError
	switch {
	case errors.As(wantErr, &wantFault) && errors.As(err, &fault) && *fault == *wantFault:
		return
	case err != nil || wantErr != nil:
		b.Errorf("%s: got error %v; want %v\n%v", what, err, wantErr, tr)
		return
	}
	for i := range want {
		if slices.Contains(tr.counted, i) {
			end := tr.args[i].offset + int64(tr.program.Params[i].Type.Size())*decode(tile.Int64, want[2][tr.args[2].offset:]).Int()
			want[i], got[i] = want[i][:end], got[i][:end]
		}
		size := tr.program.Params[i].Type.Size()
		for at := 0; at+size <= len(want[i]); at += size {
			w, g := want[i][at:at+size], got[i][at:at+size]
			if slices.Equal(w, g) {
				continue
			}
			t := tr.program.Params[i].Type
			if want, got := decode(t, w), decode(t, g); !computed[tr.program.Routine] || exact.distance(want, got) != 0 {
				b.Errorf("%s: p%d, element %d: got %v, want %v\n%v", what, i, at/size, got, want, tr)
				break
			}
		}
	}
}

// routineDraw makes up a launch of a routine for a dtype. There is none without begin.
type routineDraw struct {
	*rand.Rand
	t    tile.DType
	name string
	b    *tile.Builder
	tr   *trial
}

// routineDraws make up launches, by routine.
var routineDraws = map[string]func(d *routineDraw){
	"sort":          drawSort,
	"argsort":       drawSort,
	"searchsorted":  drawSearch,
	"position":      drawPosition,
	"extremes":      drawExtremes,
	"beyond":        drawBeyond,
	"take_along":    drawTakeAlong,
	"gather":        drawGather,
	"scatter":       drawScatter,
	"scatter.add":   drawScatter,
	"scatter.sub":   drawScatter,
	"scatter.min":   drawScatter,
	"scatter.max":   drawScatter,
	"scatter.and":   drawScatter,
	"scatter.or":    drawScatter,
	"scatter.xor":   drawScatter,
	"bincount":      drawBincount,
	"histogram":     drawHistogram,
	"interp":        drawInterp,
	"unique":        drawUnique,
	"expand":        drawExpand,
	"nonzero":       drawNonzero,
	"compress":      drawCompress,
	"scan.add":      drawScan,
	"scan.multiply": drawScan,
	"scan.maximum":  drawScan,
	"scan.minimum":  drawScan,
}

func (d *routineDraw) begin(attrs ...tile.Attr) { d.b = tile.NewRoutine(d.name, d.name, attrs...) }

// flip is an attribute that is 0 or 1.
func (d *routineDraw) flip(name string) tile.Attr { return tile.IntAttr(name, int64(d.IntN(2))) }

// operand adds one that is packed, somewhere in a buffer of its own.
func (d *routineDraw) operand(dir tile.Dir, t tile.DType, values []tile.Scalar, shape ...int) {
	d.b.Param(dir, t)
	size := t.Size()
	at := size * d.IntN(3)
	memory := make([]byte, at+size*len(values))
	for i, v := range values {
		encode(memory[at+i*size:], v)
	}
	strides, step := make([]int64, len(shape)), int64(size)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= int64(shape[axis])
	}
	d.tr.args = append(d.tr.args, arg{buffer: len(d.tr.memory), offset: int64(at), strides: strides, shape: shape})
	d.tr.memory = append(d.tr.memory, memory)
}

// in adds an input, and out a result.
func (d *routineDraw) in(t tile.DType, values []tile.Scalar, shape ...int) {
	d.operand(tile.In, t, values, shape...)
}

func (d *routineDraw) out(t tile.DType, shape ...int) {
	d.operand(tile.Out, t, make([]tile.Scalar, product(shape)), shape...)
}

func (d *routineDraw) uniform(n int64) {
	d.b.Uniform(tile.Int64)
	d.tr.uniforms = append(d.tr.uniforms, tile.IntScalar(tile.Int64, n))
}

func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// length is a number of elements: mostly few, at times some thousands.
func (d *routineDraw) length() int {
	return 1 + d.IntN(1<<(1+d.IntN(12)))
}

// drawn are so many elements: any, with special ones among them, or of few that come often.
func (d *routineDraw) drawn(t tile.DType, n int) []tile.Scalar {
	pool := make([]tile.Scalar, 1+d.IntN(6))
	for i := range pool {
		pool[i] = random(d.Rand, t)
	}
	few := d.IntN(2) == 0
	values := make([]tile.Scalar, n)
	for i := range values {
		if values[i] = pool[d.IntN(len(pool))]; !few {
			values[i] = random(d.Rand, t)
		}
	}
	return values
}

// whole are so many int64 from lo up to, not including, hi.
func (d *routineDraw) whole(n int, lo, hi int64) []tile.Scalar {
	values := make([]tile.Scalar, n)
	for i := range values {
		values[i] = tile.IntScalar(tile.Int64, lo+d.Int64N(hi-lo))
	}
	return values
}

// ascending sorts values as NumPy does.
func ascending(values []tile.Scalar) {
	isNaN := func(v tile.Scalar) bool { return v.Type.Is(tile.KindFloat) && v.Float() != v.Float() }
	slices.SortStableFunc(values, func(x, y tile.Scalar) int {
		switch {
		case isNaN(x) || isNaN(y):
			return int(tile.BoolScalar(isNaN(x)).Bits[0]) - int(tile.BoolScalar(isNaN(y)).Bits[0])
		case tile.Eval(tile.Lt, tile.Bool, x, y).Bits[0] != 0:
			return -1
		}
		return int(tile.Eval(tile.Lt, tile.Bool, y, x).Bits[0])
	})
}

// shaped are the extents of so many axes, with some thousands of elements at most.
func (d *routineDraw) shaped(axes int) []int {
	shape := make([]int, axes)
	for i := range shape {
		shape[i] = 1
	}
	for left := d.length(); left > 1; left /= 2 {
		shape[d.IntN(axes)] *= 2
	}
	for i := range shape {
		shape[i] = 1 + d.IntN(2*shape[i])
	}
	if d.IntN(4) == 0 { // a long row
		for i := range shape {
			shape[i] = 1
		}
		shape[axes-1] = 1 + d.IntN(6000)
	}
	return shape
}

func drawSearch(d *routineDraw) {
	if d.t.Is(tile.KindComplex) {
		return
	}
	d.begin(d.flip("right"))
	n := d.length()
	sorted := d.drawn(d.t, n)
	ascending(sorted)
	wanted := append(d.drawn(d.t, d.length()), sorted[:d.IntN(n+1)]...)
	d.in(d.t, sorted, n)
	d.in(d.t, wanted, len(wanted))
	d.out(tile.Int64, len(wanted))
}

func drawPosition(d *routineDraw) {
	if d.t == tile.Float16 || d.t.Is(tile.KindComplex) {
		return
	}
	d.begin()
	shape := d.shaped(3)
	values := d.drawn(d.t, product(shape))
	var best []tile.Scalar
	for outer := range shape[0] {
		for inner := range shape[2] {
			best = append(best, values[(outer*shape[1]+d.IntN(shape[1]))*shape[2]+inner])
			if d.IntN(10) == 0 {
				best[len(best)-1] = random(d.Rand, d.t) // may not be there
			}
		}
	}
	d.in(d.t, values, shape...)
	d.in(d.t, best, len(best))
	d.out(tile.Int64, len(best))
}

func drawExtremes(d *routineDraw) {
	if d.t != tile.Int64 {
		return
	}
	d.begin()
	n := d.length()
	d.in(d.t, d.drawn(d.t, n), n)
	d.out(tile.Int64, 2)
}

func drawBeyond(d *routineDraw) {
	if d.t != tile.Int64 {
		return
	}
	d.begin()
	n, extent := d.length(), 1+d.Int64N(100)
	at := d.whole(n, -extent, extent)
	for range 1 + d.IntN(3) {
		i := d.IntN(n)
		at[i] = tile.IntScalar(tile.Int64, []int64{extent, -extent - 1, math.MaxInt64, math.MinInt64}[d.IntN(4)])
	}
	d.in(tile.Int64, at, n)
	d.out(tile.Int64, 1)
	d.uniform(extent)
}

func drawTakeAlong(d *routineDraw) {
	shape := d.shaped(1 + d.IntN(3))
	axis := d.IntN(len(shape))
	d.begin(tile.IntAttr("axis", int64(axis)))
	to, n := slices.Clone(shape), int64(shape[axis])
	to[axis] = d.length()/8 + 1
	d.in(d.t, d.drawn(d.t, product(shape)), shape...)
	at := d.whole(product(to), -n, n)
	if d.IntN(4) == 0 {
		for range 3 {
			at[d.IntN(len(at))] = tile.IntScalar(tile.Int64, []int64{n, -n - 1, math.MinInt64}[d.IntN(3)])
		}
	}
	d.in(tile.Int64, at, to...)
	d.out(d.t, to...)
}

func drawBincount(d *routineDraw) {
	if d.t != tile.Int64 && d.t != tile.Float64 {
		return
	}
	d.begin()
	n, bins := d.length(), d.length()
	if d.IntN(4) == 0 {
		bins += 4096
	}
	d.in(tile.Int64, d.whole(n, 0, int64(bins)), n)
	if d.t == tile.Float64 {
		d.in(d.t, d.drawn(d.t, n), n)
	}
	d.out(d.t, bins)
}

// nonzeros are elements of which some are zero, and how many are not.
func (d *routineDraw) nonzeros(t tile.DType, n int) (values []tile.Scalar, count int) {
	values = d.drawn(t, n)
	often := 1 + d.IntN(20)
	for i := range values {
		if d.IntN(20) > often {
			values[i] = tile.Scalar{Type: t}
		}
		if tile.Eval(tile.Ne, tile.Bool, values[i], tile.Scalar{Type: t}).Bits[0] != 0 {
			count++
		}
	}
	if count == 0 {
		values[d.IntN(n)] = number(t, 1)
		count = 1
	}
	return values, count
}

func drawNonzero(d *routineDraw) {
	d.begin()
	shape := d.shaped(1 + d.IntN(4))
	values, count := d.nonzeros(d.t, product(shape))
	d.in(d.t, values, shape...)
	for range shape {
		d.out(tile.Int64, count)
	}
}

func drawCompress(d *routineDraw) {
	d.begin()
	n, row := d.length(), 1
	if d.IntN(2) == 0 {
		row = 1 + d.IntN(9)
	}
	mask, count := d.nonzeros(tile.Bool, n)
	d.in(d.t, d.drawn(d.t, n*row), n, row)
	d.in(tile.Bool, mask, n)
	d.out(d.t, count, row)
}

func drawScan(d *routineDraw) {
	sums := strings.HasSuffix(d.name, "add") || strings.HasSuffix(d.name, "multiply")
	if sums && d.t == tile.Bool || !sums && (d.t == tile.Float16 || d.t.Is(tile.KindComplex)) {
		return
	}
	shape := d.shaped(1 + d.IntN(3))
	if d.t.Is(tile.KindFloat|tile.KindComplex) && d.IntN(24) == 0 { // the canonical order has blocks
		shape = []int{1 + d.IntN(2), 1<<17 + d.IntN(1<<15)}
	}
	d.begin(tile.IntAttr("axis", int64(d.IntN(len(shape)))))
	d.in(d.t, d.drawn(d.t, product(shape)), shape...)
	d.out(d.t, shape...)
}

func drawSort(d *routineDraw) {
	d.begin()
	shape := d.shaped(1 + d.IntN(3))
	result := d.t
	if d.name == "argsort" {
		result = tile.Int64
	}
	if d.IntN(12) == 0 {
		d.uniform(d.Int64N(int64(shape[len(shape)-1]))) // a partition
	}
	d.in(d.t, d.drawn(d.t, product(shape)), shape...)
	d.out(result, shape...)
}
