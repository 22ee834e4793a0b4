package driver

import (
	"errors"
	"fmt"

	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/verify"
)

// ErrCancelled is why an op was not run that Cancel stopped.
var ErrCancelled = errors.New("cancelled by interrupt")

// OpError says which op failed, and where in the program it was asked for.
//
// It is made when a failure is told, not when it happens: a loop that never reads its failures makes none.
type OpError struct {
	Op    scheduler.OpID
	Task  scheduler.TaskID
	Name  string // of the op, or of the kind of task
	Where scheduler.Where
	Place string // "In[3] line 2"; empty when it is not known
	Err   error
}

// Error is what the user reads: "add at In[3] line 2: unable to allocate ...".
func (e *OpError) Error() string {
	if errors.Is(e.Err, ErrCancelled) {
		if e.Place == "" {
			return fmt.Sprintf("%v (%s)", e.Err, e.Name)
		}
		return fmt.Sprintf("%v at %s (%s)", e.Err, e.Place, e.Name)
	}
	if e.Place == "" {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s at %s: %v", e.Name, e.Place, e.Err)
}

// Unwrap returns the cause: a MemoryError, ErrCancelled, or what the device said.
func (e *OpError) Unwrap() error { return e.Err }

// explain adds the names of sources and memories to a failure of the core.
//
// The core's failures have numbers where people want names: of sources (Where), and of memories and arrays (NoRoom). A
// failure that left values as they were is told to the checker, for which what comes next is no longer certain.
func (r *Runtime) explain(err error) error {
	var f *core.Failure
	var full *scheduler.NoRoom
	switch {
	case errors.As(err, &f):
		if f.Kept {
			r.check(func(c *verify.Checker) error { c.Short(); return nil })
		}
		return &OpError{Op: f.Op, Task: f.Task, Name: f.Name, Where: f.Where, Place: r.sources.place(f.Where), Err: r.explain(f.Err)}
	case errors.As(err, &full):
		return r.lacking(full)
	}
	return err
}

// placed says "add at In[3] line 2".
func (r *Runtime) placed(name string, w scheduler.Where) string {
	if p := r.sources.place(w); p != "" {
		return name + " at " + p
	}
	return name
}
