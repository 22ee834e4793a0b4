package workspace

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
	space *Workspace

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
		Exe:   func() string { return v.space.Getenv("WEFT_BINARY") },
		Trace: v.space.currentTrace, Recorder: v.space.currentRecorder, Hosts: hosts, Palette: v.space.palette,
	})
	if err != nil {
		return nil, err
	}
	v.server = server
	go func() {
		defer v.space.guard("viewer")
		if err := server.Serve(context.Background()); err != nil {
			v.space.options.Surface.Log("viewer: %v", err)
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
func (s *Workspace) currentTrace() (*profiler.Trace, error) {
	m := s.Machine()
	if m == nil {
		return nil, live.ErrNothingYet
	}
	if err := m.attach(); err != nil {
		return nil, err
	}
	return m.rt.Recorder().Snapshot(), nil
}

// currentRecorder is what the runtime records with, nil before the first array.
func (s *Workspace) currentRecorder() *profiler.Recorder {
	m := s.Machine()
	if m == nil {
		return nil
	}
	return m.rt.Recorder()
}

// View starts the viewer's server, which a kernel does with itself.
func (s *Workspace) View() {
	if _, err := s.viewer.start(); err != nil {
		s.options.Surface.Log("viewer: %v", err)
	}
}

// viewerAddress answers the query for it.
func (s *Workspace) viewerAddress(string) (string, error) {
	server, err := s.viewer.start()
	if err != nil {
		return "", err
	}
	return server.Link(os.Getenv), nil
}
