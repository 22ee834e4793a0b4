package kernel

import (
	"fmt"
	"io"
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

func portOf(a net.Addr) (int, error) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("socket listens on %v, which has no port", a)
	}
	return t.Port, nil
}
