package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"weft/profiler"
)

// recording writes profiles while the runtime works, so that a crash loses the last half second.
type recording struct {
	space *Workspace

	mu   sync.Mutex // queries come without the interpreter's lock
	path string     // of the first runtime's profile; empty when none is wanted
	runs int        // runtimes that were recorded
	now  *streaming
}

// streaming is the profile of one runtime.
type streaming struct {
	path string
	end  context.CancelFunc
	done chan error
}

// ownersAlone is the mode of profiles: they hold the source of cells, and what arrays are called.
const ownersAlone = 0o600

// recordEvery is how often a recording is written.
const recordEvery = 500 * time.Millisecond

// record wants profiles: of the runtime that there is, and of later ones.
func (s *Workspace) record(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("recording to %s: %w", path, err)
	}
	s.recording.mu.Lock()
	defer s.recording.mu.Unlock()
	if err := s.recording.finish(s.Machine()); err != nil {
		return "", err
	}
	s.recording.path, s.recording.runs = whole, 0
	if s.Machine() == nil {
		// A name that cannot be written should fail here, and not when the first array is made.
		f, err := os.OpenFile(whole, os.O_WRONLY|os.O_CREATE, ownersAlone)
		if err != nil {
			return "", fmt.Errorf("recording to %s: %w", path, err)
		}
		return "", f.Close()
	}
	return "", s.recording.start(s.Machine())
}

// follow records a runtime that has just started, if profiles are wanted.
func (r *recording) follow(m *Machine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path == "" && m.flags.Profile && r.runs == 0 {
		path, err := filepath.Abs(fmt.Sprintf("weft_%d.weftprof", os.Getpid()))
		if err != nil {
			return err
		}
		r.path = path
	}
	if r.path == "" {
		return nil
	}
	return r.start(m)
}

// start begins a file, under the mutex. The one of a second runtime is called run.2.weftprof.
func (r *recording) start(m *Machine) error {
	path := r.path
	if r.runs++; r.runs > 1 {
		suffix := filepath.Ext(path)
		path = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(path, suffix), r.runs, suffix)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, ownersAlone)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	ctx, end := context.WithCancel(context.Background())
	s := &streaming{path, end, make(chan error, 1)}
	r.now = s
	go func() {
		defer r.space.guard("recording")
		s.done <- profiler.Stream(ctx, f, m.rt.Recorder(), recordEvery)
	}()
	return nil
}

// leave completes the file of a runtime that is replaced.
func (r *recording) leave(m *Machine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.finish(m)
}

// finish completes the file of a runtime, with its graphs, under the mutex.
func (r *recording) finish(m *Machine) error {
	s := r.now
	if s == nil {
		return nil
	}
	r.now = nil
	err := m.attach()
	s.end()
	if err := errors.Join(err, <-s.done); err != nil {
		return fmt.Errorf("recording to %s: %w", s.path, err)
	}
	return nil
}

// attach gives the recorder what only the runtime's log knows: the graphs, and what tasks that ran in order would
// have waited for.
func (m *Machine) attach() error {
	m.relate()
	return m.attachGraphs()
}

// relate tells the recorder of the tasks that ran in order: what they depend on is found when a graph or a viewer asks.
func (m *Machine) relate() {
	m.relating.Lock()
	defer m.relating.Unlock()
	rec := m.rt.Recorder()
	var after []uint32
	for _, t := range m.rt.Tasks(m.related) {
		after = after[:0]
		for _, id := range t.After {
			after = append(after, uint32(id))
		}
		rec.Task(uint32(t.ID), t.Planned, after)
		m.related = t.ID
	}
}

// save writes a profile of everything: it completes the recording where that goes to the same file.
func (m *Machine) save(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("saving %s: %w", path, err)
	}
	r := &m.space.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil && r.now.path == whole {
		r.path = ""
		return "", r.finish(m)
	}
	if err := m.attach(); err != nil {
		return "", err
	}
	return "", profiler.WriteFile(path, m.rt.Recorder().Snapshot())
}
