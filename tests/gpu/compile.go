package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"weft/cuda"
	"weft/tile"
)

// compiling writes what the first launches of several programs wait for: compiled as one module each, all at once; as
// so many modules as weft takes; and as one. No folder keeps what is compiled, and each round has programs of its own,
// so that the driver's cache knows none of them.
func compiling(w io.Writer) error {
	const programs = 12
	for _, c := range []struct {
		how    string
		makers int
	}{{"a module each, all at once", programs}, {"as weft does", 0}, {"one module", 1}} {
		var took []time.Duration
		for round := range 3 {
			one, err := compile(programs, c.makers, time.Now().UnixNano()+int64(round))
			if err != nil {
				return err
			}
			took = append(took, one)
		}
		slices.Sort(took)
		fmt.Fprintf(w, "%-52s %9.2f ms\n", fmt.Sprintf("weft: %d programs compiled, %s, %d CPUs", programs, c.how, runtime.NumCPU()), took[1].Seconds()*1e3)
	}
	return nil
}

// compile compiles programs that have a number in them, and returns how long that took.
func compile(programs, makers int, number int64) (time.Duration, error) {
	d, err := cuda.Open(0, cuda.Options{Epoch: time.Now(), Memory: 64 << 20, Makers: makers})
	if err != nil {
		return 0, err
	}
	var launches []*tile.Launch
	for k := range programs {
		b := tile.NewBuilder("compiled", 1)
		x := b.Load(tile.Float64)
		for i := range 8 {
			x = b.Do(tile.Add, b.Do(tile.Exp, x), b.Const(tile.FloatScalar(tile.Float64, float64(number)+float64(8*k+i))))
		}
		b.Store(x)
		p := b.Program()
		exe, err := d.Compile(p)
		if err != nil {
			return 0, err
		}
		l := &tile.Launch{Exe: exe, Program: p, Shape: []int{1000}, Origin: []int{0}}
		for i := range p.Params {
			l.Args = append(l.Args, tile.Binding{Buffer: tile.Buffer{Handle: uint64(i+1) << 40, Size: 8000}, Strides: []int64{8}})
		}
		launches = append(launches, l)
	}
	start := time.Now()
	d.Prepare(launches)
	d.Compiled()
	took := time.Since(start)
	for _, l := range launches {
		if d.Cold(l.Exe) {
			return 0, fmt.Errorf("measure: program %q was not compiled", l.Program.Name)
		}
	}
	return took, d.Close()
}
