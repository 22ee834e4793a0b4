package kernel

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"unicode/utf8"
)

// Capture routes the file descriptors 1 and 2 of the process into the notebook: what
// C code, os.system or a child process writes appears below the cell. The pipes are
// drained by goroutines, which need no lock of the interpreter: a C function that
// holds it may write more than a pipe takes.
type Capture struct {
	// Stderr is the standard error that the process started with. The kernel's log
	// goes there; a fault handler should as well.
	Stderr *os.File

	k       *Kernel
	before  func()
	reading func(pipes int)
	streams [2]*captured
	once    sync.Once
	err     error
}

// captured is one descriptor.
type captured struct {
	name  string   // "stdout" or "stderr"
	fd    int      // 1 or 2
	saved *os.File // what fd was before
	file  *os.File // the pipe's read end, non-blocking
	raw   syscall.RawConn

	mu   sync.Mutex
	buf  []byte
	rest []byte // the beginning of a character whose end has not arrived
}

// capturePipe is the size of the pipes: a burst of output should not wait for a
// goroutine to be scheduled.
const capturePipe = 1 << 20

// CaptureOutput begins. Output that arrives before the first request still goes to
// the old descriptors, since there is no cell to show it under. before, if any, is called before each
// piece of output, under a lock: it publishes what the evaluator has collected earlier (Output.Collected).
// reading, if any, is called with 1 before a pipe is read and with -1 when what it held has been delivered. In
// between a pipe looks empty whose output is not shown yet; who collects output has to call DrainCapture, which waits.
func (k *Kernel) CaptureOutput(before func(), reading func(pipes int)) (*Capture, error) {
	c := &Capture{k: k, before: before, reading: reading}
	if !k.capturing.CompareAndSwap(false, true) {
		return nil, errors.New("kernel: output is captured already")
	}
	for i, name := range []string{"stdout", "stderr"} {
		s, err := newCaptured(name, i+1)
		if err != nil {
			_ = c.Restore()
			return nil, fmt.Errorf("kernel: capture of %s: %w", name, err)
		}
		c.streams[i] = s
	}
	c.Stderr = c.streams[1].saved
	k.sink.follow(c.Stderr)
	// A Go crash writes to descriptor 2 and ends; nothing would drain the pipe.
	if err := debug.SetCrashOutput(c.Stderr, debug.CrashOptions{}); err != nil {
		k.log.Printf("crash output: %v", err)
	}
	for _, s := range c.streams {
		if err := s.redirect(); err != nil {
			_ = c.Restore()
			return nil, fmt.Errorf("kernel: capture of %s: %w", s.name, err)
		}
		go c.pump(s)
	}
	k.capture.Store(c) // only now: other goroutines drain what they find here
	return c, nil
}

func newCaptured(name string, fd int) (*captured, error) {
	saved, err := dup(fd)
	if err != nil {
		return nil, err
	}
	return &captured{name: name, fd: fd, saved: os.NewFile(uintptr(saved), name)}, nil
}

func dup(fd int) (int, error) {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 3)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// redirect puts the write end of a new pipe in place of the descriptor. Only the
// read end is non-blocking: the write end is inherited by programs that expect
// their output to block.
func (s *captured) redirect() error {
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
		return err
	}
	defer syscall.Close(p[1])
	const setPipeSize = 1031 // F_SETPIPE_SZ; a refusal leaves the usual 64 KiB
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(p[1]), setPipeSize, capturePipe)
	if err := syscall.SetNonblock(p[0], true); err != nil {
		_ = syscall.Close(p[0])
		return err
	}
	s.buf = make([]byte, 64<<10)
	s.file = os.NewFile(uintptr(p[0]), s.name+" pipe")
	raw, err := s.file.SyscallConn()
	if err == nil {
		s.raw = raw
		err = syscall.Dup3(p[1], s.fd, 0)
	}
	if err != nil {
		_ = s.file.Close()
		s.file = nil
	}
	return err
}

// pump reads whenever there is something, until Restore closes the pipe.
func (c *Capture) pump(s *captured) {
	defer c.k.recoverTo("capture of " + s.name)
	for {
		end := false
		err := s.raw.Read(func(fd uintptr) bool {
			n, err := c.read(s, int(fd))
			end = n == 0 && err == nil
			return err != syscall.EAGAIN && err != syscall.EINTR
		})
		if err != nil || end {
			return
		}
	}
}

// read moves what the pipe holds, at most one buffer. It is the only reader, and it
// delivers under the lock, so that a goroutine which gets the lock and reads EAGAIN knows that
// everything written before has been delivered.
func (c *Capture) read(s *captured, fd int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.reading != nil {
		c.reading(1)
		defer c.reading(-1)
	}
	n, err := syscall.Read(fd, s.buf)
	if n <= 0 {
		return 0, err
	}
	if c.before != nil {
		c.before()
	}
	out := c.k.LastOutput()
	if out == nil {
		_, err := s.saved.Write(s.buf[:n])
		return n, err
	}
	s.rest = append(s.rest, s.buf[:n]...)
	whole := wholeRunes(s.rest)
	if whole > 0 {
		c.k.publisher.stream(out, s.name, string(s.rest[:whole]))
	}
	s.rest = append(s.rest[:0], s.rest[whole:]...)
	return n, nil
}

// wholeRunes is how much of b can be sent without cutting a character in two.
func wholeRunes(b []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if c := b[len(b)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-back:]) {
				return len(b) - back
			}
			break
		}
	}
	return len(b)
}

// drain delivers what the pipes hold now.
func (c *Capture) drain() {
	for _, s := range c.streams {
		if s == nil || s.raw == nil {
			continue
		}
		err := s.raw.Control(func(fd uintptr) {
			for {
				if n, err := c.read(s, int(fd)); n == 0 && err != syscall.EINTR {
					return
				}
			}
		})
		if err != nil && !errors.Is(err, os.ErrClosed) {
			c.k.log.Printf("capture of %s: %v", s.name, err)
		}
	}
}

// Pipes returns the ends of the pipes that the output of descriptors 1 and 2 comes from. They are readable
// where there is some that has not been delivered.
func (c *Capture) Pipes() (stdout, stderr int) {
	fd := func(s *captured) (n int) {
		if err := s.raw.Control(func(fd uintptr) { n = int(fd) }); err != nil {
			return -1
		}
		return n
	}
	return fd(c.streams[0]), fd(c.streams[1])
}

// DrainCapture delivers what was written to the descriptors so far, if they are captured.
func (k *Kernel) DrainCapture() {
	if c := k.capture.Load(); c != nil {
		c.drain()
	}
}

// Restore puts the old descriptors back and delivers what the pipes still hold.
// Children that are alive keep the pipes and write into nothing.
func (c *Capture) Restore() error {
	c.once.Do(func() {
		for _, s := range c.streams {
			if s != nil && s.file != nil {
				c.err = errors.Join(c.err, syscall.Dup3(int(s.saved.Fd()), s.fd, 0))
			}
		}
		c.drain()
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		c.k.capture.Store(nil)
		for _, s := range c.streams {
			if s != nil && s.file != nil {
				c.err = errors.Join(c.err, s.file.Close())
			}
		}
		c.k.sink.follow(os.Stderr)
		c.k.capturing.Store(false)
	})
	return c.err
}
