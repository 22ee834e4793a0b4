//go:build extension

package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"weft/profiler"
	"weft/viz/live"
)

// viewer is the process's server of what its runtime records. A kernel starts it with itself, other programs when
// they ask for its address.
type viewer struct {
	mu     sync.Mutex
	server *live.Server
}

// start opens the port and serves until the process ends.
func (v *viewer) start() (*live.Server, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.server != nil {
		return v.server, nil
	}
	hosts, err := live.Names(os.Getenv)
	if err != nil {
		return nil, err
	}
	server, err := live.Listen(live.ServeOptions{
		Addr: "127.0.0.1:0", Title: fmt.Sprintf("weft, process %d", os.Getpid()),
		Exe:   func() string { return the.settings.getenv("WEFT_BINARY") },
		Trace: currentTrace, Recorder: currentRecorder, Hosts: hosts, Palette: the.palette,
	})
	if err != nil {
		return nil, err
	}
	v.server = server
	go func() {
		defer guard("viewer")
		if err := server.Serve(context.Background()); err != nil {
			logf("viewer: %v", err)
		}
	}()
	return server, nil
}

// running returns the server if there is one.
func (v *viewer) running() *live.Server {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.server
}

// currentTrace is everything that the runtime has recorded, with the graphs of it.
func currentTrace() (*profiler.Trace, error) {
	m := the.machine
	if m == nil {
		return nil, live.ErrNothingYet
	}
	if err := m.attach(); err != nil {
		return nil, err
	}
	return m.rt.Recorder().Snapshot(), nil
}

// currentRecorder is what the runtime records with, nil before the first array.
func currentRecorder() *profiler.Recorder {
	m := the.machine
	if m == nil {
		return nil
	}
	return m.rt.Recorder()
}

// viewerAddress answers the query for it.
func viewerAddress(string) (string, error) {
	server, err := the.viewer.start()
	if err != nil {
		return "", err
	}
	return server.Link(os.Getenv), nil
}

// logf writes to the kernel's log, or to stderr where there is no kernel.
func logf(format string, args ...any) {
	if jupyter.kernel != nil {
		jupyter.kernel.Logf(format, args...)
		return
	}
	fmt.Fprintf(os.Stderr, "weft: "+format+"\n", args...)
}
