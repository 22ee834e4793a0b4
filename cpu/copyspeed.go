package cpu

import (
	"runtime"
	"sync"
	"time"
)

// What CopySpeed copies: more than caches hold, little enough that it is over in some ten milliseconds.
const (
	speedBytes  = 64 << 20 // by all workers together
	speedRounds = 3        // the best counts: other programs run as well
)

// CopySpeed measures how many bytes per second so many workers read and write together when they copy from
// memory to memory. Programs over large arrays cannot be much faster than that. 0 workers means one per processor.
func CopySpeed(workers int) float64 {
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	part := speedBytes / workers
	from, to := make([]byte, speedBytes), make([]byte, speedBytes)
	for i := range from {
		from[i] = byte(i) // pages that were never written are all one
	}
	best := time.Duration(0)
	for range speedRounds + 1 { // the first round brings the pages of to
		var all sync.WaitGroup
		start := time.Now()
		for w := range workers {
			all.Go(func() { copy(to[w*part:(w+1)*part], from[w*part:(w+1)*part]) })
		}
		all.Wait()
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return 2 * float64(part*workers) / best.Seconds()
}
