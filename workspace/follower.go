package workspace

import (
	"context"
	"errors"
	"sync"

	"weft/profiler"
)

// follower keeps what is recorded while profiles by lines are made. They end in the opposite order of their beginnings,
// as with statements do.
type follower struct {
	mu   sync.Mutex // queries come without the interpreter's lock
	open []*following
}

type following struct {
	collector *profiler.Collector
	stop      context.CancelFunc
	done      chan struct{}
}

// maxCollected bounds a collection, to 80 MB.
const maxCollected = 2 << 20

func (f *follower) begin(s *Workspace, rec *profiler.Recorder) {
	ctx, stop := context.WithCancel(context.Background())
	one := &following{rec.Collect(maxCollected), stop, make(chan struct{})}
	f.mu.Lock()
	f.open = append(f.open, one)
	f.mu.Unlock()
	go func() {
		defer s.guard("collecting records")
		defer close(one.done)
		one.collector.Follow(ctx)
	}()
}

// end returns what was recorded since the last beginning.
func (f *follower) end() (t *profiler.Trace, missing string, err error) {
	f.mu.Lock()
	n := len(f.open)
	if n == 0 {
		f.mu.Unlock()
		return nil, "", errors.New("lines: the runtime was replaced in the middle of what is to be profiled (%weft_config); profile a part between two changes")
	}
	one := f.open[n-1]
	f.open = f.open[:n-1]
	f.mu.Unlock()
	one.stop()
	<-one.done
	t, missing = one.collector.End()
	return t, missing, nil
}
