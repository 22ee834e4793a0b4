package main

import (
	"fmt"
	"io"
	"time"

	"weft/cuda"
	"weft/tile"
)

// fault launches an addition over a buffer that no device gave, and looks whether the device says so, and the process
// lives.
func fault(w io.Writer, _ []string) error {
	d, err := cuda.Open(0, cuda.Options{Epoch: time.Now()})
	if err != nil {
		return err
	}
	r := &rig{Device: d, w: w}
	b, err := d.Alloc(1 << 20)
	if err != nil {
		return err
	}
	wild := tile.Buffer{Handle: 0x7ff000000000, Size: 1 << 20}
	builder := tile.NewBuilder("wild", 1)
	builder.Store(builder.Do(tile.Add, builder.Load(tile.Float64), builder.Const(tile.FloatScalar(tile.Float64, 1))))
	for _, c := range []struct {
		name  string
		array tile.Buffer
		fails bool
	}{{"of memory that is there", b, false}, {"of memory that is not there", wild, true}, {"of memory that is there, afterwards", b, true}} {
		k := kernel{"", builder.Program(), []int{1000}, []layout{{0, 0, []int{1}}, {0, 1000, []int{1}}}, 0, 0, 0}
		l, err := k.launch(r, []tile.Buffer{c.array})
		if err == nil {
			_, err = r.several(l, 1)
		}
		fmt.Fprintf(w, "a launch %s: %v\n", c.name, err)
		if (err != nil) != c.fails {
			return fmt.Errorf("fault: a launch %s: got %v; want an error: %v", c.name, err, c.fails)
		}
	}
	_, err = d.Alloc(1 << 20)
	fmt.Fprintf(w, "an allocation afterwards: %v\n", err)
	d.Free(b)
	fmt.Fprintf(w, "Close: %v\nthe process goes on\n", d.Close())
	return nil
}
