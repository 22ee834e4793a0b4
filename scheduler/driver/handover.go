package driver

import (
	"fmt"
	"slices"
	"time"

	"weft/tile"
)

// What a hand-over to another thread costs is measured once, before the first window that could be cut is planned: it
// is some microseconds on an idle machine, and a hundred on one whose processors others use. The core is told, and
// plans by it (scheduler/core/handover.go).
//
// A hand-over is an empty copy on a queue of the host's device, from when it is given away until the thread that waits
// is told. Before each the thread computes for a while, so that workers have gone to sleep, as they would have.
const (
	handOvers     = 24                    // that are measured, at most
	fewHandOvers  = 3                     // and at least, however long they take
	calibration   = time.Millisecond      // what they take all together, about
	between       = 20 * time.Microsecond // what the thread computes before each
	usualHandOver = 20 * time.Microsecond // where nothing is measured
	leastHandOver = 25 * time.Microsecond // is reckoned with: what is handed over leaves the caches, too
	mostHandOver  = 40 * time.Microsecond // likewise: a machine that was busy for a moment may be idle later
	bytesMoved    = 4 << 20 / 80_000.0    // by a core in a nanosecond, from its caches: the unit of core.Options.Inline
)

// handOver is what is known of hand-overs; zero before the first window that could be cut.
//
//	program's thread    compute | Copy --------------------------- told
//	queue's thread      asleep         wakes | done: nothing |
//	                            |<------------- took ------------->|
type handOver struct {
	took     time.Duration
	measured bool
}

// String says how much that is.
func (h handOver) String() string {
	if h.measured {
		return fmt.Sprintf("a hand-over takes %v, as measured", h.took)
	}
	return fmt.Sprintf("a hand-over takes %v, as told", h.took)
}

// cost returns the length in the core's unit, between the bounds if it was measured.
func (h handOver) cost() int64 {
	if h.measured {
		h.took = min(max(h.took, leastHandOver), mostHandOver)
	}
	return int64(float64(h.took) * bytesMoved)
}

// calibrate measures once, where the window has work for several queues and nothing is under way. The caller holds the
// mutex.
//
// Measuring takes a millisecond, of a program that is about to have work for several queues: others never pay it.
func (r *Runtime) calibrate() {
	if !r.opt.Calibrate || r.core.Look.Little() || r.running > 0 || len(r.memory) > 1 || r.host.info.Queues < 2 {
		return
	}
	if tasks, _ := r.core.Look.Pending(); tasks > 0 {
		return
	}
	r.opt.Calibrate = false
	r.handOver = handOver{median(measure(r.host.dev, r.host.info.Queues)), true}
	r.core.SetHandOver(r.handOver.cost())
}

// measure hands empty copies to a device's queues in turn.
//
// The copy moves nothing, so that what is measured is the two hand-overs alone, there and back. The median keeps a
// measurement out of it during which the system ran others.
func measure(dev tile.Device, queues int) (took []time.Duration) {
	told := make(chan struct{}, 1)
	var empty tile.Transfer
	for start := time.Now(); len(took) < handOvers && (len(took) < fewHandOvers || time.Since(start) < calibration); {
		for pause := time.Now(); time.Since(pause) < between; {
		}
		begun := time.Now()
		dev.Copy(len(took)%queues, &empty, func(tile.Completion) { told <- struct{}{} })
		<-told
		took = append(took, time.Since(begun))
	}
	return took
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}
