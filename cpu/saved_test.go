package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

// What is found where outputs are written over inputs is what is found where they are not, with the same results.
func TestWatchOfWhatIsWrittenOver(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e38, -1e38, 1e300, -3}
	for _, part := range []int64{0, 1 << 12} {
		d := New(Options{Workers: 2, Part: part})
		found := 0
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 11))
			dtype := []tile.DType{tile.Float32, tile.Float64}[r.IntN(2)]
			b := tile.NewBuilder("in place", 2)
			values := []tile.Value{b.Load(dtype), b.Load(dtype), b.Const(tile.FloatScalar(dtype, 0.5)), b.Const(tile.FloatScalar(dtype, 2))}
			steps := 2 + r.IntN(6)
			for range steps {
				row := &watchedOps[r.IntN(len(watchedOps))]
				in := []tile.Value{values[r.IntN(len(values))]}
				y := tile.NoValue
				if row.op.Arity() == 2 {
					y = values[r.IntN(len(values))]
					in = append(in, y)
				}
				values = append(values, b.Do(row.op, in...))
				b.Watch(row.rule, in[0], y, values[len(values)-1])
			}
			stores := 1 + r.IntN(2)
			for k := range stores {
				b.Store(values[len(values)-1-k])
			}
			p := b.Program()
			exe, err := d.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			rows, apart := []int{1, 1, 2, 5, 3000}[r.IntN(5)], []int{1, 1, 3}[seed%3]
			n := 1 + r.IntN(60000/rows/apart)
			operands := make([][]float64, 2)
			for i := range operands {
				operands[i] = make([]float64, rows*n)
				for k := range operands[i] {
					operands[i][k] = 0.5 + r.Float64()
				}
			}
			for range 1 + r.IntN(3) {
				operands[r.IntN(2)][r.IntN(rows*n)] = special[r.IntN(len(special))]
			}
			exe.(*executable).clean.Store(math.MinInt32) // whatever many parts find nothing before one does
			run := func(over int) *tile.Launch {
				l := watchedLaunch(t, d, p, exe, rows, n, apart, operands)
				for k := range over {
					l.Args[2+k] = l.Args[(int(seed)+k)%2]
				}
				l.Watch = &tile.Watch{Wanted: tile.DivideByZero | tile.Overflow | tile.InvalidValue, Found: make([]uint32, steps)}
				done := make(chan error, 1)
				d.Launch([]int{tile.Inline, 0}[seed/2%2], l, func(c tile.Completion) { done <- c.Err })
				err = <-done
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			plain := run(0)
			over := run(stores)
			if !slices.Equal(plain.Watch.Found, over.Watch.Found) {
				t.Errorf("parts of %d, seed %d, %d x %d: found %b where nothing is written over, %b in place\n%v", part, seed, rows, n, plain.Watch.Found, over.Watch.Found, p)
			}
			for k := range stores {
				a, o := &plain.Args[2+k], &over.Args[2+k]
				for i := range rows * n {
					from := int64(i/n)*a.Strides[0] + int64(i%n)*a.Strides[1]
					if !slices.Equal(a.Buffer.Bytes()[from:][:dtype.Size()], o.Buffer.Bytes()[from-int64(i/n)*(a.Strides[0]-o.Strides[0]):][:dtype.Size()]) {
						t.Fatalf("parts of %d, seed %d, %d x %d: element %d of output %d has other bits in place\n%v", part, seed, rows, n, i, k, p)
					}
				}
			}
			for _, f := range plain.Watch.Found {
				found += int(f)
			}
		}
		if found == 0 {
			t.Error("nothing went wrong in any program")
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
