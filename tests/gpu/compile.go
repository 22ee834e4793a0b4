package main

import (
	"errors"
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
	n := numbers{base: float64(time.Now().UnixMicro() & (1<<32 - 1)), texts: map[string]bool{}}
	for _, c := range []struct {
		how    string
		makers int
	}{{"a module each, all at once", programs}, {"as weft does", 0}, {"one module", 1}} {
		var took []time.Duration
		for range 3 {
			one, err := compile(programs, c.makers, &n)
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

// numbers are constants that no two programs share, nor do those of different seconds: their 44 bits fit a float64.
type numbers struct {
	base  float64 // a whole number of 32 bits
	made  int     // in 4096ths
	texts map[string]bool
}

func (n *numbers) next() float64 {
	n.made++
	return n.base + float64(n.made)/4096
}

// program returns one that no compiler has seen.
func (n *numbers) program() (*tile.Program, error) {
	b := tile.NewBuilder("compiled", 1)
	x := b.Load(tile.Float64)
	for range 8 {
		x = b.Do(tile.Add, b.Do(tile.Exp, x), b.Const(tile.FloatScalar(tile.Float64, n.next())))
	}
	b.Store(x)
	p := b.Program()
	if n.texts[p.String()] {
		return nil, fmt.Errorf("measure: a program is to be compiled that was compiled before, so that nothing would be measured:\n%s", p)
	}
	n.texts[p.String()] = true
	return p, nil
}

// compile compiles programs, and returns how long that took. Each is launched behind it, since one that the driver has
// refused is settled, too.
func compile(programs, makers int, n *numbers) (took time.Duration, err error) {
	d, err := cuda.Open(0, cuda.Options{Epoch: time.Now(), Memory: 64 << 20, Makers: makers})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	const points = 1000
	var arrays [2]tile.Buffer
	for i := range arrays {
		if arrays[i], err = d.Alloc(8 * points); err != nil {
			return 0, err
		}
		defer d.Free(arrays[i])
	}
	var launches []*tile.Launch
	for range programs {
		p, err := n.program()
		if err != nil {
			return 0, err
		}
		exe, err := d.Compile(p)
		if err != nil {
			return 0, err
		}
		l := &tile.Launch{Exe: exe, Program: p, Shape: []int{points}, Origin: []int{0}}
		for i := range p.Params {
			l.Args = append(l.Args, tile.Binding{Buffer: arrays[i], Strides: []int64{8}})
		}
		launches = append(launches, l)
	}
	start := time.Now()
	d.Prepare(launches)
	d.Compiled()
	took = time.Since(start)
	for _, l := range launches {
		done := make(chan error, 1)
		d.Launch(0, l, func(c tile.Completion) { done <- c.Err })
		if err := <-done; err != nil {
			return 0, fmt.Errorf("measure: what was to be compiled does not run: %w", err)
		}
	}
	return took, nil
}
