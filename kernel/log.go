package kernel

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"sync"
)

// logSink is where the log goes. Unless it was given a place of its own, it moves to
// the saved standard error when descriptor 2 becomes the notebook's.
type logSink struct {
	mu    sync.Mutex
	w     io.Writer
	fixed bool
}

func newLogSink(w io.Writer) *logSink {
	if w == nil {
		return &logSink{w: os.Stderr}
	}
	return &logSink{w: w, fixed: true}
}

func (s *logSink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// follow says which file is the standard error that people look at.
func (s *logSink) follow(stderr *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fixed {
		s.w = stderr
	}
}

// refusals logs messages that were refused, but not each of a flood: whoever sends
// them needs no key, and could fill the disk.
type refusals struct {
	mu sync.Mutex
	n  int
}

const (
	refusalsShown = 20
	refusalsEach  = 1000
)

func (r *refusals) report(l *log.Logger, c Channel, err error) {
	r.mu.Lock()
	r.n++
	n := r.n
	r.mu.Unlock()
	if n <= refusalsShown || n%refusalsEach == 0 {
		l.Printf("%s: message dropped (%d so far): %v", c, n, err)
	}
}

type addressed interface{ Addr() net.Addr }

func portOf(a net.Addr) (int, error) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("socket listens on %v, which has no port", a)
	}
	return t.Port, nil
}
