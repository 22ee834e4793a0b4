package tiletest

import (
	"errors"
	"fmt"
	"time"

	"weft/tile"
)

// testGather reads whole parameters of every dtype and 1 to 3 axes, at every layout of the points.
func testGather(b *bench) {
	wholes := [][]int{{1}, {7}, {1000}, {3, 5}, {2, 3, 4}}
	for _, d := range tile.DTypes() {
		b.sub(d.String(), func(b *bench) {
			r := source(uint64(d))
			for i, l := range layouts {
				whole := wholes[i%len(wholes)]
				nb := tile.NewBuilder("gather", len(l.shape))
				var index []tile.Value
				for range whole {
					index = append(index, nb.Load(tile.Int64))
				}
				for range i % 4 { // so that the parameter lies in different ways
					nb.Load(tile.Int8)
				}
				p := nb.Whole(d, len(whole))
				nb.Store(nb.Gather(p, index...))
				tr := &trial{program: nb.Program(), whole: map[int][]int{p: whole}}
				least := 1000
				for _, n := range whole {
					least = min(least, n)
				}
				tr.fit(l, func(t tile.DType) tile.Scalar {
					if t == tile.Int64 { // indices and elements are alike
						return tile.IntScalar(t, int64(r.IntN(2*least)-least))
					}
					return random(r, t)
				})
				if !b.compare(tr) {
					b.Logf("layout %s", l.name)
					return
				}
			}
		})
	}
}

// testOutOfBounds gathers with one index that no array has: the launch fails and names it, and the
// device goes on working. Lanes that do not take a branch do not gather in it.
func testOutOfBounds(b *bench) {
	const n = 300
	for _, c := range []struct {
		name  string
		whole []int
		axis  int // of the bad index
		bad   int64
		want  string // "" is no error
	}{
		{"above", []int{10}, 0, 10, "index 10 is out of bounds for axis 0 with size 10"},
		{"below", []int{10}, 0, -11, "index -11 is out of bounds for axis 0 with size 10"},
		{"far above", []int{10}, 0, 1 << 62, "index 4611686018427387904 is out of bounds for axis 0 with size 10"},
		{"far below", []int{10}, 0, -1 << 63, "index -9223372036854775808 is out of bounds for axis 0 with size 10"},
		{"second axis", []int{10, 20}, 1, 20, "index 20 is out of bounds for axis 1 with size 20"},
		{"third axis", []int{10, 20, 15}, 2, -16, "index -16 is out of bounds for axis 2 with size 15"},
		{"the last", []int{10}, 0, 9, ""},
		{"the first from behind", []int{10}, 0, -10, ""},
	} {
		for _, kind := range []string{"always", "taken", "not taken", "loop", "reduce"} {
			b.sub(c.name+" "+kind, func(b *bench) {
				nb := tile.NewBuilder("bounds", 1)
				var index []tile.Value
				for range c.whole {
					index = append(index, nb.Load(tile.Int64))
				}
				p := nb.Whole(tile.Float32, len(c.whole))
				zero := nb.Const(tile.FloatScalar(tile.Float32, 0))
				switch kind {
				case "always":
					nb.Store(nb.Gather(p, index...))
				case "reduce":
					nb.Reduce(tile.Sum, nb.Gather(p, index...))
				case "loop": // which turns once
					first := nb.Const(tile.BoolScalar(true))
					nb.Loop()
					more, sum := nb.Carry(first), nb.Carry(zero)
					nb.While(more)
					v, no := nb.Gather(p, index...), nb.Do(tile.Not, more)
					nb.Next(more, no)
					nb.Next(sum, v)
					nb.End()
					nb.Store(sum)
				default: // the bad index is that of lane 200
					at := nb.Index(0)
					limit := nb.Const(tile.IntScalar(tile.Int64, 200))
					nb.If(nb.Do(map[string]tile.Opcode{"taken": tile.Ge, "not taken": tile.Lt}[kind], at, limit))
					v := nb.Gather(p, index...)
					nb.End()
					nb.Store(nb.Merge(v, zero))
				}
				tr := &trial{program: nb.Program(), whole: map[int][]int{p: c.whole}}
				if kind == "reduce" {
					tr.reduced = 1
					tr.block = tile.BlockShape([]int{n}, 1)
				}
				tr.fit(layout{shape: []int{n}}, func(t tile.DType) tile.Scalar { return tile.IntScalar(t, 0) })
				encode(tr.memory[tr.args[c.axis].buffer][200*8:], tile.IntScalar(tile.Int64, c.bad))
				want := c.want
				if kind == "not taken" {
					want = ""
				}
				b.fails(tr, want)
			})
		}
	}
	b.sub("no elements", func(b *bench) {
		nb := tile.NewBuilder("bounds", 1)
		i := nb.Load(tile.Int64)
		nb.Store(nb.Gather(nb.Whole(tile.Complex128, 1), i))
		tr := &trial{program: nb.Program(), whole: map[int][]int{1: {0}}}
		tr.fit(layout{shape: []int{3}}, func(t tile.DType) tile.Scalar { return tile.Scalar{Type: t} })
		b.fails(tr, "index 0 is out of bounds for axis 0 with size 0")
	})
	b.compare(chain(10))
}

// fails runs a trial that ends with an IndexError of that text, or without an error if it is empty.
func (b *bench) fails(tr *trial, want string) {
	b.Helper()
	if want == "" {
		b.compare(tr)
		return
	}
	for _, dev := range []tile.Device{b.ref, b.dev} {
		exe, err := dev.Compile(tr.program)
		if err != nil {
			b.Fatalf("Compile: %v\n%v", err, tr.program)
		}
		l := tr.launch(exe)
		for i := range l.Args {
			l.Args[i].Buffer = b.alloc(dev, tr.memory[tr.args[i].buffer])
		}
		c := b.wait(func(done func(tile.Completion)) { dev.Launch(b.queueOf(dev), l, done) })
		var fault *tile.DataError
		if !errors.As(c.Err, &fault) || fault.Exception != "IndexError" || fault.Text != want {
			b.Errorf("%s: got %v, want an IndexError: %s\n%v", dev.Info().Name, c.Err, want, tr)
		}
		for i := range l.Args {
			dev.Free(l.Args[i].Buffer)
		}
	}
}

// testStop ends loops that never would.
func testStop(b *bench) {
	for _, kind := range []string{"all lanes", "one lane", "in a reduction"} {
		b.sub(kind, func(b *bench) {
			nb := tile.NewBuilder("endless", 1)
			x := nb.Load(tile.Int64)
			going := nb.Const(tile.BoolScalar(true))
			if kind == "one lane" {
				going = nb.Do(tile.Eq, nb.Index(0), nb.Const(tile.IntScalar(tile.Int64, 77)))
			}
			nb.Loop()
			v := nb.Carry(x)
			nb.While(going)
			more := nb.Do(tile.Add, v, x)
			nb.Next(v, more)
			nb.End()
			tr := &trial{}
			if kind == "in a reduction" {
				nb.Reduce(tile.Sum, v)
				tr.reduced, tr.block = 1, tile.BlockShape([]int{100}, 1)
			} else {
				nb.Store(v)
			}
			tr.program = nb.Program()
			tr.fit(layout{shape: []int{100}}, func(t tile.DType) tile.Scalar { return tile.IntScalar(t, 1) })
			exe, err := b.dev.Compile(tr.program)
			if err != nil {
				b.Fatalf("Compile: %v\n%v", err, tr.program)
			}
			for _, when := range []string{"under way", "before it begins"} {
				stop := new(tile.Stop)
				l := tr.launch(exe)
				l.Stop = stop
				for i := range l.Args {
					l.Args[i].Buffer = b.alloc(b.dev, tr.memory[tr.args[i].buffer])
				}
				if when == "before it begins" {
					stop.Set()
				}
				c := b.wait(func(done func(tile.Completion)) {
					b.dev.Launch(0, l, done)
					time.AfterFunc(5*time.Millisecond, stop.Set) // whether it has begun or not
				})
				if !errors.Is(c.Err, tile.ErrStopped) {
					b.Errorf("%s: got %v, want ErrStopped", when, c.Err)
				}
				for i := range l.Args {
					b.dev.Free(l.Args[i].Buffer)
				}
			}
			stop := new(tile.Stop)
			stop.Set()
			quick := chain(10) // has no loop, which a stop would end
			exe, err = b.dev.Compile(quick.program)
			if err != nil {
				b.Fatal(err)
			}
			l := quick.launch(exe)
			l.Stop = stop
			buf := b.alloc(b.dev, quick.memory[0])
			l.Args[0].Buffer, l.Args[1].Buffer = buf, buf
			if c := b.wait(func(done func(tile.Completion)) { b.dev.Launch(b.queue(), l, done) }); c.Err != nil {
				b.Error(fmt.Errorf("a straight program: %w", c.Err))
			}
			b.dev.Free(buf)
		})
	}
}
