package profiler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	e.lanes(t.Lanes)
	e.sources(t.Sources)
	e.forms(t.Forms[1:])
	e.labels(t.Labels[1:])
	e.ops(t.Ops)
	e.records(t.Records)
	e.lost(t.Lost)
	e.texts(t.Texts)
	if !t.Cut {
		e.chunk(tagDone)
	}
	return wrapWrite(e.err)
}

// WriteFile writes a whole trace to a file. It writes a new file beside it first, so that
// a reader never sees half of it.
func WriteFile(path string, t *Trace) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".weftprof-*")
	if err != nil {
		return fmt.Errorf("profiler: saving %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	err = errors.Join(f.Chmod(0o644), Write(f, t), f.Close())
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
	r      *Recorder
	cursor *Cursor
	rows   []Record

	lanes, forms, labels int    // rows that are written; forms and labels without row 0
	ops                  uint64 // ops that are written
	changes              uint64
	sources              map[uint32]Source
	texts                map[string]string
	lost                 []uint64
}

// NewWriter starts a file.
func NewWriter(w io.Writer, r *Recorder) (*Writer, error) {
	out := &Writer{
		e: encoder{w: w}, r: r, cursor: r.Cursor(), forms: 1, labels: 1,
		sources: map[uint32]Source{}, texts: map[string]string{},
	}
	out.e.header()
	out.e.machine(r.epoch.UnixNano(), r.machine)
	return out, wrapWrite(out.e.err)
}

// Flush writes what is new since the last Flush.
func (w *Writer) Flush() error {
	var lost []uint64
	w.rows, lost = w.cursor.Read(w.rows[:0])
	w.tables() // after the records were read: whatever they name is in the tables by now
	w.e.records(w.rows)
	if !slices.Equal(lost, w.lost) {
		w.lost = lost
		w.e.lost(lost)
	}
	return wrapWrite(w.e.err)
}

// tables writes the new rows of the recorder's tables.
func (w *Writer) tables() {
	r := w.r
	r.mu.Lock()
	var lanes []LaneInfo
	for _, l := range r.lanes[w.lanes:] {
		lanes = append(lanes, l.info)
	}
	forms, labels := r.forms[w.forms:], r.labels[w.labels:]
	var ops []Op
	from := max(w.ops, r.opCount-uint64(len(r.ops)))
	for ; from < r.opCount; from++ {
		ops = append(ops, r.ops[from%maxOps])
	}
	var sources []Source
	var texts []Text
	if w.changes != r.changes {
		for _, s := range r.sources {
			if w.sources[s.ID] != s {
				sources, w.sources[s.ID] = append(sources, s), s
			}
		}
		for _, t := range r.texts {
			if body, known := w.texts[t.Name]; !known || body != t.Body {
				texts, w.texts[t.Name] = append(texts, t), t.Body
			}
		}
	}
	w.ops, w.changes = r.opCount, r.changes
	r.mu.Unlock()

	w.lanes += len(lanes)
	w.forms += len(forms)
	w.labels += len(labels)
	w.e.lanes(lanes)
	w.e.sources(sources)
	w.e.forms(forms)
	w.e.labels(labels)
	w.e.ops(ops)
	w.e.texts(texts)
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

// Stream records a run to a file until ctx ends, flushing at an interval, and completes it.
func Stream(ctx context.Context, path string, r *Recorder, every time.Duration) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("profiler: recording to %s: %w", path, err)
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(err, fmt.Errorf("BUG: recording to %s: %v", path, p))
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
