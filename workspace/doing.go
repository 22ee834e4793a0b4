package workspace

import (
	"runtime/debug"
	"time"
)

// lookLimit is how long the runtime may take to say what it does: its lock is held while it plans.
const lookLimit = time.Second

// Doing says what the runtime does; nothing where there is none.
func (s *Workspace) Doing() string {
	m := s.Machine()
	if m == nil {
		return ""
	}
	text := make(chan string, 1)
	go func() {
		defer s.guard("doing")
		text <- m.rt.Doing().String()
	}()
	select {
	case t := <-text:
		return t
	case <-time.After(lookLimit):
		return "the runtime is planning operations, or runs little ones, without a pause\n"
	}
}

func stack() []byte { return debug.Stack() }
