package workspace

import (
	"os"
	"runtime"
	rtdebug "runtime/debug"
	"runtime/metrics"
)

// garbage is how many bytes of garbage Go's heap may hold between two collections, where twice what lives
// is less. Ops live for microseconds and the heap that lives is small, a few megabytes of logs and records: Go's
// usual share of it would have small operations collect all the time. A fixed amount keeps the memory
// of a long loop flat, too: while the logs fill up, it grows by what they take, and not by a multiple of that.
const garbage = 16 << 20

// tuneHeap keeps to that, unless the user says something else.
func tuneHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	rtdebug.SetGCPercent(200) // up to the first collection
	runtime.SetFinalizer(new(collection), (*collection).ended)
}

// collection is unreachable, so that its finalizer tells of the end of a collection, and of the next one.
type collection struct{ live [1]metrics.Sample }

func (c *collection) ended() {
	c.live[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.live[:])
	if live := c.live[0].Value; live.Kind() == metrics.KindUint64 {
		rtdebug.SetGCPercent(int(max(100, 100*garbage/max(live.Uint64(), 1<<20))))
	}
	runtime.SetFinalizer(c, (*collection).ended)
}
