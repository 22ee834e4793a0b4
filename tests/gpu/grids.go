package main

import (
	"fmt"
	"time"

	"weft/tile"
)

// The product of two matrices as people write it for GPUs: a block makes a square of the result, tile after tile of
// both factors through shared memory.
const (
	factorSide = 2048
	squareSide = 16
)

// product is that program, of float32.
func product() *tile.Program {
	b := tile.NewThreads("matmul")
	x, y := b.Array(tile.In, tile.Float32, 2, "x"), b.Array(tile.In, tile.Float32, 2, "y")
	out := b.Array(tile.Out, tile.Float32, 2, "out")
	sx := b.Scratch(tile.Shared, tile.Float32, "sx", squareSide, squareSide)
	sy := b.Scratch(tile.Shared, tile.Float32, "sy", squareSide, squareSide)
	number := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }
	where := func(f tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(f)) }
	add := func(p, q tile.Value) tile.Value { return b.Do(tile.Add, p, q) }
	tx, ty := where(tile.TidX), where(tile.TidY)
	side, zero, one, nothing := number(squareSide), number(0), number(1), b.Const(tile.FloatScalar(tile.Float32, 0))
	row := add(b.Do(tile.Mul, where(tile.CtaidY), side), ty)
	column := add(b.Do(tile.Mul, where(tile.CtaidX), side), tx)
	tiles := b.Do(tile.FloorDiv, b.Size(x, 1), side)
	b.Loop()
	t, sum := b.Carry(zero), b.Carry(nothing)
	b.While(b.Do(tile.Lt, t, tiles))
	from := b.Do(tile.Mul, t, side)
	b.Put(sx, b.Element(x, row, add(from, tx)), ty, tx)
	b.Put(sy, b.Element(y, add(from, ty), column), ty, tx)
	b.Barrier()
	partial := sum
	for k := range int64(squareSide) { // as a compiler unrolls it
		partial = add(partial, b.Do(tile.Mul, b.Element(sx, ty, number(k)), b.Element(sy, number(k), tx)))
	}
	b.Barrier()
	next := add(t, one)
	b.Next(t, next)
	b.Next(sum, partial)
	b.End()
	b.Put(out, sum, row, column)
	return b.Program()
}

// grids writes how fast a program of threads is.
func (r *rig) grids(arrays []tile.Buffer) error {
	for _, array := range arrays[:2] {
		if err := r.fill(array, tile.Float32); err != nil {
			return err
		}
	}
	p := product()
	exe, err := r.Compile(p)
	if err != nil {
		return err
	}
	blocks := factorSide / squareSide
	l := &tile.Launch{Exe: exe, Program: p, Grid: tile.Grid{Blocks: [3]int{blocks, blocks, 1}, Threads: [3]int{squareSide, squareSide, 1}}}
	for i := range p.Params {
		l.Args = append(l.Args, tile.Binding{Buffer: arrays[i], Strides: []int64{4 * factorSide, 4}, Shape: []int{factorSide, factorSide}})
	}
	least := time.Duration(1 << 62)
	for range 3 {
		ended, err := r.several(l, 3)
		if err != nil {
			return fmt.Errorf("measure: %w", err)
		}
		for _, c := range ended {
			least = min(least, time.Duration(c.End-c.Start))
		}
	}
	fmt.Fprintf(r.w, "%-52s %9.1f GFLOP/s %7.1f us\n", fmt.Sprintf("product of %d x %d by threads, float32", factorSide, factorSide),
		2*factorSide*factorSide*factorSide/least.Seconds()/1e9, least.Seconds()*1e6)
	return nil
}
