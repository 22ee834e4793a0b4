//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
)

// cells knows which cell is running and what the earlier ones did.
type cells struct {
	mu     sync.Mutex
	rt     *driver.Runtime
	files  map[scheduler.SourceID]string // of sources; of one that several files share, the latest
	titles map[string]string             // file names of compiled cells -> In[3]
	texts  map[string]string             // of the latest cells, by title: functions of theirs may run under a later runtime
	named  []string                      // the titles in texts, the oldest first
	seen   map[string]bool               // titles whose text this runtime has
	used   bool                          // there are cells: this is a kernel
	open   []*cell                       // running, at most one of each shell, in the order of their beginnings
	done   []cell
	ended  int       // how many have
	quiet  sync.Once // the copy speed is going to be measured

	fallbacks int64        // calls that went to NumPy
	fell      []fallenCall // the latest of these
}

// cell is one execution of a cell, or a whole script.
type cell struct {
	name, text, shell string
	mark              driver.Cell
	begun             time.Time
	annotation        uint64 // its range for the tool that the process runs under
	firstNote         int64  // of operations that were computed at once: from this number on
	lastNote          int64  // and below this one
	// Totals when it began, of this runtime. Cells of several shells that run at once count each other's work.
	before          driver.Cost
	fallbacksBefore int64
}

// maxCells bounds how many cells can be looked at later.
const maxCells = 4096

// moveTo is called when a runtime starts. What the earlier one did can't be drawn any more.
func (c *cells) moveTo(rt *driver.Runtime) {
	c.mu.Lock()
	defer c.mu.Unlock()
	the.notes.forget()
	c.rt = rt
	c.done, c.seen = nil, nil
	c.files = map[scheduler.SourceID]string{}
	for _, open := range c.open {
		c.begin(open)
	}
}

func (c *cells) begin(open *cell) {
	id := c.rt.Source(open.name)
	c.rt.SourceText(id, open.text)
	open.mark = c.rt.BeginCell(id)
	open.before = c.rt.Totals()
	open.firstNote = the.notes.count()
	if e := jupyter.evaluator; e != nil && open.shell == "" {
		the.progress.begin(e.mainOutput(), c.rt)
	}
}

// pick returns the cell of a name; the last one that ran operations if the name is empty;
// everything so far if there are no cells.
func (c *cells) pick(name string) (cell, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rt == nil {
		return cell{}, fmt.Errorf("no array operation has run yet")
	}
	forever := driver.Cell{LastOp: ^scheduler.OpID(0), LastTask: ^scheduler.TaskID(0), End: c.rt.Now()}
	var all []cell
	all = append(all, c.done...)
	for _, open := range c.open {
		running := *open
		running.mark.LastOp, running.mark.LastTask, running.mark.End = forever.LastOp, forever.LastTask, forever.End
		running.lastNote = everyNote
		all = append(all, running)
	}
	if name == "" && len(all) == 0 {
		return cell{name: "all operations", mark: forever, lastNote: everyNote}, nil
	}
	var known []string
	for i := len(all) - 1; i >= 0; i-- {
		one := all[i]
		worked := the.notes.between(one.firstNote, one.lastNote) > 0
		for _, op := range c.rt.Ops(one.mark.FirstOp) {
			worked = worked || op.ID <= one.mark.LastOp
			break
		}
		if worked && (name == "" || name == one.name) {
			return one, nil
		}
		if worked && len(known) < 10 {
			known = append(known, one.name)
		}
	}
	if len(known) == 0 {
		return cell{}, fmt.Errorf("no cell has run array operations yet since the runtime started")
	}
	return cell{}, fmt.Errorf("%s is not among the cells whose array operations are still known; the latest are %s", name, strings.Join(known, ", "))
}

// title is what a file of the user's program is called: In[3], or a path that is short.
func (c *cells) title(file string) string {
	c.mu.Lock()
	title, ok := c.titles[file]
	c.mu.Unlock()
	if ok {
		return title
	}
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, file); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return filepath.Base(file)
}

// maxText is the largest source file that is kept for the viewer.
const maxText = 1 << 20

// firstLook returns the text of a file or cell; nothing when the runtime has it: a file has
// many code objects.
func (c *cells) firstLook(file, title string) string {
	c.mu.Lock()
	text, isCell := c.texts[title]
	first := !c.seen[title] // and not the file: cells of the same text have one
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[title] = true
	c.mu.Unlock()
	if !first {
		return ""
	}
	if isCell {
		return text
	}
	if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() && st.Size() <= maxText {
		if b, err := os.ReadFile(file); err == nil {
			return string(b)
		}
	}
	return ""
}

//export goSource
func goSource(file *C.char, n C.int) C.uint32_t {
	defer guard("source")
	if the.machine == nil {
		return 0
	}
	path := C.GoStringN(file, n)
	rt := the.machine.rt
	title := the.cells.title(path)
	id := rt.Source(title)
	the.cells.mu.Lock()
	the.cells.files[id] = path
	the.cells.mu.Unlock()
	if text := the.cells.firstLook(path, title); text != "" {
		rt.SourceText(id, text)
	}
	return C.uint32_t(id)
}

// displaySource is the name of the place of what is asked for to show a value: the copies of what is printed are no part of the
// program, and not in its graphs.
const displaySource = "display"

//export goDisplaySource
func goDisplaySource() C.uint32_t {
	defer guard("display_source")
	if the.machine == nil {
		return 0
	}
	return C.uint32_t(the.machine.rt.Source(displaySource))
}

// displays says whether something was asked for only to show a value.
func (m *machine) displays(w scheduler.Where) bool {
	return w.Source != 0 && m.rt.SourceName(w.Source) == displaySource
}

//export goNameSource
func goNameSource(file, title *C.char) {
	defer guard("name_source")
	c := &the.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.titles == nil {
		c.titles = map[string]string{}
	}
	c.titles[C.GoString(file)] = C.GoString(title)
}

//export goBeginCell
func goBeginCell(name, text, shell *C.char) {
	defer guard("begin_cell")
	c := &the.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = true
	if c.texts == nil {
		c.texts = map[string]string{}
	}
	open := &cell{name: C.GoString(name), text: C.GoString(text), shell: C.GoString(shell), begun: time.Now(), fallbacksBefore: c.fallbacks}
	if _, again := c.texts[open.name]; !again {
		c.named = append(c.named, open.name)
	}
	c.texts[open.name] = open.text
	if len(c.named) > maxCells {
		delete(c.texts, c.named[0])
		c.named = slices.Delete(c.named, 0, 1)
	}
	c.take(open.shell) // one that an interrupt has kept from ending
	c.open = append(c.open, open)
	open.annotation = the.tool().Begin(open.name)
	the.takeNotes()
	if c.rt != nil {
		c.begin(open)
	}
}

// take removes the open cell of a shell, nil if there is none.
func (c *cells) take(shell string) *cell {
	i := slices.IndexFunc(c.open, func(open *cell) bool { return open.shell == shell })
	if i < 0 {
		return nil
	}
	open := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	the.tool().End(open.annotation)
	return open
}

// cellCost is a cell's cost as Python gets it, in the metadata of its reply.
type cellCost struct {
	Wall       float64            `json:"wall_seconds"`
	Operations int64              `json:"operations"`
	Fused      int64              `json:"fused_operations"`
	Tasks      int64              `json:"tasks"`
	Pending    int                `json:"pending_tasks"`
	Copies     int64              `json:"copies"`
	Moved      int64              `json:"moved_bytes"`
	Waits      int64              `json:"waits"`
	Fallbacks  int64              `json:"fallbacks"`
	Busy       map[string]float64 `json:"busy_seconds"` // by device
}

// goEndCell returns the cell's cost as JSON, nothing if it did not use the runtime. The caller frees it.
//
//export goEndCell
func goEndCell(shell *C.char) *C.char {
	defer guard("end_cell")
	c := &the.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	open := c.take(C.GoString(shell))
	c.ended++
	if open == nil || c.rt == nil {
		return nil
	}
	if open.shell == "" {
		the.progress.end(c.rt)
	}
	c.measureWhenQuiet()
	the.takeNotes()
	open.mark = c.rt.EndCell(open.mark)
	open.lastNote = the.notes.count()
	if len(c.done) == maxCells {
		c.done = append(c.done[:0], c.done[1:]...)
	}
	c.done = append(c.done, *open)
	spent := c.rt.Totals().Since(open.before)
	spent.Operations += open.lastNote - open.firstNote
	fallbacks := c.fallbacks - open.fallbacksBefore
	if spent.Operations == 0 && spent.Waits == 0 && fallbacks == 0 {
		return nil
	}
	cost := cellCost{
		Wall: time.Since(open.begun).Seconds(), Operations: spent.Operations, Fused: spent.Fused, Tasks: spent.Tasks,
		Pending: spent.Pending, Copies: spent.Copies, Moved: spent.Moved, Waits: spent.Waits, Fallbacks: fallbacks,
		Busy: map[string]float64{},
	}
	for _, d := range spent.Busy {
		cost.Busy[d.Device] = float64(d.Time) / 1e9
	}
	text, err := json.Marshal(cost)
	if err != nil {
		return nil // numbers and names: it cannot be
	}
	return C.CString(string(text))
}

//export goClock
func goClock() C.int64_t {
	defer guard("clock")
	the.takeNotes() // what was before a call of NumPy's stands before it
	the.notes.memories = uint64(C.weft_layouts.memories)
	return C.int64_t(the.machine.rt.Now())
}

//export goNoteFallback
func goNoteFallback(name *C.char, where C.uint64_t, begun, bytes C.longlong) {
	defer guard("note_fallback")
	the.takeNotes() // they stand before it
	the.cells.mu.Lock()
	the.cells.fallbacks++
	the.cells.mu.Unlock()
	rt := the.machine.rt
	w := scheduler.Where{Source: scheduler.SourceID(where >> 32), Line: int32(uint32(where))}
	end := rt.Now()
	rt.Note(profiler.Fallback, C.GoString(name), w, int64(begun), end, int64(bytes))
	the.cells.keepFallen(fallenCall{C.GoString(name), w, int64(begun), end, int64(bytes), the.notes.memories, uint64(C.weft_layouts.memories)})
}
