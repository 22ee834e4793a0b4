package cpu

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// What CopySpeed copies: more than caches hold, little enough that it is over in some ten milliseconds.
const (
	speedBytes  = 64 << 20 // by all workers together
	speedRounds = 3        // the best counts: other programs run as well
)

// CopySpeed measures how many bytes per second so many workers read and write together when they copy from
// memory to memory. Programs over large arrays cannot be much faster than that. 0 workers means one per processor.
//
// Its memory comes from the system and goes back there: 128 MB on Go's heap would put off the collector's next turns,
// and have it run in the middle of the copying.
func CopySpeed(workers int) (bytesPerSecond float64, err error) {
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	part := speedBytes / workers
	pages, err := syscall.Mmap(-1, 0, 2*speedBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return 0, fmt.Errorf("cpu: %d bytes for measuring how fast memory is copied: %w", 2*speedBytes, err)
	}
	from, to := pages[:speedBytes], pages[speedBytes:]
	for i := 0; i < len(from); i += os.Getpagesize() {
		from[i] = 1 // pages that were never written are all one
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
	if err := syscall.Munmap(pages); err != nil {
		return 0, fmt.Errorf("cpu: giving back the memory in which copying was measured: %w", err)
	}
	return 2 * float64(part*workers) / best.Seconds(), nil
}
