package profiler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Write writes a whole trace as a .weftprof file. The trace must pass Check.
func Write(w io.Writer, t *Trace) error {
	if err := t.Check(); err != nil {
		return err
	}
	e := &encoder{w: w}
	e.header()
	e.machine(t.Epoch, t.Machine)
	e.increment(&Increment{
		Lanes: t.Lanes, Sources: t.Sources, Forms: t.Forms[1:], Labels: t.Labels[1:], Ops: t.Ops,
		Tasks: t.Tasks, Records: t.Records, Lost: t.Lost, Texts: t.Texts,
	})
	if !t.Cut {
		e.chunk(tagDone)
	}
	return wrapWrite(e.err)
}

// WriteFile writes a whole trace to a file. It writes a new file beside it first, so that
// a reader never sees half of it. It is for its owner alone: profiles hold the source of cells.
func WriteFile(path string, t *Trace) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".weftprof-*")
	if err != nil {
		return fmt.Errorf("profiler: saving %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	err = errors.Join(Write(f, t), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("profiler: saving %s: %w", path, err)
	}
	return nil
}

// Writer streams a recorder to a file while the run goes on. One goroutine at a time may use
// it. After a crash the file holds everything up to the last Flush.
type Writer struct {
	e      encoder
	cursor *Cursor
	inc    Increment
}

// NewWriter starts a file.
func NewWriter(w io.Writer, r *Recorder) (*Writer, error) {
	out := &Writer{e: encoder{w: w}, cursor: r.Cursor()}
	out.e.header()
	out.e.machine(r.epoch.UnixNano(), r.machine)
	return out, wrapWrite(out.e.err)
}

// Flush writes what is new since the last Flush.
func (w *Writer) Flush() error {
	w.cursor.Next(&w.inc)
	w.e.increment(&w.inc)
	return wrapWrite(w.e.err)
}

// increment writes rows in the order in which they may name each other.
func (e *encoder) increment(inc *Increment) {
	e.lanes(inc.Lanes)
	e.sources(inc.Sources)
	e.forms(inc.Forms)
	e.labels(inc.Labels)
	e.ops(inc.Ops)
	e.tasks(inc.Tasks)
	e.records(inc.Records)
	if inc.Lost != nil {
		e.lost(inc.Lost)
	}
	e.texts(inc.Texts)
}

// Close writes the rest and the mark that the file is complete. It does not close the
// underlying file.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	w.e.chunk(tagDone)
	return wrapWrite(w.e.err)
}

// Stream records a run to a file until ctx ends, flushing at an interval, completes it and closes the file.
func Stream(ctx context.Context, f io.WriteCloser, r *Recorder, every time.Duration) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(err, fmt.Errorf("BUG: recording: %v", p))
		}
		err = errors.Join(err, f.Close())
	}()
	w, err := NewWriter(f, r)
	if err != nil {
		return err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return w.Close()
		case <-tick.C:
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

func wrapWrite(err error) error {
	if err != nil {
		return fmt.Errorf("profiler: writing the profile: %w", err)
	}
	return nil
}
