package main

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"weft/tile"
)

// hostCopies writes the bandwidth of large copies between ordinary host memory and a device array, which pass through
// the rings of package cuda: of each direction alone, and of both at once.
func (r *rig) hostCopies(array tile.Buffer) error {
	const n = arrayBytes / 2
	var host [2]tile.Buffer
	for i := range host {
		memory, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return err
		}
		defer func() { _ = syscall.Munmap(memory) }()
		for at := 0; at < n; at += 4096 { // the system gives a page when it is first written
			memory[at] = 1
		}
		host[i] = tile.Buffer{Host: unsafe.Pointer(&memory[0]), Size: n}
	}
	in := &tile.Transfer{Dst: array, DstDev: r.Device, Src: host[0], Bytes: n}
	out := &tile.Transfer{Dst: host[1], Src: array, SrcAt: n, SrcDev: r.Device, Bytes: n}
	for _, c := range []struct {
		what string
		of   []*tile.Transfer
	}{
		{"weft: copy in, 256 MiB of plain memory", []*tile.Transfer{in}},
		{"weft: copy out, 256 MiB of plain memory", []*tile.Transfer{out}},
		{"weft: both at once", []*tile.Transfer{in, out}},
	} {
		least := time.Duration(1 << 62)
		for range 5 {
			done := make(chan tile.Completion, len(c.of))
			start := time.Now()
			for i, t := range c.of {
				r.Copy(r.Info().Queues-r.Info().Copies+i, t, func(c tile.Completion) { done <- c })
			}
			for range c.of {
				if c := <-done; c.Err != nil {
					return fmt.Errorf("measure: %s: %w", in.DstDev.Info().Name, c.Err)
				}
			}
			least = min(least, time.Since(start))
		}
		fmt.Fprintf(r.w, "%-52s %9.1f GB/s %10.1f us\n", c.what, float64(n*len(c.of))/least.Seconds()/1e9, least.Seconds()*1e6)
	}
	return nil
}
